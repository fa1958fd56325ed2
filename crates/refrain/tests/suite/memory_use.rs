//! How the memory takes part in one question: read, written, both, neither, or only what is young.

use std::time::Duration;

use refrain::{Answer, AskRequest, HitKind, MemoryUse};

use crate::support::Fixture;

const GRAPH: &str = "\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <urn:g:> .
:heat :director :mann ; rdfs:label 'Heat' .
:tenet :director :nolan ; rdfs:label 'Tenet' .
:mann rdfs:label 'Michael Mann' .
:nolan rdfs:label 'Christopher Nolan' .
:director rdfs:label 'director' .
";

fn ask(fixture: &Fixture, memory: MemoryUse) -> Answer {
    let request = AskRequest {
        memory,
        ..AskRequest::new("who directed Heat?")
    };
    let answer = fixture.engine.ask(&request).unwrap();
    fixture.engine.settle().unwrap();
    answer
}

fn remembered(fixture: &Fixture) -> usize {
    let all = fixture.engine.experiences(refrain::DEFAULT_NAMESPACE, 10);
    all.unwrap().len()
}

#[test]
fn reading_only_learns_nothing() {
    let fixture = Fixture::with("films", GRAPH);
    assert_eq!(ask(&fixture, MemoryUse::ReadOnly).hit_kind, HitKind::None);
    assert_eq!(remembered(&fixture), 0);
    ask(&fixture, MemoryUse::On);
    assert_eq!(remembered(&fixture), 1);
    let served = ask(&fixture, MemoryUse::ReadOnly);
    assert_eq!(served.hit_kind, HitKind::Exact);
    let why = fixture.engine.why(refrain::DEFAULT_NAMESPACE, &served.id);
    assert!(why.is_err(), "the answer left no trace");
}

#[test]
fn writing_only_reuses_nothing_and_is_learned_from() {
    let fixture = Fixture::with("films", GRAPH);
    assert_eq!(ask(&fixture, MemoryUse::WriteOnly).hit_kind, HitKind::None);
    assert_eq!(remembered(&fixture), 1);
    let again = ask(&fixture, MemoryUse::WriteOnly);
    assert_eq!((again.hit_kind, again.experience), (HitKind::None, None));
    assert_eq!(remembered(&fixture), 1, "it repeats what is remembered");
    assert_eq!(ask(&fixture, MemoryUse::On).hit_kind, HitKind::Exact);
}

#[test]
fn what_is_older_than_asked_for_is_not_reused() {
    let fixture = Fixture::with("films", GRAPH);
    ask(&fixture, MemoryUse::On);
    let later = fixture.reopened_after(Duration::from_secs(100));
    let aged = |seconds| {
        let request = AskRequest {
            max_age: Some(Duration::from_secs(seconds)),
            ..AskRequest::new("who directed Heat?")
        };
        later.engine.ask(&request).unwrap()
    };
    let old = aged(99);
    assert_eq!((old.hit_kind, old.age_seconds), (HitKind::None, None));
    let young = aged(100);
    assert_eq!(young.hit_kind, HitKind::Exact);
    assert_eq!(young.age_seconds, Some(100));
    assert_eq!(old.text, young.text);
}
