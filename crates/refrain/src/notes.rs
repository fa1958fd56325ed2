//! What does an agent put down, and what does it find again? Notes, a namespace each, bounded by the policy.
//!
//! Notes are never served as answers: [`Engine::ask`] reads only what belongs to the source it asks.

use memory::{Effect, Event, Experience, ExperienceId, GateVerdict, Namespace};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::named;
use crate::remember::without_slots;

/// Longest note that is taken, in bytes.
pub const MAX_NOTE_BYTES: usize = 16_384;

/// Most notes recalled at once.
pub const MAX_NOTES_RECALLED: usize = 100;

/// Notes put down in one event.
const BATCH: usize = 256;

/// What became of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteReport {
    /// The note's id; of one that repeats another, that one's. None if it was refused.
    pub id: Option<String>,
    /// "stored", "repeats" or "refused".
    pub outcome: &'static str,
    /// What left for it.
    pub evicted: Option<String>,
    /// Why it was refused.
    pub reason: Option<String>,
}

/// A note that was recalled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecalledNote {
    /// Its id.
    pub id: String,
    /// The text.
    pub text: String,
    /// How relevant it is, in `[0, 1]`.
    pub relevance: f32,
    /// How often it proved useful, as a posterior mean in `[0, 1]`.
    pub trust: f64,
    /// Times it was recalled before.
    pub recalled: u64,
    /// Milliseconds since 1970.
    pub created: u64,
}

impl Engine {
    /// Puts notes down; durable when it returns. Gives what became of each, in order.
    ///
    /// # Errors
    /// When a note is empty or longer than [`MAX_NOTE_BYTES`], then none is taken; or when they cannot be made durable.
    pub fn add_notes(
        &self,
        namespace: &str,
        texts: &[String],
    ) -> Result<Vec<NoteReport>, EngineError> {
        check_name("namespace", namespace)?;
        let owner = Namespace::new(namespace);
        let at = self.surroundings.clock.now();
        let mut notes = Vec::with_capacity(texts.len());
        for (place, text) in texts.iter().enumerate() {
            let text = text.trim();
            if text.is_empty() || text.len() > MAX_NOTE_BYTES {
                return Err(EngineError::BadNote {
                    place: place + 1,
                    bytes: text.len(),
                });
            }
            let id = ExperienceId(self.fresh_id());
            let vector = self.vector(&without_slots(text))?;
            notes.push(Experience::note(id, &owner, at, text, vector));
        }
        let mut reports = Vec::with_capacity(notes.len());
        for batch in notes.chunks(BATCH) {
            let effect = self.learner.submit(Event::Noted {
                namespace: owner.clone(),
                at,
                embedder: self.embedder.fingerprint().to_owned(),
                notes: batch.to_vec(),
            })?;
            if let Effect::Noted { gates } = effect {
                reports.extend(gates.into_iter().map(report));
            }
        }
        Ok(reports)
    }

    /// The notes that mean most nearly what is asked, at most `top_k` and [`MAX_NOTES_RECALLED`], most relevant first.
    /// That they were recalled is handed to the learner; [`Engine::settle`] waits for it.
    ///
    /// # Errors
    /// When the namespace's name is none, or the query cannot be embedded.
    pub fn recall_notes(
        &self,
        namespace: &str,
        query: &str,
        top_k: usize,
    ) -> Result<Vec<RecalledNote>, EngineError> {
        check_name("namespace", namespace)?;
        let owner = Namespace::new(namespace);
        let at = self.surroundings.clock.now();
        let vector = self.vector(query)?;
        let knowledge = self.learner.knowledge();
        let memory = knowledge.memory(&owner);
        let found = memory.recall_notes(query, &vector, top_k.min(MAX_NOTES_RECALLED), at);
        let notes = found.iter().map(|note| note.stored.experience.id).collect();
        self.learner.tell(Event::Recalled {
            namespace: owner,
            at,
            embedder: self.embedder.fingerprint().to_owned(),
            vector,
            notes,
        });
        Ok(found
            .iter()
            .map(|note| RecalledNote {
                id: note.stored.experience.id.to_string(),
                text: note.text().to_owned(),
                relevance: note.relevance,
                trust: note.stored.usage.posterior.mean(),
                recalled: note.stored.usage.retrieved,
                created: note.stored.experience.created.0,
            })
            .collect())
    }

    /// Says whether a note was of use; durable when it returns. Gives its id.
    ///
    /// # Errors
    /// When the namespace has no such note, or the verdict cannot be made durable.
    pub fn judge_note(
        &self,
        namespace: &str,
        id: &str,
        good: bool,
    ) -> Result<ExperienceId, EngineError> {
        let note = self.experience_id(namespace, id)?;
        let effect = self.learner.submit(Event::NoteJudged {
            namespace: Namespace::new(namespace),
            at: self.surroundings.clock.now(),
            note,
            good,
        })?;
        if effect == (Effect::NoteJudged { found: true }) {
            return Ok(note);
        }
        Err(EngineError::UnknownNote { id: id.to_owned() })
    }

    /// Keeps an experience or note from eviction, or lets it loose again; durable when it returns. Gives its id.
    ///
    /// # Errors
    /// When the namespace has no such experience, or the pin cannot be made durable.
    pub fn pin(
        &self,
        namespace: &str,
        id: &str,
        pinned: bool,
    ) -> Result<ExperienceId, EngineError> {
        let experience = self.experience_id(namespace, id)?;
        let effect = self.learner.submit(Event::Pinned {
            namespace: Namespace::new(namespace),
            at: self.surroundings.clock.now(),
            experience,
            pinned,
        })?;
        if effect == (Effect::Pinned { found: true }) {
            return Ok(experience);
        }
        Err(EngineError::UnknownExperience { id: id.to_owned() })
    }

    fn experience_id(&self, namespace: &str, id: &str) -> Result<ExperienceId, EngineError> {
        self.settle()?;
        self.with_memory(namespace, |memory| named::experience(memory, id))
    }
}

fn report(gate: GateVerdict) -> NoteReport {
    let report = |id: Option<ExperienceId>, outcome| NoteReport {
        id: id.map(|id| id.to_string()),
        outcome,
        evicted: None,
        reason: None,
    };
    match gate {
        GateVerdict::Admitted { id, evicted } => NoteReport {
            evicted: evicted.map(|id| id.to_string()),
            ..report(Some(id), "stored")
        },
        GateVerdict::Superseded { id, .. } => report(Some(id), "stored"),
        GateVerdict::Duplicate { of, .. } => report(Some(of), "repeats"),
        GateVerdict::Refused(refusal) => NoteReport {
            reason: Some(refusal.to_string()),
            ..report(None, "refused")
        },
        GateVerdict::Nothing => report(None, "refused"),
    }
}
