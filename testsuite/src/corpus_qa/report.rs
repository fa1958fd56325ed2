//! What is reported of a set of questions over documents?

use std::fmt::Write;

use anyhow::Context;
use graph_rag::living_rag::{Calibration, Mode};
use serde::Serialize;

use super::{
    Corpus, CorpusOptions, CorpusRow, GroundingFigures, LatencyMs, ReachFigures, RefusalFigures,
    StreamFigures, StreamSettings,
};
use crate::options::{FeedbackMode, MemoryMode, Order};

/// An α for the pass rate that the paper prints.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibratedAlpha {
    /// The weight found.
    pub alpha: f64,
    /// The share that passes with it.
    pub pass_rate: f64,
    /// The paper's share.
    pub target: f64,
}

impl CalibratedAlpha {
    pub(crate) fn new(found: Calibration, target: f64) -> Self {
        Self {
            alpha: found.alpha,
            pass_rate: found.pass_rate,
            target,
        }
    }
}

/// A stream and how it was run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamRow {
    /// Whether experience was kept.
    pub memory: MemoryMode,
    /// Whether the safety rules held.
    pub mode: Mode,
    /// Which verdicts were heard.
    pub feedback: FeedbackMode,
    /// The weight of likeness of questions.
    pub alpha: f64,
    /// The order of the questions.
    pub order: Order,
    /// Seed of the shuffle; `None` in the file's order.
    pub seed: Option<u64>,
    /// Its figures.
    #[serde(flatten)]
    pub figures: StreamFigures,
}

impl StreamRow {
    pub(crate) fn new(settings: &StreamSettings, figures: StreamFigures) -> Self {
        Self {
            memory: settings.memory,
            mode: settings.living.mode,
            feedback: settings.feedback,
            alpha: settings.living.alpha,
            order: settings.order,
            seed: (settings.order == Order::Shuffle).then_some(settings.seed),
            figures,
        }
    }

    /// The settings in a few words.
    pub(crate) fn describe(&self) -> String {
        let mode = match (self.memory, self.mode) {
            (MemoryMode::Off, _) => return "memory off".to_owned(),
            (MemoryMode::On, Mode::Guarded) => "guarded",
            (MemoryMode::On, Mode::Paper) => "paper",
        };
        let feedback = match self.feedback {
            FeedbackMode::None => "",
            FeedbackMode::Gold => ", gold verdicts",
        };
        let order = match self.seed {
            None => "file order".to_owned(),
            Some(seed) => format!("shuffled (seed {seed})"),
        };
        format!("{mode}{feedback}, α {:.2}, {order}", self.alpha)
    }
}

/// All figures of a set. The first ones are those of one stream, where one was asked for; else those of our default
/// retrieval without experience, and of the first stream for what only a stream has.
#[derive(Debug, Clone, Serialize)]
pub struct CorpusReport {
    /// The set.
    pub dataset: &'static str,
    /// The embedder's fingerprint.
    pub embedder: String,
    /// Passages.
    pub passages: usize,
    /// Mean share of the gold passages among the first 2.
    pub recall_at_2: f64,
    /// Mean share of the gold passages among the first 5.
    pub recall_at_5: f64,
    /// Mean share of the gold passages among the first 10.
    pub recall_at_10: f64,
    /// Share of questions with all gold passages among the first 5.
    pub all_recall_at_5: f64,
    /// Mean of one over the rank of the first gold passage.
    pub mrr_at_5: f64,
    /// Share of questions whose answer stands in one of the first 5.
    pub answer_at_5: f64,
    /// Share of questions whose answer stands in the cited sentences.
    pub contain_match: f64,
    /// Experiences at the end.
    pub stored: usize,
    /// Share of answers that passed the novelty gate; `None` with the memory off.
    pub ns_pass: Option<f64>,
    /// Share of those that passed the grounding gate; `None` with the memory off.
    pub gs_pass: Option<f64>,
    /// Time of a question's retrieval.
    pub latency_ms: LatencyMs,
    /// Passages indexed a second of wall time.
    pub index_passages_per_s: f64,
    /// Every system on the same passages.
    pub systems: Vec<CorpusRow>,
    /// Every stream.
    pub streams: Vec<StreamRow>,
    /// α for the paper's pass rate.
    pub calibration: Option<CalibratedAlpha>,
    /// The judge on gold facts, where the set has them.
    pub grounding: Option<GroundingFigures>,
    /// What experience could reach, in a comparison.
    pub reach: Option<ReachFigures>,
    /// What is answered and what is refused by the least likeness of words, on both halves of the questions, in a
    /// comparison.
    pub refusals: Vec<RefusalFigures>,
}

impl CorpusReport {
    pub(crate) fn new(
        options: &CorpusOptions,
        corpus: &Corpus,
        systems: Vec<CorpusRow>,
        streams: Vec<StreamRow>,
    ) -> anyhow::Result<Self> {
        let ours = systems.first().context("nothing was measured")?;
        let stream = &streams.first().context("no stream was run")?.figures;
        let found = match options.memory {
            Some(_) => stream.with,
            None => ours.figures,
        };
        Ok(Self {
            dataset: options.name.as_str(),
            embedder: options.embedder.fingerprint().to_owned(),
            passages: corpus.entries.len(),
            recall_at_2: found.recall_at_2,
            recall_at_5: found.recall_at_5,
            recall_at_10: found.recall_at_10,
            all_recall_at_5: found.all_recall_at_5,
            mrr_at_5: found.mrr_at_5,
            answer_at_5: found.answer_at_5,
            contain_match: stream.contain_match,
            stored: stream.stored,
            ns_pass: stream.ns_pass,
            gs_pass: stream.gs_pass,
            latency_ms: found.latency_ms,
            index_passages_per_s: ours.index_passages_per_s.unwrap_or_default(),
            systems,
            streams,
            calibration: None,
            grounding: None,
            reach: None,
            refusals: Vec::new(),
        })
    }

    /// As JSON.
    ///
    /// # Errors
    /// Never in practice: all figures are finite.
    pub fn to_json(&self) -> anyhow::Result<serde_json::Value> {
        Ok(serde_json::to_value(self)?)
    }

    /// As a table for people.
    pub fn table(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{}: {} passages, embedder {}",
            self.dataset, self.passages, self.embedder
        );
        let _ = writeln!(
            out,
            "{:<40} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5} {:>7} {:>7} {:>7}",
            "system", "R@2", "R@5", "R@10", "All@5", "MRR", "Ans@5", "p50 ms", "p95 ms", "pass/s"
        );
        for row in &self.systems {
            let f = &row.figures;
            let _ = writeln!(
                out,
                "{:<40} {:.3} {:.3} {:.3} {:.3} {:.3} {:.3} {:>7.2} {:>7.2} {:>7.0}",
                row.system,
                f.recall_at_2,
                f.recall_at_5,
                f.recall_at_10,
                f.all_recall_at_5,
                f.mrr_at_5,
                f.answer_at_5,
                f.latency_ms.p50,
                f.latency_ms.p95,
                row.index_passages_per_s.unwrap_or(0.0)
            );
        }
        out.push_str(&self.streams_table());
        if let Some(c) = &self.calibration {
            let _ = writeln!(
                out,
                "α {:.2} passes {:.3} of the stream; the paper's {:.3}",
                c.alpha, c.pass_rate, c.target
            );
        }
        if let Some(r) = &self.reach {
            let _ = writeln!(
                out,
                "an earlier question can be used for {:.3}, shares evidence with {:.3}; the best one, chosen with hindsight, makes R@5 {:.4} of {:.4}",
                r.usable, r.shared_evidence, r.oracle_recall_at_5, r.recall_at_5
            );
        }
        if let Some(g) = &self.grounding {
            let _ = writeln!(
                out,
                "lexical grounding of {} facts: AUC {:.3}, right passages pass {:.3}, wrong ones {:.3}",
                g.facts, g.auc, g.right_pass, g.wrong_pass
            );
        }
        out.push_str(&self.refusals_table());
        out
    }

    fn refusals_table(&self) -> String {
        let mut out = String::new();
        for row in &self.refusals {
            let _ = writeln!(
                out,
                "likeness {:.2}, {}: answered {:.3}, first sentence right {:.3}, cited right {:.3}; refused with another name {:.3}, another part of a name {:.3}, another verb {:.3}",
                row.likeness,
                if row.odd { "odd " } else { "even" },
                row.answered,
                row.first_right,
                row.cited_right,
                row.refused_other_name,
                row.refused_other_part,
                row.refused_other_verb
            );
        }
        out
    }

    fn streams_table(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "\n{:<44} {:>6} {:>7} {:>5} {:>4} {:>7} {:>6} {:>6} {:>6} {:>6}",
            "stream", "R@5", "without", "helps", "hurt", "contain", "NS", "GS", "stored", "fused"
        );
        let gate = |rate: Option<f64>| rate.map_or("-".to_owned(), |r| format!("{r:.3}"));
        for row in &self.streams {
            let f = &row.figures;
            let _ = writeln!(
                out,
                "{:<44} {:.4} {:>7.4} {:>5} {:>4} {:>7.3} {:>6} {:>6} {:>6} {:>6}",
                row.describe(),
                f.with.recall_at_5,
                f.recall_at_5_without,
                f.helped,
                f.hurt,
                f.contain_match,
                gate(f.ns_pass),
                gate(f.gs_pass),
                f.stored,
                f.fused
            );
        }
        for row in self.streams.iter().take(1) {
            let r = &row.figures.reuse;
            let _ = writeln!(
                out,
                "\n{}: could be reused by entity {:.3}, neighbourhood {:.3}, template {:.3};\nwas reused by graph transfer {:.3}, template {:.3}; fused {:.3} and scaffolds {:.3} of the store",
                row.describe(),
                r.entity_opportunity,
                r.neighbourhood_opportunity,
                r.template_opportunity,
                r.graph_transfer,
                r.template_reuse,
                r.fused_coverage,
                r.scaffold_coverage
            );
        }
        out
    }
}
