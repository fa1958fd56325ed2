//! What must a system offer to be evaluated?
//!
//! [`crate::engine`] adapts the real engine; tests use a scripted one.

use std::path::Path;

use serde::Serialize;

use crate::dataset::GraphName;

/// One value of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The label, or the literal's lexical form.
    pub label: String,
    /// The IRI; `None` for literals.
    pub iri: Option<String>,
}

/// How an answer came about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HitKind {
    /// Planned anew.
    #[default]
    None,
    /// A remembered answer, its evidence unchanged.
    Exact,
    /// A remembered plan, bound and run again.
    Plan,
}

impl HitKind {
    /// True for reuse level 1, the only level that skips planning.
    pub fn is_hit(self) -> bool {
        match self {
            Self::None => false,
            Self::Exact | Self::Plan => true,
        }
    }
}

/// The experience an answer was taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HitSource {
    /// The experience's id.
    pub id: String,
    /// The question it was made by.
    pub question: String,
    /// The values it was verified with.
    pub values: Vec<Value>,
}

/// What the system said to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The answer's id, for feedback.
    pub id: String,
    /// The values, best first.
    pub values: Vec<Value>,
    /// True when the system held back.
    pub refused: bool,
    /// Why it held back.
    pub reason: Option<String>,
    /// Which reuse it was.
    pub hit_kind: HitKind,
    /// The experience reused, for hits.
    pub source: Option<HitSource>,
    /// Did the plan execute? `None` when no plan was compiled.
    pub executable: Option<bool>,
    /// The plan as SPARQL.
    pub sparql: Option<String>,
    /// Every value the retrieval reached, chosen or not; `None` when the system does not tell.
    pub retrieved: Option<Vec<Value>>,
    /// Time the question took, in microseconds.
    pub micros: u64,
    /// Calls of a language model.
    pub model_calls: u32,
}

/// A system under evaluation: a graph, a memory, questions and verdicts.
pub trait System {
    /// Loads the file as the graph `name`; gives the number of its statements.
    ///
    /// # Errors
    /// When the file cannot be loaded.
    fn load_graph(&mut self, name: GraphName, file: &Path) -> anyhow::Result<u64>;

    /// Starts an empty memory; what was learned before is out of reach from here on.
    ///
    /// # Errors
    /// When the memory cannot be made.
    fn fresh_memory(&mut self) -> anyhow::Result<()>;

    /// Asks `question` of the graph `graph`.
    ///
    /// # Errors
    /// When the system fails; a refusal is no failure.
    fn ask(&mut self, graph: GraphName, question: &str) -> anyhow::Result<Reply>;

    /// Says whether the answer was right; never what would have been right.
    ///
    /// # Errors
    /// When the verdict cannot be taken.
    fn feedback(&mut self, answer_id: &str, right: bool) -> anyhow::Result<()>;

    /// How many experiences the memory holds; `None` when the system does not tell.
    ///
    /// # Errors
    /// When the memory cannot be read.
    fn remembered(&self) -> anyhow::Result<Option<usize>> {
        Ok(None)
    }

    /// Waits until everything told so far is learned.
    ///
    /// # Errors
    /// When learning failed.
    fn settle(&mut self) -> anyhow::Result<()>;
}
