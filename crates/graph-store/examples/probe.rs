//! How fast is a store on a given file? Loads it and times the common operations.
//!
//! `cargo run --release -p graph-store --example probe -- FILE...`

use std::time::Instant;

use graph_store::{GraphStore, LoadOptions, Options, QueryLimits, Source, normalise};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let directory = tempfile::tempdir()?;
    let started = Instant::now();
    let store = GraphStore::open_or_create(directory.path(), Options::default())?;
    let report = store.load(
        files.into_iter().map(Source::path).collect(),
        &LoadOptions::default(),
    )?;
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "load       {report:?}\n           {seconds:.2} s, {:.0} statements/s, {} MiB",
        report.statements_read as f64 / seconds,
        store.file_bytes()? >> 20
    );
    drop(store);
    let started = Instant::now();
    let store = GraphStore::open(directory.path(), Options::default())?;
    let graph = store.snapshot()?;
    println!("open       {:?}", started.elapsed());
    println!(
        "predicates {:?}",
        graph
            .predicates()?
            .iter()
            .map(|p| (graph.label(p.predicate).unwrap_or_default(), p.statements))
            .take(8)
            .collect::<Vec<_>>()
    );

    let quads: Vec<_> = graph
        .quads()?
        .step_by((graph.len() / 20_000 + 1) as usize)
        .collect::<Result<_, _>>()?;
    let time = |name: &str, f: &mut dyn FnMut(usize)| {
        for round in ["cold", "warm"] {
            let started = Instant::now();
            for at in 0..quads.len() {
                f((at * 7919) % quads.len());
            }
            println!(
                "{name:<10} {round} {:.2} µs",
                started.elapsed().as_secs_f64() * 1e6 / quads.len() as f64
            );
        }
    };
    time("contains", &mut |at| {
        assert!(
            graph
                .contains(quads[at][0], quads[at][1], quads[at][2])
                .unwrap()
        )
    });
    time("objects", &mut |at| {
        assert!(
            !graph
                .objects(quads[at][0], quads[at][1], None, 10)
                .unwrap()
                .ids
                .is_empty()
        )
    });
    time("subjects", &mut |at| {
        assert!(
            !graph
                .subjects(quads[at][1], quads[at][2], None, 10)
                .unwrap()
                .ids
                .is_empty()
        )
    });
    time("signature", &mut |at| {
        assert!(!graph.signature(quads[at][0]).unwrap().is_empty())
    });
    time("term", &mut |at| drop(graph.term(quads[at][2]).unwrap()));
    let terms: Vec<_> = quads.iter().map(|q| graph.term(q[2]).unwrap()).collect();
    time("id", &mut |at| {
        assert!(graph.id(&terms[at]).unwrap().is_some())
    });
    time("label", &mut |at| drop(graph.label(quads[at][0]).unwrap()));
    let labels: Vec<_> = quads
        .iter()
        .map(|q| normalise(&graph.label(q[0]).unwrap()))
        .collect();
    time("exact", &mut |at| {
        assert!(!graph.labels().exact(&labels[at], 10).unwrap().is_empty())
    });
    let wrong: Vec<_> = labels.iter().map(|l| format!("{l} not there")).collect();
    time("exact no", &mut |at| {
        assert!(graph.labels().exact(&wrong[at], 10).unwrap().is_empty())
    });
    let typos: Vec<_> = labels
        .iter()
        .map(|l| {
            l.chars()
                .enumerate()
                .filter(|(i, _)| *i != l.chars().count() / 2)
                .map(|(_, c)| c)
                .collect::<String>()
        })
        .collect();
    let mut found = 0;
    time("fuzzy", &mut |at| {
        if at % 20 == 0 {
            found += usize::from(!graph.labels().fuzzy(&typos[at], 10).unwrap().is_empty())
        }
    });
    println!("           (time x 20) found {found}");
    time("prefix", &mut |at| {
        if at % 20 == 0 {
            drop(
                graph
                    .labels()
                    .prefix(
                        &labels[at][..labels[at].chars().next().unwrap().len_utf8()],
                        10,
                    )
                    .unwrap(),
            )
        }
    });
    let predicate = graph.term(graph.predicates()?[0].predicate)?;
    let query = format!("SELECT (COUNT(*) AS ?n) WHERE {{ ?s {predicate} ?o }}");
    let started = Instant::now();
    let result = graph.query(&query, &QueryLimits::default());
    println!("count      {:?} {result:?}", started.elapsed());
    Ok(())
}
