//! How do parsed statements travel from the parser's thread to the writer's?
//!
//! As terms already encoded and hashed, so that the writer only looks them up.

use oxrdf::{GraphNameRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::dictionary;
use crate::error::ParseProblem;
use crate::term_codec;

/// A batch is sent when it holds so many statements,
pub(super) const BATCH_STATEMENTS: usize = 8 * 1024;
/// or so many bytes of terms.
pub(super) const BATCH_BYTES: usize = 4 << 20;

/// The place of a term in its batch; `DEFAULT_GRAPH` in the graph position of a default graph statement.
pub(super) type Slot = u32;
pub(super) const DEFAULT_GRAPH: Slot = Slot::MAX;

/// Statements as encoded terms, and what could not be read between them.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    terms: Vec<EncodedTerm>,
    pub(super) quads: Vec<[Slot; 4]>,
    pub(super) problems: Vec<ParseProblem>,
    pub(super) skipped: u64,
}

#[derive(Debug, Clone, Copy)]
struct EncodedTerm {
    start: usize,
    end: usize,
    hash: u64,
}

/// A term is longer than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong {
    pub(super) bytes: usize,
}

impl Batch {
    pub(super) fn is_full(&self) -> bool {
        self.quads.len() >= BATCH_STATEMENTS || self.bytes.len() >= BATCH_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.quads.is_empty() && self.skipped == 0
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.terms
            .iter()
            .map(|term| (&self.bytes[term.start..term.end], term.hash))
    }
}

/// Encodes the statements of one input.
pub(super) struct Encoder {
    scope: u64,
    max_term_bytes: usize,
    /// The graph of statements that name none.
    graph: Option<String>,
}

impl Encoder {
    /// Blank nodes of different scopes stay different, whatever their labels.
    pub(super) fn new(scope: u64, max_term_bytes: usize, graph: Option<String>) -> Self {
        Self {
            scope,
            max_term_bytes,
            graph,
        }
    }

    pub(super) fn add(&self, batch: &mut Batch, quad: QuadRef<'_>) -> Result<(), TooLong> {
        let (bytes, terms) = (batch.bytes.len(), batch.terms.len());
        match self.slots(batch, quad) {
            Ok(slots) => {
                batch.quads.push(slots);
                Ok(())
            }
            Err(error) => {
                batch.bytes.truncate(bytes);
                batch.terms.truncate(terms);
                Err(error)
            }
        }
    }

    fn slots(&self, batch: &mut Batch, quad: QuadRef<'_>) -> Result<[Slot; 4], TooLong> {
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(node) => node.into(),
            NamedOrBlankNodeRef::BlankNode(node) => node.into(),
        };
        let graph = match (quad.graph_name, &self.graph) {
            (GraphNameRef::NamedNode(node), _) => self.slot(batch, node.into())?,
            (GraphNameRef::BlankNode(node), _) => self.slot(batch, node.into())?,
            (GraphNameRef::DefaultGraph, None) => DEFAULT_GRAPH,
            (GraphNameRef::DefaultGraph, Some(graph)) => {
                let node = oxrdf::NamedNodeRef::new_unchecked(graph);
                self.slot(batch, node.into())?
            }
        };
        Ok([
            self.slot(batch, subject)?,
            self.slot(batch, quad.predicate.into())?,
            self.slot(batch, quad.object)?,
            graph,
        ])
    }

    fn slot(&self, batch: &mut Batch, term: TermRef<'_>) -> Result<Slot, TooLong> {
        let start = batch.bytes.len();
        if let TermRef::BlankNode(node) = term {
            let label = format!("b{}_{}", self.scope, node.as_str());
            term_codec::encode_blank(&label, &mut batch.bytes);
        } else {
            term_codec::encode(term, &mut batch.bytes);
        }
        let end = batch.bytes.len();
        if end - start > self.max_term_bytes {
            return Err(TooLong { bytes: end - start });
        }
        let hash = dictionary::hash(&batch.bytes[start..end]);
        let slot = Slot::try_from(batch.terms.len()).unwrap_or(DEFAULT_GRAPH);
        batch.terms.push(EncodedTerm { start, end, hash });
        Ok(slot)
    }
}
