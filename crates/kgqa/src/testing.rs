//! Which graph do tests ask? An in-memory [`Graph`] read from N-Triples, small enough to be obviously right.
//!
//! It follows the seam's rules to the letter (label predicates left out, pages in id order) and is what the tests of the
//! planner and of the executor run on. It is not a store: nothing is durable and everything is in ordered sets.

use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use oxrdf::{NamedNode, NamedOrBlankNode, Term, Triple};
use oxrdfio::{RdfFormat, RdfParseError, RdfParser};

use crate::graph::{Edge, Graph, GraphError, Page, PredicateCount, TermId};

mod labels;

use labels::{Labels, is_left_out};

/// Why no graph could be made of a text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryGraphError {
    /// The text is not RDF of the given format.
    #[error("triple {triple} of the graph could not be read")]
    Syntax {
        /// How many triples were read before, plus one.
        triple: usize,
        /// What the parser said, with the position.
        #[source]
        source: RdfParseError,
    },
    /// More terms than a [`TermId`] can number.
    #[error("the graph has more than {} terms", u32::MAX)]
    TooManyTerms,
    /// A name that makes no IRI.
    #[error("{0:?} is no IRI")]
    NotAnIri(String),
}

/// A whole graph in memory.
///
/// Terms keep their numbers for the life of the graph, also when their last triple is removed.
#[derive(Debug, Default)]
pub struct MemoryGraph {
    terms: Vec<Term>,
    ids: HashMap<Term, TermId>,
    /// Subject, predicate, object.
    spo: BTreeSet<[u32; 3]>,
    /// Object, predicate, subject.
    ops: BTreeSet<[u32; 3]>,
    /// Predicate, subject, object.
    pso: BTreeSet<[u32; 3]>,
    generation: u64,
    derived: OnceLock<Derived>,
}

/// What is computed from the triples when first asked for, and forgotten at each change.
#[derive(Debug)]
struct Derived {
    labels: Labels,
    predicates: Arc<[PredicateCount]>,
}

impl MemoryGraph {
    /// Reads N-Triples.
    ///
    /// ```
    /// use kgqa::graph::Graph;
    /// let graph = kgqa::testing::MemoryGraph::from_ntriples("<http://e.org/Jaws> <http://e.org/directed_by> <http://e.org/Steven_Spielberg> .".as_bytes())?;
    /// assert_eq!(graph.link("steven spielberg", 10)?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MemoryGraphError::Syntax`] with the position when the text is not N-Triples.
    pub fn from_ntriples(reader: impl Read) -> Result<Self, MemoryGraphError> {
        Self::from_rdf(reader, RdfFormat::NTriples)
    }

    /// Reads any format; names of graphs are dropped.
    ///
    /// # Errors
    /// [`MemoryGraphError::Syntax`] with the position when the text is not of that format.
    pub fn from_rdf(reader: impl Read, format: RdfFormat) -> Result<Self, MemoryGraphError> {
        let mut graph = Self::default();
        for (count, quad) in RdfParser::from_format(format)
            .lenient()
            .for_reader(reader)
            .enumerate()
        {
            let quad = quad.map_err(|source| MemoryGraphError::Syntax {
                triple: count + 1,
                source,
            })?;
            graph.insert(&Triple::new(quad.subject, quad.predicate, quad.object))?;
        }
        Ok(graph)
    }

    /// A graph of named edges: each name becomes the IRI `http://example.org/<name>`.
    ///
    /// # Errors
    /// [`MemoryGraphError::NotAnIri`] when a name holds a blank or the like.
    pub fn from_names(edges: &[(&str, &str, &str)]) -> Result<Self, MemoryGraphError> {
        let mut graph = Self::default();
        for (subject, predicate, object) in edges {
            graph.insert(&Triple::new(iri(subject)?, iri(predicate)?, iri(object)?))?;
        }
        Ok(graph)
    }

    /// Adds a triple; says whether it was new.
    ///
    /// # Errors
    /// [`MemoryGraphError::TooManyTerms`] after 2³² terms.
    pub fn insert(&mut self, triple: &Triple) -> Result<bool, MemoryGraphError> {
        let s = self.intern(Term::from(triple.subject.clone()))?;
        let p = self.intern(Term::from(triple.predicate.clone()))?;
        let o = self.intern(triple.object.clone())?;
        let new = self.spo.insert([s, p, o]);
        if new {
            self.ops.insert([o, p, s]);
            self.pso.insert([p, s, o]);
            self.changed();
        }
        Ok(new)
    }

    /// Removes a triple; says whether it was there.
    pub fn remove(&mut self, triple: &Triple) -> bool {
        let ids = [
            Term::from(triple.subject.clone()),
            Term::from(triple.predicate.clone()),
            triple.object.clone(),
        ];
        let [Some(s), Some(p), Some(o)] = ids.map(|t| self.ids.get(&t).map(|id| id.0)) else {
            return false;
        };
        let there = self.spo.remove(&[s, p, o]);
        if there {
            self.ops.remove(&[o, p, s]);
            self.pso.remove(&[p, s, o]);
            self.changed();
        }
        there
    }

    /// All triples, by the numbers of subject, predicate, object.
    pub fn triples(&self) -> impl Iterator<Item = Triple> + '_ {
        self.spo.iter().filter_map(|&[s, p, o]| {
            let subject = match &self.terms[s as usize] {
                Term::NamedNode(node) => NamedOrBlankNode::from(node.clone()),
                Term::BlankNode(node) => NamedOrBlankNode::from(node.clone()),
                Term::Literal(_) => return None,
            };
            let Term::NamedNode(predicate) = &self.terms[p as usize] else {
                return None;
            };
            Some(Triple::new(
                subject,
                predicate.clone(),
                self.terms[o as usize].clone(),
            ))
        })
    }

    /// How many triples the graph holds, labels included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spo.len()
    }

    /// Whether the graph holds no triple.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spo.is_empty()
    }

    fn intern(&mut self, term: Term) -> Result<u32, MemoryGraphError> {
        if let Some(id) = self.ids.get(&term) {
            return Ok(id.0);
        }
        let id = u32::try_from(self.terms.len()).map_err(|_| MemoryGraphError::TooManyTerms)?;
        self.terms.push(term.clone());
        self.ids.insert(term, TermId(id));
        Ok(id)
    }

    fn changed(&mut self) {
        self.generation += 1;
        self.derived = OnceLock::new();
    }

    fn derived(&self) -> &Derived {
        self.derived.get_or_init(|| {
            let mut predicates: Vec<PredicateCount> = Vec::new();
            for &[p, ..] in &self.pso {
                match predicates.last_mut() {
                    Some(last) if last.predicate.0 == p => last.triples += 1,
                    Some(_) | None => predicates.push(PredicateCount {
                        predicate: TermId(p),
                        triples: 1,
                    }),
                }
            }
            let labels = Labels::of(&self.terms, &self.spo);
            predicates.retain(|p| !is_left_out(&self.terms[p.predicate.0 as usize]));
            Derived {
                labels,
                predicates: predicates.into(),
            }
        })
    }
}

fn iri(name: &str) -> Result<NamedNode, MemoryGraphError> {
    NamedNode::new(format!("http://example.org/{name}"))
        .map_err(|_| MemoryGraphError::NotAnIri(name.to_owned()))
}

/// Visits the distinct second components of the triples that begin with `first`, by seeking from one to the next.
fn distinct_seconds(index: &BTreeSet<[u32; 3]>, first: u32, mut visit: impl FnMut(u32)) {
    let mut next = [first, 0, 0];
    while let Some(&[f, second, _]) = index.range(next..).next() {
        if f != first {
            break;
        }
        visit(second);
        let Some(after) = second.checked_add(1) else {
            break;
        };
        next = [first, after, 0];
    }
}

fn thirds(index: &BTreeSet<[u32; 3]>, first: u32, second: u32, limit: usize) -> Page {
    let mut page = Page::default();
    let range = index.range([first, second, 0]..=[first, second, u32::MAX]);
    let _: ControlFlow<()> = range.map(|&[.., third]| TermId(third)).try_for_each(|id| {
        if page.ids.len() == limit {
            page.more = true;
            return ControlFlow::Break(());
        }
        page.ids.push(id);
        ControlFlow::Continue(())
    });
    page
}

impl Graph for MemoryGraph {
    fn generation(&self) -> u64 {
        self.generation
    }

    fn term(&self, id: TermId) -> Result<Term, GraphError> {
        self.terms
            .get(id.0 as usize)
            .cloned()
            .ok_or(GraphError::UnknownTerm(id.0))
    }

    fn id(&self, term: &Term) -> Result<Option<TermId>, GraphError> {
        Ok(self.ids.get(term).copied())
    }

    fn label(&self, id: TermId) -> Result<String, GraphError> {
        self.derived()
            .labels
            .label(id)
            .map(str::to_owned)
            .ok_or(GraphError::UnknownTerm(id.0))
    }

    fn link(&self, normalised: &str, limit: usize) -> Result<Vec<TermId>, GraphError> {
        Ok(self.derived().labels.exact(normalised, limit))
    }

    fn link_fuzzy(&self, normalised: &str, limit: usize) -> Result<Vec<(TermId, u32)>, GraphError> {
        Ok(self.derived().labels.fuzzy(normalised, limit))
    }

    fn signature(&self, id: TermId) -> Result<Arc<[Edge]>, GraphError> {
        let mut edges = Vec::new();
        for (index, inverse) in [(&self.spo, false), (&self.ops, true)] {
            distinct_seconds(index, id.0, |p| {
                if !is_left_out(&self.terms[p as usize]) {
                    edges.push(Edge {
                        predicate: TermId(p),
                        inverse,
                    });
                }
            });
        }
        edges.sort_unstable();
        Ok(edges.into())
    }

    fn step(&self, id: TermId, edge: Edge, limit: usize) -> Result<Page, GraphError> {
        let index = if edge.inverse { &self.ops } else { &self.spo };
        Ok(thirds(index, id.0, edge.predicate.0, limit))
    }

    fn sample(&self, predicate: TermId, limit: usize) -> Result<Vec<(TermId, TermId)>, GraphError> {
        let p = predicate.0;
        let range = self.pso.range([p, 0, 0]..=[p, u32::MAX, u32::MAX]);
        Ok(range
            .take(limit)
            .map(|&[_, s, o]| (TermId(s), TermId(o)))
            .collect())
    }

    fn predicates(&self) -> Result<Arc<[PredicateCount]>, GraphError> {
        Ok(Arc::clone(&self.derived().predicates))
    }
}

#[cfg(test)]
mod tests;
