//! What does a question see of what was learned? A snapshot that never changes.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use memory::{Memory, Namespace, Settings, State};

use crate::journal::Position;

/// Every namespace's memory at one moment.
#[derive(Debug, Clone)]
pub struct Knowledge {
    memories: BTreeMap<Namespace, Memory>,
    empty: Memory,
    embedder: String,
    position: Position,
}

impl Knowledge {
    pub(crate) fn of(state: &State, defaults: &Settings, position: Position) -> Self {
        Self {
            memories: state.memories(),
            empty: Memory::new(defaults.clone()),
            embedder: state.embedder().to_owned(),
            position,
        }
    }

    /// The memory of a namespace; an empty one where nothing happened yet.
    #[must_use]
    pub fn memory(&self, namespace: &Namespace) -> &Memory {
        self.memories.get(namespace).unwrap_or(&self.empty)
    }

    /// The namespaces in which something happened.
    pub fn namespaces(&self) -> impl Iterator<Item = &Namespace> {
        self.memories.keys()
    }

    /// Fingerprint of the embedder that made the vectors; empty before the first.
    #[must_use]
    pub fn embedder(&self) -> &str {
        &self.embedder
    }

    /// The last event in it.
    #[must_use]
    pub const fn position(&self) -> Position {
        self.position
    }
}

/// Where the learner puts the newest knowledge, and readers fetch it. The lock is held to copy one pointer.
#[derive(Debug)]
pub(crate) struct Published(RwLock<Arc<Knowledge>>);

impl Published {
    pub(crate) fn new(knowledge: Knowledge) -> Self {
        Self(RwLock::new(Arc::new(knowledge)))
    }

    pub(crate) fn newest(&self) -> Arc<Knowledge> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn publish(&self, knowledge: Knowledge) {
        let fresh = Arc::new(knowledge);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = fresh;
    }
}
