//! The built-in planner on a small film graph of our own: what each kind of question means, and when it refrains.

mod desk;

use std::sync::Arc;

use desk::Desk;
use kgqa::answer::Refusal;
use kgqa::guidance::{Guidance, Lexicon, Neighbour};
use kgqa::isr::QuestionType;

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
    ("Inception", "has_tags", "Dream"),
    ("Dunkirk", "has_tags", "Evacuation"),
];

fn films() -> Desk {
    Desk::of(FACTS)
}

#[test]
fn one_step_in_either_direction() {
    let desk = films();
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
fn what_a_thing_is_about_is_asked_in_many_ways() {
    let desk = films();
    for question in [
        "what is Inception about?",
        "which topics is Inception about",
        "describe Inception in a few words",
        "which words describe the film Inception",
        "can you give a few words describing what Inception is about",
    ] {
        assert_eq!(desk.values(question), ["Dream"], "{question}");
    }
}

#[test]
fn the_one_who_did_it_is_found_by_the_verb_and_its_noun() {
    let desk = films();
    for question in [
        "which writer wrote Memento",
        "which person wrote the script for Memento",
        "who is the Writer of Memento?",
    ] {
        assert_eq!(desk.values(question), ["Jonathan Nolan"], "{question}");
    }
}

#[test]
fn chains_are_read_outward_from_the_name() {
    let desk = films();
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
    let desk = films();
    assert_eq!(
        desk.values("which films have the same director as Inception"),
        ["Dunkirk", "Memento"]
    );
}

#[test]
fn sets_are_counted_ordered_filtered_and_intersected() {
    let desk = films();
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
    let desk = films();
    // Memento has a second, later year; its release is the earlier one.
    assert_eq!(
        desk.values("what is the latest film directed by Christopher Nolan?"),
        ["Dunkirk"]
    );
}

#[test]
fn named_things_are_compared_and_checked() {
    let desk = films();
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
    let desk = films();
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
fn words_that_no_plan_can_follow_are_not_passed_by() {
    let desk = films();
    for question in [
        "did Christopher Nolan almost direct Dunkirk?",
        "which films did Christopher Nolan fail to direct?",
        "which unreleased films did Christopher Nolan direct?",
    ] {
        assert_eq!(
            desk.ask(question).refusal,
            Some(Refusal::Negation),
            "{question}"
        );
    }
    let unknown = |name: &str| {
        Some(Refusal::UnknownName {
            names: vec![name.into()],
        })
    };
    assert_eq!(
        desk.ask("which films did Christopher Nolan direct in 1999?")
            .refusal,
        unknown("1999")
    );
    assert_eq!(
        desk.ask("who directed Inception in 1893?").refusal,
        unknown("1893")
    );
    assert_eq!(
        desk.ask("what is the average release year of the films of Christopher Nolan?")
            .refusal,
        Some(Refusal::Unsupported {
            word: "average".into()
        })
    );
    assert_eq!(
        desk.values("which films did Christopher Nolan direct in 2010?"),
        ["Inception"]
    );
    assert_eq!(
        desk.values("which films did Christopher Nolan direct before 2005?"),
        ["Memento"]
    );
}

#[test]
fn who_does_and_who_suffers_are_not_confused() {
    let desk = films();
    assert_eq!(
        desk.values("did Christopher Nolan direct Dunkirk?"),
        ["true"]
    );
    assert_eq!(
        desk.values("was Dunkirk directed by Christopher Nolan?"),
        ["true"]
    );
    assert_eq!(
        desk.values("was Dunkirk directed by James Cameron?"),
        ["false"]
    );
    for turned in [
        "did Dunkirk direct Christopher Nolan?",
        "was Christopher Nolan directed by Dunkirk?",
    ] {
        assert_ne!(desk.values(turned), ["true"], "{turned}");
    }
}

#[test]
fn who_was_directed_by_a_film_is_nobody() {
    let desk = films();
    let outcome = desk.ask("who was directed by Inception?");
    assert!(outcome.refusal.is_some(), "{:?}", outcome.chosen);
    assert_eq!(
        desk.values("what was directed by James Cameron?"),
        ["Titanic"]
    );
}

#[test]
fn what_no_word_speaks_for_is_refused_though_nothing_else_is_known() {
    let desk = Desk::of(&[
        ("Blue Fog", "directed_by", "Omar Kidd"),
        ("Red Hill", "directed_by", "Omar Kidd"),
        ("Blue Fog", "release_year", "1999"),
    ]);
    assert_eq!(
        desk.ask("who hates Blue Fog?").refusal,
        Some(Refusal::Unsupported {
            word: "hates".into()
        })
    );
    assert_eq!(desk.values("who directed Blue Fog?"), ["Omar Kidd"]);
}

#[test]
fn to_play_in_a_film_is_to_be_among_its_actors() {
    let desk = films();
    assert_eq!(desk.values("who played in Dunkirk?"), ["Harry Styles"]);
    assert_eq!(
        desk.values("who acted in Inception?"),
        ["Elliot Page", "Marion Cotillard"]
    );
}

#[test]
fn what_a_thing_lacks_is_refused_and_not_replaced() {
    // Titanic alone has no director; what else its kind has is not what was asked.
    let facts: Vec<_> = FACTS
        .iter()
        .copied()
        .filter(|fact| !(fact.0 == "Titanic" && fact.1 == "directed_by"))
        .collect();
    let desk = Desk::of(&facts);
    let outcome = desk.ask("who directed Titanic?");
    assert!(outcome.refusal.is_some(), "{:?}", outcome.chosen);
    assert!(desk.ask("who directed Memento?").refusal.is_none());
    let films = films();
    assert_eq!(
        films.ask("is Inception good?").refusal,
        Some(Refusal::HalfNamed)
    );
}

#[test]
fn a_verb_before_a_name_is_no_type() {
    let desk = films();
    assert_eq!(
        desk.values("which films star Marion Cotillard"),
        ["Inception", "Titanic"]
    );
    assert_eq!(
        desk.values("which films star both Marion Cotillard and Elliot Page?"),
        ["Inception"]
    );
}

#[test]
fn names_are_linked_through_case_accents_and_small_slips() {
    let desk = films();
    assert_eq!(desk.values("who directed inception"), ["Christopher Nolan"]);
    assert_eq!(desk.values("who directed Inceptoin"), ["Christopher Nolan"]);
}

#[test]
fn the_masked_question_forgets_the_names_and_numbers() {
    let desk = films();
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
    let desk = films();
    let question = "who is playwright of Titanic?";
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

    // An attribute that is asked for by name is no other one because the first proved wrong.
    let named = "who is the playwright of Titanic?";
    let of_name = Guidance {
        neighbours: vec![Neighbour {
            similarity: 1.0,
            masked: "who is the playwright of ⟨0⟩".to_owned(),
            template: first.template.clone(),
            successes: 0.0,
            failures: 50.0,
        }],
        lexicon: None,
    };
    assert_eq!(desk.ask_with(named, &of_name).executed, None);

    // But a plan that the words tell far worse than another is not tried because that one failed.
    let plain = "who directed Titanic?";
    let failed = Guidance {
        neighbours: vec![Neighbour {
            similarity: 1.0,
            masked: desk
                .planner
                .parse(&desk.graph, plain)
                .expect("in memory")
                .masked,
            template: desk.ask(plain).chosen.expect("an answer").template,
            successes: 0.0,
            failures: 50.0,
        }],
        lexicon: None,
    };
    let again = desk.ask_with(plain, &failed).chosen.expect("an answer");
    assert_eq!(
        again.template,
        desk.ask(plain).chosen.expect("an answer").template
    );
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
    let desk = films();
    let entries = desk.schema.entries();
    entries
        .iter()
        .find(|e| e.iri.ends_with(name))
        .map(|e| e.iri.clone())
        .unwrap_or_default()
}

#[test]
fn a_learned_meaning_overrules_similarity() {
    let desk = films();
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
    let (a, b) = (films(), films());
    for question in [
        "who starred in the films directed by James Cameron",
        "what is the first film directed by Christopher Nolan?",
    ] {
        let (a, b) = (a.ask(question), b.ask(question));
        assert_eq!(a.compiled.candidates, b.compiled.candidates);
    }
}

#[test]
fn what_the_graph_knows_nothing_of_is_refused() {
    let desk = films();
    for question in [
        "who cooked Titanic?",
        "who hates Titanic?",
        "who bought Titanic?",
        "which chef directed Titanic?",
        "who was the former director of Titanic?",
        "who declined to direct Titanic?",
        "who directed the spaceship of Titanic?",
        "which film has the most awards?",
        "how many minutes is Titanic?",
        "which films did the neighbour of Christopher Nolan direct?",
        "which films other than Inception did Christopher Nolan direct?",
        "did Christopher Nolan sell Inception?",
    ] {
        let outcome = desk.ask(question);
        assert!(
            outcome.refusal.is_some(),
            "{question}: {:?}",
            outcome.chosen.map(|c| c.template)
        );
    }
}

#[test]
fn what_restricts_nothing_may_go_unheard() {
    let desk = films();
    for (question, answer) in [
        ("who in the world directed Titanic?", "James Cameron"),
        ("who is listed as director of Titanic?", "James Cameron"),
        ("who is the offcial director of Titanic?", "James Cameron"),
        ("what is the main genre of Titanic?", "Drama"),
        ("which genre does Titanic fall under?", "Drama"),
    ] {
        assert_eq!(desk.values(question), [answer], "{question}");
    }
}

#[test]
fn a_number_of_units_is_the_value_and_no_count() {
    let desk = Desk::of(&[
        ("Titanic", "running_time_in_minutes", "195"),
        ("Titanic", "directed_by", "James Cameron"),
        ("Avatar", "running_time_in_minutes", "162"),
        ("James Cameron", "birthplace", "Kapuskasing"),
        ("Kapuskasing", "country", "Canada"),
    ]);
    assert_eq!(desk.values("how many minutes is Titanic?"), ["195"]);
    assert_eq!(
        desk.values("where was James Cameron born?"),
        ["Kapuskasing"]
    );
}

#[test]
fn limits_are_read_before_and_behind_the_number() {
    let desk = films();
    for (question, films) in [
        (
            "which films directed by Christopher Nolan were released in or after 2010?",
            vec!["Dunkirk", "Inception"],
        ),
        (
            "which films directed by Christopher Nolan were released after 2010?",
            vec!["Dunkirk"],
        ),
        (
            "which films directed by Christopher Nolan were released in 2010 or later?",
            vec!["Dunkirk", "Inception"],
        ),
        (
            "which films directed by Christopher Nolan were released no later than 2010?",
            vec!["Inception", "Memento"],
        ),
        (
            "which films directed by Christopher Nolan were released 2000 or earlier?",
            vec!["Memento"],
        ),
    ] {
        assert_eq!(desk.values(question), films, "{question}");
    }
}

#[test]
fn a_number_in_a_unit_that_the_graph_does_not_name_is_refused() {
    let desk = films();
    let outcome = desk.ask("which films directed by Christopher Nolan are longer than 3 hours?");
    assert_eq!(
        outcome.refusal,
        Some(Refusal::Unsupported {
            word: "hours".to_owned()
        })
    );
}

#[test]
fn what_is_only_named_is_not_answered_with_something_about_it() {
    let desk = films();
    for question in [
        "Inception",
        "what is Inception?",
        "tell me about Inception",
        "who is James Cameron?",
    ] {
        assert_eq!(
            desk.ask(question).refusal,
            Some(Refusal::NothingAsked),
            "{question}"
        );
    }
}

#[test]
fn a_set_is_never_only_what_was_named() {
    let desk = films();
    let outcome = desk.ask("who stars alongside Marion Cotillard in Titanic?");
    assert_eq!(outcome.executed, None);
}

#[test]
fn who_was_asked_for_is_where_the_path_ends() {
    let desk = Desk::of(&[
        ("Saving Private Ryan", "starring", "Tom Hanks"),
        ("The Post", "starring", "Tom Hanks"),
        ("The Post", "directed_by", "Steven Spielberg"),
        ("Tom Hanks", "birthplace", "Concord"),
        ("Tom Hanks", "birth_year", "1956"),
        ("Steven Spielberg", "birthplace", "Cincinnati"),
    ]);
    assert_eq!(
        desk.values("which actor was born in Concord?"),
        ["Tom Hanks"]
    );
    let age = desk.ask("how old is Tom Hanks?");
    assert_eq!(age.executed, None, "a year of birth is no age");
}

#[test]
fn what_is_remembered_of_other_words_makes_no_strange_word_known() {
    let desk = films();
    let template = desk
        .ask("who wrote Titanic?")
        .chosen
        .expect("an answer")
        .template;
    let guidance = Guidance {
        neighbours: vec![Neighbour {
            similarity: 0.95,
            masked: "who wrote ⟨0⟩".to_owned(),
            template,
            successes: 50.0,
            failures: 0.0,
        }],
        lexicon: None,
    };
    let outcome = desk.ask_with("who cooked Titanic?", &guidance);
    assert_eq!(
        outcome.refusal,
        Some(Refusal::Unsupported {
            word: "cooked".to_owned()
        })
    );
}

#[test]
fn comparisons_without_digits_are_refused() {
    let desk = films();
    for question in [
        "which films directed by Christopher Nolan are longer than an hour?",
        "which films did Christopher Nolan direct in the 2000s?",
    ] {
        assert!(desk.ask(question).refusal.is_some(), "{question}");
    }
}

#[test]
fn a_sign_that_touches_a_name_is_part_of_it() {
    let desk = Desk::of(&[
        ("Them!", "directed_by", "Gordon Douglas"),
        ("Them", "directed_by", "David Moreau"),
        ("+1", "directed_by", "Dennis Iliadis"),
        ("1", "directed_by", "Paul Crowder"),
    ]);
    for (question, director) in [
        ("who directed Them!", "Gordon Douglas"),
        ("who directed Them?", "David Moreau"),
        ("who directed Them!?", "Gordon Douglas"),
        ("who directed +1?", "Dennis Iliadis"),
    ] {
        assert_eq!(desk.values(question), [director], "{question}");
    }
}
