//! Questions within a family: opposites, steps across two generations, and what frames a question without content.

mod desk;

use std::sync::Arc;

use desk::Desk;
use kgqa::answer::Refusal;
use kgqa::guidance::{Guidance, Lexicon, UNSUPPORTED};

const FACTS: &[(&str, &str, &str)] = &[
    ("Victoria", "children", "Edward"),
    ("Victoria", "children", "Alice"),
    ("Victoria", "spouse", "Albert"),
    ("Victoria", "parents", "Charlotte"),
    ("Victoria", "nationality", "Britain"),
    ("Victoria", "religion", "Anglicanism"),
    ("Victoria", "place_of_birth", "Kensington"),
    ("Edward", "parents", "Victoria"),
    ("Edward", "parents", "Albert"),
    ("Edward", "children", "George"),
    ("Edward", "spouse", "Alexandra"),
    ("Edward", "nationality", "Britain"),
    ("Edward", "location", "Sandringham"),
    ("Edward", "religion", "Anglicanism"),
    ("Edward", "profession", "Sailor"),
    ("Edward", "institution", "Navy"),
    ("George", "parents", "Edward"),
    ("George", "location", "Britain"),
    ("George", "nationality", "Britain"),
    ("Albert", "spouse", "Victoria"),
    ("Albert", "religion", "Lutheranism"),
    ("Albert", "nationality", "Saxony"),
    ("Albert", "place_of_birth", "Rosenau"),
];

#[test]
fn opposites_are_told_apart() {
    let family = Desk::of(FACTS);
    assert_eq!(family.values("who is the son of Edward"), ["George"]);
    assert_eq!(
        family.values("who is the father of Edward?"),
        ["Albert", "Victoria"]
    );
    assert_eq!(family.values("who is Edward's heir?"), ["George"]);
    assert_eq!(family.values("Victoria's other half"), ["Albert"]);
}

#[test]
fn a_child_is_told_by_parents_from_the_other_end() {
    let facts: Vec<_> = FACTS
        .iter()
        .copied()
        .filter(|(_, predicate, _)| *predicate != "children")
        .collect();
    let family = Desk::of(&facts);
    assert_eq!(family.values("who is the son of Edward"), ["George"]);
    assert_eq!(
        family.values("who is the mother of Victoria"),
        ["Charlotte"]
    );
}

#[test]
fn a_grandson_is_two_steps_away() {
    let family = Desk::of(FACTS);
    assert_eq!(
        family.values("what is the name of the grandson of Victoria?"),
        ["George"]
    );
    assert_eq!(
        family.values("who is the grandparent of George"),
        ["Albert", "Victoria"]
    );
}

#[test]
fn a_phrase_with_a_function_word_is_one_step_of_a_chain() {
    let family = Desk::of(FACTS);
    assert_eq!(
        family.values("what is the religion of Victoria's other half?"),
        ["Lutheranism"]
    );
    assert_eq!(
        family.values("where was Victoria's other half born"),
        ["Rosenau"]
    );
}

#[test]
fn what_only_frames_the_question_is_no_step() {
    let family = Desk::of(FACTS);
    assert_eq!(
        family.values("what is the name of the wife of Edward"),
        ["Alexandra"]
    );
    assert_eq!(
        family.values("what type of religion does Edward practice?"),
        ["Anglicanism"]
    );
    assert_eq!(
        family.values("which person is the spouse of Edward"),
        ["Alexandra"]
    );
}

#[test]
fn where_asks_for_a_value_and_not_for_what_lies_there() {
    let family = Desk::of(FACTS);
    assert_eq!(
        family.values("where does Victoria's husband come from?"),
        ["Saxony"]
    );
}

fn iri(name: &str) -> String {
    format!("http://example.org/{name}")
}

#[test]
fn where_someone_works_is_who_employs_them() {
    let family = Desk::of(FACTS);
    assert_eq!(family.values("where does George's father work?"), ["Navy"]);
    assert_eq!(family.values("who does Edward work for?"), ["Navy"]);
    assert_eq!(
        family.values("what is the profession of Edward"),
        ["Sailor"]
    );
}

/// What one verdict taught: phrase, meaning, right, wrong.
struct Taught(Vec<(String, String, f64, f64)>);

impl Lexicon for Taught {
    fn meanings(&self, word: &str) -> Vec<(Arc<str>, f64, f64)> {
        self.0
            .iter()
            .filter(|(phrase, ..)| phrase == word)
            .map(|(_, meaning, right, wrong)| (Arc::from(meaning.as_str()), *right, *wrong))
            .collect()
    }
}

#[test]
fn what_was_learned_of_a_construction_holds_for_other_words_in_it() {
    let family = Desk::of(FACTS);
    let first = "what is Edward's mother";
    let chosen = family.ask(first).chosen.expect("it names someone");
    assert_eq!(chosen.template, format!("$0/<{}>", iri("parents")));
    let (words, plan) = chosen.construction.expect("a word speaks for a predicate");
    assert_eq!(
        (words.as_str(), plan.as_str()),
        ("what is ⟨0⟩ s {1}", "$0/{1}")
    );

    // Someone said that the religion was meant; the same holds of a husband then.
    let religion = format!("$0/{{1}}/<{}>", iri("religion"));
    let taught = Taught(vec![
        (words.clone(), plan, 0.0, 1.0),
        (words, religion, 1.0, 0.0),
    ]);
    let guidance = Guidance {
        lexicon: Some(&taught),
        ..Guidance::default()
    };
    let outcome = family.ask_with("what is Victoria's husband", &guidance);
    let chosen = outcome.chosen.expect("it names someone");
    assert_eq!(
        chosen.template,
        format!("$0/<{}>/<{}>", iri("spouse"), iri("religion"))
    );
}

struct WrongToRefuse(&'static str);

impl Lexicon for WrongToRefuse {
    fn meanings(&self, word: &str) -> Vec<(Arc<str>, f64, f64)> {
        if word == self.0 {
            vec![(Arc::from(UNSUPPORTED), 0.0, 1.0)]
        } else {
            Vec::new()
        }
    }
}

#[test]
fn a_refusal_that_proved_wrong_is_not_repeated() {
    let family = Desk::of(FACTS);
    let question = "what is the shoe size of Edward";
    let Some(Refusal::Unsupported { word }) = family.ask(question).refusal else {
        panic!("nothing in the graph is like a shoe size");
    };
    assert_eq!(word, "shoe size");
    let wrong = WrongToRefuse("shoe size");
    let guidance = Guidance {
        lexicon: Some(&wrong),
        ..Guidance::default()
    };
    assert_eq!(family.ask_with(question, &guidance).refusal, None);
}

#[test]
fn votes_do_not_turn_one_relation_into_its_opposite() {
    let family = Desk::of(FACTS);
    let question = "who is the parent of Edward's parent?";
    let isr = family
        .planner
        .parse(&family.graph, question)
        .expect("in memory");
    let wrong = family
        .ask("who is the child of Edward's parent?")
        .chosen
        .expect("an answer")
        .template;
    let guidance = Guidance {
        neighbours: vec![kgqa::guidance::Neighbour {
            similarity: 1.0,
            masked: isr.masked,
            template: wrong,
            successes: 50.0,
            failures: 0.0,
        }],
        lexicon: None,
    };
    let outcome = family.ask_with(question, &guidance);
    let chosen = outcome.chosen.expect("an answer").template;
    assert!(!chosen.contains("children"), "{chosen}");
}
