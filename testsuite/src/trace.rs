//! Which policy would have served a user's own history best, and how large a cache was needed?
//!
//! The journal's episodes are replayed as they came: each question is asked, then what it would have left behind is offered. A hit is
//! a retrieved experience with the very plan template that answered the question: it could have been bound and run again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use memory::{Event, Namespace};
use refrain::journal::{Journal, Position, RedbJournal, RedbOptions};
use simulate::{Cell, Contender, Matrix, Query, StreamStep, Vector, Workload};

use crate::progress::Progress;
use crate::simulation::{SimulationReport, all_contenders, run_matrix};

/// What is replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceOptions {
    /// The journal, its folder, or the folder above.
    pub journal: PathBuf,
    /// Whose history.
    pub namespace: Namespace,
    /// Who takes part; empty for everyone.
    pub contenders: Vec<Contender>,
    /// Places in the cache; empty for shares of what an unlimited one would hold.
    pub capacities: Vec<usize>,
    /// Seeds of the policies.
    pub seeds: Vec<u32>,
}

/// Shares of what an unlimited cache would hold, in percent.
const SHARES: [usize; 8] = [5, 10, 15, 25, 40, 60, 80, 100];

/// A history as numbers.
#[derive(Debug, Clone, Default)]
struct History {
    items: Vec<Vector>,
    questions: Vec<(Vector, Option<String>)>,
    by_template: BTreeMap<String, Vec<u32>>,
    stream: Vec<StreamStep>,
}

impl History {
    fn add(&mut self, episode: &memory::Episode) {
        let vector = episode.vector.as_slice().to_vec();
        let plan = episode.plan.as_ref();
        let template = plan.map(|plan| format!("{}\u{1f}{}", episode.domain, plan.template));
        let item = episode.candidate.as_ref().map(|_| {
            let place = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
            self.items.push(vector.clone());
            if let Some(template) = &template {
                self.by_template
                    .entry(template.clone())
                    .or_default()
                    .push(place);
            }
            place
        });
        self.stream.push(StreamStep {
            query: u32::try_from(self.questions.len()).ok(),
            item,
        });
        self.questions.push((vector, template));
    }

    fn workload(&self) -> Workload {
        let queries = self.questions.iter().map(|(vector, template)| Query {
            vector: vector.clone(),
            relevant: template
                .as_ref()
                .and_then(|template| self.by_template.get(template))
                .cloned()
                .unwrap_or_default(),
            topic: 0,
        });
        Workload::new(
            "trace",
            "journal".to_owned(),
            self.items.clone(),
            queries.collect(),
            self.stream.clone(),
        )
    }
}

/// The folder of the journal that `path` means.
fn folder(path: &Path) -> anyhow::Result<PathBuf> {
    const FILE: &str = "journal.redb";
    let parent = path.parent().map(Path::to_owned);
    let above = path.join("memory");
    let candidates = [Some(path.to_owned()), Some(above), parent];
    candidates
        .into_iter()
        .flatten()
        .find(|folder| folder.join(FILE).exists())
        .with_context(|| {
            format!(
                "there is no {FILE} in {}; name a directory that was asked questions",
                path.display()
            )
        })
}

fn history(options: &TraceOptions) -> anyhow::Result<History> {
    let folder = folder(&options.journal)?;
    let (journal, _) = RedbJournal::open(&folder, RedbOptions::default())?;
    let mut history = History::default();
    let mut others = BTreeSet::new();
    journal.read_after(Position(0), &mut |_, event| {
        if let Event::Episode { namespace, episode } = &event {
            if *namespace == options.namespace {
                history.add(episode);
            } else {
                others.insert(namespace.clone());
            }
        }
    })?;
    if history.items.is_empty() {
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        bail!(
            "{} holds nothing that could have been remembered in namespace \"{}\"; it holds {}",
            folder.display(),
            options.namespace,
            if others.is_empty() {
                "no question".to_owned()
            } else {
                format!("the namespaces {}", others.join(", "))
            }
        );
    }
    Ok(history)
}

/// Replays a journal under every policy.
///
/// # Errors
/// When there is no journal, another process has it, or it holds no question that left something behind.
pub fn replay(
    options: &TraceOptions,
    progress: &mut dyn Progress,
) -> anyhow::Result<SimulationReport> {
    let history = history(options)?;
    let mut capacities = options.capacities.clone();
    if capacities.is_empty() {
        let share = |percent: usize| (history.items.len() * percent).div_ceil(100).max(1);
        capacities = SHARES.map(share).to_vec();
        capacities.dedup();
    }
    let contenders = if options.contenders.is_empty() {
        all_contenders()
    } else {
        options.contenders.clone()
    };
    let cells = capacities.into_iter().map(|capacity| Cell {
        workload: "trace".to_owned(),
        variant: "journal".to_owned(),
        capacity,
        generator: 0,
    });
    let matrix = Matrix {
        cells: cells.collect(),
        generators: vec![Box::new(move |_| history.workload())],
        contenders,
        seeds: options.seeds.clone(),
        conditions: simulate::Conditions::default(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    Ok(run_matrix("trace", None, &matrix, progress))
}
