//! What is kept of a graph's sampled schema, so that a new process answers its first question at once?
//!
//! A file beside the graph, which holds for one generation of it. It can be removed at any time: what is missing is
//! sampled again.

use std::sync::atomic::Ordering;

use kgqa::graph::Graph;
use kgqa::local_schema::{Learned, Schema};

use super::{Source, View, lock};
use crate::directory::replace_file;
use crate::error::EngineError;

/// Its name.
pub(crate) const FILE: &str = "schema.json";

/// The most used predicates that are sampled right after a load.
const PREPARED_PREDICATES: usize = 64;

/// Facts kept at most, so that reading them stays a matter of milliseconds.
const MAX_KEPT: usize = 2_048;

/// The largest file that is read.
const MAX_BYTES: u64 = 16 << 20;

impl Source {
    /// Hands a fresh schema what is kept, if it was learned of this very graph.
    pub(super) fn recall_learned(
        &self,
        schema: &Schema,
        graph: &dyn Graph,
    ) -> Result<(), EngineError> {
        self.kept.store(0, Ordering::Relaxed);
        let small = fs_err::metadata(&self.learned).is_ok_and(|file| file.len() <= MAX_BYTES);
        // A file that is missing or damaged costs time, never an answer.
        let Some(learned) = small
            .then(|| fs_err::read(&self.learned).ok())
            .flatten()
            .and_then(|bytes| serde_json::from_slice::<Learned>(&bytes).ok())
        else {
            return Ok(());
        };
        let count = learned.len();
        if schema.adopt(graph, learned)? {
            self.kept.store(count, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Samples what most questions will need, and keeps it.
    ///
    /// # Errors
    /// When the graph cannot be read or the file not be written.
    pub(crate) fn prepare(&self, view: &View) -> Result<(), EngineError> {
        view.schema.prepare(&view.graph, PREPARED_PREDICATES)?;
        self.keep_learned()
    }

    /// Keeps what questions made the schema learn since the last time.
    ///
    /// # Errors
    /// When the graph cannot be read or the file not be written.
    pub(crate) fn keep_learned(&self) -> Result<(), EngineError> {
        let Some(view) = lock(&self.view).as_ref().map(std::sync::Arc::clone) else {
            return Ok(());
        };
        let learned = view.schema.learned(&view.graph)?;
        let count = learned.len();
        if count <= self.kept.load(Ordering::Relaxed) || count > MAX_KEPT {
            return Ok(());
        }
        replace_file(
            &self.learned,
            serde_json::json!(learned).to_string().as_bytes(),
        )?;
        self.kept.store(count, Ordering::Relaxed);
        Ok(())
    }
}
