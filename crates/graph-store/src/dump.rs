//! How does the whole graph leave the store again?

use std::io::Write;

use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term};

use crate::error::StoreError;
use crate::id::TermId;
use crate::order::{IdQuad, Order};
use crate::snapshot::Snapshot;

/// What a snapshot holds, in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The store's generation.
    pub generation: u64,
    /// Statements in all graphs together.
    pub statements: u64,
    /// Statements in named graphs.
    pub named_statements: u64,
    /// Named graphs.
    pub named_graphs: usize,
    /// Terms in the dictionary, those that no statement mentions any more included.
    pub terms: u64,
    /// Distinct predicates.
    pub predicates: usize,
    /// Predicates whose objects are labels, best first.
    pub label_predicates: Vec<TermId>,
    /// The most words in a label.
    pub max_label_tokens: usize,
}

impl Snapshot {
    /// The graph in numbers.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn describe(&self) -> Result<Description, StoreError> {
        let meta = &self.inner.meta;
        Ok(Description {
            generation: meta.generation,
            statements: meta.statements,
            named_statements: meta.named_statements,
            named_graphs: self.named_graphs()?.len(),
            terms: u64::from(meta.next_term) - 1,
            predicates: self.predicates()?.len(),
            label_predicates: self.label_predicates(),
            max_label_tokens: self.labels().max_tokens(),
        })
    }

    /// Writes every statement as a line of N-Quads, ordered by the ids of subject, predicate, object and graph.
    ///
    /// Returns the number of lines.
    ///
    /// # Errors
    /// When the store cannot be read or the output not be written.
    pub fn dump(&self, mut out: impl Write) -> Result<u64, StoreError> {
        let mut lines = 0;
        let mut subject: Option<(u32, NamedOrBlankNode)> = None;
        for key in self.scan(Order::Spog, &[])? {
            let ids = Order::Spog.unpack(key?);
            let node = match subject.take() {
                Some((id, node)) if id == ids[0] => node,
                _ => self.node(ids[0])?,
            };
            let quad = self.quad_of(node, ids)?;
            writeln!(out, "{quad} .")?;
            subject = Some((ids[0], quad.subject));
            lines += 1;
        }
        out.flush()?;
        Ok(lines)
    }

    fn node(&self, id: u32) -> Result<NamedOrBlankNode, StoreError> {
        match self.term(TermId(id))? {
            Term::NamedNode(node) => Ok(node.into()),
            Term::BlankNode(node) => Ok(node.into()),
            Term::Literal(_) => Err(StoreError::corrupt("a literal stands where a node must")),
        }
    }

    fn quad_of(
        &self,
        subject: NamedOrBlankNode,
        [_, predicate, object, graph]: IdQuad,
    ) -> Result<Quad, StoreError> {
        let NamedOrBlankNode::NamedNode(predicate) = self.node(predicate)? else {
            return Err(StoreError::corrupt(
                "a blank node stands where a predicate must",
            ));
        };
        Ok(Quad {
            subject,
            predicate,
            object: self.term(TermId(object))?,
            graph_name: match graph {
                0 => GraphName::DefaultGraph,
                graph => match self.node(graph)? {
                    NamedOrBlankNode::NamedNode(node) => node.into(),
                    NamedOrBlankNode::BlankNode(node) => node.into(),
                },
            },
        })
    }

    /// A quad of ids, such as [`Snapshot::quads`] gives, as terms.
    ///
    /// # Errors
    /// When an id is not of this store, or the store cannot be read.
    pub fn quad(&self, ids: [TermId; 4]) -> Result<Quad, StoreError> {
        let ids = ids.map(|id| id.0);
        self.quad_of(self.node(ids[0])?, ids)
    }
}
