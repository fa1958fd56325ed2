//! Are the generated workloads the published ones? Needs the published datasets of seed 42: set `REFRAIN_SOLAR_DATASETS` to their
//! folder. Without it this says that it is skipped.

use std::path::{Path, PathBuf};

use memory::PolicyName;
use memory::replacement::Replacement;
use simulate::{Conditions, Cycling, TopicDrift, WorkingSet, Workload, dataset, run};

/// With and without a folder for the seed.
fn folder(root: &Path, relative: &str) -> PathBuf {
    let seeded = root.join(relative).join("seed42");
    if seeded.exists() {
        seeded
    } else {
        root.join(relative)
    }
}

fn same(generated: &Workload, shipped: &Workload) {
    let name = format!("{} {}", generated.name, generated.variant);
    assert_eq!(generated.stream, shipped.stream, "{name}");
    assert_eq!(generated.items.len(), shipped.items.len(), "{name}");
    let apart = |a: &[f32], b: &[f32]| {
        a.iter()
            .zip(b)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f32::max)
    };
    for (a, b) in generated.items.iter().zip(&shipped.items) {
        assert!(apart(a, b) < 1e-6, "{name}");
    }
    for (a, b) in generated.queries.iter().zip(&shipped.queries) {
        assert!(apart(&a.vector, &b.vector) < 1e-6, "{name}");
        assert_eq!((a.topic, &a.relevant), (b.topic, &b.relevant), "{name}");
    }
}

#[test]
fn generated_workloads_are_the_published_ones() {
    let Some(root) = std::env::var_os("REFRAIN_SOLAR_DATASETS").map(PathBuf::from) else {
        eprintln!("skipped: REFRAIN_SOLAR_DATASETS names no folder with the published datasets");
        return;
    };
    let mut pairs: Vec<(Workload, String, &str)> = [10, 15, 20, 30, 50]
        .map(|m| {
            (
                Cycling::published(m).generate(42),
                format!("cycling/m{m}"),
                "cycling",
            )
        })
        .into();
    let set = WorkingSet::published().generate(42);
    pairs.push((set, "working_set/distuniform".to_owned(), "working-set"));
    let drift = TopicDrift::published().generate(42);
    pairs.push((drift, "topic_drift/plen100".to_owned(), "topic-drift"));
    for (generated, relative, name) in pairs {
        let shipped = dataset::load(&folder(&root, &relative), name, &relative).unwrap();
        same(&generated, &shipped);
        for policy in PolicyName::ALL {
            let hits = |workload| {
                let policy = Replacement::new(policy, 10);
                run(workload, policy, 10, 42, Conditions::default()).hits
            };
            assert_eq!(
                hits(&generated),
                hits(&shipped),
                "{relative} {}",
                policy.as_str()
            );
        }
    }
    let pool = "retrieval_noise_static/K1000_intra0.15_inter0.30";
    let pool = dataset::load(&folder(&root, pool), "noise-static", "pool1000").unwrap();
    let fifo = run(
        &pool,
        Replacement::new(PolicyName::Fifo, 1000),
        1000,
        42,
        Conditions::default(),
    );
    println!("static pool of 1000: {:.4}", fifo.hit_rate());
    assert!(
        (fifo.hit_rate() - 0.213).abs() < 5e-4,
        "the reference hits 0.213"
    );
}
