//! When is a remembered plan used again, and when must it not be?

use crate::support::{Fixture, films, labels, name};
use refrain::{Edit, HitKind, Verdict};

#[test]
fn another_film_in_the_same_words_is_answered_by_the_remembered_plan() {
    let fixture = Fixture::with("films", &films(40));
    let first = fixture.ask(&format!("who directed {}?", name(0)));
    assert_eq!(
        (first.hit_kind, labels(&first)),
        (HitKind::None, vec![name(1000)])
    );
    let second = fixture.ask(&format!("who directed {}?", name(20)));
    assert_eq!(
        (second.hit_kind, labels(&second)),
        (HitKind::Plan, vec![name(1005)])
    );
    assert!(second.experience.is_some() && second.similarity == Some(1.0));
}

#[test]
fn the_same_question_is_served_exactly_until_its_facts_change() {
    let fixture = Fixture::with("films", &films(40));
    let question = format!("who directed {}?", name(3));
    fixture.ask(&question);
    let again = fixture.ask(&question);
    assert_eq!(
        (again.hit_kind, labels(&again)),
        (HitKind::Exact, vec![name(1000)])
    );
    let source = fixture.engine.source("films").unwrap();
    let triple = |object: &str| {
        let object = format!("<http://e.org/{object}>");
        let quad = fixture.engine.parse_triple(
            &source,
            [
                "<http://e.org/film3>",
                "<http://e.org/p/directed_by>",
                &object,
            ],
        );
        vec![quad.unwrap()]
    };
    let report = fixture
        .engine
        .edit(&source, Edit::Remove, &triple("person0"))
        .unwrap();
    assert!(report.suspects >= 1, "{report:?}");
    fixture
        .engine
        .edit(&source, Edit::Add, &triple("person7"))
        .unwrap();
    let changed = fixture.ask(&question);
    assert_eq!(
        (changed.hit_kind, labels(&changed)),
        (HitKind::Plan, vec![name(1007)])
    );
    let settled = fixture.ask(&question);
    assert_eq!(
        (settled.hit_kind, labels(&settled)),
        (HitKind::Exact, vec![name(1007)])
    );
}

#[test]
fn a_paraphrase_may_reuse_and_another_relation_must_not() {
    let fixture = Fixture::with("films", &films(40));
    fixture.ask(&format!("who directed {}?", name(0)));
    let paraphrase = fixture.ask(&format!("who is the director of {}?", name(8)));
    assert_eq!(labels(&paraphrase), vec![name(1002)]);
    assert_eq!(
        paraphrase.hit_kind,
        HitKind::Plan,
        "{:?}",
        paraphrase.reason
    );
    let other = fixture.ask(&format!("who wrote {}?", name(8)));
    assert_eq!(
        (other.hit_kind, labels(&other)),
        (HitKind::None, vec![name(1501)])
    );
    assert!(other.reason.is_some(), "a miss says why");
}

#[test]
fn a_bad_verdict_takes_the_answer_back_and_keeps_it_from_coming_back() {
    let fixture = Fixture::with("films", &films(40));
    let question = format!("who directed {}?", name(0));
    let answer = fixture.ask(&question);
    let radius = fixture
        .engine
        .feedback("default", &answer.id, Verdict::Bad)
        .unwrap();
    assert_eq!(radius.retracted.len(), 1);
    let again = fixture.ask(&question);
    assert_ne!(labels(&again), labels(&answer));
    assert_ne!(again.hit_kind, HitKind::Exact);
}

#[test]
fn an_edit_is_served_while_its_evidence_stands() {
    let fixture = Fixture::with("films", &films(40));
    let question = format!("who directed {}?", name(0));
    let answer = fixture.ask(&question);
    let radius = fixture
        .engine
        .feedback("default", "last", Verdict::Edit(name(1003)))
        .unwrap();
    assert!(radius.corrected.is_some(), "{radius:?}");
    assert_eq!(radius.answer, answer.id);
    let again = fixture.ask(&question);
    assert_eq!(
        (again.hit_kind, labels(&again)),
        (HitKind::Exact, vec![name(1003)])
    );
    assert!(again.corrected && !answer.corrected);
}

#[test]
fn an_edit_is_served_whatever_else_was_asked_in_the_same_words() {
    let fixture = Fixture::with("films", &films(40));
    let question = format!("who directed {}?", name(0));
    fixture.ask(&question);
    fixture
        .engine
        .feedback("default", "last", Verdict::Edit(name(1003)))
        .unwrap();
    for other in 1..4 {
        fixture.ask(&format!("who directed {}?", name(other)));
    }
    assert_eq!(labels(&fixture.ask(&question)), [name(1003)]);
}

#[test]
fn a_refusal_cannot_be_edited() {
    let fixture = Fixture::with("films", &films(40));
    let answer = fixture.ask(&format!("who cooked {}?", name(0)));
    assert!(answer.refused, "{answer:?}");
    let edited = fixture
        .engine
        .feedback("default", "last", Verdict::Edit(name(1003)));
    assert!(edited.is_err(), "{edited:?}");
}

#[test]
fn the_memory_outlives_the_process_and_forgetting_outlives_it_too() {
    let fixture = Fixture::with("films", &films(40));
    let question = format!("who directed {}?", name(0));
    fixture.ask(&question);
    let Fixture { engine, directory } = fixture;
    drop(engine);
    let open = || {
        let root = directory.path().join("d");
        refrain::Engine::open(
            &root,
            refrain::Config::default(),
            crate::support::surroundings(2),
        )
        .unwrap()
    };
    let engine = open();
    let ask = |engine: &refrain::Engine| engine.ask(&refrain::AskRequest::new(&question)).unwrap();
    assert_eq!(ask(&engine).hit_kind, HitKind::Exact);
    let receipt = engine
        .forget(
            "default",
            refrain::remembered::Forget::Question(question.clone()),
        )
        .unwrap();
    assert_eq!(receipt.experiences.len(), 1);
    drop(engine);
    let engine = open();
    assert_eq!(ask(&engine).hit_kind, HitKind::None);
}

#[test]
fn warming_fills_the_memory_and_a_second_run_goes_on_where_the_first_ended() {
    let fixture = Fixture::with("films", &films(60));
    let never = std::sync::atomic::AtomicBool::new(false);
    let request = refrain::warm::WarmRequest {
        source: None,
        namespace: "default".to_owned(),
        entities: 10,
        questions_per_entity: 3,
        seed: 5,
        resume: refrain::warm::Resume::Yes,
        progress: &|_, _, _| {},
        cancel: &never,
    };
    let first = fixture.engine.warm(&request).unwrap().remove(0);
    assert!(
        first.kept > 0 && first.kept + first.dropped.values().sum::<usize>() == first.made,
        "{first:?}"
    );
    let second = fixture.engine.warm(&request).unwrap().remove(0);
    assert_eq!((second.entities, second.resumed_after), (0, first.entities));
    assert!(fixture.engine.stats("default").unwrap().experiences > 0);
}
