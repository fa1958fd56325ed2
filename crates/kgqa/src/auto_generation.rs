//! Which questions can a graph ask itself before anyone asks it? CacheRAG §4.4, warm start, with a built-in generator.
//!
//! Entities are sampled with their one-hop stars, evenly over the types (or the shapes) of node that the graph has; each
//! star gives a few questions by templates over labels, simple and compositional; each question comes with the plan it
//! was made from, already run. A second look then asks the planner the question and keeps those that it answers as the
//! plan does. Nothing here remembers: the engine decides what becomes an experience, shows progress and resumes.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngCore;

use crate::execute::{Binding, ExecuteError, Given, Limits};
use crate::graph::{Graph, GraphError, TermId};
use crate::plan::Plan;

mod compose;
mod naming;
mod recipes;
pub mod rephrase;
mod sample;
mod wording;

pub use sample::Star;

/// Bounds of the generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationConfig {
    /// Stars to sample.
    pub stars: usize,
    /// Questions kept of one star (CacheRAG §4.4: up to 5).
    pub per_star: usize,
    /// A question with more answers is not one that people ask.
    pub max_answers: usize,
    /// Predicates looked at, the most used first.
    pub predicates: usize,
    /// Triples of each predicate from which entities are drawn.
    pub triples_per_predicate: usize,
    /// Bounds of running a plan.
    pub limits: Limits,
}

impl Default for GenerationConfig {
    fn default() -> Self {
        Self {
            stars: 100,
            per_star: 5,
            max_answers: 20,
            predicates: 500,
            triples_per_predicate: 500,
            limits: Limits::default(),
        }
    }
}

/// What kind of question was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One hop out of the entity.
    Fact,
    /// One hop into a value of the entity.
    Inverse,
    /// Two or three hops.
    Chain,
    /// There and back along one predicate.
    Shared,
    /// Two facts of the entity at once.
    Both,
    /// How many.
    Count,
    /// Which of two entities has more or less.
    Comparison,
    /// Which of several has most or least.
    Superlative,
    /// Which of several has more or less than a number.
    Filter,
    /// Whether a fact holds.
    YesNo,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Fact,
        Self::Inverse,
        Self::Chain,
        Self::Shared,
        Self::Both,
        Self::Count,
        Self::Comparison,
        Self::Superlative,
        Self::Filter,
        Self::YesNo,
    ];

    /// The kind in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fact => "one hop out",
            Self::Inverse => "one hop in",
            Self::Chain => "a chain of hops",
            Self::Shared => "there and back",
            Self::Both => "two facts at once",
            Self::Count => "a count",
            Self::Comparison => "a comparison",
            Self::Superlative => "a superlative",
            Self::Filter => "a filter by number",
            Self::YesNo => "a yes-or-no question",
        }
    }
}

/// A question that the graph can answer, with the plan that answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The question; its mentions are labels as the graph has them.
    pub question: String,
    /// The plan it was made from.
    pub plan: Plan,
    /// The plan's bindings, slots in the order in which the question names them, a number last.
    pub bindings: Vec<Binding>,
    /// What the plan gives.
    pub given: Given,
    /// What kind of question it is.
    pub kind: Kind,
    /// Why it was made, in words: "a chain of hops at the star of Jaws".
    pub why: String,
}

/// Why nothing could be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerationError {
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A generated plan could not be run.
    #[error("a generated plan could not be run")]
    Execute(#[from] ExecuteError),
}

/// Samples entities, evenly over their types (over their local schemas where there are no types), each once. Entities
/// whose label is ambiguous, a number or an identifier are passed over. Equal generators give equal samples.
///
/// # Errors
/// [`GenerationError::Graph`] if the graph cannot be read.
pub fn sample(
    graph: &dyn Graph,
    config: &GenerationConfig,
    rng: &mut dyn RngCore,
) -> Result<Vec<Star>, GenerationError> {
    sample::stars(graph, config, rng)
}

/// Makes up to [`GenerationConfig::per_star`] questions of one star, each of another kind as far as the star allows.
///
/// To resume where an earlier run stopped, give each star a generator of its own, seeded by the star's position.
///
/// # Errors
/// [`GenerationError`] if the graph cannot be read.
pub fn questions(
    graph: &dyn Graph,
    star: &Star,
    config: &GenerationConfig,
    rng: &mut dyn RngCore,
) -> Result<Vec<Generated>, GenerationError> {
    compose::questions(graph, star, config, rng)
}

/// What the second look said of a generated question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The planner answers the question as the plan does.
    Kept,
    /// The planner gives no answer.
    Unanswered,
    /// The planner gives another answer.
    AnsweredOtherwise,
    /// The same question was generated before.
    Repeated,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Unanswered => "not answered by the planner",
            Self::AnsweredOtherwise => "answered otherwise by the planner",
            Self::Repeated => "asked before",
        }
    }
}

/// The second look at generated questions (CacheRAG §4.4, step 2), and its running account.
#[derive(Debug, Default)]
pub struct SecondLook {
    asked: BTreeSet<String>,
    verdicts: BTreeMap<(Kind, Verdict), usize>,
}

impl SecondLook {
    /// Asks `answer` the question and compares what it gives with what the plan gave, as sets.
    ///
    /// # Errors
    /// Whatever `answer` fails with; the account is then as before.
    pub fn judge<E>(
        &mut self,
        generated: &Generated,
        answer: &mut dyn FnMut(&str) -> Result<Option<Given>, E>,
    ) -> Result<Verdict, E> {
        let verdict = if self.asked.contains(&generated.question) {
            Verdict::Repeated
        } else {
            match answer(&generated.question)? {
                None => Verdict::Unanswered,
                Some(given) if same(&given, &generated.given) => Verdict::Kept,
                Some(_) => Verdict::AnsweredOtherwise,
            }
        };
        self.asked.insert(generated.question.clone());
        *self.verdicts.entry((generated.kind, verdict)).or_default() += 1;
        Ok(verdict)
    }

    /// How many questions of each kind got each verdict.
    #[must_use]
    pub fn account(&self) -> &BTreeMap<(Kind, Verdict), usize> {
        &self.verdicts
    }

    /// How many questions got a verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.verdicts
            .iter()
            .filter(|((_, v), _)| *v == verdict)
            .map(|(_, count)| count)
            .sum()
    }
}

fn same(left: &Given, right: &Given) -> bool {
    match (left, right) {
        (Given::Values(left), Given::Values(right)) => {
            left.iter().collect::<BTreeSet<&TermId>>()
                == right.iter().collect::<BTreeSet<&TermId>>()
        }
        (left, right) => left == right,
    }
}

#[cfg(test)]
mod tests;
