//! Which questions does a star give? Its facts, a draft of each kind, and the run that keeps or drops the draft.

use oxrdf::Term;
use rand::RngCore;
use rand::seq::SliceRandom;

use super::naming::{askable, describes_schemas, is_sayable};
use super::recipes::Drafted;
use super::sample::{Star, type_edge};
use super::wording::Relation;
use super::{Generated, GenerationConfig, GenerationError, Kind};
use crate::execute::{Binding, Bound, Given, run};
use crate::graph::{Edge, Graph, GraphError, TermId};
use crate::plan::{Plan, Slot};

/// Edges of a node that are looked at.
const EDGES: usize = 32;
/// Draws of one kind before the star is said not to have it.
const DRAWS: usize = 4;

/// A relation of a node with all its values.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) relation: Relation,
    pub(super) values: Vec<TermId>,
}

/// A question and its plan, not yet run.
pub(super) struct Draft {
    pub(super) question: String,
    pub(super) plan: Plan,
    /// What the slots stand for, in order; a number follows.
    pub(super) anchors: Vec<TermId>,
    pub(super) number: Option<f64>,
}

pub(super) struct Composer<'a> {
    pub(super) graph: &'a dyn Graph,
    pub(super) star: &'a Star,
    pub(super) config: &'a GenerationConfig,
    type_edge: Option<Edge>,
    pub(super) facts: Vec<Fact>,
}

pub(super) fn questions(
    graph: &dyn Graph,
    star: &Star,
    config: &GenerationConfig,
    rng: &mut dyn RngCore,
) -> Result<Vec<Generated>, GenerationError> {
    let type_edge = type_edge(graph)?;
    let mut composer = Composer {
        graph,
        star,
        config,
        type_edge,
        facts: Vec::new(),
    };
    composer.facts = composer.facts_of(star.entity, rng)?;
    let mut kinds = Kind::ALL;
    kinds.shuffle(rng);
    let mut out = Vec::new();
    for kind in kinds {
        if out.len() == config.per_star {
            break;
        }
        for _ in 0..DRAWS {
            let Some(draft) = composer.draft(kind, rng)? else {
                continue;
            };
            if let Some(generated) = composer.finish(draft, kind)? {
                out.push(generated);
                break;
            }
        }
    }
    Ok(out)
}

impl Composer<'_> {
    fn draft(&self, kind: Kind, rng: &mut dyn RngCore) -> Drafted {
        match kind {
            Kind::Fact => self.fact(rng),
            Kind::Inverse => self.inverse(rng),
            Kind::Chain => self.chain(rng),
            Kind::Shared => self.shared(rng),
            Kind::Both => self.both(rng),
            Kind::Count => self.count(rng),
            Kind::Comparison => self.comparison(rng),
            Kind::Superlative => self.superlative(rng),
            Kind::Filter => self.filter(rng),
            Kind::YesNo => self.yes_no(rng),
        }
    }

    /// Runs a draft and keeps it when its answer can be said.
    fn finish(&self, draft: Draft, kind: Kind) -> Result<Option<Generated>, GenerationError> {
        let entities = draft.anchors.iter().map(|&id| Bound::Entities(vec![id]));
        let bounds = entities.chain(draft.number.map(Bound::Number));
        let bindings: Vec<Binding> = (0..)
            .map(Slot)
            .zip(bounds)
            .map(|(slot, bound)| Binding { slot, bound })
            .collect();
        let executed = run(self.graph, &draft.plan, &bindings, &self.config.limits)?;
        let fine = match &executed.given {
            Given::Values(values) => {
                let mut fine = !values.is_empty() && values.len() <= self.config.max_answers;
                for &value in values.iter().take(self.config.max_answers) {
                    fine = fine && is_sayable(&self.graph.label(value)?);
                }
                fine
            }
            Given::Number(number) => *number > 0.0,
            Given::Truth(_) => true,
        };
        let why = format!("{} at the star of {}", kind.name(), self.star.label);
        Ok((fine && executed.cut.is_empty()).then_some(Generated {
            question: draft.question,
            plan: draft.plan,
            bindings,
            given: executed.given,
            kind,
            why,
        }))
    }

    /// The facts of a node that can be asked for, in random order; edges with too many values are none.
    pub(super) fn facts_of(
        &self,
        node: TermId,
        rng: &mut dyn RngCore,
    ) -> Result<Vec<Fact>, GraphError> {
        let mut edges = self.graph.signature(node)?.to_vec();
        edges.shuffle(rng);
        let mut facts = Vec::new();
        for edge in edges.into_iter().take(EDGES) {
            if self
                .type_edge
                .is_some_and(|t| t.predicate == edge.predicate)
            {
                continue;
            }
            let page = self.graph.step(node, edge, self.config.max_answers)?;
            if let Some(relation) = self.relation(edge)?.filter(|_| !page.more) {
                facts.push(Fact {
                    relation,
                    values: page.ids,
                });
            }
        }
        Ok(facts)
    }

    fn relation(&self, edge: Edge) -> Result<Option<Relation>, GraphError> {
        let Term::NamedNode(predicate) = self.graph.term(edge.predicate)? else {
            return Ok(None);
        };
        if describes_schemas(predicate.as_str()) {
            return Ok(None);
        }
        let words = askable(&self.graph.label(edge.predicate)?);
        Ok(words.map(|words| Relation::new(edge, predicate.into_string(), &words)))
    }

    /// The one type of some nodes, in words.
    pub(super) fn kind_of(&self, nodes: &[TermId]) -> Result<Option<String>, GraphError> {
        let Some(edge) = self.type_edge else {
            return Ok(None);
        };
        let mut kinds = Vec::new();
        for &node in nodes.iter().take(3) {
            kinds.push(self.graph.step(node, edge, 1)?.ids);
        }
        kinds.dedup();
        match kinds.as_slice() {
            [one] => one
                .first()
                .map(|id| self.graph.label(*id).map(|l| l.to_lowercase()))
                .transpose(),
            _ => Ok(None),
        }
    }
}
