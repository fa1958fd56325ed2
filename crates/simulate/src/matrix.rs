//! Which policy serves best, at which capacity, over several seeds? All runs, on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use memory::PolicyName;
use memory::replacement::Replacement;
use serde::Serialize;

use crate::conditions::Conditions;
use crate::runner::{Outcome, run};
use crate::workload::Workload;

/// Who is simulated: a member of the family, or a reference that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contender {
    /// A member.
    Member(PolicyName),
    /// Nothing ever leaves.
    Unlimited,
    /// What enters first stays, nothing else enters: the optimum on cycling.
    Freeze,
}

impl Contender {
    /// The name in tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member(name) => name.as_str(),
            Self::Unlimited => "unlimited",
            Self::Freeze => "freeze",
        }
    }
}

/// One cell: a kind of workload at a capacity, for any seed.
pub struct Cell {
    /// The kind, as a user types it.
    pub workload: String,
    /// What sets it apart.
    pub variant: String,
    /// Places in the cache.
    pub capacity: usize,
    /// Which of the generators it uses.
    pub generator: usize,
}

/// Makes a workload of a seed.
pub type Generate = Box<dyn Fn(u32) -> Workload + Send + Sync>;

/// What is to be run.
pub struct Matrix {
    /// Makers of workloads.
    pub generators: Vec<Generate>,
    /// Cells of the table.
    pub cells: Vec<Cell>,
    /// Who takes part.
    pub contenders: Vec<Contender>,
    /// Seeds of workload and policy.
    pub seeds: Vec<u32>,
    /// What lies between outcome and policy.
    pub conditions: Conditions,
    /// Threads at most.
    pub threads: usize,
}

/// One row: a policy in a cell, over all seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The kind of workload.
    pub workload: String,
    /// What sets it apart.
    pub variant: String,
    /// Places in the cache.
    pub capacity: usize,
    /// The policy.
    pub policy: &'static str,
    /// How many seeds were run.
    pub seeds: usize,
    /// Mean share of questions with a hit, in [0, 1].
    pub hit_rate: f64,
    /// Its standard deviation over the seeds (population).
    pub hit_rate_sd: f64,
    /// Mean share of retrieved items that are relevant, in [0, 1].
    pub precision: f64,
    /// Mean share of offers that entered, in [0, 1].
    pub modification_rate: f64,
    /// Nanoseconds for a step, retrieval included.
    pub step_ns: f64,
    /// Mean share of hits in each twentieth of the stream.
    pub course: Vec<f64>,
}

/// Parts of a course.
pub const COURSE: usize = 20;

struct Measured {
    outcome: Outcome,
    nanos: f64,
}

impl Matrix {
    /// Runs all there is. `done` hears how many runs are behind us; once `stop` is set no further run begins, and only cells
    /// that are complete are reported.
    pub fn run(&self, stop: &AtomicBool, done: &(dyn Fn(usize) + Sync)) -> Vec<Row> {
        let finished = AtomicUsize::new(0);
        let mut rows = Vec::new();
        for (generator, make) in self.generators.iter().enumerate() {
            let workloads: Vec<Workload> = self.seeds.iter().map(|seed| make(*seed)).collect();
            let jobs: Vec<(usize, usize)> = (0..self.cells.len())
                .filter(|cell| self.cells[*cell].generator == generator)
                .flat_map(|cell| (0..self.contenders.len()).map(move |who| (cell, who)))
                .collect();
            let results = Mutex::new(vec![None; jobs.len()]);
            let next = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..self.threads.max(1) {
                    scope.spawn(|| {
                        while let Some((cell, who)) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
                        {
                            if stop.load(Ordering::Relaxed) {
                                return;
                            }
                            let row = self.row(*cell, *who, &workloads, &|| {
                                done(finished.fetch_add(1, Ordering::Relaxed) + 1);
                            });
                            let at = cell_place(&jobs, *cell, *who);
                            if let Ok(mut results) = results.lock() {
                                results[at] = Some(row);
                            }
                        }
                    });
                }
            });
            rows.extend(results.into_inner().into_iter().flatten().flatten());
        }
        rows
    }

    /// Runs there will be.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.cells.len() * self.contenders.len() * self.seeds.len()
    }

    fn row(&self, cell: usize, who: usize, workloads: &[Workload], done: &dyn Fn()) -> Row {
        let cell = &self.cells[cell];
        let contender = self.contenders[who];
        let runs: Vec<Measured> = workloads
            .iter()
            .zip(&self.seeds)
            .map(|(workload, seed)| {
                let measured = self.measure(cell.capacity, contender, workload, *seed);
                done();
                measured
            })
            .collect();
        let rates: Vec<f64> = runs.iter().map(|run| run.outcome.hit_rate()).collect();
        let hit_rate = mean(&rates);
        let squares: Vec<f64> = rates.iter().map(|rate| (rate - hit_rate).powi(2)).collect();
        let over = |value: fn(&Outcome) -> f64| {
            mean(
                &runs
                    .iter()
                    .map(|run| value(&run.outcome))
                    .collect::<Vec<_>>(),
            )
        };
        Row {
            workload: cell.workload.clone(),
            variant: cell.variant.clone(),
            capacity: cell.capacity,
            policy: contender.as_str(),
            seeds: runs.len(),
            hit_rate,
            hit_rate_sd: mean(&squares).sqrt(),
            precision: over(Outcome::precision),
            modification_rate: over(Outcome::modification_rate),
            step_ns: mean(&runs.iter().map(|run| run.nanos).collect::<Vec<_>>()),
            course: course(&runs),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "nanoseconds of a run are below 2^52"
    )]
    fn measure(
        &self,
        capacity: usize,
        contender: Contender,
        workload: &Workload,
        seed: u32,
    ) -> Measured {
        let everything = workload.items.len();
        let (policy, capacity) = match contender {
            Contender::Member(name) => (Replacement::new(name, capacity), capacity),
            Contender::Unlimited => (Replacement::new(PolicyName::Fifo, everything), everything),
            Contender::Freeze => (Replacement::frozen(), capacity),
        };
        let begun = Instant::now();
        let outcome = run(workload, policy, capacity, u64::from(seed), self.conditions);
        let steps = workload.stream.len() + workload.prefill.len();
        Measured {
            outcome,
            nanos: begun.elapsed().as_nanos() as f64 / steps.max(1) as f64,
        }
    }
}

fn cell_place(jobs: &[(usize, usize)], cell: usize, who: usize) -> usize {
    jobs.iter()
        .position(|job| *job == (cell, who))
        .unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "a few seeds")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn course(runs: &[Measured]) -> Vec<f64> {
    (0..COURSE)
        .map(|part| {
            let shares: Vec<f64> = runs
                .iter()
                .map(|run| {
                    let hits = &run.outcome.hits;
                    let piece = &hits[hits.len() * part / COURSE..hits.len() * (part + 1) / COURSE];
                    crate::runner::share(piece.iter().filter(|hit| **hit).count(), piece.len())
                })
                .collect();
            mean(&shares)
        })
        .collect()
}
