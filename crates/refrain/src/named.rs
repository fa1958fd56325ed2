//! Which experience or answer does a text name? By its id, or by the beginning of it where only one begins so.

use memory::{AnswerId, ExperienceId, Memory, Ulid};

use crate::error::EngineError;

/// Characters of an id that must be given at least.
const LEAST_CHARACTERS: usize = 6;

/// Ids that an error shows.
const SHOWN: usize = 3;

/// What an id may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// An experience or note.
    Experience(ExperienceId),
    /// An answer.
    Answer(AnswerId),
}

/// The experience or note of that id. One that is written out may name nothing: what is to be done with it says so.
pub(crate) fn experience(memory: &Memory, text: &str) -> Result<ExperienceId, EngineError> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let unknown = || EngineError::UnknownExperience {
        id: text.to_owned(),
    };
    only(text, experiences(memory, text))?.ok_or_else(unknown)
}

/// The answer of that id, if there is one.
pub(crate) fn answer(memory: &Memory, text: &str) -> Result<AnswerId, EngineError> {
    let unknown = || EngineError::UnknownAnswer {
        id: text.to_owned(),
    };
    only(text, answers(memory, text))?.ok_or_else(unknown)
}

/// The experience, else the answer of that id. Where a beginning fits both, it names neither.
pub(crate) fn either(memory: &Memory, text: &str) -> Result<Named, EngineError> {
    let known = experiences(memory, text).into_iter().map(Named::Experience);
    let mut all: Vec<Named> = known.collect();
    if all.is_empty() || text.parse::<Ulid>().is_err() {
        all.extend(answers(memory, text).into_iter().map(Named::Answer));
    }
    let unknown = || EngineError::UnknownExperience {
        id: text.to_owned(),
    };
    only(text, all)?.ok_or_else(unknown)
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Experience(id) => id.fmt(f),
            Self::Answer(id) => id.fmt(f),
        }
    }
}

fn experiences(memory: &Memory, text: &str) -> Vec<ExperienceId> {
    let range = long_enough(text).and_then(Ulid::beginning_with);
    range.map_or_else(Vec::new, |range| {
        memory.experiences_between(range).collect()
    })
}

fn answers(memory: &Memory, text: &str) -> Vec<AnswerId> {
    let range = long_enough(text).and_then(Ulid::beginning_with);
    range.map_or_else(Vec::new, |range| memory.answers_between(range).collect())
}

fn long_enough(text: &str) -> Option<&str> {
    Some(text).filter(|text| text.len() >= LEAST_CHARACTERS)
}

/// The one there is, if there is only one.
fn only<T: Copy + std::fmt::Display>(text: &str, all: Vec<T>) -> Result<Option<T>, EngineError> {
    match all.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        _ => Err(EngineError::AmbiguousId {
            id: text.to_owned(),
            count: all.len(),
            some: all.iter().take(SHOWN).map(ToString::to_string).collect(),
        }),
    }
}
