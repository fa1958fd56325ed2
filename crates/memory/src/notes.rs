//! What do agents put down and find again? Notes: free text, found by meaning, never served as an answer.
//!
//! A note is an experience without plan, question or evidence, in a domain that no source can have. Capacity, policy,
//! pins, forgetting and export hold for notes as for answers. A note enters without a question, so nothing justifies it
//! yet: it must prove itself by being recalled, and whoever used it may say whether it helped.

use crate::experience::{
    AnswerText, Experience, Grounding, Judge, Lifetime, Payload, Provenance, Stored,
};
use crate::gate::GateVerdict;
use crate::memory::Memory;
use crate::outline::Wanted;
use crate::recall::{Layers, Ranking, RecallQuery, RecallSettings};
use crate::replacement::Step;
use crate::shadow::Asking;
use crate::tenant::Tenant;
use crate::{Evidence, ExperienceId, Namespace, Signature, Timestamp, Vector};

/// The domain of notes; no source may have such a name.
pub const NOTES: &str = "notes:";

/// The one bucket of notes.
const ASPECT: &str = "note";

/// A note that was recalled.
#[derive(Debug, Clone)]
pub struct Note {
    /// How relevant it is to the query, in [0, 1]: the mean of cosine and normalised BM25.
    pub relevance: f32,
    /// The note with its usage.
    pub stored: Stored,
}

impl Note {
    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.stored.experience.question
    }
}

impl Experience {
    /// A note of an agent. `vector` is the text's, by the memory's own embedder.
    #[must_use]
    pub fn note(
        id: ExperienceId,
        namespace: &Namespace,
        at: Timestamp,
        text: &str,
        vector: Vector,
    ) -> Self {
        Self {
            id,
            namespace: namespace.clone(),
            created: at,
            question: text.to_owned(),
            masked_vector: vector.clone(),
            vector,
            domain: NOTES.to_owned(),
            aspect: ASPECT.to_owned(),
            signature: Signature::extract(text, Vec::new()),
            payloads: vec![Payload::Note(text.to_owned())],
            scaffold: Vec::new(),
            answer: AnswerText::default(),
            evidence: Evidence::new(NOTES, &[], &[]),
            // Nothing is claimed of it, so nothing has to be grounded.
            grounding: Grounding {
                confidence: 1.0,
                judge: Judge::Model,
            },
            lifetime: Lifetime::Unlimited,
            generation: 0,
            provenance: Provenance::Online,
            answer_id: None,
            derived_from: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Whether it is a note of an agent.
    #[must_use]
    pub fn is_note(&self) -> bool {
        self.domain == NOTES
    }
}

impl Memory {
    /// The notes that mean most nearly what is asked, at most `count`, most relevant first. Recalling changes nothing:
    /// [`Event::Recalled`](crate::Event::Recalled) tells the policy of it.
    #[must_use]
    pub fn recall_notes(
        &self,
        query: &str,
        vector: &Vector,
        count: usize,
        now: Timestamp,
    ) -> Vec<Note> {
        let asked = RecallQuery {
            domain: NOTES,
            aspect: ASPECT,
            masked: query,
            vector: vector.as_slice(),
            now,
        };
        let defaults = RecallSettings::default();
        let settings = RecallSettings {
            examples: count,
            pool: defaults.pool.max(count),
            minimum_relevance: 0.0,
            layers: Layers::One,
            ranking: Ranking::Relevance,
            ..defaults
        };
        let note = |found: crate::Recalled| Note {
            relevance: found.similarity,
            stored: found.stored,
        };
        self.recall(&asked, &settings)
            .into_iter()
            .map(note)
            .collect()
    }
}

impl Tenant {
    /// Offers notes, in order. `embedders`: the memory's, and the one that made their vectors.
    pub(crate) fn take_notes(
        &mut self,
        namespace: &Namespace,
        at: Timestamp,
        notes: &[Experience],
        embedders: (&str, &str),
    ) -> Vec<GateVerdict> {
        self.sweep(at);
        let mut gates = Vec::with_capacity(notes.len());
        for note in notes {
            self.memory.step += 1;
            let note = Experience {
                namespace: namespace.clone(),
                ..note.clone()
            };
            let gate = self.take(note, at, embedders);
            self.memory.counters.notes += u64::from(matches!(gate, GateVerdict::Admitted { .. }));
            gates.push(gate);
        }
        gates
    }

    /// The policies hear what was recalled; how good it was, nobody has said yet.
    pub(crate) fn notes_recalled(&mut self, at: Timestamp, vector: &Vector, ids: &[ExperienceId]) {
        self.memory.step += 1;
        self.memory.counters.recalls += 1;
        let mut retrieved = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(stored) = self.memory.stored(*id) else {
                continue;
            };
            let likeness = stored.experience.masked_vector.cosine(vector);
            retrieved.push((*id, likeness));
            self.change(*id, |usage| {
                usage.retrieved += 1;
                usage.last_used = usage.last_used.max(at);
                usage.likeness = Some(likeness);
            });
        }
        let wanted = Wanted::by_template(NOTES, "", "", vector);
        let step = Step {
            now: at,
            retrieved: &retrieved,
            // A ghost can only speak for a newcomer, and a recall brings none.
            ghosts: &[],
            quality: None,
        };
        self.replacement.step(&step, None, &mut self.rng);
        self.settle_ghosts();
        for shadow in &mut self.shadows {
            shadow.recalled(&wanted, ids.len().max(1), at);
        }
        self.note_rates();
    }

    /// Whoever used a note says whether it helped. Whether the note is there.
    pub(crate) fn judge_note(&mut self, at: Timestamp, id: ExperienceId, good: bool) -> bool {
        let note = self.memory.stored(id);
        let Some(usage) = note.filter(|s| s.experience.is_note()).map(|s| s.usage) else {
            return false;
        };
        self.memory.step += 1;
        let (right, wrong) = if good { (1.0, 0.0) } else { (0.0, 1.0) };
        self.change(id, |usage| {
            usage.posterior = usage.posterior.with(right, wrong);
            usage.reused += u64::from(good);
        });
        let counters = &mut self.memory.counters;
        counters.good += u64::from(good);
        counters.bad += u64::from(!good);
        // A verdict is on a use: one that was never recalled has none that the policy knows of.
        if let Some(likeness) = usage.likeness {
            let asking = Asking {
                now: at,
                wanted: None,
                quality: Some(right),
            };
            let step = Step {
                now: at,
                retrieved: &[(id, likeness)],
                ghosts: &[],
                quality: asking.quality,
            };
            self.replacement.judged(&step, None);
            for shadow in &mut self.shadows {
                shadow.note_judged((id, likeness), &asking);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
