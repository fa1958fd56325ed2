//! Which workloads are there, as a user types them, and at which capacities are they run?

use memory::PolicyName;

use crate::conditions::Conditions;
use crate::generate::{Cycling, TopicDrift, WorkingSet};
use crate::matrix::{Cell, Contender, Generate, Matrix};
use crate::noise::{NoisePaired, NoiseStatic, NoiseStream, Pool};

/// A kind of workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkloadKind {
    /// Topics in turn (table 8).
    Cycling,
    /// Topics at random (table 9).
    WorkingSet,
    /// A window of topics that moves.
    TopicDrift,
    /// A pool that stays (table 10).
    NoiseStatic,
    /// All items stream, then the questions (table 11).
    NoiseStream,
    /// The valid noise test: questions with a target, near-duplicates.
    NoisePaired,
}

impl WorkloadKind {
    /// All, in the order of the paper's tables.
    pub const ALL: [Self; 6] = [
        Self::Cycling,
        Self::WorkingSet,
        Self::TopicDrift,
        Self::NoiseStatic,
        Self::NoiseStream,
        Self::NoisePaired,
    ];

    /// The name a user types.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cycling => "cycling",
            Self::WorkingSet => "working-set",
            Self::TopicDrift => "topic-drift",
            Self::NoiseStatic => "noise-static",
            Self::NoiseStream => "noise-stream",
            Self::NoisePaired => "noise-paired",
        }
    }

    /// The kind of that name, if there is one.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Capacities of the published table.
    #[must_use]
    pub fn published_capacities(self) -> Vec<usize> {
        match self {
            Self::Cycling => vec![10],
            Self::WorkingSet => vec![5, 10, 15, 20, 30, 50, 75, 100, 150, 200],
            Self::TopicDrift => vec![20],
            Self::NoiseStatic | Self::NoiseStream | Self::NoisePaired => {
                vec![10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
            }
        }
    }

    /// Who takes part if nobody is named. In a static pool nothing ever changes, so one is enough.
    #[must_use]
    pub fn usual_contenders(self) -> Vec<Contender> {
        match self {
            Self::NoiseStatic => vec![Contender::Unlimited],
            Self::Cycling
            | Self::WorkingSet
            | Self::TopicDrift
            | Self::NoiseStream
            | Self::NoisePaired => {
                let members = PolicyName::ALL.into_iter().map(Contender::Member);
                members
                    .chain([Contender::Freeze, Contender::Unlimited])
                    .collect()
            }
        }
    }

    /// The whole table.
    #[must_use]
    pub fn matrix(
        self,
        capacities: &[usize],
        contenders: Vec<Contender>,
        seeds: Vec<u32>,
    ) -> Matrix {
        let (generators, cells) = self.cells(capacities);
        Matrix {
            generators,
            cells,
            contenders,
            seeds,
            conditions: Conditions::default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    fn cells(self, capacities: &[usize]) -> (Vec<Generate>, Vec<Cell>) {
        let single = |variant: &str, generate: Generate| {
            let cells = capacities
                .iter()
                .map(|capacity| self.cell(variant, *capacity, 0));
            (vec![generate], cells.collect::<Vec<_>>())
        };
        match self {
            Self::Cycling => {
                let topics = [10, 15, 20, 30, 50];
                let generators = topics.map(|m| -> Generate {
                    Box::new(move |seed| Cycling::published(m).generate(seed))
                });
                let cells = topics.iter().enumerate().flat_map(|(at, m)| {
                    let variant = format!("m{m}");
                    let cell = move |k: &usize| self.cell(&variant, *k, at);
                    capacities.iter().map(cell).collect::<Vec<_>>()
                });
                (generators.into(), cells.collect())
            }
            Self::WorkingSet => single(
                "uniform",
                Box::new(|seed| WorkingSet::published().generate(seed)),
            ),
            Self::TopicDrift => single(
                "plen100",
                Box::new(|seed| TopicDrift::published().generate(seed)),
            ),
            Self::NoiseStatic => static_pools(capacities),
            Self::NoiseStream => single("published", Box::new(|seed| NoiseStream.generate(seed))),
            Self::NoisePaired => single("families", Box::new(|seed| NoisePaired.generate(seed))),
        }
    }

    fn cell(self, variant: &str, capacity: usize, generator: usize) -> Cell {
        Cell {
            workload: self.as_str().to_owned(),
            variant: variant.to_owned(),
            capacity,
            generator,
        }
    }
}

/// Each size of pool is a workload of its own, drawn as published and as described.
fn static_pools(capacities: &[usize]) -> (Vec<Generate>, Vec<Cell>) {
    let (mut generators, mut cells): (Vec<Generate>, Vec<Cell>) = (Vec::new(), Vec::new());
    for (from, variant) in [
        (Pool::RelevantFirst, "relevant-first"),
        (Pool::Uniform, "uniform"),
    ] {
        for pool in capacities.iter().copied() {
            cells.push(WorkloadKind::NoiseStatic.cell(variant, pool, generators.len()));
            generators.push(Box::new(move |seed| {
                NoiseStatic { pool, from }.generate(seed)
            }));
        }
    }
    (generators, cells)
}
