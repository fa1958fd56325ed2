//! Looking around in a graph before asking.

use refrain::EngineError;
use refrain::explore::{ExploreRequest, Explored};

use crate::support::Fixture;

const GRAPH: &str = "\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <urn:g:> .
:heat :director :mann ; :year 1995 ; rdfs:label 'Heat' .
:ali :director :mann ; rdfs:label 'Ali' .
:mann rdfs:label 'Michael Mann' .
:director rdfs:label 'director' .
";

fn explore(fixture: &Fixture, node: &str, skip: usize, limit: usize) -> Explored {
    let request = ExploreRequest {
        source: None,
        node: node.to_owned(),
        skip,
        limit,
    };
    fixture.engine.explore(&request).unwrap()
}

#[test]
fn a_thing_is_found_by_label_and_iri_and_told_from_both_ends() {
    let fixture = Fixture::with("films", GRAPH);
    let by_label = explore(&fixture, "michael mann", 0, 10);
    assert_eq!(explore(&fixture, "<urn:g:mann>", 0, 10), by_label);
    assert_eq!(explore(&fixture, "urn:g:mann", 0, 10), by_label);
    let texts: Vec<&str> = by_label
        .statements
        .iter()
        .map(|one| one.text.as_str())
        .collect();
    assert!(
        texts.contains(&"Heat — director → Michael Mann"),
        "{texts:?}"
    );
    assert!(
        texts.contains(&"Ali — director → Michael Mann"),
        "{texts:?}"
    );
    assert_eq!(by_label.next, None);
}

#[test]
fn pages_give_every_statement_once() {
    let fixture = Fixture::with("films", GRAPH);
    let whole = explore(&fixture, "Heat", 0, 10);
    assert_eq!(whole.statements.len(), 2);
    let first = explore(&fixture, "Heat", 0, 1);
    assert_eq!(first.next, Some(1));
    let second = explore(&fixture, "Heat", 1, 1);
    assert_eq!(second.next, None);
    assert_eq!(
        [first.statements, second.statements].concat(),
        whole.statements
    );
}

#[test]
fn an_unknown_thing_is_named_with_the_nearest() {
    let fixture = Fixture::with("films", GRAPH);
    let request = ExploreRequest {
        source: None,
        node: "Michael Man".to_owned(),
        skip: 0,
        limit: 1,
    };
    let error = fixture.engine.explore(&request).unwrap_err();
    assert!(
        matches!(&error, EngineError::UnknownLabel { suggestion: Some(near), .. } if near == "Michael Mann"),
        "{error:?}"
    );
}
