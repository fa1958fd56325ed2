//! Is this answer worth remembering, and true? (LivingRAG, appendix D)
//!
//! Cheapest first: novelty, then grounding, then the replacement policy. Each refusal says why and is counted.
//!
//! **What is a duplicate** (ours). Two questions with the same masked text and template but other entities are *not*
//! duplicates: each has an answer of its own, found by template and bindings, while what they say about the template is
//! shared, in the lessons. A duplicate has the same template *and* bindings, and a wording nearer than
//! `minimum_novelty`: it is not stored, and the entry it repeats gets the credit. The same plan and bindings in other
//! words is a new wording and is stored, since it is how the next paraphrase is found.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::experience::{Experience, Stored};
use crate::index::{bound_key, plan_key, question_key};
use crate::memory::Memory;
use crate::notes::NOTES;
use crate::{AnswerId, ExperienceId, Settings};

/// Why an answer was not remembered.
#[derive(Debug, Clone, PartialEq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// Its vectors come from another embedder than the memory's.
    #[error("its vectors come from embedder `{given}`, the memory's from `{known}`")]
    OtherEmbedder {
        /// The memory's.
        known: String,
        /// The answer's.
        given: String,
    },
    /// A person called this answer to this question wrong.
    #[error("a person rejected this answer to this question (answer {answer})")]
    Vetoed {
        /// The answer that was judged.
        answer: AnswerId,
    },
    /// Its evidence does not support it enough.
    #[error("grounding {confidence:.2} is below {needed:.2}")]
    Ungrounded {
        /// What it reached.
        confidence: f64,
        /// What is needed.
        needed: f64,
    },
    /// It holds nothing that could be used again.
    #[error("it holds no plan, activation map or note")]
    Empty,
    /// Its id is taken.
    #[error("the id {id} is taken")]
    SameId {
        /// The id.
        id: ExperienceId,
    },
    /// The replacement policy kept it out.
    #[error("the policy `{policy}` kept it out of a full memory")]
    NotAdmitted {
        /// Its name.
        policy: String,
    },
}

impl Refusal {
    /// A short name, for counting.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::OtherEmbedder { .. } => "other_embedder",
            Self::Vetoed { .. } => "vetoed",
            Self::Ungrounded { .. } => "ungrounded",
            Self::Empty => "empty",
            Self::SameId { .. } => "same_id",
            Self::NotAdmitted { .. } => "not_admitted",
        }
    }
}

/// What the gates made of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum GateVerdict {
    /// There was nothing to remember: it was refused, or served from memory.
    Nothing,
    /// It is remembered.
    Admitted {
        /// As this.
        id: ExperienceId,
        /// What left for it.
        evicted: Option<ExperienceId>,
    },
    /// It repeats an entry, which gets the credit.
    Duplicate {
        /// The entry.
        of: ExperienceId,
        /// Cosine of the wordings.
        similarity: f32,
    },
    /// It takes the place of an entry whose facts changed.
    Superseded {
        /// The entry that went.
        old: ExperienceId,
        /// The one that took its place.
        id: ExperienceId,
    },
    /// It is not remembered.
    Refused(Refusal),
}

/// The nearest entry with the same plan and bindings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Nearest {
    pub(crate) id: ExperienceId,
    pub(crate) similarity: f32,
    pub(crate) same_evidence: bool,
}

impl Memory {
    /// How new an experience is: 1 minus its similarity to the nearest entry that does the same, in [0, 1].
    #[must_use]
    pub fn novelty_score(&self, experience: &Experience) -> f64 {
        self.nearest_twin(experience)
            .map_or(1.0, |twin| 1.0 - f64::from(twin.similarity))
    }

    pub(crate) fn nearest_twin(&self, experience: &Experience) -> Option<Nearest> {
        let twins: Vec<&Stored> = match experience.plan() {
            Some(plan) => self
                .index()
                .with_plan(plan_key(&experience.domain, plan))
                .filter_map(|id| self.stored(id))
                .collect(),
            // Likeness cannot tell two notes apart that differ in a name: the same words in the same order are a duplicate.
            None if experience.domain == NOTES => self
                .index()
                .with_question(question_key(&experience.question))
                .filter_map(|id| self.stored(id))
                .filter(|other| other.experience.domain == NOTES)
                .collect(),
            None => self.without_plan_near(experience),
        };
        let near = |stored: &Stored| {
            let other = &stored.experience;
            let same_words = other.signature.masked == experience.signature.masked;
            let similarity = if same_words {
                1.0
            } else {
                other.masked_vector.cosine(&experience.masked_vector)
            };
            Nearest {
                id: other.id,
                similarity,
                same_evidence: other.evidence.fingerprint == experience.evidence.fingerprint,
            }
        };
        twins
            .into_iter()
            .map(near)
            .max_by(|a, b| a.similarity.total_cmp(&b.similarity).then(b.id.cmp(&a.id)))
    }

    fn without_plan_near(&self, experience: &Experience) -> Vec<&Stored> {
        let Some(domain) = self.index().domain(&experience.domain) else {
            return Vec::new();
        };
        let near = domain
            .matrix
            .nearest(experience.masked_vector.as_slice(), 1, -1.0);
        let ids = near
            .into_iter()
            .filter_map(|(_, text)| domain.texts.get(text)?.templates.get("")?.last().copied());
        ids.filter_map(|id| self.stored(id)).collect()
    }

    /// The gates before admission.
    pub(crate) fn grounding_gate(
        &self,
        experience: &Experience,
        settings: &Settings,
    ) -> Result<(), Refusal> {
        if experience.payloads.is_empty() {
            return Err(Refusal::Empty);
        }
        if self.stored(experience.id).is_some() {
            return Err(Refusal::SameId { id: experience.id });
        }
        if let Some(answer) = self.veto_of(experience) {
            return Err(Refusal::Vetoed { answer });
        }
        let confidence = experience.grounding.confidence;
        if confidence >= settings.minimum_grounding {
            Ok(())
        } else {
            Err(Refusal::Ungrounded {
                confidence,
                needed: settings.minimum_grounding,
            })
        }
    }

    fn veto_of(&self, experience: &Experience) -> Option<AnswerId> {
        let plan = experience.plan()?;
        self.veto(&experience.domain, &experience.signature.masked, plan)
    }
}

/// The key of an answer to a question: its words, its plan, and what fills the slots.
pub(crate) fn veto_key(
    domain: &str,
    masked: &str,
    template: &str,
    bindings: &[crate::Binding],
) -> u64 {
    bound_key(
        "veto",
        domain,
        &format!("{masked}\u{1f}{template}"),
        bindings,
    )
}

#[cfg(test)]
mod tests;
