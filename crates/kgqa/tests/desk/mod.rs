//! What do the planner's tests ask? A planner over a small graph of names.

use kgqa::answer::{Outcome, Planner, PlannerConfig};
use kgqa::execute::Given;
use kgqa::graph::Graph;
use kgqa::guidance::Guidance;
use kgqa::local_schema::Schema;
use kgqa::testing::MemoryGraph;
use language_model::StaticEmbedder;

/// A planner over a graph of names.
pub(crate) struct Desk {
    pub(crate) graph: MemoryGraph,
    pub(crate) planner: Planner,
    pub(crate) schema: Schema,
}

impl Desk {
    /// Over these facts: subject, predicate, object.
    pub(crate) fn of(facts: &[(&str, &str, &str)]) -> Self {
        let names: Vec<[String; 3]> = facts
            .iter()
            .map(|(s, p, o)| [s.replace(' ', "_"), (*p).to_owned(), o.replace(' ', "_")])
            .collect();
        let edges: Vec<(&str, &str, &str)> = names
            .iter()
            .map(|[s, p, o]| (s.as_str(), p.as_str(), o.as_str()))
            .collect();
        let graph = MemoryGraph::from_names(&edges).expect("the facts are well formed");
        Self::over(graph)
    }

    /// Over a graph.
    pub(crate) fn over(graph: MemoryGraph) -> Self {
        let planner = Planner::new(StaticEmbedder::builtin(), PlannerConfig::default());
        let schema = planner.schema(&graph).expect("the graph is in memory");
        Self {
            graph,
            planner,
            schema,
        }
    }

    /// Asks with what was learned.
    pub(crate) fn ask_with(&self, question: &str, guidance: &Guidance<'_>) -> Outcome {
        let isr = self
            .planner
            .parse(&self.graph, question)
            .expect("the graph is in memory");
        self.planner
            .answer(&self.graph, &self.schema, &isr, guidance)
            .expect("the graph is in memory")
    }

    /// Asks without memory.
    pub(crate) fn ask(&self, question: &str) -> Outcome {
        self.ask_with(question, &Guidance::default())
    }

    /// The values' labels, ascending; a number or a truth as its text.
    pub(crate) fn values(&self, question: &str) -> Vec<String> {
        self.values_of(&self.ask(question))
    }

    /// The same of an outcome.
    pub(crate) fn values_of(&self, outcome: &Outcome) -> Vec<String> {
        match outcome.executed.as_ref().map(|e| &e.given) {
            Some(Given::Values(ids)) => {
                let mut labels: Vec<String> = ids
                    .iter()
                    .map(|id| self.graph.label(*id).expect("an id of this graph"))
                    .collect();
                labels.sort();
                labels
            }
            Some(Given::Number(number)) => vec![number.to_string()],
            Some(Given::Truth(truth)) => vec![truth.to_string()],
            None => Vec::new(),
        }
    }
}
