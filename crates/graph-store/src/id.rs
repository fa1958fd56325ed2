//! What is a term called inside the store?

/// The number of a term in one store's dictionary.
///
/// Ids are dense, start at 1, are never reused and never change while the store exists. Zero is kept for "the
/// default graph" in the graph position of a quad and is not a `TermId` that any lookup returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// The graph position of a statement in the default graph.
    pub const DEFAULT_GRAPH: Self = Self(0);
}

impl std::fmt::Display for TermId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}
