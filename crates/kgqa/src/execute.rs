//! What does a plan give on this graph? Bounded execution of the plan algebra (σ_depth of CacheRAG Algorithm 3).

use crate::graph::TermId;
use crate::plan::{Plan, Slot};

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
    /// Evidence triples kept.
    pub evidence: usize,
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

/// A plan's result with its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// What the plan gave.
    pub given: Given,
    /// The triples that support it (subject, predicate, object), ascending, at most `Limits::evidence`.
    pub evidence: Vec<[TermId; 3]>,
    /// What was cut; empty when the result is complete.
    pub cut: Vec<Cut>,
    /// The topic entity was among the values of a there-and-back path and was left out.
    pub topic_left_out: bool,
    /// Triples read.
    pub rows: usize,
}

#[expect(dead_code, reason = "replaced by the helper's implementation")]
fn signature_of_run(_: &Plan) {}
