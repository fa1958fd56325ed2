//! What must stand where a question is answered?
//!
//! The names that it gives, its numbers, and the words that say what is asked of them. It judges no sentence.

use std::ops::Range;

use crate::lexical_entailment::stands_in;
use crate::recogniser::word_lists::{is_function_word, is_generic_head, is_month};
use crate::recogniser::{Casing, Mention, Recogniser, Source};
use crate::token::{Encoded, Token, fold, tokens};

/// Words that open a request and ask for nothing themselves.
const OPENERS: &[&str] = &[
    "describe", "explain", "find", "give", "list", "name", "say", "show", "tell",
];

/// Words of questions that stand for what is asked, or for where it is said: no text need repeat them.
const SCAFFOLDING: &[&str] = &[
    "according",
    "amount",
    "article",
    "called",
    "date",
    "day",
    "describe",
    "document",
    "documents",
    "exact",
    "explain",
    "find",
    "full",
    "give",
    "happen",
    "happened",
    "kind",
    "known",
    "list",
    "listed",
    "located",
    "location",
    "mean",
    "means",
    "month",
    "name",
    "named",
    "names",
    "number",
    "people",
    "person",
    "place",
    "say",
    "says",
    "show",
    "sort",
    "tell",
    "text",
    "thing",
    "things",
    "time",
    "type",
    "types",
    "year",
    "years",
];

/// Numbers in words that may end a name ("platform two"), in order from one.
const NUMBER_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// A name of the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// As the question has it.
    pub(crate) shown: String,
    /// As it is looked for.
    pub(crate) encoded: String,
    /// Names that it is a list of.
    parts: Vec<String>,
}

impl Name {
    /// Whether a text, encoded, has it, or all that it lists.
    pub(crate) fn stands_in(&self, encoded: &str) -> bool {
        encoded.contains(&self.encoded)
            || !self.parts.is_empty() && self.parts.iter().all(|part| encoded.contains(part))
    }
}

/// What a question demands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    /// Names, in order.
    pub(crate) names: Vec<Name>,
    /// Numbers outside of names, in order.
    pub(crate) numbers: Vec<String>,
    /// Words that say what is asked, folded as [`language_model::words`] has them, in order, each once.
    pub(crate) words: Vec<String>,
    /// Whether names are set side by side ("A or B"), so that one sentence need not have them all.
    pub(crate) compares: bool,
    /// Whether a place is asked for.
    pub(crate) place: bool,
}

impl Demand {
    pub(crate) fn of(question: &str, recogniser: &Recogniser) -> Self {
        let casing = Casing::of(question);
        let words = tokens(question);
        let mentions = recogniser.mentions(question, casing);
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        for mention in mentions.iter().filter(|m| !is_opener(m, question)) {
            let inside = |by: &Mention| {
                by.span != mention.span
                    && by.span.start <= mention.span.start
                    && mention.span.end <= by.span.end
            };
            if mentions.iter().any(inside) {
                continue;
            }
            let span = with_number(&words, mention.span.clone());
            let encoded = Encoded::new(&question[span.clone()]).text;
            let parts = if span == mention.span {
                parts_of(mention, &mentions, question)
            } else {
                Vec::new()
            };
            spans.push(span.clone());
            if mention.source == Source::Date || encoded.is_empty() {
                continue;
            }
            if !names.iter().any(|name| name.encoded == encoded) {
                names.push(Name {
                    shown: question[span].to_owned(),
                    encoded,
                    parts,
                });
            }
        }
        let outside = |token: &Token<'_>| {
            !spans
                .iter()
                .any(|span| span.start < token.end && token.start < span.end)
        };
        let dated = |token: &Token<'_>| {
            outside(token)
                || mentions
                    .iter()
                    .any(|m| m.source == Source::Date && m.span.contains(&token.start))
        };
        let numbers = words
            .iter()
            .filter(|token| dated(token) && is_plain_number(token.text))
            .map(|token| Encoded::new(token.text).text)
            .collect();
        let compares = names.len() > 1
            && words.iter().any(|t| {
                matches!(
                    fold(t.text).as_str(),
                    "or" | "both" | "same" | "and" | "than"
                )
            });
        let mut out = Self {
            names,
            numbers,
            compares,
            place: words
                .iter()
                .any(|t| matches!(fold(t.text).as_str(), "where" | "place")),
            ..Self::default()
        };
        out.read_words(&words, outside);
        out
    }

    /// The words that say what is asked.
    fn read_words(&mut self, tokens: &[Token<'_>], outside: impl Fn(&Token<'_>) -> bool) {
        let kind = kind_asked_for(tokens, &outside);
        let says = |at: usize| {
            tokens.get(at).is_some_and(|token| {
                let folded = fold(token.text);
                Some(at) != kind
                    && outside(token)
                    && !token.is_number()
                    && !is_function_word(&folded)
                    && !is_generic_head(&folded)
                    && !is_month(&folded)
                    && SCAFFOLDING.binary_search(&folded.as_str()).is_err()
                    && !NUMBER_WORDS.contains(&folded.as_str())
            })
        };
        for (at, token) in tokens.iter().enumerate() {
            if !says(at) {
                continue;
            }
            for word in language_model::words::words(token.text) {
                if !is_function_word(&word) && !self.words.contains(&word) {
                    self.words.push(word);
                }
            }
        }
    }
}

/// A capitalised first word alone is no name when requests open with it.
fn is_opener(mention: &Mention, question: &str) -> bool {
    let text = &question[mention.span.clone()];
    mention.span.start == 0
        && mention.source == Source::Capitalised
        && OPENERS.contains(&fold(text).as_str())
}

/// A small number right behind a name belongs to it.
fn with_number(words: &[Token<'_>], mut span: Range<usize>) -> Range<usize> {
    let next = words.iter().find(|token| token.start == span.end + 1);
    if let Some(token) = next {
        let numeral = token.text.len() < 4 && token.text.bytes().all(|b| b.is_ascii_digit());
        if numeral || NUMBER_WORDS.contains(&fold(token.text).as_str()) {
            span.end = token.end;
        }
    }
    span
}

/// The names that a name is a list of, encoded; empty for one that is none.
fn parts_of(whole: &Mention, mentions: &[Mention], question: &str) -> Vec<String> {
    let within = |m: &&Mention| {
        m.span != whole.span && whole.span.start <= m.span.start && m.span.end <= whole.span.end
    };
    let parts: Vec<String> = mentions
        .iter()
        .filter(within)
        .map(|m| Encoded::new(&question[m.span.clone()]).text)
        .collect();
    if parts.len() > 1 { parts } else { Vec::new() }
}

fn is_plain_number(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit())
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','))
}

/// The word for the kind of thing asked for: "town" in "which town does", "cheese" in "what goat cheese is".
fn kind_asked_for(tokens: &[Token<'_>], outside: &impl Fn(&Token<'_>) -> bool) -> Option<usize> {
    let asks = |t: &Token<'_>| matches!(fold(t.text).as_str(), "what" | "which" | "many" | "much");
    let first = tokens.iter().position(asks)? + 1;
    let plain = |token: &&Token<'_>| outside(token) && !is_function_word(&fold(token.text));
    let run = tokens.get(first..)?.iter().take_while(plain).count();
    let next = tokens.get(first + run).map(|token| fold(token.text));
    let auxiliary = matches!(
        next.as_deref(),
        Some(
            "is" | "are"
                | "was"
                | "were"
                | "do"
                | "does"
                | "did"
                | "has"
                | "have"
                | "had"
                | "can"
                | "will"
                | "would"
        )
    );
    match run {
        0 => None,
        _ if auxiliary => Some(first + run - 1),
        _ => Some(first),
    }
}

/// Whether a word stands among others, with another ending or as another word of its family ("director", "directed").
pub(crate) fn is_said(word: &str, text: &[String]) -> bool {
    stands_in(word, text) || text.iter().any(|other| is_kin(word, other))
}

/// Least letters that two words of one family share at their start.
const KIN_LETTERS: usize = 5;

/// Whether two words begin alike and differ only in short endings.
fn is_kin(a: &str, b: &str) -> bool {
    let shared = a
        .char_indices()
        .zip(b.chars())
        .take_while(|((_, a), b)| a == b)
        .count();
    let rest = |word: &str| word.chars().count() - shared;
    // "Died" and "dies".
    let short = |word: &str| word.trim_end_matches(['d', 's']).to_owned();
    if shared >= 3 && short(a) == short(b) {
        return true;
    }
    shared >= KIN_LETTERS && rest(a) <= 3 && rest(b) <= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recogniser::{Extraction, Gazetteer, Label};

    fn of(question: &str) -> Demand {
        let titles = [Label::title("Gyre"), Label::title("Tarn Mill")];
        let gazetteer = Gazetteer::new(titles.iter()).unwrap();
        Demand::of(question, &Recogniser::new(gazetteer, Extraction::Full))
    }

    fn names(question: &str) -> Vec<String> {
        of(question).names.into_iter().map(|n| n.shown).collect()
    }

    #[test]
    fn a_number_behind_a_name_is_part_of_it_and_another_is_asked_for_itself() {
        assert_eq!(names("When did Gyre two open?"), ["Gyre two"]);
        assert_eq!(names("Who opened Gyre 2?"), ["Gyre 2"]);
        let year = of("Who ran the Tarn Mill in 1850?");
        assert_eq!(year.names.len(), 1);
        assert_eq!(year.numbers, [Encoded::new("1850").text]);
    }

    #[test]
    fn what_is_asked_is_told_by_words_that_no_question_must_have() {
        let verb = of("Who demolished the Tarn Mill?");
        assert_eq!(verb.words, ["demolished"]);
        let kind = of("Which town does Gyre lie in?");
        assert_eq!(kind.words, ["lie"]);
        let narrow = of("What does the goat cheese cost?");
        assert_eq!(narrow.words, ["goat", "cheese", "cost"]);
        assert_eq!(of("Tell me about Gyre").words, Vec::<String>::new());
        assert!(names("Tell me about Gyre").contains(&"Gyre".to_owned()));
    }

    #[test]
    fn words_of_one_family_count_and_others_do_not() {
        let text = |t: &str| language_model::words::words(t);
        assert!(is_said("director", &text("was directed by")));
        assert!(is_said("died", &text("She dies")));
        assert!(!is_said("demolished", &text("It was built")));
    }

    #[test]
    fn scaffolding_is_sorted_since_it_is_searched_by_halves() {
        assert!(SCAFFOLDING.is_sorted());
    }
}
