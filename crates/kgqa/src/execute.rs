//! What does a plan give on this graph? Bounded execution of the plan algebra (σ_depth of CacheRAG Algorithm 3).
//!
//! A path is walked hop by hop over a sorted, deduplicated frontier; every read is bounded and what a bound cut off is
//! reported. The result carries its proof: the triples on the way from an anchor to a kept value. Raw SPARQL is not run
//! here; the engine hands it to the source.
//!
//! # The topic rule
//!
//! "The other films of its director" is a path there and back: `directed_by/^directed_by`. Nobody who asks so wants the
//! film that was asked about. So in a path with hops in both directions the walk never returns to a topic (an entity
//! bound to the path's anchor): not as the final value, and not as a middle node reached by a hop that undoes the hop
//! before it (same predicate, other direction). If the whole path then has no value at all, it is walked again without
//! the rule. Chains in one direction keep the topic: somebody's child's parent may well be that somebody.

use crate::graph::{Graph, GraphError, TermId};
use crate::plan::{Plan, Slot};

mod evidence;
mod operators;
mod path;
mod quantity;
mod run;

pub(crate) use path::topic_rule_holds_at;
pub(crate) use quantity::quantity_of;
pub use quantity::{Quantity, quantity_of_text};

/// What a slot stands for in one question.
#[derive(Debug, Clone, PartialEq)]
pub enum Bound {
    /// The entities that the mention may mean, ascending; a path starts from all of them.
    Entities(Vec<TermId>),
    /// A number or a year, for filters.
    Number(f64),
}

/// A slot and what fills it.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// The slot.
    pub slot: Slot,
    /// What fills it.
    pub bound: Bound,
}

/// Hard bounds of one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Values kept of one step from one node.
    pub rows_per_step: usize,
    /// Nodes kept in a frontier.
    pub frontier: usize,
    /// Triples read in total.
    pub rows: usize,
    /// Evidence triples kept; with 0 no proof is recorded at all, which is cheaper and no cut.
    pub evidence: usize,
}

impl Default for Limits {
    /// A step may see every value of all but super-nodes (10,000), a frontier as many; ten full steps in total
    /// (100,000 triples, some ten milliseconds); and as much evidence as a person could still page through (1,000).
    fn default() -> Self {
        Self {
            rows_per_step: 10_000,
            frontier: 10_000,
            rows: 100_000,
            evidence: 1_000,
        }
    }
}

/// What was cut, and by which bound.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cut {
    /// What was cut, in words: "values of starred actors at Tom Hanks".
    pub what: String,
    /// The bound's value.
    pub bound: usize,
}

/// What a plan gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// Values, ascending by id; for an ordered plan in that order.
    Values(Vec<TermId>),
    /// A number.
    Number(f64),
    /// Yes or no.
    Truth(bool),
}

/// Why a value had no part in a filter, an order or a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutReason {
    /// The graph has no triple with the attribute.
    NoAttribute,
    /// None of the attribute's values is a number or a date; this is one of them.
    NotANumber(TermId),
}

/// A value that had no part in a filter, an order or a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The value.
    pub value: TermId,
    /// Why.
    pub reason: LeftOutReason,
}

/// A plan's result with its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// What the plan gave.
    pub given: Given,
    /// The triples that support it (subject, predicate, object), ascending, at most `Limits::evidence`.
    pub evidence: Vec<[TermId; 3]>,
    /// What was cut; empty when the result is complete.
    pub cut: Vec<Cut>,
    /// A topic entity was met on a there-and-back path and was left out (see the module's topic rule).
    pub topic_left_out: bool,
    /// Values without a usable attribute. A comparison in which an anchor lacks its attribute gives no value, and says
    /// so here.
    pub left_out: Vec<LeftOut>,
    /// Triples read.
    pub rows: usize,
}

/// Why a plan could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A slot of the plan has no binding.
    #[error("slot {0} of the plan is not bound")]
    Unbound(Slot),
    /// A path starts, or a comparison looks, at something that is no entity.
    #[error("slot {0} is bound to a number, and an entity is needed")]
    NotEntities(Slot),
    /// A filter compares with something that is no number.
    #[error("slot {0} is bound to no number")]
    NotANumber(Slot),
    /// A predicate that the graph does not use.
    #[error("the graph has no predicate <{0}>")]
    UnknownPredicate(String),
    /// An operator got something it cannot work on, as the count of a yes.
    #[error("{operator} of {input} has no meaning")]
    Shape {
        /// The operator.
        operator: &'static str,
        /// What it got.
        input: &'static str,
    },
    /// An intersection or a comparison of nothing.
    #[error("{0} has no inputs")]
    NoInputs(&'static str),
    /// A plan nested deeper than [`crate::plan::MAX_DEPTH`].
    #[error("the plan is nested more than {0} deep")]
    TooDeep(usize),
    /// The plan needs something that this executor does not do.
    #[error("{0} cannot be run here")]
    Unsupported(&'static str),
}

/// Runs a plan.
///
/// ```
/// use kgqa::execute::{Binding, Bound, Given, Limits, run};
/// use kgqa::graph::Graph;
/// let graph = kgqa::testing::MemoryGraph::from_names(&[
///     ("Jaws", "directed_by", "Spielberg"),
///     ("Duel", "directed_by", "Spielberg"),
/// ])?;
/// let plan: kgqa::plan::Plan =
///     "$0/<http://example.org/directed_by>/^<http://example.org/directed_by>".parse()?;
/// let jaws = Binding { slot: kgqa::plan::Slot(0), bound: Bound::Entities(graph.link("jaws", 1)?) };
/// let executed = run(&graph, &plan, &[jaws], &Limits::default())?;
/// assert_eq!(executed.given, Given::Values(graph.link("duel", 1)?));
/// assert!(executed.topic_left_out);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ExecuteError`]: the graph fails, a slot is unbound or of the wrong kind, a predicate is unknown, or the plan has no
/// meaning. An empty result is no error.
pub fn run(
    graph: &dyn Graph,
    plan: &Plan,
    bindings: &[Binding],
    limits: &Limits,
) -> Result<Executed, ExecuteError> {
    let mut run = run::Run::new(graph, bindings, limits);
    let found = run.evaluate(plan, 0)?;
    run.finish(found)
}

#[cfg(test)]
mod tests;
