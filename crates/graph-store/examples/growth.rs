//! Do look-ups stay logarithmic? Times each operation on graphs from 40,000 statements up, each twice the one before.
//!
//! `cargo run --release -p graph-store --example growth -- 1280000 docs/growth.svg` makes the chart in ARCHITECTURE.md;
//! without a size it stops at 160,000. All graphs are open at once and take
//! turns, so that a busy machine slows them alike; each figure is the fastest round, in which nobody interrupted. Keys are drawn two ways:
//! *hot*, the same few hundred again and again, which the processor's caches hold whatever the graph's size, so that
//! the number of steps shows alone; and *uniform*, over the whole graph, where a larger graph also misses those caches
//! more often. The last columns are the last time over the first, to be held against the growth of the logarithm.

#![expect(clippy::print_stdout, reason = "a program for people to read")]

#[path = "growth/chart.rs"]
mod chart;
#[path = "growth/text.rs"]
mod text;

use std::time::Instant;

use graph_store::{
    GraphStore, LoadOptions, Options, Snapshot, Source, StoreError, TermId, normalise,
};
use oxrdf::Term;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const SMALLEST: usize = 40_000;
const LARGEST: usize = 160_000;
const HOT_KEYS: usize = 256;
const UNIFORM_KEYS: usize = 4_096;
/// Each times every key once; the first also reads the pages in.
const ROUNDS: usize = 48;

/// What is looked up, drawn beforehand so that drawing costs nothing while the clock runs.
struct Keys {
    triples: Vec<[TermId; 3]>,
    terms: Vec<Term>,
    labels: Vec<String>,
}

impl Keys {
    /// `count` keys spread over the whole graph.
    fn draw(graph: &Snapshot, quads: &[[TermId; 4]], count: usize) -> Outcome<Self> {
        let step = (quads.len() / count).max(1) | 1;
        let mut at: Vec<usize> = (0..count).map(|n| n * step % quads.len()).collect();
        // Neighbours in the graph must not be neighbours in time.
        at.sort_by_key(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 20);
        let triples: Vec<[TermId; 3]> = at
            .iter()
            .map(|n| [quads[*n][0], quads[*n][1], quads[*n][2]])
            .collect();
        let mut terms = Vec::new();
        let mut labels = Vec::new();
        for [subject, ..] in &triples {
            terms.push(graph.term(*subject)?);
            labels.push(normalise(&graph.label(*subject)?));
        }
        Ok(Self {
            triples,
            terms,
            labels,
        })
    }
}

/// One operation, for the key of that number.
type Operation = fn(&Snapshot, &Keys, usize) -> Result<(), StoreError>;

const OPERATIONS: [(&str, Operation); 7] = [
    ("contains", |graph, keys, n| {
        let [s, p, o] = keys.triples[n];
        graph.contains(s, p, o).map(drop)
    }),
    ("objects", |graph, keys, n| {
        let [s, p, _] = keys.triples[n];
        graph.objects(s, p, None, 10).map(drop)
    }),
    ("subjects", |graph, keys, n| {
        let [_, p, o] = keys.triples[n];
        graph.subjects(p, o, None, 10).map(drop)
    }),
    ("term of id", |graph, keys, n| {
        graph.term(keys.triples[n][2]).map(drop)
    }),
    ("id of term", |graph, keys, n| {
        graph.id(&keys.terms[n]).map(drop)
    }),
    ("label", |graph, keys, n| {
        graph.labels().exact(&keys.labels[n], 10).map(drop)
    }),
    ("star", |graph, keys, n| {
        graph.signature(keys.triples[n][0]).map(drop)
    }),
];

/// A graph with what is looked up in it.
struct Subject {
    statements: usize,
    snapshot: Snapshot,
    hot: Keys,
    uniform: Keys,
    _store: GraphStore,
    _directory: tempfile::TempDir,
}

impl Subject {
    fn load(statements: usize) -> Outcome<Self> {
        let directory = tempfile::tempdir()?;
        // No cache of nodes: the index itself is measured.
        let options = Options {
            cached_nodes: 0,
            ..Options::default()
        };
        let store = GraphStore::open_or_create(directory.path(), options)?;
        let source = Source::text("a.nt", text::text(statements));
        store.load(vec![source], &LoadOptions::default())?;
        let snapshot = store.snapshot()?;
        let quads: Vec<_> = snapshot.quads()?.collect::<Result<_, _>>()?;
        Ok(Self {
            statements,
            hot: Keys::draw(&snapshot, &quads, HOT_KEYS)?,
            uniform: Keys::draw(&snapshot, &quads, UNIFORM_KEYS)?,
            snapshot,
            _store: store,
            _directory: directory,
        })
    }

    /// Microseconds a call, each key looked up once; before that the first few hundred untimed, so that hot keys are hot.
    fn time(&self, keys: &Keys, operation: Operation) -> Result<f64, StoreError> {
        for n in 0..keys.triples.len().min(HOT_KEYS) {
            operation(&self.snapshot, keys, n)?;
        }
        let start = Instant::now();
        for n in 0..keys.triples.len() {
            operation(&self.snapshot, keys, n)?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6 / keys.triples.len() as f64)
    }
}

/// How an operation's time grows with the graph.
pub(crate) struct Curve {
    name: &'static str,
    /// Microseconds by size, keys from a few hundred.
    hot: Vec<f64>,
    /// Microseconds by size, keys from the whole graph.
    uniform: Vec<f64>,
}

fn fastest(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn measure(subjects: &[Subject]) -> Result<Vec<Curve>, StoreError> {
    let mut curves = Vec::new();
    for (name, operation) in OPERATIONS {
        let mut hot = vec![Vec::new(); subjects.len()];
        let mut uniform = vec![Vec::new(); subjects.len()];
        for _ in 0..ROUNDS {
            for (at, subject) in subjects.iter().enumerate() {
                hot[at].push(subject.time(&subject.hot, operation)?);
                uniform[at].push(subject.time(&subject.uniform, operation)?);
            }
        }
        curves.push(Curve {
            name,
            hot: hot.into_iter().map(fastest).collect(),
            uniform: uniform.into_iter().map(fastest).collect(),
        });
    }
    Ok(curves)
}

fn growth(times: &[f64]) -> f64 {
    match (times.first(), times.last()) {
        (Some(first), Some(last)) => last / first,
        _ => 1.0,
    }
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let largest: usize = arguments.next().map_or(Ok(LARGEST), |size| size.parse())?;
    let sizes: Vec<usize> = std::iter::successors(Some(SMALLEST), |size| Some(size * 2))
        .take_while(|size| *size <= largest.max(SMALLEST))
        .collect();
    let subjects: Vec<Subject> = sizes
        .iter()
        .map(|size| Subject::load(*size))
        .collect::<Result<_, _>>()?;
    let curves = measure(&subjects)?;
    let logarithm = |size: &usize| (*size as f64).ln();
    let logarithms: Vec<f64> = sizes.iter().map(logarithm).collect();
    let heads: String = subjects
        .iter()
        .map(|s| format!("{:>9}", s.statements))
        .collect();
    println!("{:<12}{:<9}{heads}   growth", "µs a call", "keys");
    for curve in &curves {
        for (keys, times) in [("hot", &curve.hot), ("uniform", &curve.uniform)] {
            let cells: String = times.iter().map(|time| format!("{time:>9.2}")).collect();
            println!("{:<12}{keys:<9}{cells}   x{:.2}", curve.name, growth(times));
        }
    }
    println!(
        "{:<21}{:>w$}   x{:.2}",
        "log n",
        "",
        growth(&logarithms),
        w = 9 * sizes.len()
    );
    if let Some(file) = arguments.next() {
        std::fs::write(file, chart::svg(&sizes, &curves))?;
    }
    Ok(())
}
