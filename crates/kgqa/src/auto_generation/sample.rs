//! Which entities are asked about? Stars, evenly over the kinds of node that a graph has.

use std::collections::{BTreeMap, BTreeSet};

use oxrdf::{Term, vocab};
use rand::RngCore;
use rand::seq::SliceRandom;

use super::naming::{is_type_of_schemas, unambiguous};
use super::{GenerationConfig, GenerationError};
use crate::graph::{Edge, Graph, GraphError, TermId};

/// Types of an entity that are looked at.
const TYPES: usize = 8;
/// Entities of a stratum that are tried for each star that is wanted of it.
const TRIES: usize = 8;

/// An entity to ask about, with another of its kind to compare it with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Star {
    /// The entity.
    pub entity: TermId,
    /// Its label.
    pub label: String,
    /// Another entity of the same type or shape, when there is one.
    pub peer: Option<TermId>,
}

/// What makes two entities be of one kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Stratum {
    Types(Vec<TermId>),
    Shape(Vec<Edge>),
}

/// The edge to an entity's types, when the graph has types.
pub(super) fn type_edge(graph: &dyn Graph) -> Result<Option<Edge>, GraphError> {
    let id = graph.id(&Term::from(vocab::rdf::TYPE.into_owned()))?;
    Ok(id.map(|predicate| Edge {
        predicate,
        inverse: false,
    }))
}

/// The kind of an entity; `None` for a class, a property or another part of a schema.
fn stratum(
    graph: &dyn Graph,
    entity: TermId,
    type_edge: Option<Edge>,
) -> Result<Option<Stratum>, GraphError> {
    if let Some(edge) = type_edge {
        let types = graph.step(entity, edge, TYPES)?.ids;
        for &kind in &types {
            let term = graph.term(kind)?;
            if matches!(&term, Term::NamedNode(node) if is_type_of_schemas(node.as_str())) {
                return Ok(None);
            }
        }
        if !types.is_empty() {
            return Ok(Some(Stratum::Types(types)));
        }
    }
    Ok(Some(Stratum::Shape(graph.signature(entity)?.to_vec())))
}

/// Entities at either end of some triples of each predicate.
fn pool(
    graph: &dyn Graph,
    config: &GenerationConfig,
    type_edge: Option<Edge>,
) -> Result<BTreeSet<TermId>, GraphError> {
    let mut predicates = graph.predicates()?.to_vec();
    predicates.retain(|p| type_edge.is_none_or(|edge| edge.predicate != p.predicate));
    predicates.sort_by_key(|p| (std::cmp::Reverse(p.triples), p.predicate));
    predicates.truncate(config.predicates);
    let mut pool = BTreeSet::new();
    for predicate in predicates {
        for (subject, object) in graph.sample(predicate.predicate, config.triples_per_predicate)? {
            pool.insert(subject);
            pool.insert(object);
        }
    }
    Ok(pool)
}

pub(super) fn stars(
    graph: &dyn Graph,
    config: &GenerationConfig,
    rng: &mut dyn RngCore,
) -> Result<Vec<Star>, GenerationError> {
    let type_edge = type_edge(graph)?;
    let mut strata: BTreeMap<Stratum, Vec<TermId>> = BTreeMap::new();
    for entity in pool(graph, config, type_edge)? {
        if let Some(stratum) = stratum(graph, entity, type_edge)? {
            strata.entry(stratum).or_default().push(entity);
        }
    }
    let mut strata: Vec<Vec<TermId>> = strata.into_values().collect();
    strata.iter_mut().for_each(|members| members.shuffle(rng));
    strata.shuffle(rng);
    let mut stars = Vec::new();
    while stars.len() < config.stars && !strata.is_empty() {
        for members in &mut strata {
            if stars.len() == config.stars {
                break;
            }
            stars.extend(next_star(graph, members)?);
        }
        strata.retain(|members| !members.is_empty());
    }
    Ok(stars)
}

/// Takes the next entity with a name off a stratum; after some tries the stratum is given up as nameless.
fn next_star(graph: &dyn Graph, members: &mut Vec<TermId>) -> Result<Option<Star>, GraphError> {
    for _ in 0..TRIES {
        let Some(entity) = members.pop() else {
            return Ok(None);
        };
        if let Some(label) = unambiguous(graph, entity)? {
            return Ok(Some(Star {
                entity,
                label,
                peer: members.last().copied(),
            }));
        }
    }
    members.clear();
    Ok(None)
}
