//! What did a run find, for people and for machines?

mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

use crate::chart;
use crate::dataset::DatasetName;
use crate::metrics::{CurvePoint, Figures, Latency, Third};
use crate::options::Settings;

/// What one run of `refrain eval` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum EvalReport {
    /// A question set was asked.
    Questions(Box<QuestionReport>),
    /// A pair set was asked.
    Pairs(Box<PairReport>),
}

/// What asking a question set found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionReport {
    /// The set.
    pub dataset: DatasetName,
    /// The figures of the whole stream.
    #[serde(flatten)]
    pub figures: Figures,
    /// First, middle and last third of the stream.
    pub thirds: [Third; 3],
    /// Figures by kind of question, where the set has kinds worth telling apart.
    pub by_type: BTreeMap<String, Figures>,
    /// The kinds of question that fail, most frequent first, with examples.
    pub failures: Vec<FailureKind>,
    /// Some of the hits that served another question's answer.
    pub false_hit_examples: Vec<FalseHit>,
    /// The learning curve.
    pub curve: Vec<CurvePoint>,
    /// Statements of the graph, labels included.
    pub statements: u64,
    /// Experiences that the memory holds at the end, where it tells.
    pub remembered: Option<usize>,
    /// What a memory without a bound did, where it was asked first.
    pub unbounded: Option<Unbounded>,
    /// True when the run was stopped before its end; the figures are of what was asked.
    pub interrupted: bool,
    /// The settings.
    pub settings: Settings,
}

/// The same stream with a memory without a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Unbounded {
    /// Experiences it holds at the end.
    pub experiences: usize,
    /// See [`Figures::exact_set_accuracy`].
    pub exact_set_accuracy: f64,
    /// See [`Figures::reuse_share`].
    pub reuse_share: f64,
}

/// One way in which questions fail.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureKind {
    /// The kind of question and how it failed.
    pub kind: String,
    /// How it failed: `wrong`, `partial`, `too many`, `refused` or `answered` (what has no answer).
    pub how: &'static str,
    /// How many questions failed so.
    pub count: usize,
    /// Some of them.
    pub examples: Vec<FailureExample>,
}

/// One failing question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureExample {
    /// The question.
    pub question: String,
    /// Some of the expected values.
    pub expected: Vec<String>,
    /// Some of the given values.
    pub given: Vec<String>,
    /// Why the system held back, if it did.
    pub reason: Option<String>,
    /// The plan.
    pub sparql: Option<String>,
}

/// A question that was served another question's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FalseHit {
    /// The question.
    pub question: String,
    /// The question whose answer it got.
    pub from: String,
    /// What was expected.
    pub expected: Vec<String>,
    /// What was given.
    pub given: Vec<String>,
}

/// What asking a pair set found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairReport {
    /// The set.
    pub dataset: DatasetName,
    /// How many pairs were asked.
    pub questions: usize,
    /// The figures over all kinds.
    #[serde(flatten)]
    pub figures: PairFigures,
    /// The figures of each kind.
    pub by_kind: BTreeMap<String, PairFigures>,
    /// Some false hits, and some paraphrases that were possible but not reused.
    pub examples: Vec<PairExample>,
    /// True when the run was stopped before its end.
    pub interrupted: bool,
    /// The settings.
    pub settings: Settings,
}

/// The figures of a set of pairs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PairFigures {
    /// Pairs of different questions.
    pub different: usize,
    /// Of those: the second was a hit through the first's experience and got the first's values.
    pub false_hits: usize,
    /// Of those: the second was a hit, and ran the very query of the first.
    pub reused_template_same_entity: usize,
    /// Of those: the second was a hit, and its answer is not the expected one.
    pub wrong_hits: usize,
    /// Pairs of the same question in other words.
    pub paraphrases: usize,
    /// Of those: the first was answered rightly, so that reuse is possible.
    pub paraphrases_possible: usize,
    /// Of those: the second was answered by reuse level 1.
    pub paraphrases_reused: usize,
    /// Reused over possible; `None` when none was possible.
    pub paraphrase_reuse: Option<f64>,
    /// Of the reused paraphrases: the answer was the expected one.
    pub reused_right: usize,
    /// Share of all second questions answered as expected.
    pub second_accuracy: f64,
    /// Latency of the second question where it was a hit.
    pub hit_latency_ms: Latency,
}

/// A pair that did not go as it should.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairExample {
    /// What went wrong: `false hit` or `not reused`.
    pub what: &'static str,
    /// The pair's kind.
    pub kind: String,
    /// The first question.
    pub first: String,
    /// The second.
    pub second: String,
    /// What the second got.
    pub given: Vec<String>,
    /// Why the first experience was not used, if the system said so.
    pub reason: Option<String>,
}

impl EvalReport {
    /// The set that was asked.
    pub fn dataset(&self) -> DatasetName {
        match self {
            Self::Questions(report) => report.dataset,
            Self::Pairs(report) => report.dataset,
        }
    }

    /// True when the run was stopped before its end.
    pub fn interrupted(&self) -> bool {
        match self {
            Self::Questions(report) => report.interrupted,
            Self::Pairs(report) => report.interrupted,
        }
    }

    /// The report as one JSON object.
    ///
    /// # Errors
    /// When a figure is not a number, which no run produces.
    pub fn to_json(&self) -> anyhow::Result<serde_json::Value> {
        serde_json::to_value(self).context("a figure of the report is not a number")
    }

    /// The report as a table for people.
    pub fn table(&self) -> String {
        match self {
            Self::Questions(report) => table::questions(report),
            Self::Pairs(report) => table::pairs(report),
        }
    }

    /// Draws the learning curve as `<set>-<settings>.svg` and `.png` into `folder`; pair sets have
    /// none. Gives the files written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn draw(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let Self::Questions(report) = self else {
            return Ok(Vec::new());
        };
        if report.curve.is_empty() {
            return Ok(Vec::new());
        }
        fs_err::create_dir_all(folder)?;
        let scene = chart::learning_curve(report);
        let stem = format!("{}-{}", report.dataset, report.settings.slug());
        let svg = folder.join(format!("{stem}.svg"));
        fs_err::write(&svg, chart::svg(&scene))?;
        let png = folder.join(format!("{stem}.png"));
        fs_err::write(&png, chart::png(&scene)?)?;
        Ok(vec![svg, png])
    }
}
