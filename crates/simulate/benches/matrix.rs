//! How long does the published matrix take? 8 methods, 3 seeds, 16 cells: 384 runs, 164,400 steps.
//!
//! Corpus: the published workloads, generated anew in each sample. Target: under 0.3 s on one core.

use std::sync::atomic::AtomicBool;

use divan::{Bencher, black_box};
use memory::PolicyName;
use simulate::{Contender, WorkloadKind};

fn main() {
    divan::main();
}

/// Rows and steps of the published matrix on one core.
fn published() -> usize {
    let contenders = vec![
        Contender::Member(PolicyName::Fifo),
        Contender::Member(PolicyName::Lru),
        Contender::Member(PolicyName::Lfu),
        Contender::Member(PolicyName::Arc),
        Contender::Member(PolicyName::SolarEReference),
        Contender::Member(PolicyName::SolarAReference),
        Contender::Member(PolicyName::SolarReference),
        Contender::Unlimited,
    ];
    [
        WorkloadKind::Cycling,
        WorkloadKind::WorkingSet,
        WorkloadKind::TopicDrift,
    ]
    .into_iter()
    .map(|kind| {
        let capacities = kind.published_capacities();
        let mut matrix = kind.matrix(&capacities, contenders.clone(), vec![42, 1337, 2024]);
        matrix.threads = 1;
        matrix.run(&AtomicBool::new(false), &|_| {}).len() * 3
    })
    .sum()
}

#[divan::bench(sample_size = 1, sample_count = 5)]
fn published_matrix_on_one_core(bencher: Bencher) {
    bencher.bench_local(|| assert_eq!(black_box(published()), 384));
}
