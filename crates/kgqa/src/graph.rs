//! Which graph is asked? The seam between the planner and whatever holds the triples.
//!
//! The embedded store, a remote endpoint and the tests' in-memory graph all answer the same few bounded questions.
//! Nothing here parses SPARQL or opens files.

use std::sync::Arc;

use oxrdf::Term;

/// A term of one graph, as a number that is stable within one generation of that graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// One distinct predicate at a node, in one direction: a line of the node's local schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The predicate.
    pub predicate: TermId,
    /// `true` when the node is the object (`^predicate` in SPARQL).
    pub inverse: bool,
}

/// The values one step away under one edge, at most as many as were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The values in ascending id order.
    pub ids: Vec<TermId>,
    /// `true` when the graph holds more than were returned.
    pub more: bool,
}

/// A predicate of the whole graph with its number of triples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateCount {
    /// The predicate.
    pub predicate: TermId,
    /// How many triples use it.
    pub triples: u64,
}

/// Why a graph could not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The store behind the graph failed.
    #[error("the graph could not be read: {message}")]
    Storage {
        /// What the store said.
        message: String,
        /// The store's own error.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// An id that this generation of the graph does not know.
    #[error("the graph has no term number {0}")]
    UnknownTerm(u32),
}

/// A readable snapshot of one knowledge graph.
///
/// Every method is bounded: by its `limit`, or by the number of distinct predicates.
///
/// Label predicates are left out of [`Graph::signature`] and [`Graph::predicates`]: `rdfs:label`, `skos:prefLabel`,
/// `skos:altLabel` and `rdfs:comment` say what a node is called, not what is known of it. Other predicates that carry a
/// name (`schema:name`, `foaf:name`, a local name of `name`, `label` or `title`) also give labels, but stay content.
pub trait Graph: Send + Sync {
    /// Changes whenever a triple is added or removed.
    fn generation(&self) -> u64;

    /// The term behind an id.
    ///
    /// # Errors
    /// [`GraphError::UnknownTerm`] for an id of another generation; [`GraphError::Storage`] if the store fails.
    fn term(&self, id: TermId) -> Result<Term, GraphError>;

    /// The id of a term, `None` when the graph does not hold it.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn id(&self, term: &Term) -> Result<Option<TermId>, GraphError>;

    /// The best label of a term: its `rdfs:label` or the like, else its local name in words, else its text.
    ///
    /// # Errors
    /// As [`Graph::term`].
    fn label(&self, id: TermId) -> Result<String, GraphError>;

    /// Terms with exactly this normalised label (see [`crate::text::normalise`]), at most `limit`, ascending.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn link(&self, normalised: &str, limit: usize) -> Result<Vec<TermId>, GraphError>;

    /// Terms whose normalised label is a small edit away, with that edit distance; nearest first, at most `limit`.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn link_fuzzy(&self, normalised: &str, limit: usize) -> Result<Vec<(TermId, u32)>, GraphError>;

    /// The distinct edges at a node (its local schema), sorted.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn signature(&self, id: TermId) -> Result<Arc<[Edge]>, GraphError>;

    /// The values one step from `id` along `edge`, at most `limit`.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn step(&self, id: TermId, edge: Edge, limit: usize) -> Result<Page, GraphError>;

    /// Some subjects of a predicate, at most `limit`; used to sample what a predicate connects.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn sample(&self, predicate: TermId, limit: usize) -> Result<Vec<(TermId, TermId)>, GraphError>;

    /// All predicates with their numbers of triples, by id.
    ///
    /// # Errors
    /// [`GraphError::Storage`] if the store fails.
    fn predicates(&self) -> Result<Arc<[PredicateCount]>, GraphError>;
}
