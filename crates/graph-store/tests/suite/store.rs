use std::collections::BTreeSet;

use graph_store::{
    GraphStore, LoadOptions, Options, SignatureEntry, Snapshot, Source, StoreError, TermId,
    quad_refs,
};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, Quad, Term};
use proptest::prelude::*;

use crate::{empty, lines, load};

fn iri(n: impl std::fmt::Display) -> NamedNode {
    NamedNode::new_unchecked(format!("urn:{n}"))
}

fn id(graph: &Snapshot, n: impl std::fmt::Display) -> TermId {
    graph.id(iri(n).as_ref()).unwrap().unwrap()
}

fn quads() -> impl Strategy<Value = Vec<Quad>> {
    let object = prop_oneof![
        (0..12u8).prop_map(|n| Term::from(iri(n))),
        (0..6u8).prop_map(|n| Term::from(Literal::from(i64::from(n)))),
        (0..4u8).prop_map(
            |n| Term::from(Literal::new_language_tagged_literal_unchecked(
                format!("name {n}"),
                "en"
            ))
        ),
        (0..4u8).prop_map(|n| Term::from(BlankNode::new_unchecked(format!("b{n}")))),
    ];
    let graph = prop_oneof![
        3 => Just(GraphName::DefaultGraph),
        1 => (0..2u8).prop_map(|n| GraphName::from(iri(format!("g{n}")))),
    ];
    let quad = (0..12u8, 0..4u8, object, graph)
        .prop_map(|(s, p, object, graph)| Quad::new(iri(s), iri(format!("p{p}")), object, graph));
    prop::collection::vec(quad, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn inserting_and_removing_is_set_arithmetic_and_leaves_a_sound_store(
        steps in prop::collection::vec((quads(), quads()), 1..4)
    ) {
        let (_directory, store) = empty();
        let mut model = BTreeSet::new();
        for (insert, remove) in &steps {
            let new: BTreeSet<String> = insert.iter().map(Quad::to_string).filter(|q| !model.contains(q)).collect();
            let change = store.insert(quad_refs(insert)).unwrap();
            prop_assert_eq!(change.statements, new.len() as u64);
            model.extend(new);
            let gone: BTreeSet<String> = remove.iter().map(Quad::to_string).filter(|q| model.contains(q)).collect();
            let change = store.remove(quad_refs(remove)).unwrap();
            prop_assert_eq!(change.statements, gone.len() as u64);
            model.retain(|q| !gone.contains(q));
        }
        prop_assert_eq!(lines(&store), model.iter().map(|q| format!("{q} .")).collect::<Vec<_>>());
        prop_assert_eq!(store.snapshot().unwrap().verify(), vec![]);
    }

    #[test]
    fn loading_is_the_same_as_inserting_one_by_one(all in quads()) {
        let all: Vec<Quad> = all.into_iter().filter(|q| !q.object.is_blank_node()).collect();
        let (_a, one_by_one) = empty();
        for quad in &all {
            one_by_one.insert([quad.as_ref()]).unwrap();
        }
        let (_b, at_once) = empty();
        let text: String = all.iter().map(|q| format!("{q} .\n")).collect();
        load(&at_once, "a.nq", text).unwrap();
        prop_assert_eq!(lines(&one_by_one), lines(&at_once));
        let (a, b) = (one_by_one.snapshot().unwrap(), at_once.snapshot().unwrap());
        let named = |graph: &Snapshot| {
            let mut counts: Vec<(String, u64)> = graph.predicates().unwrap().iter()
                .map(|p| (graph.term(p.predicate).unwrap().to_string(), p.statements)).collect();
            counts.sort();
            counts
        };
        prop_assert_eq!(named(&a), named(&b));
        for n in 0..12 {
            let signature = |graph: &Snapshot| -> Vec<(String, bool, u64)> {
                let Some(node) = graph.id(iri(n).as_ref()).unwrap() else { return Vec::new() };
                let mut entries: Vec<_> = graph.signature(node).unwrap().iter().map(|e: &SignatureEntry| {
                    assert!(e.count.exact);
                    (graph.term(e.predicate).unwrap().to_string(), e.inverse, e.count.statements)
                }).collect();
                entries.sort();
                entries
            };
            prop_assert_eq!(signature(&a), signature(&b));
        }
    }
}

#[test]
fn an_update_reports_what_changed_and_raises_the_generation() {
    let (_directory, store) = empty();
    let before = store.snapshot().unwrap();
    let quad = Quad::new(iri("a"), iri("p"), iri("b"), GraphName::DefaultGraph);
    let change = store.insert([quad.as_ref()]).unwrap();
    let after = store.snapshot().unwrap();
    assert_eq!(change.terms, [id(&after, "a"), id(&after, "b")]);
    assert_eq!(change.generation, before.generation() + 1);
    assert_eq!((before.len(), after.len()), (0, 1));
    assert_eq!(before.id(iri("a").as_ref()).unwrap(), None);
    let change = store.remove([quad.as_ref()]).unwrap();
    assert_eq!((change.statements, change.terms.len()), (1, 2));
    assert_eq!(
        store.remove([quad.as_ref()]).unwrap().generation,
        change.generation
    );
    assert!(
        after
            .contains(id(&after, "a"), id(&after, "p"), id(&after, "b"))
            .unwrap()
    );
    assert!(store.snapshot().unwrap().is_empty());
}

#[test]
fn pages_go_on_where_the_last_ended_and_do_not_repeat_triples_of_several_graphs() {
    let (_directory, store) = empty();
    let mut text = String::new();
    for n in 0..500 {
        text.push_str(&format!(
            "<urn:a> <urn:p> <urn:o{n}> .\n<urn:a> <urn:p> <urn:o{n}> <urn:g> .\n"
        ));
    }
    load(&store, "a.nq", text).unwrap();
    let graph = store.snapshot().unwrap();
    let (a, p) = (id(&graph, "a"), id(&graph, "p"));
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = graph.objects(a, p, after, 7).unwrap();
        after = page.ids.last().copied();
        all.extend(page.ids);
        if !page.more {
            break;
        }
    }
    assert_eq!(all.len(), 500);
    assert!(all.is_sorted());
    assert_eq!(graph.subjects(p, all[3], None, 10).unwrap().ids, [a]);
    assert_eq!(graph.objects(a, p, None, 0).unwrap().ids, []);
    assert_eq!(graph.pairs(p, None, 1_000).unwrap().0.len(), 500);
    let (first, more) = graph.pairs(p, None, 10).unwrap();
    assert!(more);
    assert_eq!(
        graph
            .pairs(p, first.last().copied(), 1_000)
            .unwrap()
            .0
            .len(),
        490
    );
    assert_eq!(graph.predicate_count(p).unwrap(), 1_000);
    let count = graph.count_objects(a, p, 10).unwrap();
    assert!(!count.exact && count.statements > 10);
}

#[test]
fn a_node_with_very_many_edges_is_described_without_walking_them() {
    let (_directory, store) = empty();
    let mut text = String::new();
    for n in 0..40_000 {
        text.push_str(&format!(
            "<urn:hub> <urn:big> <urn:o{n}> .\n<urn:o{n}> <urn:in> <urn:hub> .\n"
        ));
    }
    text.push_str("<urn:hub> <urn:small> 'x' .\n");
    store
        .load(vec![Source::text("a.ttl", text)], &LoadOptions::default())
        .unwrap();
    let graph = store.snapshot().unwrap();
    let signature = graph.signature(id(&graph, "hub")).unwrap();
    let found: Vec<(TermId, bool, bool, bool)> = signature
        .iter()
        .map(|e| {
            (
                e.predicate,
                e.inverse,
                e.count.exact,
                e.count.statements > 1_000,
            )
        })
        .collect();
    let mut expected = vec![
        (id(&graph, "big"), false, false, true),
        (id(&graph, "small"), false, true, false),
    ];
    expected.sort();
    expected.push((id(&graph, "in"), true, false, true));
    assert_eq!(found, expected);
}

#[test]
fn a_second_opener_is_refused_in_words() {
    let (directory, store) = empty();
    let error = GraphStore::open(directory.path(), Options::default()).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    assert!(error.to_string().contains("in use"));
    drop(store);
    GraphStore::open(directory.path(), Options::default()).unwrap();
}

#[test]
fn what_is_no_store_is_refused_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let error = GraphStore::open(directory.path(), Options::default()).unwrap_err();
    assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    std::fs::write(
        directory.path().join("graph.redb"),
        b"not a database, but long enough to look at",
    )
    .unwrap();
    assert!(GraphStore::open(directory.path(), Options::default()).is_err());
}

#[test]
fn compacting_waits_for_no_one_and_keeps_everything() {
    let (_directory, store) = empty();
    let text: String = (0..5_000)
        .map(|n| format!("<urn:s{n}> <urn:p> \"{n}\" .\n"))
        .collect();
    load(&store, "a.nt", text).unwrap();
    let held = store.snapshot().unwrap();
    assert!(matches!(
        store.compact().unwrap_err(),
        StoreError::SnapshotsInUse { .. }
    ));
    drop(held);
    let before = lines(&store);
    store.compact().unwrap();
    assert_eq!(lines(&store), before);
    let description = store.snapshot().unwrap().describe().unwrap();
    assert_eq!((description.statements, description.predicates), (5_000, 1));
}

#[test]
fn a_dump_loaded_again_is_the_same_graph() {
    let (_directory, store) = empty();
    load(
        &store,
        "a.trig",
        "@prefix u: <urn:> . u:a u:p 'x\\n\"y\"'@en, 1.5, true . u:g { u:a u:q u:b }",
    )
    .unwrap();
    let (_other, copy) = empty();
    load(&copy, "a.nq", lines(&store).join("\n")).unwrap();
    assert_eq!(lines(&copy), lines(&store));
}

#[test]
fn a_label_is_the_best_that_is_stated_else_the_words_of_the_name() {
    let (_directory, store) = empty();
    let text = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <urn:a> skos:altLabel 'Other' ; rdfs:label 'Paris'@fr, 'Paris, France'@en ; <urn:x/name> 'Own' .
        <urn:b> <urn:x/name> 'Own name' . <urn:x/birthPlace> <urn:p> 'v' . _:c <urn:p> <urn:a> .";
    load(&store, "a.ttl", text).unwrap();
    let graph = store.snapshot().unwrap();
    assert_eq!(graph.label(id(&graph, "a")).unwrap(), "Paris, France");
    assert_eq!(graph.label(id(&graph, "b")).unwrap(), "Own name");
    assert_eq!(
        graph.label(id(&graph, "x/birthPlace")).unwrap(),
        "birth Place"
    );
    let value = graph
        .id(Literal::new_simple_literal("v").as_ref())
        .unwrap()
        .unwrap();
    assert_eq!(graph.label(value).unwrap(), "v");
}
