//! What rests on facts that changed?
//!
//! Each change of a source tells the learner which patterns it touched; experiences that read them become suspect, and are verified again
//! before their wording is served. A change of too many triples makes all of the source's experiences suspect.

use memory::{Effect, Event, EvidenceKey, SourceChange, Triple};
use oxrdf::Quad;

use crate::engine::Engine;
use crate::error::EngineError;

/// Triples whose patterns are told one by one.
const MAX_TRIPLES_TOLD: usize = 4096;

impl Engine {
    /// Tells the learner that a source is another than it was; gives the number of experiences that became suspect.
    pub(crate) fn everything_changed(&self, source: &str) -> Result<u64, EngineError> {
        self.changed(source, SourceChange::Everything)
    }

    /// Tells the learner which triples changed; gives the number of experiences that became suspect.
    pub(crate) fn triples_changed(&self, source: &str, quads: &[Quad]) -> Result<u64, EngineError> {
        if quads.len() > MAX_TRIPLES_TOLD {
            return self.everything_changed(source);
        }
        let mut keys: Vec<EvidenceKey> = quads
            .iter()
            .map(|quad| {
                Triple::new(
                    &quad.subject.to_string(),
                    &quad.predicate.to_string(),
                    &quad.object.to_string(),
                )
            })
            .flat_map(|triple| EvidenceKey::touched_by(source, &triple))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        self.changed(source, SourceChange::Keys(keys))
    }

    /// Tells the learner which parts of a source's evidence changed; gives the number of experiences that became suspect.
    pub(crate) fn evidence_changed(
        &self,
        source: &str,
        mut keys: Vec<EvidenceKey>,
    ) -> Result<u64, EngineError> {
        if keys.len() > MAX_TRIPLES_TOLD {
            return self.everything_changed(source);
        }
        if keys.is_empty() {
            return Ok(0);
        }
        keys.sort_unstable();
        keys.dedup();
        self.changed(source, SourceChange::Keys(keys))
    }

    fn changed(&self, source: &str, change: SourceChange) -> Result<u64, EngineError> {
        let generation = match self.source(source) {
            Ok(source) => source.snapshot()?.generation(),
            Err(_) => 0,
        };
        let effect = self.learner.submit(Event::SourceChanged {
            at: self.surroundings.clock.now(),
            source: source.to_owned(),
            generation,
            change,
        })?;
        let suspects = if let Effect::Suspected { experiences } = effect {
            experiences
        } else {
            0
        };
        Ok(suspects)
    }
}
