//! What does a tenant's memory hold? Listing, explaining, forgetting, exporting and importing.

use std::sync::Arc;

use memory::{
    AnswerRecord, Effect, Event, Experience, ExperienceId, ForgetSelector, Memory, Namespace,
    Provenance, Receipt, Stats, Stored, Triple, Vector,
};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::knowledge::Knowledge;
use crate::remember::without_slots;

/// How much an imported experience counts as a lesson.
const IMPORTED_LESSON: f64 = 0.5;

/// Experiences imported in one event.
const IMPORT_BATCH: usize = 500;

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

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// Experiences taken.
    pub taken: u64,
    /// Experiences known already.
    pub duplicates: u64,
    /// Experiences refused, by reason.
    pub refused: std::collections::BTreeMap<String, u64>,
}

/// The first line of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    refrain_export: u32,
    embedder: String,
}

/// Each line is an experience with its usage. In format 1 it was the experience alone.
const EXPORT_FORMAT: u32 = 2;
const WITHOUT_USAGE: u32 = 1;

impl Engine {
    /// The newest knowledge.
    pub fn knowledge(&self) -> Arc<Knowledge> {
        self.learner.knowledge()
    }

    /// Fingerprint of the embedder.
    pub fn embedder_fingerprint(&self) -> &str {
        self.embedder.fingerprint()
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

    /// One experience with how it fared.
    ///
    /// # Errors
    /// When the namespace has no such experience.
    pub fn experience(&self, namespace: &str, id: &str) -> Result<Stored, EngineError> {
        let unknown = || EngineError::UnknownExperience { id: id.to_owned() };
        let parsed: ExperienceId = id.parse().map_err(|_| unknown())?;
        self.with_memory(namespace, |memory| {
            memory.stored(parsed).cloned().ok_or_else(unknown)
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
            Forget::Id(id) => {
                let parsed: Option<ExperienceId> = id.parse().ok();
                match parsed.filter(|id| memory.stored(*id).is_some()) {
                    Some(experience) => ForgetSelector::Experience(experience),
                    None => match self.answer_id(memory, &id) {
                        Ok(answer) => ForgetSelector::Answer(answer),
                        Err(_) => return Err(EngineError::UnknownExperience { id }),
                    },
                }
            }
        })
    }

    /// Writes a tenant's experiences as JSON Lines, oldest first, after a header; gives their number. Each comes with how it
    /// fared: posterior, recalls, uses, pin.
    ///
    /// # Errors
    /// When the namespace's name is none, or `out` cannot be written.
    pub fn export(
        &self,
        namespace: &str,
        out: &mut dyn std::io::Write,
    ) -> Result<u64, EngineError> {
        let header = Header {
            refrain_export: EXPORT_FORMAT,
            embedder: self.embedder.fingerprint().to_owned(),
        };
        self.with_memory(namespace, |memory| {
            let mut line = |value: String| writeln!(out, "{value}").map_err(EngineError::Files);
            line(to_json(&header)?)?;
            let mut count = 0;
            for stored in memory.experiences() {
                line(to_json(stored)?)?;
                count += 1;
            }
            Ok(count)
        })
    }

    /// Reads experiences as [`Engine::export`] writes them, or wrote them without their usage. Vectors of another embedder are
    /// made anew. What is known already keeps its own figures; a pin is taken over.
    ///
    /// # Errors
    /// When a line is not an experience, or the import cannot be made durable.
    pub fn import(&self, namespace: &str, text: &str) -> Result<ImportReport, EngineError> {
        check_name("namespace", namespace)?;
        let bad = |line: usize, message: String| EngineError::BadExport {
            line: line + 1,
            message,
        };
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let (at, first) = lines
            .next()
            .ok_or_else(|| bad(0, "it is empty".to_owned()))?;
        let header: Header =
            serde_json::from_str(first).map_err(|error| bad(at, error.to_string()))?;
        if ![EXPORT_FORMAT, WITHOUT_USAGE].contains(&header.refrain_export) {
            let unknown = format!("format {} is not known", header.refrain_export);
            return Err(bad(at, unknown));
        }
        let foreign = header.embedder != self.embedder.fingerprint();
        let mut entries = Vec::new();
        for (at, line) in lines {
            let read = if header.refrain_export == WITHOUT_USAGE {
                serde_json::from_str(line).map(|read| {
                    Stored::new(Experience {
                        provenance: Provenance::Imported,
                        ..read
                    })
                })
            } else {
                serde_json::from_str::<Stored>(line)
            };
            let read = read.map_err(|error| bad(at, error.to_string()))?;
            entries.push(self.adopted(&read, namespace, foreign)?);
        }
        let mut report = ImportReport::default();
        for batch in entries.chunks(IMPORT_BATCH) {
            let effect = self.learner.submit(Event::Restored {
                namespace: Namespace::new(namespace),
                at: self.surroundings.clock.now(),
                embedder: self.embedder.fingerprint().to_owned(),
                lesson_weight: IMPORTED_LESSON,
                entries: batch.to_vec(),
            })?;
            if let Effect::Imported {
                taken,
                duplicates,
                refused,
            } = effect
            {
                report.taken += taken;
                report.duplicates += duplicates;
                for (reason, count) in refused {
                    *report.refused.entry(reason).or_default() += count;
                }
            }
        }
        Ok(report)
    }

    /// An experience from outside, made this namespace's own.
    fn adopted(
        &self,
        read: &Stored,
        namespace: &str,
        foreign: bool,
    ) -> Result<Stored, EngineError> {
        let Stored { experience, usage } = read;
        let read = experience.as_ref();
        let sized = |vector: &Vector| vector.dims() == self.embedder.dims();
        let anew = foreign || !sized(&read.vector) || !sized(&read.masked_vector);
        let (vector, masked_vector) = if anew {
            (
                self.vector(&read.question)?,
                self.vector(&without_slots(&read.signature.masked))?,
            )
        } else {
            (read.vector.clone(), read.masked_vector.clone())
        };
        let experience = Experience {
            namespace: Namespace::new(namespace),
            provenance: Provenance::Imported,
            answer_id: None,
            vector,
            masked_vector,
            ..read.clone()
        };
        Ok(Stored {
            experience: Arc::new(experience),
            usage: *usage,
        })
    }

    fn with_memory<T>(
        &self,
        namespace: &str,
        read: impl FnOnce(&Memory) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        check_name("namespace", namespace)?;
        let knowledge = self.learner.knowledge();
        read(knowledge.memory(&Namespace::new(namespace)))
    }
}

fn to_json<T: Serialize>(value: &T) -> Result<String, EngineError> {
    serde_json::to_string(value).map_err(|error| EngineError::Files(error.into()))
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
