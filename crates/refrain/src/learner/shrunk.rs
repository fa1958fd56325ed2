//! Which memories were too large for the settings that hold now?

use memory::Namespace;

use crate::knowledge::Knowledge;

/// A memory that was too large for its settings when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shrunk {
    /// Whose.
    pub namespace: Namespace,
    /// Experiences that left, chosen by the policy.
    pub evicted: u64,
    /// Experiences that stayed.
    pub kept: usize,
}

/// Who lost how many from one state of knowledge to the next.
pub(super) fn between(before: &Knowledge, after: &Knowledge) -> Vec<Shrunk> {
    let of = |namespace: &Namespace| {
        let evicted = |k: &Knowledge| k.memory(namespace).counters().evicted;
        Shrunk {
            namespace: namespace.clone(),
            evicted: evicted(after) - evicted(before),
            kept: after.memory(namespace).len(),
        }
    };
    let all = before.namespaces().map(of);
    all.filter(|shrunk| shrunk.evicted > 0).collect()
}
