//! What does running a plan cost beyond the graph's own reads?
//!
//! Corpus: a made-up film graph of the size and shape of MetaQA's (17,000 films; one to six values a predicate; a few
//! genres with thousands of films each), in memory. Run with `cargo bench -p kgqa --features testing`.

use divan::Bencher;
use kgqa::execute::{Binding, Bound, Limits, run};
use kgqa::graph::Graph;
use kgqa::plan::{Plan, Slot, SlotText};
use kgqa::testing::MemoryGraph;

const FILMS: usize = 17_000;

fn graph() -> MemoryGraph {
    let name = |kind: &str, number: usize| format!("{kind}_{number}");
    let mut edges = Vec::new();
    for film in 0..FILMS {
        // Multiplication by an odd constant scatters the values without a random number generator.
        let scattered = |salt: usize, range: usize| {
            film.wrapping_mul(2_654_435_761).wrapping_add(salt * 40_503) / 7 % range
        };
        edges.push((
            name("film", film),
            "directed_by",
            name("person", scattered(1, 6_000)),
        ));
        edges.push((
            name("film", film),
            "release_year",
            (1920 + scattered(2, 95)).to_string(),
        ));
        edges.push((
            name("film", film),
            "has_genre",
            name("genre", scattered(3, 20)),
        ));
        edges.extend((4..8).map(|salt| {
            (
                name("film", film),
                "starred_actors",
                name("person", scattered(salt, 12_000)),
            )
        }));
    }
    let edges: Vec<(&str, &str, &str)> = edges
        .iter()
        .map(|(s, p, o)| (s.as_str(), *p, o.as_str()))
        .collect();
    MemoryGraph::from_names(&edges).expect("the names are made of letters and digits")
}

const PLANS: [(&str, &str, &str); 7] = [
    ("one hop", "film 7", "$0/<directed_by>"),
    (
        "three hops there and back",
        "film 7",
        "$0/<starred_actors>/^<starred_actors>/<release_year>",
    ),
    (
        "three hops through a genre",
        "film 7",
        "$0/<has_genre>/^<has_genre>/<starred_actors>",
    ),
    ("a genre's films", "genre 3", "$0/^<has_genre>"),
    ("count a genre's films", "genre 3", "count($0/^<has_genre>)"),
    (
        "a genre's films by year",
        "genre 3",
        "filter($0/^<has_genre>, <release_year>, <, $1)",
    ),
    (
        "a genre's first film",
        "genre 3",
        "order($0/^<has_genre>, <release_year>, least, 1)",
    ),
];

fn prepared(graph: &MemoryGraph, case: (&str, &str, &str)) -> (Plan, [Binding; 2]) {
    let text = case
        .2
        .replace('<', "<http://example.org/")
        .replace("<http://example.org/,", "<,");
    let plan = text.parse().expect("the plans above are plans");
    let entities = graph.link(case.1, 1).expect("memory does not fail");
    let bindings = [Bound::Entities(entities), Bound::Number(1950.0)];
    let mut slot = 0;
    let bindings = bindings.map(|bound| {
        slot += 1;
        Binding {
            slot: Slot(slot - 1),
            bound,
        }
    });
    (plan, bindings)
}

#[divan::bench(args = PLANS.map(|case| case.0))]
fn run_with_evidence(bencher: Bencher<'_, '_>, name: &str) {
    bench_run(bencher, name, Limits::default());
}

#[divan::bench(args = PLANS.map(|case| case.0))]
fn run_without_evidence(bencher: Bencher<'_, '_>, name: &str) {
    bench_run(
        bencher,
        name,
        Limits {
            evidence: 0,
            ..Limits::default()
        },
    );
}

fn bench_run(bencher: Bencher<'_, '_>, name: &str, limits: Limits) {
    let graph = graph();
    let case = PLANS
        .into_iter()
        .find(|case| case.0 == name)
        .expect("names come from the list");
    let (plan, bindings) = prepared(&graph, case);
    graph
        .label(kgqa::graph::TermId(0))
        .expect("memory does not fail");
    bencher
        .bench_local(|| run(&graph, &plan, &bindings, &limits).expect("the plans fit the graph"));
}

#[divan::bench]
fn read_a_plan(bencher: Bencher<'_, '_>) {
    let text = "order(filter($0/^<http://example.org/has_genre>, <http://example.org/year>, <, $1), <http://example.org/year>, most, 1)";
    bencher.bench_local(|| text.parse::<Plan>());
}

#[divan::bench]
fn print_a_plan(bencher: Bencher<'_, '_>) {
    let plan: Plan = "$0/<http://example.org/by>/^<http://example.org/by>"
        .parse()
        .expect("a plan");
    bencher.bench_local(|| plan.to_sparql(&|slot| SlotText::Number(f64::from(slot.0))));
}

fn main() {
    divan::main();
}
