//! Do look-ups stay logarithmic? Prints the time of each operation on graphs from 40,000 to 1.28 million statements.
//!
//! `cargo run --release -p graph-store --example growth`. The last column is the last time over the first; the graph
//! has grown by 32, its logarithm by 1.5.

#![expect(clippy::print_stdout, reason = "a program for people to read")]

use std::fmt::Write as _;
use std::time::Instant;

use graph_store::{GraphStore, LoadOptions, Options, Snapshot, Source, TermId, normalise};
use oxrdf::NamedNode;

const OPERATIONS: [&str; 8] = [
    "contains",
    "objects",
    "subjects",
    "term",
    "id",
    "label exact",
    "star (signature)",
    "hub (signature)",
];
const ROUNDS: usize = 20_000;

/// A quarter of the statements go to one hub; each thing has eight.
fn text(statements: usize) -> String {
    let things = statements / 8;
    let mut text = String::with_capacity(statements * 64);
    for n in 0..things {
        let _ = writeln!(
            text,
            "<urn:t{n}> <http://www.w3.org/2000/01/rdf-schema#label> \"thing number {n}\" ."
        );
        for link in 0..7 {
            let target = if link < 2 {
                0
            } else {
                (n * 31 + link * 7_919 + 1) % things
            };
            let _ = writeln!(text, "<urn:t{n}> <urn:link{link}> <urn:t{target}> .");
        }
    }
    text
}

/// Processor time of this thread, so that a busy machine does not show; wall time where there is no such file.
fn nanoseconds(start: Instant) -> u128 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| start.elapsed().as_nanos())
}

fn times(graph: &Snapshot) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let quads: Vec<_> = graph.quads()?.collect::<Result<_, _>>()?;
    let at = |n: usize| quads[(n * 104_729) % quads.len()];
    let terms: Vec<_> = (0..ROUNDS)
        .map(|n| graph.term(at(n)[0]))
        .collect::<Result<_, _>>()?;
    let labels: Vec<_> = (0..ROUNDS)
        .map(|n| graph.label(at(n)[0]).map(|l| normalise(&l)))
        .collect::<Result<_, _>>()?;
    let hub = graph
        .id(NamedNode::new("urn:t0")?.as_ref())?
        .unwrap_or(TermId(1));
    let mut all = Vec::new();
    let start = Instant::now();
    let mut time = |f: &mut dyn FnMut(usize) -> Result<(), graph_store::StoreError>| {
        for n in 0..ROUNDS / 4 {
            f(n)?;
        }
        let before = nanoseconds(start);
        for n in 0..ROUNDS {
            f(n)?;
        }
        all.push((nanoseconds(start) - before) as f64 / ROUNDS as f64 / 1e3);
        Ok::<(), graph_store::StoreError>(())
    };
    time(&mut |n| graph.contains(at(n)[0], at(n)[1], at(n)[2]).map(drop))?;
    time(&mut |n| graph.objects(at(n)[0], at(n)[1], None, 10).map(drop))?;
    time(&mut |n| graph.subjects(at(n)[1], at(n)[2], None, 10).map(drop))?;
    time(&mut |n| graph.term(at(n)[2]).map(drop))?;
    time(&mut |n| graph.id(&terms[n]).map(drop))?;
    time(&mut |n| graph.labels().exact(&labels[n], 10).map(drop))?;
    time(&mut |n| graph.signature(at(n)[0]).map(drop))?;
    time(&mut |_| graph.signature(hub).map(drop))?;
    Ok(all)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sizes: Vec<usize> = (0..6).map(|n| 40_000 << n).collect();
    let mut columns = Vec::new();
    for size in &sizes {
        let directory = tempfile::tempdir()?;
        // No cache of nodes: the index itself is measured.
        let options = Options {
            cached_nodes: 0,
            ..Options::default()
        };
        let store = GraphStore::open_or_create(directory.path(), options)?;
        store.load(
            vec![Source::text("a.nt", text(*size))],
            &LoadOptions::default(),
        )?;
        columns.push(times(&store.snapshot()?)?);
    }
    println!(
        "{:<18}{}   growth",
        "µs",
        sizes.iter().map(|s| format!("{s:>9}")).collect::<String>()
    );
    for (row, name) in OPERATIONS.iter().enumerate() {
        let cells: String = columns.iter().map(|c| format!("{:>9.2}", c[row])).collect();
        let (first, last) = (columns[0][row], columns[columns.len() - 1][row]);
        println!("{name:<18}{cells}   x{:.2}", last / first);
    }
    Ok(())
}
