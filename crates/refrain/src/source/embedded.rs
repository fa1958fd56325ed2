//! How does the planner see a graph that lies on this disk?
//!
//! A thin translation: `kgqa::Graph` on one side, a snapshot of `graph_store` on the other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graph_store::{Snapshot, StoreError};
use kgqa::graph::{Edge, Graph, GraphError, Page, PredicateCount, TermId};
use oxrdf::vocab::rdfs;
use oxrdf::{NamedNodeRef, Term};

/// Predicates that say what a node is called, not what is known of it.
const NAMING: [NamedNodeRef<'_>; 4] = [
    rdfs::LABEL,
    rdfs::COMMENT,
    NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#prefLabel"),
    NamedNodeRef::new_unchecked("http://www.w3.org/2004/02/skos/core#altLabel"),
];

/// A snapshot of an embedded graph, as the planner reads it.
#[derive(Debug)]
pub struct EmbeddedGraph {
    snapshot: Snapshot,
    naming: Vec<graph_store::TermId>,
    /// Signatures of nodes with many predicates, which are costly to translate again and again.
    wide: Mutex<BTreeMap<u32, Arc<[Edge]>>>,
}

/// A node with at least so many predicates is wide.
const WIDE: usize = 256;

/// Wide nodes whose signatures are kept.
const WIDE_KEPT: usize = 256;

impl EmbeddedGraph {
    /// The planner's view of a snapshot.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn new(snapshot: Snapshot) -> Result<Self, StoreError> {
        let mut naming = Vec::new();
        for predicate in NAMING {
            naming.extend(snapshot.id(predicate)?);
        }
        naming.sort_unstable();
        Ok(Self {
            snapshot,
            naming,
            wide: Mutex::default(),
        })
    }

    /// Whether a term is a predicate of the graph: a name in a question means a thing, never a predicate.
    fn is_predicate(&self, id: graph_store::TermId) -> Result<bool, GraphError> {
        Ok(self.snapshot.predicate_count(id).map_err(storage)? > 0)
    }

    /// The snapshot behind it.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn wide(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<[Edge]>>> {
        self.wide.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_content(&self, predicate: graph_store::TermId) -> bool {
        self.naming.binary_search(&predicate).is_err()
    }

    /// Pairs of a predicate with as many different objects as there are, one subject each.
    fn spread(
        &self,
        predicate: graph_store::TermId,
        limit: usize,
    ) -> Result<Vec<(graph_store::TermId, graph_store::TermId)>, StoreError> {
        let mut pairs = Vec::new();
        let mut after = None;
        while pairs.len() < limit {
            let (found, _) = self.snapshot.pairs(predicate, after, 1)?;
            let Some((subject, object)) = found.into_iter().next() else {
                break;
            };
            pairs.push((subject, object));
            after = Some((graph_store::TermId(u32::MAX), object));
        }
        Ok(pairs)
    }
}

fn ours(id: graph_store::TermId) -> TermId {
    TermId(id.0)
}

/// The store's id of a planner's.
fn theirs(id: TermId) -> graph_store::TermId {
    graph_store::TermId(id.0)
}

fn storage(error: StoreError) -> GraphError {
    GraphError::Storage {
        message: error.to_string(),
        source: Some(Box::new(error)),
    }
}

impl Graph for EmbeddedGraph {
    fn generation(&self) -> u64 {
        self.snapshot.generation()
    }

    fn term(&self, id: TermId) -> Result<Term, GraphError> {
        self.snapshot.term(theirs(id)).map_err(storage)
    }

    fn id(&self, term: &Term) -> Result<Option<TermId>, GraphError> {
        Ok(self.snapshot.id(term).map_err(storage)?.map(ours))
    }

    fn label(&self, id: TermId) -> Result<String, GraphError> {
        self.snapshot.label(theirs(id)).map_err(storage)
    }

    fn link(&self, normalised: &str, limit: usize) -> Result<Vec<TermId>, GraphError> {
        let labels = self.snapshot.labels();
        let mut ids = labels.exact(normalised, limit).map_err(storage)?;
        ids.sort_unstable();
        let mut things = Vec::with_capacity(ids.len());
        for id in ids {
            if !self.is_predicate(id)? {
                things.push(ours(id));
            }
        }
        Ok(things)
    }

    fn link_fuzzy(&self, normalised: &str, limit: usize) -> Result<Vec<(TermId, u32)>, GraphError> {
        let found = self
            .snapshot
            .labels()
            .fuzzy(normalised, limit)
            .map_err(storage)?;
        let mut things = Vec::with_capacity(found.len());
        for near in found {
            if !self.is_predicate(near.id)? {
                let distance = u32::try_from(near.distance).unwrap_or(u32::MAX);
                things.push((ours(near.id), distance));
            }
        }
        Ok(things)
    }

    fn signature(&self, id: TermId) -> Result<Arc<[Edge]>, GraphError> {
        let entries = self.snapshot.signature(theirs(id)).map_err(storage)?;
        if entries.len() >= WIDE
            && let Some(known) = self.wide().get(&id.0)
        {
            return Ok(Arc::clone(known));
        }
        let mut edges: Vec<Edge> = entries
            .iter()
            .filter(|entry| self.is_content(entry.predicate))
            .map(|entry| Edge {
                predicate: ours(entry.predicate),
                inverse: entry.inverse,
            })
            .collect();
        edges.sort_unstable();
        let edges: Arc<[Edge]> = Arc::from(edges);
        if entries.len() >= WIDE {
            let mut wide = self.wide();
            if wide.len() >= WIDE_KEPT {
                wide.clear();
            }
            wide.insert(id.0, Arc::clone(&edges));
        }
        Ok(edges)
    }

    fn step(&self, id: TermId, edge: Edge, limit: usize) -> Result<Page, GraphError> {
        let (node, predicate) = (theirs(id), theirs(edge.predicate));
        let page = if edge.inverse {
            self.snapshot.subjects(predicate, node, None, limit)
        } else {
            self.snapshot.objects(node, predicate, None, limit)
        };
        let page = page.map_err(storage)?;
        Ok(Page {
            ids: page.ids.into_iter().map(ours).collect(),
            more: page.more,
        })
    }

    fn sample(&self, predicate: TermId, limit: usize) -> Result<Vec<(TermId, TermId)>, GraphError> {
        let predicate = theirs(predicate);
        let mut pairs = self.spread(predicate, limit.div_ceil(2)).map_err(storage)?;
        let (first, _) = self
            .snapshot
            .pairs(predicate, None, limit)
            .map_err(storage)?;
        for pair in first {
            if pairs.len() >= limit {
                break;
            }
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        Ok(pairs
            .into_iter()
            .map(|(subject, object)| (ours(subject), ours(object)))
            .collect())
    }

    fn predicates(&self) -> Result<Arc<[PredicateCount]>, GraphError> {
        let all = self.snapshot.predicates().map_err(storage)?;
        let mut counts: Vec<PredicateCount> = all
            .iter()
            .filter(|count| self.is_content(count.predicate))
            .map(|count| PredicateCount {
                predicate: ours(count.predicate),
                triples: count.statements,
            })
            .collect();
        counts.sort_unstable_by_key(|count| count.predicate);
        Ok(Arc::from(counts))
    }
}
