//! How does the SPARQL evaluator read a snapshot?
//!
//! Terms of the store are their ids; a value that a query computes is an id too when the store knows it, so that
//! equality of internal terms is equality of terms. Each pattern is read from the index whose order starts with what is
//! bound; where subject and object are bound, the scan jumps from predicate to predicate.

use std::sync::Arc;
use std::time::Instant;

use oxrdf::Term;
use redb::ReadableTable;
use spareval::{InternalQuad, QueryableDataset};

use crate::block_set::Scan;
use crate::clock;
use crate::error::StoreError;
use crate::id::TermId;
use crate::order::{IdQuad, Key, Order, join};
use crate::query::DefaultGraph;
use crate::snapshot::Snapshot;

/// Quads read between two looks at the clock.
const QUADS_PER_CLOCK_READING: u32 = 256;

/// A term as the evaluator sees it. Copying one looks at the clock now and then (`clock`).
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum QueryTerm {
    Stored(u32),
    /// Not in the store's dictionary.
    Computed(Arc<Term>),
}

impl Clone for QueryTerm {
    fn clone(&self) -> Self {
        clock::tick();
        match self {
            Self::Stored(id) => Self::Stored(*id),
            Self::Computed(term) => Self::Computed(Arc::clone(term)),
        }
    }
}

/// A snapshot for one query.
#[derive(Clone)]
pub(crate) struct QuerySnapshot {
    pub(crate) snapshot: Snapshot,
    pub(crate) deadline: Deadline,
    pub(crate) default_graph: DefaultGraph,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) at: Option<Instant>,
    pub(crate) millis: u128,
}

impl Deadline {
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self.at {
            Some(at) if Instant::now() >= at => Err(StoreError::TimedOut {
                millis: self.millis,
            }),
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum GraphFilter {
    Exactly(u32),
    AnyNamed,
    /// All graphs as one, each triple once.
    Union,
}

impl GraphFilter {
    fn accepts(self, graph: u32) -> bool {
        match self {
            Self::Exactly(wanted) => graph == wanted,
            Self::AnyNamed => graph != 0,
            Self::Union => true,
        }
    }
}

/// The quads of a pattern.
pub(crate) struct Quads {
    reading: Reading,
    order: Order,
    graph: GraphFilter,
    deadline: Deadline,
    until_clock: u32,
    /// The triple given last, in a union: the graph comes last in every order, so the same triples are neighbours.
    last: Option<[u32; 3]>,
}

enum Reading {
    Nothing,
    Failed(Option<StoreError>),
    Range(Scan),
    /// Subject and object bound, predicate open: jumps over the objects of each predicate.
    Jumping {
        scan: Scan,
        subject: u32,
        object: u32,
    },
}

impl Reading {
    fn next(&mut self) -> Result<Option<Key>, StoreError> {
        match self {
            Self::Nothing => Ok(None),
            Self::Failed(error) => error.take().map_or(Ok(None), Err),
            Self::Range(scan) => scan.next_key(),
            Self::Jumping {
                scan,
                subject,
                object,
            } => {
                while let Some(key) = scan.next_key()? {
                    let [s, p, o, _] = Order::Spog.unpack(key);
                    if o == *object {
                        return Ok(Some(key));
                    }
                    let target = if o < *object {
                        join([*subject, p, *object, 0])
                    } else {
                        match p.checked_add(1) {
                            Some(next) => join([s, next, 0, 0]),
                            None => return Ok(None),
                        }
                    };
                    scan.seek(target)?;
                }
                Ok(None)
            }
        }
    }
}

impl Quads {
    fn next_quad(&mut self) -> Result<Option<IdQuad>, StoreError> {
        loop {
            self.until_clock -= 1;
            if self.until_clock == 0 {
                self.until_clock = QUADS_PER_CLOCK_READING;
                self.deadline.check()?;
            }
            let Some(key) = self.reading.next()? else {
                return Ok(None);
            };
            let quad = self.order.unpack(key);
            if !self.graph.accepts(quad[3]) {
                continue;
            }
            let [s, p, o, _] = quad;
            match self.graph {
                GraphFilter::Exactly(_) | GraphFilter::AnyNamed => return Ok(Some(quad)),
                GraphFilter::Union if self.last == Some([s, p, o]) => {}
                GraphFilter::Union => {
                    self.last = Some([s, p, o]);
                    return Ok(Some([s, p, o, 0]));
                }
            }
        }
    }
}

impl Iterator for Quads {
    type Item = Result<InternalQuad<QueryTerm>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let quad = self.next_quad().transpose()?;
        Some(quad.map(|[s, p, o, g]| InternalQuad {
            subject: QueryTerm::Stored(s),
            predicate: QueryTerm::Stored(p),
            object: QueryTerm::Stored(o),
            graph_name: (g != 0).then_some(QueryTerm::Stored(g)),
        }))
    }
}

impl QuerySnapshot {
    fn reading(
        &self,
        bound: [Option<u32>; 3],
        graph: GraphFilter,
    ) -> (Order, Result<Reading, StoreError>) {
        let range =
            |order, prefix: &[u32]| (order, self.snapshot.scan(order, prefix).map(Reading::Range));
        match bound {
            [Some(s), Some(p), Some(o)] => range(Order::Spog, &[s, p, o]),
            [Some(s), Some(p), None] => range(Order::Spog, &[s, p]),
            [Some(s), None, None] => range(Order::Spog, &[s]),
            [Some(subject), None, Some(object)] => (
                Order::Spog,
                self.snapshot
                    .scan(Order::Spog, &[subject])
                    .map(|scan| Reading::Jumping {
                        scan,
                        subject,
                        object,
                    }),
            ),
            [None, Some(p), Some(o)] => range(Order::Posg, &[p, o]),
            [None, Some(p), None] => range(Order::Posg, &[p]),
            [None, None, Some(o)] => range(Order::Opsg, &[o]),
            [None, None, None] => match graph {
                GraphFilter::Exactly(0) | GraphFilter::Union => range(Order::Spog, &[]),
                GraphFilter::Exactly(graph) => range(Order::Gspo, &[graph]),
                GraphFilter::AnyNamed => range(Order::Gspo, &[]),
            },
        }
    }

    fn quads(&self, bound: [Option<&QueryTerm>; 3], graph: Option<Option<&QueryTerm>>) -> Quads {
        let mut ids = [None; 3];
        let mut reading = None;
        for (id, term) in ids.iter_mut().zip(bound) {
            match term {
                None => {}
                Some(QueryTerm::Stored(stored)) => *id = Some(*stored),
                Some(QueryTerm::Computed(_)) => reading = Some(Reading::Nothing),
            }
        }
        let graph = match graph {
            None => GraphFilter::AnyNamed,
            Some(None) => match self.default_graph {
                DefaultGraph::Only => GraphFilter::Exactly(0),
                DefaultGraph::Union => GraphFilter::Union,
            },
            Some(Some(QueryTerm::Stored(id))) => GraphFilter::Exactly(*id),
            Some(Some(QueryTerm::Computed(_))) => {
                reading = Some(Reading::Nothing);
                GraphFilter::AnyNamed
            }
        };
        let (order, opened) = match reading {
            Some(nothing) => (Order::Spog, Ok(nothing)),
            None => self.reading(ids, graph),
        };
        Quads {
            reading: opened.unwrap_or_else(|error| Reading::Failed(Some(error))),
            order,
            graph,
            deadline: self.deadline,
            until_clock: QUADS_PER_CLOCK_READING,
            last: None,
        }
    }
}

impl QueryableDataset<'static> for QuerySnapshot {
    type InternalTerm = QueryTerm;
    type Error = StoreError;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&QueryTerm>,
        predicate: Option<&QueryTerm>,
        object: Option<&QueryTerm>,
        graph_name: Option<Option<&QueryTerm>>,
    ) -> impl Iterator<Item = Result<InternalQuad<QueryTerm>, StoreError>> + use<> {
        self.quads([subject, predicate, object], graph_name)
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<QueryTerm, StoreError>> + use<> {
        let graphs = self.snapshot.named_graphs().map(|graphs| {
            let terms = graphs
                .into_iter()
                .map(|(id, _)| Ok(QueryTerm::Stored(id.0)));
            terms.collect::<Vec<_>>()
        });
        graphs.unwrap_or_else(|error| vec![Err(error)]).into_iter()
    }

    fn contains_internal_graph_name(&self, graph_name: &QueryTerm) -> Result<bool, StoreError> {
        match graph_name {
            QueryTerm::Stored(id) => Ok(self.snapshot.inner.tables.graphs.get(*id)?.is_some()),
            QueryTerm::Computed(_) => Ok(false),
        }
    }

    fn internalize_term(&self, term: Term) -> Result<QueryTerm, StoreError> {
        self.deadline.check()?;
        Ok(match self.snapshot.id(&term)? {
            Some(id) => QueryTerm::Stored(id.0),
            None => QueryTerm::Computed(Arc::new(term)),
        })
    }

    fn externalize_term(&self, term: QueryTerm) -> Result<Term, StoreError> {
        match term {
            QueryTerm::Stored(id) => self.snapshot.term(TermId(id)),
            QueryTerm::Computed(term) => Ok(Arc::unwrap_or_clone(term)),
        }
    }
}

impl Snapshot {
    /// The named graphs and their numbers of statements, by ascending id.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn named_graphs(&self) -> Result<Vec<(TermId, u64)>, StoreError> {
        let mut graphs = Vec::new();
        for entry in self.inner.tables.graphs.iter()? {
            let (id, count) = entry?;
            graphs.push((TermId(id.value()), count.value()));
        }
        Ok(graphs)
    }
}
