//! The built-in planner on a small film graph of our own: what each kind of question means, and when it refrains.

use std::sync::Arc;

use kgqa::answer::{Outcome, Planner, PlannerConfig, Refusal};
use kgqa::execute::Given;
use kgqa::graph::Graph;
use kgqa::guidance::{Guidance, Lexicon, Neighbour};
use kgqa::isr::QuestionType;
use kgqa::local_schema::Schema;
use kgqa::testing::MemoryGraph;
use language_model::StaticEmbedder;

/// Film, predicate, value.
const FACTS: &[(&str, &str, &str)] = &[
    ("Inception", "directed_by", "Christopher Nolan"),
    ("Inception", "starred_actors", "Marion Cotillard"),
    ("Inception", "starred_actors", "Elliot Page"),
    ("Inception", "release_year", "2010"),
    ("Inception", "has_genre", "Thriller"),
    ("Dunkirk", "directed_by", "Christopher Nolan"),
    ("Dunkirk", "starred_actors", "Harry Styles"),
    ("Dunkirk", "release_year", "2017"),
    ("Dunkirk", "has_genre", "War"),
    ("Memento", "directed_by", "Christopher Nolan"),
    ("Memento", "starred_actors", "Guy Pearce"),
    ("Memento", "release_year", "2000"),
    ("Memento", "release_year", "2015"),
    ("Memento", "has_genre", "Thriller"),
    ("Titanic", "directed_by", "James Cameron"),
    ("Titanic", "starred_actors", "Marion Cotillard"),
    ("Titanic", "release_year", "1997"),
    ("Titanic", "has_genre", "Drama"),
    ("Titanic", "written_by", "James Cameron"),
    ("Memento", "written_by", "Jonathan Nolan"),
    ("Inception", "written_by", "Christopher Nolan"),
    ("Dunkirk", "written_by", "Christopher Nolan"),
];

struct Desk {
    graph: MemoryGraph,
    planner: Planner,
    schema: Schema,
}

impl Desk {
    fn new() -> Self {
        let names: Vec<[String; 3]> = FACTS
            .iter()
            .map(|(s, p, o)| [s.replace(' ', "_"), (*p).to_owned(), o.replace(' ', "_")])
            .collect();
        let edges: Vec<(&str, &str, &str)> = names
            .iter()
            .map(|[s, p, o]| (s.as_str(), p.as_str(), o.as_str()))
            .collect();
        let graph = MemoryGraph::from_names(&edges).expect("the facts are well formed");
        let planner = Planner::new(StaticEmbedder::builtin(), PlannerConfig::default());
        let schema = planner.schema(&graph).expect("the graph is in memory");
        Self {
            graph,
            planner,
            schema,
        }
    }

    fn ask_with(&self, question: &str, guidance: &Guidance<'_>) -> Outcome {
        let isr = self
            .planner
            .parse(&self.graph, question)
            .expect("the graph is in memory");
        self.planner
            .answer(&self.graph, &self.schema, &isr, guidance)
            .expect("the graph is in memory")
    }

    fn ask(&self, question: &str) -> Outcome {
        self.ask_with(question, &Guidance::default())
    }

    /// The values' labels, ascending; a number or a truth as its text.
    fn values(&self, question: &str) -> Vec<String> {
        let outcome = self.ask(question);
        match outcome.executed.map(|e| e.given) {
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

#[test]
fn one_step_in_either_direction() {
    let desk = Desk::new();
    assert_eq!(
        desk.values("who directed Inception?"),
        ["Christopher Nolan"]
    );
    assert_eq!(
        desk.values("which films did James Cameron direct?"),
        ["Titanic"]
    );
    assert_eq!(desk.values("when was Dunkirk released"), ["2017"]);
}

#[test]
fn chains_are_read_outward_from_the_name() {
    let desk = Desk::new();
    assert_eq!(
        desk.values("who starred in the films directed by James Cameron"),
        ["Marion Cotillard"]
    );
    assert_eq!(
        desk.values("what genres are the films directed by Christopher Nolan in"),
        ["Thriller", "War"]
    );
}

#[test]
fn a_shared_thing_leads_there_and_back_without_the_topic() {
    let desk = Desk::new();
    assert_eq!(
        desk.values("which films have the same director as Inception"),
        ["Dunkirk", "Memento"]
    );
}

#[test]
fn sets_are_counted_ordered_filtered_and_intersected() {
    let desk = Desk::new();
    assert_eq!(
        desk.values("how many films did Christopher Nolan direct?"),
        ["3"]
    );
    assert_eq!(
        desk.values("what is the first film directed by Christopher Nolan?"),
        ["Memento"]
    );
    assert_eq!(
        desk.values("which films did Christopher Nolan direct after 2005?"),
        ["Dunkirk", "Inception"]
    );
    assert_eq!(
        desk.values("which films directed by James Cameron star Marion Cotillard?"),
        ["Titanic"]
    );
}

#[test]
fn a_films_date_is_its_first() {
    let desk = Desk::new();
    // Memento has a second, later year; its release is the earlier one.
    assert_eq!(
        desk.values("what is the latest film directed by Christopher Nolan?"),
        ["Dunkirk"]
    );
}

#[test]
fn named_things_are_compared_and_checked() {
    let desk = Desk::new();
    assert_eq!(
        desk.values("was Titanic or Dunkirk released first?"),
        ["Titanic"]
    );
    assert_eq!(
        desk.values("did Christopher Nolan direct Dunkirk?"),
        ["true"]
    );
    assert_eq!(desk.values("did James Cameron direct Dunkirk?"), ["false"]);
}

#[test]
fn what_the_graph_does_not_hold_is_refused_with_a_reason() {
    let desk = Desk::new();
    assert_eq!(
        desk.ask("what is the shoe size of the director of Inception?")
            .refusal,
        Some(Refusal::Unsupported {
            word: "shoe size".into()
        })
    );
    assert_eq!(
        desk.ask("who did not direct Inception?").refusal,
        Some(Refusal::Negation)
    );
    assert_eq!(
        desk.ask("will it rain tomorrow").refusal,
        Some(Refusal::NothingNamed)
    );
    assert!(matches!(
        desk.ask("which films directed by Christopher Nolan star Zork Blorpington?")
            .refusal,
        Some(Refusal::UnknownName { .. })
    ));
}

#[test]
fn names_are_linked_through_case_accents_and_small_slips() {
    let desk = Desk::new();
    assert_eq!(desk.values("who directed inception"), ["Christopher Nolan"]);
    assert_eq!(desk.values("who directed Inceptoin"), ["Christopher Nolan"]);
}

#[test]
fn the_masked_question_forgets_the_names_and_numbers() {
    let desk = Desk::new();
    let isr = desk
        .planner
        .parse(
            &desk.graph,
            "which films did Christopher Nolan direct after 2005?",
        )
        .expect("in memory");
    assert_eq!(isr.masked, "which films did ⟨0⟩ direct after ⟨1⟩");
    assert_eq!(isr.question_type, QuestionType::Filter);
}

#[test]
fn a_neighbours_failures_make_the_planner_try_its_second_choice() {
    let desk = Desk::new();
    let question = "who directed Titanic?";
    let first = desk.ask(question).chosen.expect("an answer");
    let masked = desk
        .planner
        .parse(&desk.graph, question)
        .expect("in memory")
        .masked;
    let guidance = Guidance {
        neighbours: vec![Neighbour {
            similarity: 1.0,
            masked,
            template: first.template.clone(),
            successes: 0.0,
            failures: 50.0,
        }],
        lexicon: None,
    };
    let second = desk
        .ask_with(question, &guidance)
        .chosen
        .expect("an answer");
    assert_ne!(first.template, second.template);
}

/// "helmed" has meant directed_by.
struct Helmed;

impl Lexicon for Helmed {
    fn meanings(&self, word: &str) -> Vec<(Arc<str>, f64, f64)> {
        let predicate = FACTS.first().map(|_| "directed_by");
        match (word, predicate) {
            ("helmed", Some(predicate)) => vec![(Arc::from(iri(predicate).as_str()), 20.0, 0.0)],
            _ => Vec::new(),
        }
    }
}

fn iri(name: &str) -> String {
    let desk = Desk::new();
    let entries = desk.schema.entries();
    entries
        .iter()
        .find(|e| e.iri.ends_with(name))
        .map(|e| e.iri.clone())
        .unwrap_or_default()
}

#[test]
fn a_learned_meaning_overrules_similarity() {
    let desk = Desk::new();
    let guidance = Guidance {
        neighbours: Vec::new(),
        lexicon: Some(&Helmed),
    };
    let outcome = desk.ask_with("who helmed Titanic?", &guidance);
    assert!(
        outcome
            .chosen
            .expect("an answer")
            .template
            .contains("directed_by")
    );
}

#[test]
fn the_same_question_gives_the_same_plan_every_time() {
    let (a, b) = (Desk::new(), Desk::new());
    for question in [
        "who starred in the films directed by James Cameron",
        "what is the first film directed by Christopher Nolan?",
    ] {
        let (a, b) = (a.ask(question), b.ask(question));
        assert_eq!(a.compiled.candidates, b.compiled.candidates);
    }
}
