//! What does a tenant's memory hold? Listing, explaining, forgetting.

use std::sync::Arc;

use memory::{
    AnswerRecord, ExperienceId, ForgetSelector, Memory, NOTES, Namespace, Receipt, Stats, Stored,
    Triple,
};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::knowledge::Knowledge;
use crate::named::{self, Named};

/// An experience in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// Its source.
    pub source: String,
    /// Its aspect.
    pub aspect: String,
    /// How often it proved right, as a posterior mean in `[0, 1]`.
    pub trust: f64,
    /// How often it was used again.
    pub reused: u64,
    /// Whether it must be verified before its wording is served.
    pub suspect: bool,
    /// Where it comes from.
    pub provenance: String,
    /// Milliseconds since 1970.
    pub created: u64,
}

/// An experience that is like a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Similar {
    /// The experience.
    #[serde(flatten)]
    pub listed: Listed,
    /// How alike its question and the text are, cosine in `[-1, 1]`.
    pub similarity: f32,
}

/// Episodes that could not be learned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Unlearned {
    /// Because the learner's queue was full.
    pub dropped: u64,
    /// Because the journal failed.
    pub lost: u64,
}

/// Why an answer was remembered, or was not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// The answer.
    pub answer: String,
    /// The question.
    pub question: String,
    /// What the gates said, in words.
    pub gate: String,
    /// How the memory took part in the answer.
    pub hit: String,
    /// The experience that is this answer.
    pub experience: Option<String>,
    /// Experiences that were used to make it.
    pub reused: Vec<String>,
    /// The verdict on it.
    pub verdict: Option<String>,
}

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// One experience or answer, by id.
    Id(String),
    /// Every answer to a question.
    Question(String),
    /// Every experience that rests on a triple of a source.
    Evidence {
        /// The source; `None`: the only one.
        source: Option<String>,
        /// Subject, predicate and object, as `refrain triple` takes them.
        triple: [String; 3],
    },
    /// Everything.
    All,
}

impl Engine {
    /// The newest knowledge.
    pub fn knowledge(&self) -> Arc<Knowledge> {
        self.learner.knowledge()
    }

    /// Fingerprint of the embedder.
    pub fn embedder_fingerprint(&self) -> &str {
        self.embedder.fingerprint()
    }

    /// What could not be learned since the directory was opened.
    pub fn unlearned(&self) -> Unlearned {
        Unlearned {
            dropped: self.learner.dropped(),
            lost: self.learner.lost(),
        }
    }

    /// The vectors of texts, each of [`embedder_dims`](Self::embedder_dims) numbers and of length 1.
    ///
    /// # Errors
    /// When the embedder fails on one of them.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EngineError> {
        let vectors = self.embedder.embed(texts)?;
        Ok(vectors
            .into_iter()
            .map(|vector| vector.as_slice().to_vec())
            .collect())
    }

    /// Numbers of a vector.
    pub fn embedder_dims(&self) -> usize {
        self.embedder.dims()
    }

    /// A tenant's experiences, newest first, at most `limit`.
    ///
    /// # Errors
    /// When the namespace's name is none.
    pub fn experiences(&self, namespace: &str, limit: usize) -> Result<Vec<Listed>, EngineError> {
        self.with_memory(namespace, |memory| {
            Ok(memory.experiences().rev().take(limit).map(listed).collect())
        })
    }

    /// Some of a tenant's experiences, newest first: those before the one of the id `before`, at most `limit`. The id need
    /// not be remembered any more, so a list can be read page by page while it changes.
    ///
    /// # Errors
    /// When the namespace's name is none, or `before` is no id.
    pub fn experiences_before(
        &self,
        namespace: &str,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Listed>, EngineError> {
        let Some(before) = before else {
            return self.experiences(namespace, limit);
        };
        let end: ExperienceId = before.parse().map_err(|_| EngineError::UnknownExperience {
            id: before.to_owned(),
        })?;
        self.with_memory(namespace, |memory| {
            let older = memory.experiences().rev();
            let older = older.skip_while(|stored| stored.experience.id >= end);
            Ok(older.take(limit).map(listed).collect())
        })
    }

    /// The experiences whose questions are most like a text, at most `top_k`, most alike first. Nothing is reused by that, and the
    /// policy hears nothing of it.
    ///
    /// # Errors
    /// When the namespace's name is none, or the text cannot be embedded.
    pub fn similar_experiences(
        &self,
        namespace: &str,
        text: &str,
        top_k: usize,
    ) -> Result<Vec<Similar>, EngineError> {
        let vector = self.vector(text)?;
        let now = self.surroundings.clock.now();
        self.with_memory(namespace, |memory| {
            let questions = memory
                .experiences()
                .filter(|stored| stored.experience.domain != NOTES && !stored.expired(now));
            let mut found: Vec<(f32, &Stored)> = questions
                .map(|stored| (stored.experience.vector.cosine(&vector), stored))
                .collect();
            found.sort_by(|(one, older), (other, newer)| {
                let ids = older.experience.id.cmp(&newer.experience.id);
                other.total_cmp(one).then(ids)
            });
            let found = found.into_iter().take(top_k);
            Ok(found
                .map(|(similarity, stored)| Similar {
                    listed: listed(stored),
                    similarity,
                })
                .collect())
        })
    }

    /// One experience with how it fared.
    ///
    /// # Errors
    /// When the namespace has no such experience.
    pub fn experience(&self, namespace: &str, id: &str) -> Result<Stored, EngineError> {
        self.with_memory(namespace, |memory| {
            let named = named::experience(memory, id)?;
            let unknown = || EngineError::UnknownExperience { id: id.to_owned() };
            memory.stored(named).cloned().ok_or_else(unknown)
        })
    }

    /// Why an answer was remembered, or was not.
    ///
    /// # Errors
    /// When the namespace has no such answer.
    pub fn why(&self, namespace: &str, answer: &str) -> Result<Why, EngineError> {
        self.settle()?;
        self.with_memory(namespace, |memory| {
            let id = self.answer_id(memory, answer)?;
            let record = memory
                .answer(id)
                .ok_or_else(|| EngineError::UnknownAnswer {
                    id: answer.to_owned(),
                })?;
            Ok(why(id.to_string(), record))
        })
    }

    /// A tenant's memory in figures.
    ///
    /// # Errors
    /// When the namespace's name is none.
    pub fn stats(&self, namespace: &str) -> Result<Stats, EngineError> {
        self.with_memory(namespace, |memory| {
            Ok(memory.stats(self.surroundings.clock.now()))
        })
    }

    /// Forgets; when this returns it is gone from memory and journal.
    ///
    /// # Errors
    /// When what is named does not exist, or forgetting cannot be made durable.
    pub fn forget(&self, namespace: &str, what: Forget) -> Result<Receipt, EngineError> {
        self.settle()?;
        let selector = self.with_memory(namespace, |memory| self.selector(memory, what))?;
        let at = self.surroundings.clock.now();
        Ok(self
            .learner
            .forget(Namespace::new(namespace), selector, at)?)
    }

    fn selector(&self, memory: &Memory, what: Forget) -> Result<ForgetSelector, EngineError> {
        Ok(match what {
            Forget::All => ForgetSelector::Namespace,
            Forget::Question(question) => ForgetSelector::Question(question),
            Forget::Evidence { source, triple } => {
                let source = self.source_or_only(source.as_deref())?;
                let parts = [triple[0].as_str(), triple[1].as_str(), triple[2].as_str()];
                let quad = self.parse_triple(&source, parts)?;
                ForgetSelector::Evidence {
                    source: source.name().to_owned(),
                    triple: Triple::new(
                        &quad.subject.to_string(),
                        &quad.predicate.to_string(),
                        &quad.object.to_string(),
                    ),
                }
            }
            Forget::Id(id) => match named::either(memory, &id)? {
                Named::Experience(experience) => ForgetSelector::Experience(experience),
                Named::Answer(answer) => ForgetSelector::Answer(answer),
            },
        })
    }

    pub(crate) fn with_memory<T>(
        &self,
        namespace: &str,
        read: impl FnOnce(&Memory) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        check_name("namespace", namespace)?;
        let knowledge = self.learner.knowledge();
        read(knowledge.memory(&Namespace::new(namespace)))
    }
}

fn listed(stored: &Stored) -> Listed {
    let experience = &stored.experience;
    Listed {
        id: experience.id.to_string(),
        question: experience.question.clone(),
        answer: experience.answer.text.clone(),
        source: experience.domain.clone(),
        aspect: experience.aspect.clone(),
        trust: stored.usage.posterior.mean(),
        reused: stored.usage.reused,
        suspect: stored.usage.suspect,
        provenance: format!("{:?}", experience.provenance).to_lowercase(),
        created: experience.created.0,
    }
}

fn why(id: String, record: &AnswerRecord) -> Why {
    use memory::GateVerdict;
    let gate = match &record.gate {
        GateVerdict::Nothing if record.hit == "exact" => {
            "it was served from memory, so there was nothing new to remember".to_owned()
        }
        GateVerdict::Nothing => "there was no answer to remember".to_owned(),
        GateVerdict::Admitted { id, evicted: None } => format!("it is remembered as {id}"),
        GateVerdict::Admitted {
            id,
            evicted: Some(old),
        } => format!("it is remembered as {id}, and {old} left for it"),
        GateVerdict::Duplicate { of, similarity } => {
            format!("it repeats {of} (similarity {similarity:.2}), which got the credit")
        }
        GateVerdict::Superseded { old, id } => {
            format!("it is remembered as {id} in place of {old}, whose facts changed")
        }
        GateVerdict::Refused(refusal) => format!("it is not remembered: {refusal}"),
    };
    Why {
        answer: id,
        question: record.question.clone(),
        gate,
        hit: record.hit.clone(),
        experience: record.experience.map(|id| id.to_string()),
        reused: record.reused.iter().map(ToString::to_string).collect(),
        verdict: record.verdict.as_ref().map(|(verdict, judge)| {
            let verdict = match verdict {
                memory::Verdict::Good => "good".to_owned(),
                memory::Verdict::Bad => "bad".to_owned(),
                memory::Verdict::Edit(text) => format!("edited to \"{}\"", text.text),
            };
            format!("{verdict}, by {}", format!("{judge:?}").to_lowercase())
        }),
    }
}
