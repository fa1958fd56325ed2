//! What is offered to be learned from, and what becomes of it?

use thiserror::Error;

use super::LivingRetrieval;
use crate::experience::ExperienceId;
use crate::grounding::Grounding;

/// What was answered, to be learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate<'a> {
    /// What was found.
    pub retrieval: &'a LivingRetrieval,
    /// The reasoning, without the scaffold.
    pub explanation: &'a str,
    /// The answer.
    pub answer: &'a str,
    /// Passages the answer rests on, by place.
    pub passages: &'a [u32],
    /// What a person said of it; without a word the built-in judge is asked.
    pub verdict: Option<Verdict<'a>>,
}

/// A person's word on an answer's evidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict<'a> {
    /// How much of the evidence that is needed was there, in [0, 1].
    pub score: f64,
    /// The passages that are evidence, by place.
    pub passages: &'a [u32],
}

/// Why an answer was not kept.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NotKept {
    /// Something like it is known: not checked further.
    #[error("its novelty is {novelty:.2}, below {needed:.2}")]
    Known {
        /// What it reached.
        novelty: f64,
        /// What is needed.
        needed: f64,
    },
    /// Too little of it is supported.
    #[error("its grounding is {:.2}, below {needed:.2}", grounding.score)]
    Ungrounded {
        /// What it reached, claim by claim.
        grounding: Grounding,
        /// What is needed.
        needed: f64,
    },
}

/// An experience that was kept, and on what ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// Its number.
    pub id: ExperienceId,
    /// Its grounding.
    pub grounding: Grounding,
}
