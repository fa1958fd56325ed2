//! The store's hot paths on a made-up graph of 400,000 statements, and the signature of a node with a million edges.
//!
//! `cargo bench -p graph-store`. Nothing is answered from the cache of nodes.

use std::fmt::Write as _;
use std::sync::OnceLock;

use divan::{Bencher, black_box, counter::ItemsCount};
use graph_store::{
    GraphStore, LoadOptions, Options, QueryLimits, Snapshot, Source, TermId, normalise,
};
use oxrdf::NamedNode;

const THINGS: usize = 50_000;
const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";

fn main() {
    divan::main();
}

fn text(things: usize) -> String {
    let mut text = String::new();
    for n in 0..things {
        let _ = writeln!(text, "<urn:t{n}> {LABEL} \"thing number {n}\" .");
        for link in 0..7 {
            let _ = writeln!(
                text,
                "<urn:t{n}> <urn:link{link}> <urn:t{}> .",
                (n * 31 + link * 7_919) % things
            );
        }
    }
    text
}

fn filled(text: String) -> (tempfile::TempDir, Snapshot) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = Options {
        cached_nodes: 0,
        ..Options::default()
    };
    let store = GraphStore::open_or_create(directory.path(), options).expect("a new store");
    store
        .load(vec![Source::text("a.nt", text)], &LoadOptions::default())
        .expect("the made-up graph loads");
    let graph = store.snapshot().expect("a snapshot");
    (directory, graph)
}

fn graph() -> &'static Snapshot {
    static GRAPH: OnceLock<(tempfile::TempDir, Snapshot)> = OnceLock::new();
    &GRAPH.get_or_init(|| filled(text(THINGS))).1
}

fn quads() -> &'static [[TermId; 4]] {
    static QUADS: OnceLock<Vec<[TermId; 4]>> = OnceLock::new();
    QUADS.get_or_init(|| {
        let quads = graph().quads().expect("quads").map(|q| q.expect("a quad"));
        quads.step_by(37).collect()
    })
}

fn each(bencher: Bencher<'_, '_>, mut f: impl FnMut([TermId; 4])) {
    let quads = quads();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7_919) % quads.len();
        f(black_box(quads[at]));
    });
}

#[divan::bench]
fn contains(bencher: Bencher<'_, '_>) {
    each(bencher, |[s, p, o, _]| {
        drop(black_box(graph().contains(s, p, o)))
    });
}

#[divan::bench]
fn objects(bencher: Bencher<'_, '_>) {
    each(bencher, |[s, p, ..]| {
        drop(black_box(graph().objects(s, p, None, 10)))
    });
}

#[divan::bench]
fn subjects(bencher: Bencher<'_, '_>) {
    each(bencher, |[_, p, o, _]| {
        drop(black_box(graph().subjects(p, o, None, 10)))
    });
}

#[divan::bench]
fn signature_of_fifteen_predicates(bencher: Bencher<'_, '_>) {
    each(bencher, |[s, ..]| drop(black_box(graph().signature(s))));
}

#[divan::bench]
fn term_of_an_id(bencher: Bencher<'_, '_>) {
    each(bencher, |[s, ..]| drop(black_box(graph().term(s))));
}

#[divan::bench]
fn id_of_a_term(bencher: Bencher<'_, '_>) {
    let terms: Vec<_> = quads()
        .iter()
        .map(|q| graph().term(q[0]).expect("a term"))
        .collect();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7_919) % terms.len();
        graph().id(black_box(&terms[at]))
    });
}

fn labels() -> Vec<String> {
    let label = |q: &[TermId; 4]| normalise(&graph().label(q[0]).expect("a label"));
    quads().iter().map(label).collect()
}

#[divan::bench]
fn label_that_is_there(bencher: Bencher<'_, '_>) {
    let labels = labels();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7_919) % labels.len();
        graph().labels().exact(black_box(&labels[at]), 10)
    });
}

#[divan::bench]
fn label_that_is_not_there(bencher: Bencher<'_, '_>) {
    let labels: Vec<String> = labels().iter().map(|l| format!("{l} no")).collect();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7_919) % labels.len();
        graph().labels().exact(black_box(&labels[at]), 10)
    });
}

#[divan::bench]
fn label_with_a_typing_error(bencher: Bencher<'_, '_>) {
    let labels: Vec<String> = labels()
        .iter()
        .map(|l| l.replacen("number", "nubmer", 1))
        .collect();
    let mut at = 0;
    bencher.bench_local(|| {
        at = (at + 7_919) % labels.len();
        graph().labels().fuzzy(black_box(&labels[at]), 10)
    });
}

#[divan::bench]
fn sparql_two_hops(bencher: Bencher<'_, '_>) {
    let query = "SELECT ?b { <urn:t77> <urn:link1> ?a . ?a <urn:link2> ?b }";
    bencher.bench_local(|| graph().query(black_box(query), &QueryLimits::default()));
}

#[divan::bench]
fn signature_of_a_node_with_a_million_edges(bencher: Bencher<'_, '_>) {
    static HUB: OnceLock<(tempfile::TempDir, Snapshot)> = OnceLock::new();
    let (_, graph) = HUB.get_or_init(|| {
        let mut text = String::from("<urn:hub> <urn:zzz> <urn:end> .\n");
        for n in 0..1_000_000 {
            let _ = writeln!(text, "<urn:hub> <urn:p> <urn:o{n}> .");
        }
        filled(text)
    });
    let hub = graph
        .id(NamedNode::new_unchecked("urn:hub").as_ref())
        .expect("read")
        .expect("the hub");
    bencher.bench_local(|| graph.signature(black_box(hub)));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn load_80_000_statements(bencher: Bencher<'_, '_>) {
    let text = text(10_000);
    bencher
        .counter(ItemsCount::new(80_000_usize))
        .bench_local(|| filled(text.clone()));
}
