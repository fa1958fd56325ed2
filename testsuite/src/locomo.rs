//! What should a memory of a long conversation have kept? LoCoMo by policy and capacity, without a language model.
//!
//! The protocols are `simulate::locomo`'s. The embedder is the built-in one.

mod words;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Context;
use language_model::{Embedder, StaticEmbedder};
use memory::PolicyName;
use memory::replacement::Replacement;
use serde::Serialize;
use simulate::locomo::EmbeddedConversation;
use simulate::{Conditions, Contender, Vector, Workload, run_observed};

use crate::progress::Progress;

/// What `refrain eval locomo` is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocomoOptions {
    /// The data folder, with `dev/locomo`.
    pub data: PathBuf,
    /// Seeds of orders and policies.
    pub seeds: Vec<u32>,
    /// Places in the cache.
    pub capacities: Vec<usize>,
}

impl LocomoOptions {
    /// The published seeds, at the capacities of SOLAR's tables and 200.
    pub fn new(data: &Path) -> Self {
        Self {
            data: data.to_owned(),
            seeds: vec![42, 1337, 2024],
            capacities: vec![10, 20, 50, 100, 200],
        }
    }
}

/// One policy at one capacity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LocomoRow {
    /// `p1`, `p2` or `p3`.
    pub protocol: &'static str,
    /// The policy.
    pub policy: &'static str,
    /// Places in the cache.
    pub capacity: usize,
    /// Scored questions, over all conversations and seeds.
    pub questions: usize,
    /// Share of questions with a hit; in `p3` the mean F1 of words. In [0, 1].
    pub score: f64,
}

/// What the conversations found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LocomoReport {
    /// How many conversations.
    pub conversations: usize,
    /// One row a protocol, policy and capacity.
    pub rows: Vec<LocomoRow>,
    /// True when it was stopped: what was finished is reported.
    pub interrupted: bool,
}

/// Runs P1, P2 and P3.
///
/// # Errors
/// When LoCoMo is not in the data folder, or the embedder fails.
pub fn locomo(
    options: &LocomoOptions,
    progress: &mut dyn Progress,
) -> anyhow::Result<LocomoReport> {
    let conversations = simulate::locomo::load(&options.data.join("dev").join("locomo"))?;
    progress.begin("embedding", conversations.len());
    let embedder = StaticEmbedder::builtin();
    let embedded = conversations
        .into_iter()
        .zip(1..)
        .map(|(conversation, done)| {
            let embedded = embed(&embedder, conversation);
            progress.advance(done, "");
            embedded
        })
        .collect::<anyhow::Result<Vec<EmbeddedConversation>>>()?;
    progress.finish();
    let streams = streams(&embedded, &options.seeds);
    let jobs = jobs(&options.capacities);
    let stop = Arc::new(AtomicBool::new(false));
    let rows = run_all(&streams, &jobs, &stop, progress);
    Ok(LocomoReport {
        conversations: embedded.len(),
        rows,
        interrupted: stop.load(Ordering::Relaxed),
    })
}

fn embed(
    embedder: &StaticEmbedder,
    conversation: simulate::locomo::Conversation,
) -> anyhow::Result<EmbeddedConversation> {
    let failure = Mutex::new(None);
    let vectors = |texts: &[&str]| -> Vec<Vector> {
        match embedder.embed(texts) {
            Ok(vectors) => vectors.iter().map(|v| v.as_slice().to_vec()).collect(),
            Err(error) => {
                if let Ok(mut slot) = failure.lock() {
                    *slot = Some(error);
                }
                vec![Vec::new(); texts.len()]
            }
        }
    };
    let embedded = EmbeddedConversation::new(conversation, &vectors);
    match failure.into_inner() {
        Ok(Some(error)) => Err(error).context("cannot embed a conversation"),
        Ok(None) | Err(_) => Ok(embedded),
    }
}

struct Stream<'c> {
    seed: u32,
    conversation: &'c EmbeddedConversation,
    answered: Workload,
    turns: Workload,
}

fn streams<'c>(conversations: &'c [EmbeddedConversation], seeds: &[u32]) -> Vec<Stream<'c>> {
    let seeded = |seed: &u32| {
        let seed = *seed;
        conversations.iter().map(move |conversation| Stream {
            seed,
            conversation,
            answered: conversation.answered_questions(u64::from(seed)),
            turns: conversation.turns(u64::from(seed)),
        })
    };
    seeds.iter().flat_map(seeded).collect()
}

/// Every member at every capacity, and the unlimited store.
fn jobs(capacities: &[usize]) -> Vec<(Contender, usize)> {
    let members = PolicyName::ALL.into_iter().map(Contender::Member);
    members
        .flat_map(|who| capacities.iter().map(move |capacity| (who, *capacity)))
        .chain([(Contender::Unlimited, usize::MAX)])
        .collect()
}

fn run_all(
    streams: &[Stream<'_>],
    jobs: &[(Contender, usize)],
    stop: &AtomicBool,
    progress: &mut dyn Progress,
) -> Vec<LocomoRow> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let (tell, hear) = std::sync::mpsc::channel();
    progress.begin("simulating", jobs.len());
    let mut found: Vec<(usize, [LocomoRow; 3])> = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let tell = tell.clone();
            let next = &next;
            scope.spawn(move || {
                while let Some(job) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(at).map(|job| (at, *job))
                } {
                    let rows = rows(streams, job.1.0, job.1.1);
                    if stop.load(Ordering::Relaxed) || tell.send((job.0, rows)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(tell);
        for rows in hear {
            found.push(rows);
            progress.advance(found.len(), "");
            if progress.stopped() {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    progress.finish();
    found.sort_by_key(|(at, _)| *at);
    let mut rows: Vec<LocomoRow> = found.into_iter().flat_map(|(_, rows)| rows).collect();
    rows.sort_by_key(|row| row.protocol);
    rows
}

#[derive(Default)]
struct Sum {
    questions: usize,
    score: f64,
}

impl Sum {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand questions")]
    fn row(self, protocol: &'static str, who: Contender, capacity: usize) -> LocomoRow {
        LocomoRow {
            protocol,
            policy: who.as_str(),
            capacity,
            questions: self.questions,
            score: self.score / self.questions.max(1) as f64,
        }
    }

    fn hits(&mut self, hits: &[bool]) {
        self.questions += hits.len();
        self.score += hits
            .iter()
            .map(|hit| f64::from(u8::from(*hit)))
            .sum::<f64>();
    }
}

fn rows(streams: &[Stream<'_>], who: Contender, capacity: usize) -> [LocomoRow; 3] {
    let mut sums: [Sum; 3] = Default::default();
    for stream in streams {
        let run = |workload: &Workload, scorer: &mut dyn FnMut(u32, &[u32])| {
            let places = capacity.min(workload.items.len());
            let policy = match who {
                Contender::Member(name) => Replacement::new(name, places),
                Contender::Freeze => Replacement::frozen(),
                Contender::Unlimited => Replacement::new(PolicyName::Fifo, places),
            };
            let seed = u64::from(stream.seed);
            let mut observer = |query: u32, found: &[u32]| scorer(query, found);
            run_observed(
                workload,
                policy,
                places,
                seed,
                Conditions::default(),
                &mut observer,
            )
            .hits
        };
        sums[0].hits(&run(&stream.answered, &mut |_, _| {}));
        let conversation = &stream.conversation.conversation;
        let mut score = 0.0;
        let hits = run(&stream.turns, &mut |query, found| {
            let asked = stream.turns.queries[query as usize].topic;
            let turns = found
                .iter()
                .map(|turn| conversation.turns[*turn as usize].text.as_str());
            score += words::best_sentence(&conversation.questions[asked as usize], turns);
        });
        sums[1].hits(&hits);
        sums[2].questions += hits.len();
        sums[2].score += score;
    }
    let [p1, p2, p3] = sums;
    [
        p1.row("p1", who, capacity),
        p2.row("p2", who, capacity),
        p3.row("p3", who, capacity),
    ]
}

impl LocomoReport {
    /// As one JSON value.
    ///
    /// # Errors
    /// When a figure is not a number, which no run produces.
    pub fn to_json(&self) -> anyhow::Result<serde_json::Value> {
        serde_json::to_value(self).context("a figure of the report is not a number")
    }

    /// A block a protocol, a line a policy, a column a capacity.
    pub fn table(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let mut line = |text: &str| {
            let _infallible = writeln!(out, "{}", text.trim_end());
        };
        let stopped = if self.interrupted {
            ", stopped early"
        } else {
            ""
        };
        line(&format!(
            "locomo: {} conversations{stopped}",
            self.conversations
        ));
        for (protocol, what) in [
            (
                "p1",
                "answered questions: a record on the same turn among three",
            ),
            ("p2", "turns: a turn of the evidence among three"),
            (
                "p3",
                "turns: F1 of the words of the best sentence among three turns",
            ),
        ] {
            let rows: Vec<&LocomoRow> = self
                .rows
                .iter()
                .filter(|row| row.protocol == protocol)
                .collect();
            let questions = rows.first().map_or(0, |row| row.questions);
            line(&format!("\n{protocol}, {what} ({questions} questions)\n"));
            let mut capacities: Vec<usize> = rows.iter().map(|row| row.capacity).collect();
            capacities.sort_unstable();
            capacities.dedup();
            capacities.retain(|capacity| *capacity != usize::MAX);
            let mut head = format!("  {:<18}", "policy");
            for capacity in &capacities {
                let _infallible = write!(head, " {:>8}", format!("K={capacity}"));
            }
            line(&head);
            for of_policy in rows.chunk_by(|a, b| a.policy == b.policy) {
                let mut text = format!("  {:<18}", of_policy[0].policy);
                for row in of_policy {
                    let _infallible = write!(text, " {:>8.4}", row.score);
                }
                line(&text);
            }
        }
        out
    }
}
