//! How many instructions does a look-up take? To be run under callgrind, which counts only [`counted`].
//!
//! Time depends on what else the machine does and on what its caches hold; instructions do not. For a graph of N
//! statements in a new directory D:
//!
//! ```text
//! cargo build --release -p graph-store --example work
//! target/release/examples/work D N                     # loads, once
//! valgrind --tool=callgrind --toggle-collect='work::counted*' target/release/examples/work D star
//! ```
//!
//! Divide "Collected" by 4,096. Without arguments it only shows that all of it runs. Operations: contains, objects, subjects, term, id, star. ARCHITECTURE.md has the figures.

#![expect(clippy::print_stdout, reason = "a program for people to read")]

#[path = "growth/text.rs"]
mod text;

use std::path::Path;

use graph_store::{GraphStore, LoadOptions, Options, Snapshot, Source, StoreError, TermId};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const CALLS: usize = 4_096;

fn look_up(
    graph: &Snapshot,
    operation: &str,
    [s, p, o]: [TermId; 3],
    term: &oxrdf::Term,
) -> Result<(), StoreError> {
    match operation {
        "contains" => graph.contains(s, p, o).map(drop),
        "objects" => graph.objects(s, p, None, 10).map(drop),
        "subjects" => graph.subjects(p, o, None, 10).map(drop),
        "term" => graph.term(o).map(drop),
        "id" => graph.id(term).map(drop),
        _ => graph.signature(s).map(drop),
    }
}

type Key = ([TermId; 3], oxrdf::Term);

/// What callgrind collects.
#[inline(never)]
fn counted(graph: &Snapshot, operation: &str, keys: &[Key]) -> Result<(), StoreError> {
    keys.iter()
        .try_for_each(|(triple, term)| look_up(graph, operation, *triple, term))
}

/// The same keys spread over the whole graph, read in before they are counted.
fn keys(graph: &Snapshot) -> Outcome<Vec<Key>> {
    let quads: Vec<[TermId; 4]> = graph.quads()?.collect::<Result<_, _>>()?;
    let step = (quads.len() / CALLS).max(1) | 1;
    let mut at: Vec<usize> = (0..CALLS).map(|n| n * step % quads.len()).collect();
    at.sort_by_key(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 20);
    at.iter()
        .map(|n| {
            let [s, p, o, _] = quads[*n];
            Ok(([s, p, o], graph.term(s)?))
        })
        .collect()
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next() else {
        let temporary = tempfile::tempdir()?;
        run(temporary.path(), "8000")?;
        return ["contains", "objects", "subjects", "term", "id", "star"]
            .iter()
            .try_for_each(|operation| run(temporary.path(), operation));
    };
    let what = arguments.next().unwrap_or_else(|| "star".to_owned());
    run(Path::new(&directory), &what)
}

/// Loads a number of statements, or carries an operation out.
fn run(directory: &Path, what: &str) -> Outcome<()> {
    // No cache of nodes: the index itself is measured.
    let options = Options {
        cached_nodes: 0,
        ..Options::default()
    };
    let store = GraphStore::open_or_create(directory, options)?;
    if let Ok(statements) = what.parse() {
        let source = Source::text("a.nt", text::text(statements));
        store.load(vec![source], &LoadOptions::default())?;
        return Ok(());
    }
    let graph = store.snapshot()?;
    let keys = keys(&graph)?;
    for (triple, term) in &keys {
        look_up(&graph, what, *triple, term)?;
    }
    counted(&graph, what, &keys)?;
    println!("{what}: {CALLS} calls");
    Ok(())
}
