//! What is reported of a set of questions over documents?

use std::fmt::Write;

use graph_rag::living_rag::Calibration;
use serde::Serialize;

use super::{CorpusRow, GroundingFigures, LatencyMs, StreamFigures};

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

/// A stream in one order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamRow {
    /// `guarded` or `paper`.
    pub mode: &'static str,
    /// The weight of likeness of questions.
    pub alpha: f64,
    /// 0 is the file's order.
    pub order: u64,
    /// Its figures.
    #[serde(flatten)]
    pub figures: StreamFigures,
}

/// All figures of a set. The first ones are those of our default, retrieval without experience and the guarded stream
/// in the file's order.
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
    /// Share of answers that passed the novelty gate.
    pub ns_pass: f64,
    /// Share of those that passed the grounding gate.
    pub gs_pass: f64,
    /// Retrieval without experience.
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
}

impl CorpusReport {
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
        for row in &self.streams {
            let f = &row.figures;
            let _ = writeln!(
                out,
                "{} α {:.2} order {}: R@5 {:.4} (without {:.4}), contain {:.3}, NS {:.3}, GS {:.3}, stored {}, fused {}, scaffolds {}",
                row.mode,
                row.alpha,
                row.order,
                f.recall_at_5,
                f.recall_at_5_without,
                f.contain_match,
                f.ns_pass,
                f.gs_pass,
                f.stored,
                f.fused,
                f.scaffolds
            );
        }
        if let Some(c) = &self.calibration {
            let _ = writeln!(
                out,
                "α {:.2} passes {:.3} of the stream; the paper's {:.3}",
                c.alpha, c.pass_rate, c.target
            );
        }
        if let Some(g) = &self.grounding {
            let _ = writeln!(
                out,
                "lexical grounding of {} facts: AUC {:.3}, right passages pass {:.3}, wrong ones {:.3}",
                g.facts, g.auc, g.right_pass, g.wrong_pass
            );
        }
        out
    }
}
