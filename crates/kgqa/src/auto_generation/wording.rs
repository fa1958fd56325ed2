//! How is a plan said in English? Templates over the labels of predicates, types and entities.
//!
//! A predicate's label is a noun ("release year"), says `has` before a noun ("has genre"), is a participle ("directed
//! by") or a verb ("plays in club"); that is guessed from its words, and a wrong guess gives clumsy English, no wrong plan.

use rand::{Rng, RngCore};

use crate::graph::Edge;
use crate::plan::Hop;

const PREPOSITIONS: [&str; 12] = [
    "by", "in", "at", "of", "for", "on", "to", "from", "with", "as", "under", "near",
];

/// What kind of phrase a predicate's label is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Noun,
    Has,
    Participle,
    Verb,
}

/// One step with its words.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    pub(super) edge: Edge,
    pub(super) hop: Hop,
    shape: Shape,
    /// Without the `has`.
    words: String,
}

impl Relation {
    pub(super) fn new(edge: Edge, predicate: String, words: &[String]) -> Self {
        let (shape, words) = shape(words);
        Self {
            edge,
            hop: Hop {
                predicate,
                inverse: edge.inverse,
            },
            shape,
            words,
        }
    }

    /// The same predicate against this direction.
    pub(super) fn back(&self) -> Self {
        let inverse = !self.edge.inverse;
        let mut back = self.clone();
        back.edge.inverse = inverse;
        back.hop.inverse = inverse;
        back
    }

    /// The attribute as a noun: "release year".
    pub(super) fn noun(&self) -> &str {
        &self.words
    }

    /// Whether the attribute speaks of time.
    pub(super) fn is_temporal(&self) -> bool {
        self.words.split(' ').any(|w| {
            matches!(
                w,
                "year"
                    | "date"
                    | "born"
                    | "founded"
                    | "founding"
                    | "time"
                    | "since"
                    | "birth"
                    | "death"
            )
        })
    }
}

fn shape(words: &[String]) -> (Shape, String) {
    let joined = words.join(" ");
    let [first, rest @ ..] = words else {
        return (Shape::Noun, joined);
    };
    let is_preposition = |word: &String| PREPOSITIONS.contains(&word.as_str());
    match (first.as_str(), rest) {
        ("has" | "have", [_, ..]) => (Shape::Has, rest.join(" ")),
        ("is" | "was" | "wears" | "plays" | "owns", [_, ..]) => (Shape::Verb, joined),
        (verb, [second])
            if is_preposition(second)
                && (verb.ends_with("ed") || verb.ends_with("en") || verb == "made") =>
        {
            (Shape::Participle, joined)
        }
        (verb, [second, _, ..])
            if is_preposition(second) && verb.ends_with('s') && !verb.ends_with("ss") =>
        {
            (Shape::Verb, joined)
        }
        // "member of", "in language".
        (_, [.., last]) if is_preposition(last) => (Shape::Verb, format!("is {joined}")),
        (_, [_, ..]) if is_preposition(first) => (Shape::Verb, format!("is {joined}")),
        (_, _) => (Shape::Noun, joined),
    }
}

/// What follows the `is` of a verb phrase, when that is its verb.
fn after_is(verb: &str) -> Option<&str> {
    verb.strip_prefix("is ")
        .or_else(|| verb.strip_prefix("was "))
}

/// The base form of a verb phrase in the third person: "plays in club" to "play in club".
fn base(verb: &str) -> String {
    if let Some(rest) = after_is(verb) {
        return format!("are {rest}");
    }
    let (first, rest) = verb.split_once(' ').unwrap_or((verb, ""));
    let stem = first.strip_suffix('s').unwrap_or(first);
    if rest.is_empty() {
        stem.to_owned()
    } else {
        format!("{stem} {rest}")
    }
}

fn does(of: &str) -> &'static str {
    if of.starts_with("those ") {
        "do"
    } else {
        "does"
    }
}

fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        Some(_) | None
            if kind.ends_with(['s', 'x']) || kind.ends_with("ch") || kind.ends_with("sh") =>
        {
            format!("{kind}es")
        }
        Some(_) | None => format!("{kind}s"),
    }
}

/// The values of a relation, as a phrase that can stand inside another; `of` is a label or such a phrase.
pub(super) fn phrase(of: &str, relation: &Relation, kind: Option<&str>) -> String {
    let words = &relation.words;
    let those = kind.map_or_else(
        || "those".to_owned(),
        |kind| format!("the {}", plural(kind)),
    );
    match (relation.shape, relation.edge.inverse) {
        (Shape::Noun | Shape::Has, false) => format!("the {words} of {of}"),
        (Shape::Participle, false) => format!("the one that {of} was {words}"),
        (Shape::Verb, false) => format!("what {of} {words}"),
        (Shape::Noun, true) => format!("{those} whose {words} is {of}"),
        (Shape::Has, true) => format!("{those} with {words} {of}"),
        (Shape::Participle, true) => format!("{those} {words} {of}"),
        (Shape::Verb, true) => format!("{those} that {} {of}", base(words)),
    }
}

/// The question for the values of a relation.
pub(super) fn question(
    of: &str,
    relation: &Relation,
    kind: Option<&str>,
    rng: &mut dyn RngCore,
) -> String {
    let words = &relation.words;
    if relation.edge.inverse {
        return format!("which {} {}?", ones(kind), condition(of, relation));
    }
    let turn: u8 = rng.random_range(0..2);
    match (relation.shape, turn) {
        (Shape::Noun, 0) => format!("what is the {words} of {of}?"),
        (Shape::Noun, _) => format!("tell me the {words} of {of}"),
        (Shape::Has, 0) => format!("what {words} {} {of} have?", does(of)),
        (Shape::Has, _) => format!("what is the {words} of {of}?"),
        (Shape::Participle, _) if words.ends_with(" by") => format!("who was {of} {words}?"),
        (Shape::Participle, _) => format!("what was {of} {words}?"),
        (Shape::Verb, _) => match after_is(words) {
            Some(rest) => format!("what is {of} {rest}?"),
            None => format!("what {} {of} {}?", does(of), base(words)),
        },
    }
}

/// What holds of the values of an inverse relation, as the predicate of a sentence about several: "were directed by X".
fn condition(of: &str, relation: &Relation) -> String {
    let words = &relation.words;
    match relation.shape {
        Shape::Noun | Shape::Has => format!("have {words} {of}"),
        Shape::Participle => format!("were {words} {of}"),
        Shape::Verb => format!("{} {of}", base(words)),
    }
}

fn ones(kind: Option<&str>) -> String {
    kind.map_or_else(|| "ones".to_owned(), plural)
}

/// Two inverse relations at once.
pub(super) fn both(
    left: (&str, &Relation),
    right: (&str, &Relation),
    kind: Option<&str>,
) -> String {
    format!(
        "which {} {} and {}?",
        ones(kind),
        condition(left.0, left.1),
        condition(right.0, right.1)
    )
}

/// There and back: others with the same value.
pub(super) fn shared(of: &str, relation: &Relation, kind: Option<&str>) -> String {
    match relation.shape {
        Shape::Noun | Shape::Has => format!(
            "which other {} have the same {} as {of}?",
            ones(kind),
            relation.words
        ),
        Shape::Participle => format!(
            "which other {} were {} the same as {of}?",
            ones(kind),
            relation.words
        ),
        Shape::Verb => format!(
            "which other {} {} the same as {of}?",
            ones(kind),
            base(&relation.words)
        ),
    }
}

/// How many values a relation has.
pub(super) fn how_many(of: &str, relation: &Relation, kind: Option<&str>) -> String {
    if relation.edge.inverse {
        let ones = kind.map(plural).map(|ones| ones + " ").unwrap_or_default();
        return format!("how many {ones}{}?", condition(of, relation));
    }
    match relation.shape {
        Shape::Noun | Shape::Has => format!("how many {} does {of} have?", relation.words),
        Shape::Participle => format!("how many was {of} {}?", relation.words),
        Shape::Verb => match after_is(&relation.words) {
            Some(rest) => format!("how many is {of} {rest}?"),
            None => format!("how many does {of} {}?", base(&relation.words)),
        },
    }
}

/// Whether a forward fact holds; says too whether the value is named before the entity.
pub(super) fn whether(of: &str, relation: &Relation, value: &str) -> (String, bool) {
    let words = &relation.words;
    match relation.shape {
        Shape::Noun | Shape::Has => (format!("is {value} the {words} of {of}?"), true),
        Shape::Participle => (format!("was {of} {words} {value}?"), false),
        Shape::Verb => match after_is(words) {
            Some(rest) => (format!("is {of} {rest} {value}?"), false),
            None => (format!("does {of} {} {value}?", base(words)), false),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::TermId;
    use crate::text::words;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    fn relation(label: &str, inverse: bool) -> Relation {
        Relation::new(
            Edge {
                predicate: TermId(0),
                inverse,
            },
            format!("http://e.org/{label}"),
            &words(label),
        )
    }

    #[test]
    fn each_shape_of_label_is_said_in_its_way() {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let cases = [
            (
                "directed_by",
                "who was X directed by?",
                "which films were directed by X?",
            ),
            (
                "plays_in_club",
                "what does X play in club?",
                "which films play in club X?",
            ),
            (
                "is_in_country",
                "what is X in country?",
                "which films are in country X?",
            ),
            (
                "member_of",
                "what is X member of?",
                "which films are member of X?",
            ),
            (
                "in_language",
                "what is X in language?",
                "which films are in language X?",
            ),
        ];
        for (label, out, back) in cases {
            assert_eq!(question("X", &relation(label, false), None, rng), out);
            assert_eq!(
                question("X", &relation(label, true), Some("film"), rng),
                back
            );
        }
        assert_eq!(
            question("X", &relation("hasGenre", true), None, rng),
            "which ones have genre X?"
        );
        assert_eq!(
            phrase("X", &relation("releaseYear", false), None),
            "the release year of X"
        );
        assert_eq!(
            phrase(
                &phrase("X", &relation("directed_by", true), Some("film")),
                &relation("has_genre", false),
                None
            ),
            "the genre of the films directed by X"
        );
        assert_eq!(
            shared("X", &relation("is_in_country", false), None),
            "which other ones are in country the same as X?"
        );
        assert_eq!(
            how_many("X", &relation("plays_in_club", true), None),
            "how many play in club X?"
        );
        assert_eq!(
            phrase("X", &relation("plays_in_club", true), Some("country")),
            "the countries that play in club X"
        );
        assert_eq!(
            whether("X", &relation("capital", false), "Y"),
            ("is Y the capital of X?".to_owned(), true)
        );
    }
}
