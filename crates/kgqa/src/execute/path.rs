//! Which values lie at the end of a path? The walk (σ_depth: index nested-loop joins) under the topic rule.

use oxrdf::{NamedNode, Term};

use super::evidence::{Level, Proof};
use super::run::{Found, Run};
use super::{ExecuteError, Given};
use crate::graph::{Edge, Graph, TermId};
use crate::plan::{Hop, Path};

/// Whether the walk may come back to its topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topics {
    LeftOut,
    Kept,
}

#[derive(Debug)]
struct Walk {
    values: Vec<TermId>,
    levels: Vec<Level>,
    met_topic: bool,
}

/// Whether `values` at `hop` (the index of the hop just made) may hold no topic.
pub(crate) fn topic_rule_holds_at(path: &Path, hop: usize) -> bool {
    let there_and_back =
        path.hops.iter().any(|h| h.inverse) && path.hops.iter().any(|h| !h.inverse);
    let undoes = |before: &Hop, now: &Hop| {
        before.predicate == now.predicate && before.inverse != now.inverse
    };
    let turned_back = || {
        let before = hop.checked_sub(1).and_then(|i| path.hops.get(i));
        before
            .zip(path.hops.get(hop))
            .is_some_and(|(b, n)| undoes(b, n))
    };
    there_and_back && (hop + 1 == path.hops.len() || turned_back())
}

/// The edge that a hop takes in this graph.
pub(super) fn edge(graph: &dyn Graph, hop: &Hop) -> Result<Edge, ExecuteError> {
    let unknown = || ExecuteError::UnknownPredicate(hop.predicate.clone());
    let node = NamedNode::new(hop.predicate.as_str()).map_err(|_| unknown())?;
    let predicate = graph.id(&Term::from(node))?.ok_or_else(unknown)?;
    Ok(Edge {
        predicate,
        inverse: hop.inverse,
    })
}

/// Walks a path; again without the topic rule when the rule leaves nothing.
pub(super) fn walk(run: &mut Run<'_>, path: &Path) -> Result<Found, ExecuteError> {
    let mut topics = run.entities(path.anchor)?.to_vec();
    topics.sort_unstable();
    topics.dedup();
    let edges = path
        .hops
        .iter()
        .map(|hop| edge(run.graph, hop))
        .collect::<Result<Vec<_>, _>>()?;
    let mut walk = walk_once(run, path, &edges, &topics, Topics::LeftOut)?;
    if walk.values.is_empty() && walk.met_topic {
        walk = walk_once(run, path, &edges, &topics, Topics::Kept)?;
    }
    run.topic_left_out |= walk.met_topic;
    Ok(Found {
        kept: walk.values.clone(),
        given: Given::Values(walk.values),
        proof: Proof::Walk(walk.levels),
    })
}

fn walk_once(
    run: &mut Run<'_>,
    path: &Path,
    edges: &[Edge],
    topics: &[TermId],
    rule: Topics,
) -> Result<Walk, ExecuteError> {
    let mut walk = Walk {
        values: topics.to_vec(),
        levels: Vec::with_capacity(edges.len()),
        met_topic: false,
    };
    for (at, &edge) in edges.iter().enumerate() {
        let barred = rule == Topics::LeftOut && topic_rule_holds_at(path, at);
        let mut reached = Vec::new();
        let mut pairs = Vec::new();
        for &from in &walk.values {
            if run.rows_are_spent() {
                break;
            }
            let mut page = run.step(from, edge)?;
            if barred {
                let before = page.len();
                page.retain(|to| topics.binary_search(to).is_err());
                walk.met_topic |= page.len() < before;
            }
            if run.limits.evidence > 0 {
                pairs.extend(page.iter().map(|&to| (from, to)));
            }
            reached.append(&mut page);
        }
        reached.sort_unstable();
        reached.dedup();
        run.bound_frontier(&mut reached, edge)?;
        walk.levels.push(Level {
            predicate: edge.predicate,
            inverse: edge.inverse,
            pairs,
        });
        walk.values = reached;
    }
    Ok(walk)
}
