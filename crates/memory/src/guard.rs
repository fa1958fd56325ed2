//! May the plan of that question answer this one? Guards that refuse whatever they cannot account for.
//!
//! Similarity proposes, guards dispose: two questions that differ in a number are nearly identical as vectors. Each
//! guard compares one part of the [`Signature`]s; the first that differs refuses and says what it saw. Words are checked
//! apart, since only the caller knows which of them the plan's own verification accounts for.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::signature::{Role, Signature};

/// Why a stored experience must not serve a question.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "guard", rename_all = "snake_case")]
#[non_exhaustive]
pub enum GuardRefusal {
    /// Another number of entities: no slot for each.
    #[error("{stored} entities stored, {asked} asked")]
    Entities {
        /// Slots of the stored question.
        stored: usize,
        /// Slots of the question asked.
        asked: usize,
    },
    /// Other numbers.
    #[error("numbers differ: {stored:?} stored, {asked:?} asked")]
    Number {
        /// Those of the stored question.
        stored: Vec<String>,
        /// Those of the question asked.
        asked: Vec<String>,
    },
    /// Other dates.
    #[error("dates differ: {stored:?} stored, {asked:?} asked")]
    Date {
        /// Those of the stored question.
        stored: Vec<String>,
        /// Those of the question asked.
        asked: Vec<String>,
    },
    /// Other units.
    #[error("units differ: {stored:?} stored, {asked:?} asked")]
    Unit {
        /// Those of the stored question.
        stored: Vec<String>,
        /// Those of the question asked.
        asked: Vec<String>,
    },
    /// One of them is negated.
    #[error("negated: {stored} stored, {asked} asked")]
    Negation {
        /// Whether the stored question is.
        stored: bool,
        /// Whether the question asked is.
        asked: bool,
    },
    /// Other words of polarity or scope.
    #[error("polarity differs: {stored:?} stored, {asked:?} asked")]
    Polarity {
        /// Those of the stored question.
        stored: Vec<String>,
        /// Those of the question asked.
        asked: Vec<String>,
    },
    /// Another type of question.
    #[error("question type differs: {stored} stored, {asked} asked")]
    QuestionType {
        /// That of the stored question.
        stored: String,
        /// That of the question asked.
        asked: String,
    },
    /// Another kind of thing is asked for.
    #[error("asks for something else: {stored:?} stored, {asked:?} asked")]
    Asks {
        /// What the stored question asks for.
        stored: String,
        /// What the question asks for.
        asked: String,
    },
    /// The relation runs the other way at a slot.
    #[error("slot {slot} is {stored:?} stored, {asked:?} asked")]
    Direction {
        /// The slot.
        slot: usize,
        /// Its role in the stored question.
        stored: Role,
        /// Its role in the question asked.
        asked: Role,
    },
    /// Words without a counterpart.
    #[error("not accounted for: {stored:?} stored, {asked:?} asked")]
    Unaccounted {
        /// Stems only the stored question has.
        stored: Vec<String>,
        /// Stems only the question asked has.
        asked: Vec<String>,
    },
}

impl GuardRefusal {
    /// The guard's name, for counting.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Entities { .. } => "entities",
            Self::Number { .. } => "number",
            Self::Date { .. } => "date",
            Self::Unit { .. } => "unit",
            Self::Negation { .. } => "negation",
            Self::Polarity { .. } => "polarity",
            Self::QuestionType { .. } => "question_type",
            Self::Asks { .. } => "asks",
            Self::Direction { .. } => "direction",
            Self::Unaccounted { .. } => "unaccounted",
        }
    }
}

/// Whether the plan of `stored` may be re-run for `asked`, its words aside (see [`check_words`]).
///
/// # Errors
///
/// The first guard that refuses.
pub fn check(stored: &Signature, asked: &Signature) -> Result<(), GuardRefusal> {
    if stored.slots.len() != asked.slots.len() {
        return Err(GuardRefusal::Entities {
            stored: stored.slots.len(),
            asked: asked.slots.len(),
        });
    }
    if stored.numbers != asked.numbers {
        return Err(GuardRefusal::Number {
            stored: stored.numbers.clone(),
            asked: asked.numbers.clone(),
        });
    }
    if stored.dates != asked.dates {
        return Err(GuardRefusal::Date {
            stored: stored.dates.clone(),
            asked: asked.dates.clone(),
        });
    }
    if stored.units != asked.units {
        return Err(GuardRefusal::Unit {
            stored: stored.units.clone(),
            asked: asked.units.clone(),
        });
    }
    if stored.negated != asked.negated {
        return Err(GuardRefusal::Negation {
            stored: stored.negated,
            asked: asked.negated,
        });
    }
    if stored.polarity != asked.polarity {
        return Err(GuardRefusal::Polarity {
            stored: stored.polarity.clone(),
            asked: asked.polarity.clone(),
        });
    }
    if stored.question_type != asked.question_type {
        return Err(GuardRefusal::QuestionType {
            stored: stored.question_type.clone(),
            asked: asked.question_type.clone(),
        });
    }
    if stored.asks != asked.asks && !stored.asks.is_empty() && !asked.asks.is_empty() {
        return Err(GuardRefusal::Asks {
            stored: stored.asks.clone(),
            asked: asked.asks.clone(),
        });
    }
    check_direction(stored, asked)
}

fn check_direction(stored: &Signature, asked: &Signature) -> Result<(), GuardRefusal> {
    let role = |s: &Signature, slot: usize| s.direction.get(slot).copied().unwrap_or(Role::Open);
    for slot in 0..stored.slots.len() {
        let (was, is) = (role(stored, slot), role(asked, slot));
        let opposed = matches!(
            (was, is),
            (Role::Agent, Role::Patient) | (Role::Patient, Role::Agent)
        );
        if opposed {
            return Err(GuardRefusal::Direction {
                slot,
                stored: was,
                asked: is,
            });
        }
    }
    Ok(())
}

/// Content words that only one of the questions has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unaccounted {
    /// Stems only the stored question has, ascending.
    pub stored: Vec<String>,
    /// Stems only the question asked has, ascending.
    pub asked: Vec<String>,
}

impl Unaccounted {
    /// Whether every word has its counterpart.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.asked.is_empty()
    }
}

/// The content words of either question that the other lacks, or has less often; also the kind of thing asked for, when
/// only one of them names it.
///
/// ```
/// use memory::{Signature, guard};
/// let a = Signature::extract("who directed ⟨0⟩", vec!["x".into()]);
/// let b = Signature::extract("who wrote the film ⟨0⟩", vec!["x".into()]);
/// let words = guard::unaccounted(&a, &b);
/// assert_eq!((words.stored, words.asked), (vec!["direct".to_owned()], vec!["film".to_owned(), "writ".to_owned()]));
/// ```
#[must_use]
pub fn unaccounted(stored: &Signature, asked: &Signature) -> Unaccounted {
    let (was, is) = (words(stored, asked), words(asked, stored));
    Unaccounted {
        stored: without(&was, &is),
        asked: without(&is, &was),
    }
}

/// The content words of a question, and what it asks for if the other does not say.
fn words(of: &Signature, other: &Signature) -> Vec<String> {
    let mut words = of.content();
    if other.asks.is_empty() && !of.asks.is_empty() {
        words.push(of.asks.clone());
        words.sort();
    }
    words
}

/// The ascending words of `from` that are left when each of `taken` has taken its like away once.
fn without(from: &[String], taken: &[String]) -> Vec<String> {
    let mut taken = taken.iter().peekable();
    let mut left = Vec::new();
    for word in from {
        while taken.next_if(|t| *t < word).is_some() {}
        if taken.next_if_eq(&word).is_none() {
            left.push(word.clone());
        }
    }
    left
}

/// Whether every word that only one question has is accounted for by the caller, who verified that the plan means it.
///
/// # Errors
///
/// [`GuardRefusal::Unaccounted`] with the words that are left.
pub fn check_words(
    stored: &Signature,
    asked: &Signature,
    accounts_for: impl Fn(&str) -> bool,
) -> Result<(), GuardRefusal> {
    let mut left = unaccounted(stored, asked);
    left.stored.retain(|w| !accounts_for(w));
    left.asked.retain(|w| !accounts_for(w));
    if left.is_empty() {
        Ok(())
    } else {
        Err(GuardRefusal::Unaccounted {
            stored: left.stored,
            asked: left.asked,
        })
    }
}

#[cfg(test)]
mod tests;
