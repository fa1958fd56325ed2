//! What does the question say, before any graph term is chosen? The intermediate semantic representation (CacheRAG Def. 2).
//!
//! An ISR holds mentions, the question's own words and its markers; never a predicate of the graph.

use serde::{Deserialize, Serialize};

use crate::graph::TermId;
use crate::plan::{Extreme, Operator, Slot};
use crate::text::Token;

/// What kind of answer the question asks for (CRAG's types, as far as the built-in parser tells them apart).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionType {
    /// One or several values ("who directed …", "which films …").
    Simple,
    /// How many.
    Count,
    /// Yes or no.
    YesNo,
    /// Which of the named ones.
    Comparison,
    /// The most extreme of a set.
    Superlative,
    /// A set with a condition on a number or date.
    Filter,
    /// Several named entities restrict one set.
    Conjunction,
}

impl QuestionType {
    /// The type's name in explanations and experience signatures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Count => "count",
            Self::YesNo => "yes_no",
            Self::Comparison => "comparison",
            Self::Superlative => "superlative",
            Self::Filter => "filter",
            Self::Conjunction => "conjunction",
        }
    }
}

/// One entity that a mention may mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The entity's id in the graph.
    pub id: u32,
    /// Its label.
    pub label: String,
    /// How well the mention's text fits the label, in [0, 1]; 1 = the same letters in the same case.
    pub fit: f32,
}

/// A span of the question that names something in the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Its slot.
    pub slot: Slot,
    /// The text as written.
    pub text: String,
    /// First token.
    pub first: usize,
    /// One past the last token.
    pub end: usize,
    /// What it may mean, best first.
    pub candidates: Vec<Candidate>,
    /// How surely this span is a name and not the question's own words, ≥ 0.
    pub strength: f32,
}

impl Mention {
    /// The ids of the best-fitting candidates, ascending.
    #[must_use]
    pub fn ids(&self) -> Vec<TermId> {
        let best = self.candidates.iter().map(|c| c.fit).fold(0.0, f32::max);
        let mut ids: Vec<TermId> = self
            .candidates
            .iter()
            .filter(|c| c.fit >= best - 1e-6)
            .map(|c| TermId(c.id))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}

/// "after 1997", "more than 5".
#[derive(Debug, Clone, PartialEq)]
pub struct Comparator {
    /// How the attribute compares with the number.
    pub operator: Operator,
    /// The number.
    pub number: f64,
    /// The number as written.
    pub text: String,
    /// The number's slot.
    pub slot: Slot,
    /// Whether the words speak of time (before, after, since).
    pub temporal: bool,
    /// First token of the phrase.
    pub first: usize,
    /// The number's token.
    pub at: usize,
    /// One past its last token.
    pub end: usize,
}

/// "first", "most recent", "cheapest".
#[derive(Debug, Clone, PartialEq)]
pub struct Superlative {
    /// Which end of the order.
    pub extreme: Extreme,
    /// Whether the words speak of time.
    pub temporal: bool,
    /// What the attribute is called, "" when the marker does not say ("most recent").
    pub attribute: String,
    /// First token of the phrase.
    pub first: usize,
    /// One past its last token.
    pub end: usize,
}

/// A content word of the question with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word, folded; for an idiom what it stands for ("how old" → "age").
    pub text: String,
    /// The first token it comes from.
    pub token: usize,
    /// Its part in the alignment, 1 for an ordinary word.
    pub weight: f32,
    /// The relational noun phrase it stands in ("the *place of birth* of the *mother* of X"), numbered outward from the
    /// mention; such a phrase names a step of its own.
    pub relation: Option<u8>,
}

impl Isr {
    /// How many things the question says of its names: relational phrases and other content words, "name" apart.
    #[must_use]
    pub fn phrases(&self) -> usize {
        let said = self.words.iter().filter(|w| w.text != "name");
        let relations: std::collections::BTreeSet<u8> =
            said.clone().filter_map(|w| w.relation).collect();
        relations.len() + said.filter(|w| w.relation.is_none()).count()
    }

    /// How many relational phrases hang on the name ("the heir of X's mother": 2), "name" apart.
    #[must_use]
    pub fn relations(&self) -> usize {
        let said = self.words.iter().filter(|w| w.text != "name");
        said.filter_map(|w| w.relation)
            .collect::<std::collections::BTreeSet<u8>>()
            .len()
    }
}

impl Isr {
    /// The relational phrases, where phrases whose words all stand in one of these labels count as one: "the release of
    /// the year" says no more than "release year".
    #[must_use]
    pub fn relations_beside(&self, labels: &[Vec<String>]) -> usize {
        let mut phrases: std::collections::BTreeMap<u8, Vec<&str>> =
            std::collections::BTreeMap::new();
        for word in self.words.iter().filter(|w| w.text != "name") {
            if let Some(relation) = word.relation {
                phrases.entry(relation).or_default().push(&word.text);
            }
        }
        let label_of = |words: &[&str]| {
            labels
                .iter()
                .position(|label| words.iter().all(|w| label.iter().any(|l| l == w)))
        };
        let told: std::collections::BTreeSet<usize> = phrases
            .values()
            .filter_map(|words| label_of(words))
            .collect();
        let untold = phrases
            .values()
            .filter(|words| label_of(words).is_none())
            .count();
        told.len() + untold
    }
}

/// The question, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Isr {
    /// The question as asked.
    pub question: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// What it names, in order of appearance; slots number them.
    pub mentions: Vec<Mention>,
    /// Other readings of the mentions, best first; each replaces `mentions`.
    pub other_readings: Vec<Vec<Mention>>,
    /// The mentions with words that may be names too ("magic"), when there are such.
    pub with_weak: Vec<Mention>,
    /// Its content words in order (Φ_raw).
    pub words: Vec<Word>,
    /// What it asks for.
    pub question_type: QuestionType,
    /// The question denies ("did not").
    pub negated: bool,
    /// The question speaks of a shared thing ("the same director", "share actors", "also").
    pub sharing: bool,
    /// A condition on a number.
    pub comparator: Option<Comparator>,
    /// A most extreme value.
    pub superlative: Option<Superlative>,
    /// What the answer is called in the question: "person" for who, "club" for "which club"; "" if nothing.
    pub answer_type: String,
    /// What the question asks with: "who", "when", "where", "how many", …; "" if none.
    pub wh: String,
    /// Capitalised words, numbers and years that name nothing in the graph and that no condition takes up.
    pub unknown_names: Vec<String>,
    /// The question with its mentions and numbers replaced by slots.
    pub masked: String,
    /// The question was longer than the bound and was cut.
    pub truncated: bool,
}
