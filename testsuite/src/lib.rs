//! How well does Refrain answer, how much does it learn, and does it ever serve a wrong memory?
//!
//! Runs the question sets and pair sets of a data folder against a [`System`], and reports accuracy,
//! reuse and latency. [`eval`] is what `refrain eval` calls.

mod chart;
mod corpus_qa;
mod dataset;
mod engine;
mod gold_model;
mod locomo;
mod metrics;
mod options;
mod pair_runner;
mod progress;
mod report;
mod runner;
#[cfg(test)]
mod scripted;
mod simulation;
mod system;
mod trace;
mod vector_cache;

pub use corpus_qa::{
    CalibratedAlpha, CorpusName, CorpusOptions, CorpusReport, CorpusRow, GroundingFigures,
    LatencyMs, Layout, ReachFigures, RefusalFigures, RetrievalFigures, ReuseFigures, StreamFigures,
    StreamPoint, StreamRow, StreamSettings, Variant, corpus_qa, corpus_texts,
};
pub use dataset::{
    DatasetError, DatasetName, Expected, Gold, GraphName, Pair, Question, load_pairs,
    load_questions, normalise_label,
};
pub use engine::EngineUnderTest;
pub use gold_model::GoldPath;
pub use graph_rag::living_rag::Mode;
pub use locomo::{LocomoOptions, LocomoReport, LocomoRow, locomo};
pub use metrics::{CurvePoint, Figures, Latency, Third};
pub use options::{
    Ablations, Capacity, EvalOptions, FeedbackMode, MemoryMode, ModelUnderTest, Order, Settings,
    UnknownSetting,
};
pub use pair_runner::run_pairs;
pub use progress::{Bar, Progress, Quiet, Silent};
pub use report::{
    EvalReport, FailureExample, FailureKind, FalseHit, PairExample, PairFigures, PairReport,
    QuestionReport, Unbounded,
};
pub use runner::run_questions;
pub use simulation::{SimulationOptions, SimulationReport, simulate};
pub use system::{HitKind, HitSource, Reply, System, Value};
pub use trace::{TraceOptions, replay};
pub use vector_cache::VectorCache;

/// Runs one evaluation with a fresh engine.
///
/// # Errors
/// When the data folder lacks a file, or the engine fails.
pub fn eval(options: &EvalOptions, progress: &mut dyn Progress) -> anyhow::Result<EvalReport> {
    let Some(Capacity::Share(share)) = options.capacity else {
        let mut engine = EngineUnderTest::open(options)?;
        return eval_system(&mut engine, options, progress);
    };
    anyhow::ensure!(
        options.memory == MemoryMode::On && !options.dataset.is_pairs(),
        "a share of a memory needs a question set and the memory on"
    );
    let with = |count| EvalOptions {
        capacity: Some(Capacity::Experiences(count)),
        ..options.clone()
    };
    let everything = run_once(&with(UNBOUNDED), progress)?;
    let held = everything.remembered.unwrap_or_default();
    let unbounded = Unbounded {
        experiences: held,
        exact_set_accuracy: everything.figures.exact_set_accuracy,
        reuse_share: everything.figures.reuse_share,
    };
    let mut report = run_once(&with(share_of(held, share)), progress)?;
    report.unbounded = Some(unbounded);
    Ok(EvalReport::Questions(Box::new(report)))
}

/// More experiences than any stream leaves behind.
const UNBOUNDED: usize = 10_000_000;

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a count, far below 2^52"
)]
fn share_of(count: usize, share: f64) -> usize {
    ((count as f64 * share).round() as usize).max(1)
}

fn run_once(options: &EvalOptions, progress: &mut dyn Progress) -> anyhow::Result<QuestionReport> {
    let mut engine = EngineUnderTest::open(options)?;
    let questions = load_questions(options.dataset, &options.data)?;
    run_questions(&mut engine, questions, options, progress)
}

/// Runs one evaluation of any system.
///
/// # Errors
/// When the data folder lacks a file, or the system fails.
pub fn eval_system(
    system: &mut dyn System,
    options: &EvalOptions,
    progress: &mut dyn Progress,
) -> anyhow::Result<EvalReport> {
    if options.dataset.is_pairs() {
        let pairs = load_pairs(options.dataset, &options.data)?;
        let report = run_pairs(system, pairs, options, progress)?;
        Ok(EvalReport::Pairs(Box::new(report)))
    } else {
        let questions = load_questions(options.dataset, &options.data)?;
        let report = run_questions(system, questions, options, progress)?;
        Ok(EvalReport::Questions(Box::new(report)))
    }
}
