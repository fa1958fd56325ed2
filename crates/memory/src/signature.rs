//! What in a question must not differ when an old answer's plan is used again?
//!
//! The guards compare signatures. [`Signature::extract`] reads one off a masked question with closed lists of words; a
//! parser that knows more may fill the fields itself.

use serde::{Deserialize, Serialize};

use crate::words::{
    is_calendar, is_extreme, is_negation, is_slot, is_stop, is_unit, is_volatile, number_word,
    polarity, stem, tokens,
};

/// Whether the relation starts at a slot or ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It does what the verb says: "which films did ⟨0⟩ direct".
    Agent,
    /// It has it done to it: "who directed ⟨0⟩", "the director of ⟨0⟩".
    Patient,
    /// The words do not say.
    Open,
}

/// What a question asks, in the parts that the guards compare one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Signature {
    /// The question, normalised, its mentions replaced by `⟨0⟩`, `⟨1⟩`… in order of appearance.
    pub masked: String,
    /// The mention in each slot, normalised.
    pub slots: Vec<String>,
    /// Numbers outside of slots, in order; words for numbers as digits.
    pub numbers: Vec<String>,
    /// Years, months and days outside of slots, in order.
    pub dates: Vec<String>,
    /// Units and currencies, in order.
    pub units: Vec<String>,
    /// Whether an odd number of negations stands in it.
    pub negated: bool,
    /// Classes of words that have an opposite ("before", "most") or set a scope ("only", "both"), ascending.
    pub polarity: Vec<String>,
    /// `count`, `yes_no`, `superlative`, `comparison` or `list`.
    pub question_type: String,
    /// What kind of thing answers it, where the words say: `time`, `place`, `manner`, `reason`, `amount`; else empty.
    /// Two kinds exclude each other; a kind that only one question names is a word to account for.
    pub asks: String,
    /// The part each slot plays in the relation.
    pub direction: Vec<Role>,
    /// It asks for something that is true only for a while ("current", "today").
    pub volatile: bool,
}

impl Signature {
    /// Reads the signature off a masked question. `slots` are the mentions, in the order of their numbers.
    ///
    /// ```
    /// use memory::Signature;
    /// let s = Signature::extract("which films directed by ⟨0⟩ were released before 1997?", vec!["bent hamer".into()]);
    /// assert_eq!((s.dates, s.polarity), (vec!["1997".to_owned()], vec!["before".to_owned()]));
    /// ```
    #[must_use]
    pub fn extract(masked: &str, slots: Vec<String>) -> Self {
        let tokens = tokens(masked);
        let mut signature = Self {
            masked: masked.to_owned(),
            slots,
            ..Self::default()
        };
        for (place, token) in tokens.iter().enumerate() {
            let before = place.checked_sub(1).map(|p| tokens[p].as_str());
            signature.read(token, before);
        }
        signature.polarity.sort();
        signature.polarity.dedup();
        signature.question_type = question_type(&tokens, &signature.polarity).to_owned();
        signature.asks = asks(&tokens).to_owned();
        signature.direction = direction(&tokens, signature.slots.len());
        signature
    }

    fn read(&mut self, token: &str, before: Option<&str>) {
        if is_slot(token) {
            return;
        }
        self.negated ^= is_negation(token);
        self.volatile |= is_volatile(token);
        let idiom = token == "living" && before == Some("a");
        if let Some(class) = polarity(token)
            && !idiom
        {
            self.polarity.push(class.to_owned());
        }
        if is_calendar(token) || is_year(token) {
            self.dates.push(token.to_owned());
        } else if token.starts_with(|c: char| c.is_ascii_digit()) {
            self.numbers.push(token.to_owned());
        } else if let Some(digits) = number_word(token)
            && !(token == "one"
                && matches!(
                    before,
                    None | Some("which" | "the" | "this" | "that" | "no" | "any" | "what")
                ))
        {
            self.numbers.push(digits.to_owned());
        }
        if is_unit(token) && measures(token, before) {
            self.units.push(token.to_owned());
        }
    }

    /// The stems of the words that carry content, ascending, as often as they occur.
    #[must_use]
    pub fn content(&self) -> Vec<String> {
        let mut words: Vec<String> = tokens(&self.masked)
            .iter()
            .filter(|t| {
                !is_slot(t)
                    && !is_stop(t)
                    && !is_negation(t)
                    && polarity(t).is_none()
                    && !t.starts_with(|c: char| c.is_ascii_digit())
            })
            .map(|t| stem(t))
            .collect();
        words.sort();
        words
    }
}

fn is_year(token: &str) -> bool {
    let digits = token.strip_suffix('s').unwrap_or(token);
    digits.len() == 4
        && digits.bytes().all(|b| b.is_ascii_digit())
        && ("1000"..="2999").contains(&digits)
}

/// Whether a unit stands where it measures something: behind a number, or asked for; not as in "released in which years".
fn measures(token: &str, before: Option<&str>) -> bool {
    let Some(before) = before else { return false };
    let number = before.starts_with(|c: char| c.is_ascii_digit()) || number_word(before).is_some();
    let time = matches!(
        token,
        "second"
            | "seconds"
            | "day"
            | "days"
            | "week"
            | "weeks"
            | "month"
            | "months"
            | "years"
            | "decade"
            | "decades"
    );
    !token.starts_with(char::is_alphabetic)
        || number
        || is_unit(before)
        || matches!(before, "many" | "much" | "per" | "in") && !time
}

fn is_be(token: &str) -> bool {
    matches!(
        token,
        "is" | "was" | "are" | "were" | "be" | "been" | "being"
    )
}

fn is_auxiliary(token: &str) -> bool {
    is_be(token)
        || matches!(
            token,
            "do" | "does"
                | "did"
                | "has"
                | "have"
                | "had"
                | "can"
                | "could"
                | "will"
                | "would"
                | "should"
        )
}

fn question_type(tokens: &[String], polarity: &[String]) -> &'static str {
    let pair =
        |first: &str, second: &str| tokens.windows(2).any(|w| w[0] == first && w[1] == second);
    if pair("how", "many")
        || pair("number", "of")
        || pair("count", "of")
        || tokens.first().is_some_and(|t| t == "count")
    {
        return "count";
    }
    let alternatives = tokens
        .windows(3)
        .any(|w| is_slot(&w[0]) && w[1] == "or" && is_slot(&w[2]));
    let extreme = polarity.iter().any(|class| is_extreme(class));
    if alternatives {
        return "comparison";
    }
    let open = tokens.iter().any(|t| {
        matches!(
            t.as_str(),
            "who" | "whom" | "whose" | "what" | "which" | "when" | "where" | "how" | "why"
        )
    });
    let polite = matches!(tokens.get(1).map(String::as_str), Some("you" | "i" | "we"));
    // "Is she a man or a woman" asks which, not whether.
    let either = tokens.iter().any(|t| t == "or");
    if tokens.first().is_some_and(|t| is_auxiliary(t)) && !polite && !open && !either {
        return "yes_no";
    }
    if extreme { "superlative" } else { "list" }
}

fn asks(tokens: &[String]) -> &'static str {
    for (place, token) in tokens.iter().enumerate() {
        let next = tokens.get(place + 1).map_or("", String::as_str);
        match token.as_str() {
            "when" | "year" | "date" | "dates" | "birthdate" | "birthday" | "time" => return "time",
            "where" | "place" | "places" | "location" | "city" | "country" | "birthplace" => {
                return "place";
            }
            "why" | "reason" => return "reason",
            "how"
                if next == "much"
                    || next == "long"
                    || next == "old"
                    || next == "tall"
                    || next == "far"
                    || next == "big" =>
            {
                return "amount";
            }
            "how" if next != "many" => return "manner",
            "years" if place > 0 && tokens[place - 1] == "release" => return "time",
            _ => {}
        }
    }
    ""
}

/// The role of each slot, by the words around it.
fn direction(tokens: &[String], slots: usize) -> Vec<Role> {
    let mut roles = vec![Role::Open; slots];
    for (place, token) in tokens.iter().enumerate() {
        let number = token
            .strip_prefix('⟨')
            .and_then(|t| t.strip_suffix('⟩'))
            .and_then(|t| t.parse::<usize>().ok());
        if let Some(role) = number.and_then(|n| roles.get_mut(n)) {
            *role = role_at(tokens, place);
        }
    }
    roles
}

fn role_at(tokens: &[String], place: usize) -> Role {
    let word = |at: Option<usize>| at.and_then(|a| tokens.get(a)).map_or("", String::as_str);
    // "the film ⟨0⟩" stands where "⟨0⟩" would.
    let mut left = place.checked_sub(1);
    while matches!(
        word(left),
        "film"
            | "movie"
            | "films"
            | "movies"
            | "the"
            | "actor"
            | "actress"
            | "person"
            | "book"
            | "called"
            | "named"
    ) {
        left = left.and_then(|l| l.checked_sub(1));
    }
    let (before, after, second) = (word(left), word(Some(place + 1)), word(Some(place + 2)));
    if before == "by" {
        return Role::Agent;
    }
    if matches!(before, "do" | "does" | "did") {
        return Role::Agent;
    }
    if before == "of" {
        let noun = left
            .and_then(|l| l.checked_sub(1))
            .map_or("", |l| word(Some(l)));
        return if is_agent_noun(noun) {
            Role::Patient
        } else {
            Role::Open
        };
    }
    if after == "'s" {
        return if is_agent_noun(second) {
            Role::Patient
        } else {
            Role::Open
        };
    }
    if is_be(before) && is_participle(after) {
        return Role::Patient;
    }
    if is_be(after) {
        return if is_participle(second) {
            Role::Patient
        } else {
            agent_if_noun_follows(tokens, place)
        };
    }
    if before.is_empty() && is_participle(after)
        || matches!(before, "has" | "had" | "have") && is_participle(after)
    {
        return Role::Agent;
    }
    if is_participle(before)
        || before == "in" && is_participle(word(left.and_then(|l| l.checked_sub(1))))
    {
        return Role::Patient;
    }
    Role::Open
}

/// "⟨0⟩ is the director of …": the slot does it.
fn agent_if_noun_follows(tokens: &[String], place: usize) -> Role {
    let rest = &tokens[(place + 2).min(tokens.len())..];
    let noun = rest.iter().take(3).any(|t| is_agent_noun(t));
    if noun && rest.iter().any(|t| t == "of" || t == "for") {
        Role::Agent
    } else {
        Role::Open
    }
}

fn is_agent_noun(token: &str) -> bool {
    let singular = token.strip_suffix('s').unwrap_or(token);
    singular.len() > 4
        && (singular.ends_with("or") || singular.ends_with("er"))
        && !matches!(
            singular,
            "mother"
                | "father"
                | "brother"
                | "sister"
                | "daughter"
                | "partner"
                | "number"
                | "gender"
                | "character"
                | "member"
                | "other"
                | "order"
        )
}

fn is_participle(token: &str) -> bool {
    token.len() > 3
        && (token.ends_with("ed") && !matches!(token, "named" | "called")
            || matches!(
                token,
                "written"
                    | "wrote"
                    | "born"
                    | "made"
                    | "won"
                    | "given"
                    | "shot"
                    | "sung"
                    | "led"
                    | "built"
                    | "found"
                    | "founded"
                    | "star"
                    | "direct"
                    | "write"
                    | "marry"
                    | "play"
                    | "starring"
                    | "directing"
                    | "writing"
            ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sig(masked: &str) -> Signature {
        let slots = (0..9)
            .filter(|i| masked.contains(&format!("⟨{i}⟩")))
            .map(|i| format!("e{i}"))
            .collect();
        Signature::extract(masked, slots)
    }

    #[test]
    fn types_are_told_apart() {
        let of = |masked: &str| sig(masked).question_type;
        assert_eq!(of("how many films did ⟨0⟩ direct?"), "count");
        assert_eq!(of("which films did ⟨0⟩ direct?"), "list");
        assert_eq!(of("did ⟨0⟩ direct ⟨1⟩?"), "yes_no");
        assert_eq!(
            of("can you name a film directed by ⟨0⟩"),
            "yes_no".replace("yes_no", "list")
        );
        assert_eq!(of("what is the first film directed by ⟨0⟩?"), "superlative");
        assert_eq!(
            of("which film was released earlier, ⟨0⟩ or ⟨1⟩?"),
            "comparison"
        );
        assert_eq!(of("was ⟨0⟩ or ⟨1⟩ released first?"), "comparison");
        assert_eq!(of("is ⟨0⟩'s child a man or a woman?"), "list");
    }

    #[test]
    fn the_side_a_slot_stands_on_is_read() {
        let of = |masked: &str| sig(masked).direction[0];
        for agent in [
            "which films did ⟨0⟩ direct?",
            "name the movies that were directed by ⟨0⟩",
            "⟨0⟩ directed which movies",
            "⟨0⟩ was the writer of which films",
        ] {
            assert_eq!(of(agent), Role::Agent, "{agent}");
        }
        for patient in [
            "who directed ⟨0⟩?",
            "the director of ⟨0⟩ is who?",
            "who was ⟨0⟩ directed by?",
            "name the person who directed the film ⟨0⟩",
            "⟨0⟩ was directed by whom",
            "who is ⟨0⟩'s director?",
        ] {
            assert_eq!(of(patient), Role::Patient, "{patient}");
        }
    }

    #[test]
    fn numbers_dates_and_units_are_kept_in_order() {
        let s = sig("which two films of ⟨0⟩ from May to June 1999 took over 3.5 million dollars");
        assert_eq!(s.numbers, ["2", "3.5", "1000000"]);
        assert_eq!(s.dates, ["june", "1999"]);
        assert_eq!(s.units, ["dollars"]);
        assert!(
            sig("the films of ⟨0⟩ were released in which years")
                .units
                .is_empty()
        );
        assert!(sig("which one is ⟨0⟩").numbers.is_empty());
    }

    #[test]
    fn what_holds_only_for_a_while_is_marked() {
        assert!(sig("who is the current director of ⟨0⟩").volatile);
        assert!(sig("what is the population of ⟨0⟩ today").volatile);
        assert!(!sig("who directed ⟨0⟩").volatile);
    }

    #[test]
    fn negations_cancel() {
        assert!(sig("who did not direct ⟨0⟩?").negated);
        assert!(sig("who didn't direct ⟨0⟩?").negated);
        assert!(!sig("who did not direct ⟨0⟩ without ⟨1⟩").negated);
    }

    #[test]
    fn tokens_split_possessives_and_slots() {
        assert_eq!(
            tokens("⟨0⟩'s wife’s 1,000 a.b"),
            ["⟨0⟩", "'s", "wife", "'s", "1000", "a", "b"]
        );
    }
}
