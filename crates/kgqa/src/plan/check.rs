//! Can this plan run on this graph? What is asked before running: known predicates, bounded hops, filled slots.

use oxrdf::{NamedNode, Term};

use super::{MAX_DEPTH, MAX_LENGTH_BYTES, Plan, Slot};
use crate::execute::{Binding, Bound};
use crate::graph::{Graph, GraphError};

mod query;

/// Predicates that every query may use; they are no part of [`Graph::predicates`].
const LABELS: [&str; 4] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2004/02/skos/core#altLabel",
];

/// Why a plan cannot run on a graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A predicate that the graph does not use.
    #[error("the graph has no predicate <{0}>")]
    UnknownPredicate(String),
    /// A path that is too long (CacheRAG's K_depth).
    #[error("a path of {hops} hops, and at most {allowed} are allowed")]
    TooManyHops {
        /// The longest path's hops.
        hops: usize,
        /// What is allowed.
        allowed: usize,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("the plan is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// A slot without a binding.
    #[error("slot {0} of the plan is not bound")]
    Unbound(Slot),
    /// A slot with an empty binding.
    #[error("slot {0} of the plan is bound to nothing")]
    BoundToNothing(Slot),
    /// A path's or a comparison's anchor is bound to a number.
    #[error("slot {0} is bound to a number, and an entity is needed")]
    NotEntities(Slot),
    /// The text of a SPARQL plan is no SPARQL query; an update is none either.
    #[error("the plan's text is no SPARQL query")]
    Query(#[from] spargebra::SparqlSyntaxError),
    /// A SPARQL plan longer than [`MAX_LENGTH_BYTES`].
    #[error("a query of {length} bytes, and at most {MAX_LENGTH_BYTES} are read")]
    QueryTooLong {
        /// The query's length in bytes.
        length: usize,
    },
    /// A SPARQL plan that is more than one bounded read of the graph by known predicates.
    #[error("{0} is not allowed in a plan's query")]
    QueryNotAllowed(&'static str),
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl Plan {
    /// Checks that every predicate occurs in the graph, no path is longer than `max_hops` (CacheRAG's K_depth is 3), and
    /// every slot is bound to what the plan needs there.
    ///
    /// A SPARQL plan must be one SELECT or ASK over the graph's own predicates (and those of labels): no variable for a
    /// predicate, no `SERVICE`, `GRAPH` or `FROM`, no path without an end. Its run time and rows are the source's to
    /// bound.
    ///
    /// # Errors
    /// The first [`PlanError`] found.
    pub fn check(
        &self,
        graph: &dyn Graph,
        bindings: &[Binding],
        max_hops: usize,
    ) -> Result<(), PlanError> {
        if !nests_at_most(self, MAX_DEPTH) {
            return Err(PlanError::TooDeep);
        }
        if self.hops() > max_hops {
            return Err(PlanError::TooManyHops {
                hops: self.hops(),
                allowed: max_hops,
            });
        }
        for iri in self.predicates() {
            known(graph, iri)?;
        }
        for text in self.queries() {
            for predicate in query::predicates(text)? {
                if !LABELS.contains(&predicate.as_str()) {
                    known(graph, predicate.as_str())?;
                }
            }
        }
        for slot in self.slots() {
            match bindings.iter().find(|b| b.slot == slot).map(|b| &b.bound) {
                None => return Err(PlanError::Unbound(slot)),
                Some(Bound::Entities(ids)) if ids.is_empty() => {
                    return Err(PlanError::BoundToNothing(slot));
                }
                Some(Bound::Number(_)) if self.anchors(slot) => {
                    return Err(PlanError::NotEntities(slot));
                }
                Some(Bound::Entities(_) | Bound::Number(_)) => {}
            }
        }
        Ok(())
    }

    /// The texts of the SPARQL plans in the plan.
    fn queries(&self) -> Vec<&str> {
        match self {
            Self::Path(_) | Self::Compare { .. } => Vec::new(),
            Self::Intersect(inputs) => inputs.iter().flat_map(Self::queries).collect(),
            Self::Filter { input, .. }
            | Self::Count(input)
            | Self::OrderLimit { input, .. }
            | Self::Ask { input, .. } => input.queries(),
            Self::Sparql(text) => vec![text],
        }
    }

    /// Whether a path or a comparison starts at the slot.
    fn anchors(&self, slot: Slot) -> bool {
        match self {
            Self::Path(path) => path.anchor == slot,
            Self::Intersect(inputs) => inputs.iter().any(|p| p.anchors(slot)),
            Self::Filter { input, .. }
            | Self::Count(input)
            | Self::OrderLimit { input, .. }
            | Self::Ask { input, .. } => input.anchors(slot),
            Self::Compare { anchors, .. } => anchors.contains(&slot),
            Self::Sparql(_) => false,
        }
    }
}

/// Whether a triple of the graph has the predicate.
fn known(graph: &dyn Graph, iri: &str) -> Result<(), PlanError> {
    let id = match NamedNode::new(iri) {
        Ok(node) => graph.id(&Term::from(node))?,
        Err(_) => None,
    };
    let known = graph.predicates()?;
    let found = id.is_some_and(|id| known.binary_search_by_key(&id, |p| p.predicate).is_ok());
    if found {
        Ok(())
    } else {
        Err(PlanError::UnknownPredicate(iri.to_owned()))
    }
}

fn nests_at_most(plan: &Plan, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return matches!(plan, Plan::Path(_) | Plan::Compare { .. } | Plan::Sparql(_));
    };
    match plan {
        Plan::Path(_) | Plan::Compare { .. } | Plan::Sparql(_) => true,
        Plan::Intersect(inputs) => inputs.iter().all(|p| nests_at_most(p, below)),
        Plan::Filter { input, .. }
        | Plan::Count(input)
        | Plan::OrderLimit { input, .. }
        | Plan::Ask { input, .. } => nests_at_most(input, below),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::TermId;
    use crate::testing::MemoryGraph;

    fn checked(text: &str, bindings: &[Binding]) -> Result<(), PlanError> {
        let graph = MemoryGraph::from_names(&[
            ("Jaws", "directed_by", "Spielberg"),
            ("Jaws", "year", "1975"),
        ])
        .unwrap();
        let text = text.replace("<", "<http://example.org/");
        text.parse::<Plan>().unwrap().check(&graph, bindings, 3)
    }

    fn entity(slot: u8) -> Binding {
        Binding {
            slot: Slot(slot),
            bound: Bound::Entities(vec![TermId(0)]),
        }
    }

    #[test]
    fn a_plan_that_fits_passes() {
        checked("$0/<directed_by>/^<directed_by>/<year>", &[entity(0)]).unwrap();
        let year = Binding {
            slot: Slot(1),
            bound: Bound::Number(1975.0),
        };
        assert!(matches!(
            checked("$1/^<year>", &[year]),
            Err(PlanError::NotEntities(Slot(1)))
        ));
    }

    #[test]
    fn each_misfit_is_named() {
        let four = "$0/<year>/<year>/<year>/<year>";
        assert!(matches!(
            checked(four, &[entity(0)]),
            Err(PlanError::TooManyHops {
                hops: 4,
                allowed: 3
            })
        ));
        assert!(
            matches!(checked("$0/<written_by>", &[entity(0)]), Err(PlanError::UnknownPredicate(iri)) if iri.ends_with("written_by"))
        );
        assert!(
            matches!(
                checked("$0/<Jaws>", &[entity(0)]),
                Err(PlanError::UnknownPredicate(_))
            ),
            "a node is no predicate"
        );
        assert!(matches!(
            checked("ask($0/<year>, $1)", &[entity(0)]),
            Err(PlanError::Unbound(Slot(1)))
        ));
        let nothing = Binding {
            slot: Slot(0),
            bound: Bound::Entities(Vec::new()),
        };
        assert!(matches!(
            checked("$0/<year>", &[nothing]),
            Err(PlanError::BoundToNothing(Slot(0)))
        ));
    }

    #[test]
    fn a_query_is_one_bounded_read_by_known_predicates() {
        let graph = MemoryGraph::from_names(&[
            ("Jaws", "directed_by", "Spielberg"),
            ("Jaws", "year", "1975"),
        ])
        .unwrap();
        let check = |query: &str| {
            let prefixes = "PREFIX : <http://example.org/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> ";
            Plan::Sparql(format!("{prefixes}{query}")).check(&graph, &[], 3)
        };
        check("SELECT ?l { ?f :directed_by/^:directed_by? ?d OPTIONAL { ?f rdfs:label ?l FILTER EXISTS { ?f :year ?y } } } ORDER BY ?l LIMIT 3").unwrap();
        check("SELECT ?d (AVG(?y) AS ?mean) { ?f :directed_by ?d ; :year ?y MINUS { VALUES ?d { :Lynch } } } GROUP BY ?d HAVING (COUNT(*) > 1)").unwrap();
        for unknown in [
            "ASK { ?f :written_by ?w }",
            "ASK { FILTER(!(1 IN (2, IF(NOT EXISTS { ?a :Jaws ?b }, 1, 2)))) }",
        ] {
            assert!(
                matches!(check(unknown), Err(PlanError::UnknownPredicate(_))),
                "{unknown}"
            );
        }
        let refused = [
            ("ASK { ?s ?p ?o }", "a variable for a predicate"),
            ("ASK { ?s !:year ?o }", "a variable for a predicate"),
            ("ASK { ?s :year* ?o }", "a path without an end"),
            ("ASK { SERVICE <http://e.org/> { ?s :year ?o } }", "SERVICE"),
            ("ASK { GRAPH ?g { ?s :year ?o } }", "GRAPH"),
            ("SELECT * FROM <http://e.org/> { ?s :year ?o }", "FROM"),
            ("DESCRIBE :Jaws", "DESCRIBE"),
            ("CONSTRUCT WHERE { ?s :year ?o }", "CONSTRUCT"),
        ];
        for (query, what) in refused {
            assert!(
                matches!(check(query), Err(PlanError::QueryNotAllowed(found)) if found == what),
                "{query}"
            );
        }
        assert!(matches!(
            check("DELETE WHERE { ?s :year ?o }"),
            Err(PlanError::Query(_))
        ));
        assert!(matches!(
            check(&" ".repeat(20_000)),
            Err(PlanError::QueryTooLong { .. })
        ));
    }

    #[test]
    fn a_plan_built_too_deep_is_refused() {
        let mut plan: Plan = "$0".parse().unwrap();
        for _ in 0..9 {
            plan = Plan::Count(Box::new(plan));
        }
        let graph = MemoryGraph::default();
        assert!(matches!(
            plan.check(&graph, &[entity(0)], 3),
            Err(PlanError::TooDeep)
        ));
    }
}
