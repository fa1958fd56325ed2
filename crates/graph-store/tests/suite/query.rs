use std::time::Duration;

use graph_store::{DefaultGraph, QueryLimits, QueryResult, Snapshot, StoreError};

use crate::{empty, load};

fn rows(graph: &Snapshot, sparql: &str, limits: &QueryLimits) -> Vec<String> {
    let QueryResult::Solutions(solutions) = graph.query(sparql, limits).unwrap() else {
        panic!("not a SELECT: {sparql}");
    };
    let mut rows: Vec<String> = solutions
        .rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|t| t.as_ref().map_or("-".to_owned(), ToString::to_string))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    rows.sort();
    rows
}

fn sample() -> (tempfile::TempDir, Snapshot) {
    let (directory, store) = empty();
    load(&store, "a.nq", "<urn:a> <urn:p> <urn:b> .\n<urn:b> <urn:p> <urn:c> .\n<urn:a> <urn:q> <urn:b> <urn:g> .\n<urn:a> <urn:p> <urn:b> <urn:h> .\n<urn:a> <urn:r> \"5\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n").unwrap();
    let graph = store.snapshot().unwrap();
    (directory, graph)
}

#[test]
fn select_ask_and_construct_are_answered() {
    let (_directory, graph) = sample();
    let limits = QueryLimits::default();
    assert_eq!(
        rows(&graph, "SELECT ?o { <urn:a> <urn:p>+ ?o }", &limits),
        ["<urn:b>", "<urn:c>"]
    );
    assert_eq!(
        rows(&graph, "SELECT ?p { <urn:a> ?p <urn:b> }", &limits),
        ["<urn:p>"]
    );
    assert_eq!(
        rows(
            &graph,
            "SELECT ?g ?p { GRAPH ?g { <urn:a> ?p <urn:b> } }",
            &limits
        ),
        ["<urn:g> <urn:q>", "<urn:h> <urn:p>"]
    );
    assert_eq!(
        rows(
            &graph,
            "SELECT (?v + 1 AS ?w) { ?s <urn:r> ?v FILTER(?v = 5) }",
            &limits
        ),
        ["\"6\"^^<http://www.w3.org/2001/XMLSchema#integer>"]
    );
    assert_eq!(
        graph
            .query("ASK { <urn:a> <urn:p> <urn:zzz> }", &limits)
            .unwrap(),
        QueryResult::Boolean(false)
    );
    let QueryResult::Graph { triples, truncated } = graph
        .query("CONSTRUCT { ?o <urn:x> ?s } { ?s <urn:p> ?o }", &limits)
        .unwrap()
    else {
        panic!("not a graph");
    };
    assert_eq!((triples.len(), truncated), (2, false));
}

#[test]
fn the_default_graph_is_the_union_when_asked_for() {
    let (_directory, graph) = sample();
    let union = QueryLimits {
        default_graph: DefaultGraph::Union,
        ..QueryLimits::default()
    };
    assert_eq!(
        rows(&graph, "SELECT ?p { <urn:a> ?p <urn:b> }", &union),
        ["<urn:p>", "<urn:q>"]
    );
    assert_eq!(
        rows(
            &graph,
            "SELECT ?g { GRAPH ?g { <urn:a> <urn:p> ?o } }",
            &union
        ),
        ["<urn:h>"]
    );
    assert_eq!(
        rows(&graph, "SELECT ?p FROM <urn:g> { <urn:a> ?p ?o }", &union),
        ["<urn:q>"]
    );
}

#[test]
fn rows_and_time_are_bounded() {
    let (_directory, store) = empty();
    let text: String = (0..400)
        .map(|n| format!("<urn:s{n}> <urn:p> <urn:o{n}> .\n"))
        .collect();
    load(&store, "a.nt", text).unwrap();
    let graph = store.snapshot().unwrap();
    let few = QueryLimits {
        max_rows: 3,
        ..QueryLimits::default()
    };
    let QueryResult::Solutions(solutions) = graph.query("SELECT * { ?s ?p ?o }", &few).unwrap()
    else {
        panic!("not a SELECT");
    };
    assert_eq!((solutions.rows.len(), solutions.truncated), (3, true));
    let short = QueryLimits {
        timeout: Some(Duration::from_millis(30)),
        ..QueryLimits::default()
    };
    let error = graph
        .query(
            "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?t ?h }",
            &short,
        )
        .unwrap_err();
    assert!(
        matches!(error, StoreError::TimedOut { millis: 30 }),
        "{error}"
    );
}

#[test]
fn updates_services_and_nonsense_are_refused_in_words() {
    let (_directory, graph) = sample();
    let limits = QueryLimits::default();
    for text in [
        "INSERT DATA { <urn:x> <urn:y> <urn:z> }",
        "DELETE WHERE { ?s ?p ?o }",
        "hello",
        "",
    ] {
        let error = graph.query(text, &limits).unwrap_err();
        assert!(
            error.to_string().starts_with("not a SPARQL query"),
            "{error}"
        );
    }
    let error = graph
        .query(
            "SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }",
            &limits,
        )
        .unwrap_err();
    assert!(matches!(error, StoreError::Evaluation(_)), "{error}");
}

#[test]
fn deep_and_long_queries_are_answered_or_refused_but_never_overflow_the_stack() {
    let (_directory, graph) = sample();
    let limits = QueryLimits::default();
    let nested = |open: &str, close: &str, depth: usize| {
        format!(
            "SELECT * {{ FILTER({}1{}) }}",
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    graph.query(&nested("(", ")", 100), &limits).unwrap();
    for text in [
        nested("(", ")", 10_000),
        nested("!", "", 10_000),
        nested("- ", "", 10_000),
    ] {
        assert!(matches!(
            graph.query(&text, &limits),
            Err(StoreError::QueryTooComplex { .. })
        ));
    }
    let braces = format!(
        "SELECT * {{ {} ?s ?p ?o {} }}",
        "{".repeat(5_000),
        "}".repeat(5_000)
    );
    assert!(matches!(
        graph.query(&braces, &limits),
        Err(StoreError::QueryTooComplex { .. })
    ));
    let sum = format!("SELECT (1{} AS ?n) {{}}", "+1".repeat(3_000));
    assert_eq!(
        rows(&graph, &sum, &limits),
        ["\"3001\"^^<http://www.w3.org/2001/XMLSchema#integer>"]
    );
    for patterns in [200, 20_000] {
        for (start, link) in [
            ("?s ?p ?o", " UNION {}"),
            ("?s ?p ?o", " OPTIONAL { ?s ?p ?o }"),
            ("?s <urn:p>", "/<urn:p>"),
            ("?s ?p ?o", " . ?s ?p ?o"),
            ("?s <urn:p> 1", ", 1"),
        ] {
            let tail = if link.starts_with('/') { " ?o" } else { "" };
            let start = if link.contains("UNION") { "{}" } else { start };
            let text = format!("SELECT * {{ {start}{}{tail} }}", link.repeat(patterns));
            match graph.query(&text, &limits) {
                Ok(_) => assert_eq!(patterns, 200, "{link}"),
                Err(StoreError::QueryTooComplex { .. }) => assert_eq!(patterns, 20_000, "{link}"),
                Err(other) => panic!("{link}: {other}"),
            }
        }
    }
    let long = format!("SELECT * {{ ?s ?p \"{}\" }}", "x".repeat(100_000));
    assert!(matches!(
        graph.query(&long, &limits),
        Err(StoreError::QueryTooComplex { what: "long", .. })
    ));
}
