//! How fast is a store on given files? Loads them and times the common operations.
//!
//! `cargo run --release -p graph-store --example probe -- FILE...`. Look-ups are in processor time of the thread (wall
//! time where the system does not tell), so that a busy machine does not show. The cache of nodes is on: "again" is
//! answered from it where there is one.

#![expect(clippy::print_stdout, reason = "a program for people to read")]

use std::time::Instant;

use graph_store::{
    GraphStore, LoadOptions, Options, QueryLimits, Snapshot, Source, StoreError, normalise,
};

const ROUNDS: usize = 20_000;

fn thread_nanoseconds(start: Instant) -> u128 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| start.elapsed().as_nanos())
}

/// Processor seconds of all threads of this process so far, in the system's hundredths.
fn process_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split(' ').collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(12) + ticks(13)) / 100.0
}

fn time(
    name: &str,
    rounds: usize,
    f: &mut dyn FnMut(usize) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let start = Instant::now();
    for pass in ["first", "again"] {
        let before = thread_nanoseconds(start);
        let mut hits = 0;
        for n in 0..rounds {
            hits += usize::from(f((n * 7_919) % rounds)?);
        }
        let micros = (thread_nanoseconds(start) - before) as f64 / rounds as f64 / 1e3;
        println!("{name:<10} {pass} {micros:>8.2} µs, {hits} of {rounds} found");
    }
    Ok(())
}

fn look_ups(graph: &Snapshot) -> Result<(), StoreError> {
    let step = usize::try_from(graph.len()).unwrap_or(usize::MAX) / ROUNDS + 1;
    let quads: Vec<_> = graph.quads()?.step_by(step).collect::<Result<_, _>>()?;
    let n = quads.len();
    time("contains", n, &mut |at| {
        graph.contains(quads[at][0], quads[at][1], quads[at][2])
    })?;
    time("objects", n, &mut |at| {
        Ok(!graph
            .objects(quads[at][0], quads[at][1], None, 10)?
            .ids
            .is_empty())
    })?;
    time("subjects", n, &mut |at| {
        Ok(!graph
            .subjects(quads[at][1], quads[at][2], None, 10)?
            .ids
            .is_empty())
    })?;
    time("signature", n, &mut |at| {
        Ok(!graph.signature(quads[at][0])?.is_empty())
    })?;
    time("term", n, &mut |at| graph.term(quads[at][2]).map(|_| true))?;
    let terms: Vec<_> = quads
        .iter()
        .map(|q| graph.term(q[2]))
        .collect::<Result<_, _>>()?;
    time("id", n, &mut |at| Ok(graph.id(&terms[at])?.is_some()))?;
    time("label", n, &mut |at| {
        Ok(!graph.label(quads[at][0])?.is_empty())
    })?;
    let labels: Vec<String> = quads
        .iter()
        .map(|q| graph.label(q[0]).map(|label| normalise(&label)))
        .collect::<Result<_, _>>()?;
    let index = graph.labels();
    time("exact", n, &mut |at| {
        Ok(!index.exact(&labels[at], 10)?.is_empty())
    })?;
    let wrong: Vec<String> = labels.iter().map(|l| format!("{l} no")).collect();
    time("exact, no", n, &mut |at| {
        Ok(!index.exact(&wrong[at], 10)?.is_empty())
    })?;
    let typos: Vec<String> = labels.iter().map(|l| without_one_letter(l)).collect();
    time("fuzzy", n / 20, &mut |at| {
        Ok(!index.fuzzy(&typos[at], 10)?.is_empty())
    })?;
    let starts: Vec<String> = labels.iter().map(|l| l.chars().take(5).collect()).collect();
    time("prefix", n / 20, &mut |at| {
        Ok(!index.prefix(&starts[at], 10)?.is_empty())
    })
}

fn without_one_letter(label: &str) -> String {
    let gone = label.chars().count() / 2;
    let kept = label.chars().enumerate().filter(|(at, _)| *at != gone);
    kept.map(|(_, letter)| letter).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        // Without files there is nothing to measure.
        return Ok(());
    }
    let directory = tempfile::tempdir()?;
    let store = GraphStore::open_or_create(directory.path(), Options::default())?;
    let started = Instant::now();
    let report = store.load(
        files.into_iter().map(Source::path).collect(),
        &LoadOptions::default(),
    )?;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), process_seconds());
    let rate = |seconds: f64| report.statements_read as f64 / seconds;
    println!(
        "load       {} statements, {} new",
        report.statements_read, report.statements_added
    );
    println!("           {wall:.2} s, {:.0} a second", rate(wall));
    println!(
        "           {cpu:.2} s of processor time, {:.0} a second",
        rate(cpu)
    );
    println!("           {} MiB on disk", store.file_bytes()? >> 20);
    drop(store);
    let started = Instant::now();
    let store = GraphStore::open(directory.path(), Options::default())?;
    let graph = store.snapshot()?;
    println!("open       {:?}", started.elapsed());
    look_ups(&graph)?;
    let predicate = graph.term(graph.predicates()?[0].predicate)?;
    let query = format!("SELECT (COUNT(*) AS ?n) {{ ?s {predicate} ?o }}");
    let started = Instant::now();
    let result = graph.query(&query, &QueryLimits::default());
    println!("count      {:?}: {result:?}", started.elapsed());
    let started = Instant::now();
    println!(
        "verify     {:?} problems in {:?}",
        graph.verify().len(),
        started.elapsed()
    );
    Ok(())
}
