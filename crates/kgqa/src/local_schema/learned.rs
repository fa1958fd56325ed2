//! What did sampling a graph teach, so that the next process need not sample it again?
//!
//! What edges lead to and what values are comes from thousands of look-ups all over the graph: a tenth of a second from
//! memory, most of a second from a disk. It holds for one generation of one graph, and is the same whoever samples it.

use std::sync::RwLock;

use serde::{Deserialize, Serialize};

use super::{Reached, Schema, ValueKind};
use crate::graph::{Edge, Graph, GraphError, TermId};

/// A predicate's id, and whether it is followed against its direction.
type Way = (u32, bool);

/// What a [`Schema`] learned by sampling, in a form to be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    generation: u64,
    /// Triples in the graph, as a second mark of what was sampled.
    triples: u64,
    /// Bounds it was learned under; under others it is worth nothing.
    bounds: (usize, usize),
    /// Predicate and direction, the edges of the nodes there, and those that are typical of them.
    leads_to: Vec<(u32, bool, Vec<Way>, Vec<Way>)>,
    kinds: Vec<(u32, ValueKind)>,
}

impl Learned {
    /// How many facts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.leads_to.len() + self.kinds.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Schema {
    /// Samples what the edges of the `predicates` most used predicates lead to, both ways, and what their values are.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn prepare(&self, graph: &dyn Graph, predicates: usize) -> Result<(), GraphError> {
        let mut counts = graph.predicates()?.to_vec();
        counts.sort_by(|a, b| {
            b.triples
                .cmp(&a.triples)
                .then(a.predicate.cmp(&b.predicate))
        });
        for count in counts.iter().take(predicates) {
            let predicate = count.predicate;
            for inverse in [false, true] {
                self.leads_to(graph, Edge { predicate, inverse })?;
            }
            self.value_kind(graph, predicate)?;
        }
        Ok(())
    }

    /// What sampling taught so far, ascending by predicate.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn learned(&self, graph: &dyn Graph) -> Result<Learned, GraphError> {
        let pairs = |edges: &[Edge]| edges.iter().map(|e| (e.predicate.0, e.inverse)).collect();
        let mut leads_to: Vec<_> = copied(&self.leads_to)
            .into_iter()
            .map(|(edge, reached)| {
                let (edges, typical) = (pairs(&reached.edges), pairs(&reached.typical));
                (edge.predicate.0, edge.inverse, edges, typical)
            })
            .collect();
        leads_to.sort_unstable();
        let mut kinds: Vec<_> = copied(&self.kinds)
            .into_iter()
            .map(|(predicate, kind)| (predicate.0, kind))
            .collect();
        kinds.sort_unstable_by_key(|(predicate, _)| *predicate);
        Ok(Learned {
            leads_to,
            kinds,
            ..self.mark(graph)?
        })
    }

    /// Takes over what was learned of this very graph under these very bounds. Returns whether it was.
    ///
    /// # Errors
    /// [`GraphError`] if the graph fails.
    pub fn adopt(&self, graph: &dyn Graph, learned: Learned) -> Result<bool, GraphError> {
        let mark = self.mark(graph)?;
        let is_ours = learned.generation == mark.generation
            && learned.triples == mark.triples
            && learned.bounds == mark.bounds;
        let (Ok(mut leads_to), Ok(mut kinds)) = (self.leads_to.write(), self.kinds.write()) else {
            return Ok(false);
        };
        if !is_ours {
            return Ok(false);
        }
        let edge = |(predicate, inverse)| Edge {
            predicate: TermId(predicate),
            inverse,
        };
        for (predicate, inverse, edges, typical) in learned.leads_to {
            let reached = Reached {
                edges: edges.into_iter().map(edge).collect(),
                typical: typical.into_iter().map(edge).collect(),
            };
            leads_to.insert(edge((predicate, inverse)), reached);
        }
        for (predicate, kind) in learned.kinds {
            kinds.insert(TermId(predicate), kind);
        }
        Ok(true)
    }

    /// What tells this graph and these bounds from others.
    fn mark(&self, graph: &dyn Graph) -> Result<Learned, GraphError> {
        let triples = graph.predicates()?.iter().map(|count| count.triples).sum();
        Ok(Learned {
            generation: self.generation,
            triples,
            bounds: (self.config.sample, self.config.successors),
            ..Learned::default()
        })
    }
}

fn copied<K: Copy, V: Clone>(map: &RwLock<std::collections::HashMap<K, V>>) -> Vec<(K, V)> {
    map.read()
        .map(|map| map.iter().map(|(k, v)| (*k, v.clone())).collect())
        .unwrap_or_default()
}
