//! How good was a stream of answers?

use std::collections::BTreeMap;

use serde::Serialize;

use crate::system::HitKind;

/// One question of a stream, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Judged {
    /// What reports group it by.
    pub kind: String,
    /// Exactly the expected values were given (or, where nothing is expected, it was refused).
    pub right: bool,
    /// The first value given is an expected one.
    pub hit_at_1: bool,
    /// The system held back.
    pub refused: bool,
    /// Nothing was expected: refusing was right.
    pub unanswerable: bool,
    /// Whether the plan executed; `None` without a plan.
    pub executable: Option<bool>,
    /// Which reuse it was.
    pub hit_kind: HitKind,
    /// A hit that served another question's answer.
    pub false_hit: bool,
    /// The share of the expected values that the retrieval reached.
    pub retrieval_recall: Option<f64>,
    /// Time the question took.
    pub micros: u64,
    /// Calls of a language model.
    pub model_calls: u32,
}

/// The figures of a stream, or of a part of one. Shares are in `0..=1`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    /// How many questions were asked.
    pub questions: usize,
    /// Share answered with exactly the expected set; an empty or partial set is wrong.
    pub exact_set_accuracy: f64,
    /// Share whose first value is an expected one.
    pub hit_at_1: f64,
    /// Accuracy minus hallucination (CRAG's T = A − H): a refusal costs nothing, a wrong answer one.
    pub truthfulness: f64,
    /// Share answered, and wrongly.
    pub hallucination: f64,
    /// Share of the compiled plans that executed; `None` when none was compiled.
    pub executable: Option<f64>,
    /// Share refused.
    pub refused: f64,
    /// Share answered by reuse level 1.
    pub reuse_share: f64,
    /// Hits that served another question's answer.
    pub false_hits: usize,
    /// Mean share of the expected values that the retrieval reached, over questions that tell.
    pub retrieval_recall: Option<f64>,
    /// Calls of a language model, a question.
    pub model_calls: f64,
    /// Latency of a question.
    pub latency_ms: Latency,
}

/// Percentiles of the time a question took, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Half of the questions took at most this.
    pub p50: f64,
    /// 95 of 100 took at most this.
    pub p95: f64,
    /// The slowest.
    pub max: f64,
}

/// The learning curve's coarse form: one part of the stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Third {
    /// See [`Figures::exact_set_accuracy`].
    pub exact_set_accuracy: f64,
    /// See [`Figures::reuse_share`].
    pub reuse_share: f64,
    /// See [`Figures::model_calls`].
    pub model_calls: f64,
    /// See [`Figures::latency_ms`].
    pub p50_ms: f64,
}

/// The share `part / whole`, 0 of nothing.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of questions, far below 2^52"
)]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn calls(stream: &[Judged]) -> f64 {
    let calls: usize = stream.iter().map(|one| one.model_calls as usize).sum();
    share(calls, stream.len())
}

/// The figures of `stream`.
pub(crate) fn figures(stream: &[Judged]) -> Figures {
    let questions = stream.len();
    let count = |holds: &dyn Fn(&Judged) -> bool| stream.iter().filter(|one| holds(one)).count();
    let right = count(&|one| one.right);
    let hallucinated = count(&|one| !one.right && !one.refused);
    let compiled = count(&|one| one.executable.is_some());
    let executed = count(&|one| one.executable == Some(true));
    let recalls: Vec<f64> = stream
        .iter()
        .filter_map(|one| one.retrieval_recall)
        .collect();
    Figures {
        questions,
        exact_set_accuracy: share(right, questions),
        hit_at_1: share(count(&|one| one.hit_at_1), questions),
        truthfulness: share(right, questions) - share(hallucinated, questions),
        hallucination: share(hallucinated, questions),
        executable: (compiled > 0).then(|| share(executed, compiled)),
        refused: share(count(&|one| one.refused), questions),
        reuse_share: share(count(&|one| one.hit_kind.is_hit()), questions),
        false_hits: count(&|one| one.false_hit),
        retrieval_recall: mean(&recalls),
        model_calls: calls(stream),
        latency_ms: latency(stream.iter().map(|one| one.micros)),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of questions, far below 2^52"
)]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Percentiles by nearest rank: each is a time that really occurred.
#[expect(
    clippy::cast_precision_loss,
    reason = "microseconds of one question, far below 2^52"
)]
pub(crate) fn latency(micros: impl Iterator<Item = u64>) -> Latency {
    let mut sorted: Vec<u64> = micros.collect();
    sorted.sort_unstable();
    let at = |percent: usize| {
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted
            .get(rank - 1)
            .map_or(0.0, |micros| *micros as f64 / 1000.0)
    };
    Latency {
        p50: at(50),
        p95: at(95),
        max: at(100),
    }
}

/// The first, middle and last third of the stream.
pub(crate) fn thirds(stream: &[Judged]) -> [Third; 3] {
    let bounds = [0, 1, 2, 3].map(|third| stream.len() * third / 3);
    [0, 1, 2].map(|third| {
        let part = figures(&stream[bounds[third]..bounds[third + 1]]);
        Third {
            exact_set_accuracy: part.exact_set_accuracy,
            reuse_share: part.reuse_share,
            model_calls: part.model_calls,
            p50_ms: part.latency_ms.p50,
        }
    })
}

/// The figures of each kind of question.
pub(crate) fn by_kind(stream: &[Judged]) -> BTreeMap<String, Figures> {
    let mut kinds: BTreeMap<&str, Vec<Judged>> = BTreeMap::new();
    for one in stream {
        kinds.entry(&one.kind).or_default().push(one.clone());
    }
    kinds
        .into_iter()
        .map(|(kind, stream)| (kind.to_owned(), figures(&stream)))
        .collect()
}

/// A point of the learning curve: figures of one window of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Questions asked up to the window's end.
    pub asked: usize,
    /// Share of the window answered exactly.
    pub exact_set_accuracy: f64,
    /// Share of the window answered by reuse level 1.
    pub reuse_share: f64,
    /// Median latency of the window.
    pub p50_ms: f64,
    /// 95th percentile of the window.
    pub p95_ms: f64,
}

/// The learning curve: at most `points` windows of equal size that together are the stream.
pub(crate) fn curve(stream: &[Judged], points: usize) -> Vec<CurvePoint> {
    let points = points.min(stream.len());
    (0..points)
        .map(|point| {
            let from = stream.len() * point / points;
            let to = stream.len() * (point + 1) / points;
            let part = figures(&stream[from..to]);
            CurvePoint {
                asked: to,
                exact_set_accuracy: part.exact_set_accuracy,
                reuse_share: part.reuse_share,
                p50_ms: part.latency_ms.p50,
                p95_ms: part.latency_ms.p95,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(right: bool, refused: bool, micros: u64) -> Judged {
        Judged {
            kind: "k".into(),
            right,
            hit_at_1: right,
            refused,
            unanswerable: false,
            executable: (!refused).then_some(true),
            hit_kind: if right { HitKind::Plan } else { HitKind::None },
            false_hit: false,
            retrieval_recall: None,
            micros,
            model_calls: 0,
        }
    }

    #[test]
    fn a_refusal_costs_accuracy_but_not_truthfulness() {
        let stream = [
            judged(true, false, 1),
            judged(true, false, 1),
            judged(false, false, 1),
            judged(false, true, 1),
        ];
        let figures = figures(&stream);
        assert!((figures.exact_set_accuracy - 0.5).abs() < 1e-9);
        assert!((figures.hallucination - 0.25).abs() < 1e-9);
        assert!((figures.truthfulness - 0.25).abs() < 1e-9);
        assert!((figures.refused - 0.25).abs() < 1e-9);
        assert_eq!(figures.executable, Some(1.0));
    }

    #[test]
    fn percentiles_are_times_that_occurred() {
        let latency = latency((1..=100).map(|ms| ms * 1000));
        assert!((latency.p50 - 50.0).abs() < 1e-9);
        assert!((latency.p95 - 95.0).abs() < 1e-9);
        assert!((latency.max - 100.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_asked_gives_zeros_and_no_division() {
        assert_eq!(figures(&[]).questions, 0);
        assert_eq!(thirds(&[]), [Third::default(); 3]);
        assert!(curve(&[], 10).is_empty());
    }

    #[test]
    fn thirds_and_curve_follow_the_stream() {
        let stream: Vec<Judged> = (0..30)
            .map(|index| judged(index >= 10, false, 5000))
            .collect();
        let thirds = thirds(&stream);
        assert!(thirds[0].exact_set_accuracy.abs() < 1e-9);
        assert!((thirds[2].exact_set_accuracy - 1.0).abs() < 1e-9);
        assert!((thirds[2].reuse_share - 1.0).abs() < 1e-9);
        let curve = curve(&stream, 3);
        assert_eq!(curve.len(), 3);
        assert_eq!(curve[2].asked, 30);
        assert!((curve[0].p50_ms - 5.0).abs() < 1e-9);
    }

    #[test]
    fn kinds_are_reported_apart() {
        let mut other = judged(false, false, 1);
        other.kind = "other".into();
        let kinds = by_kind(&[judged(true, false, 1), other]);
        assert!((kinds["k"].exact_set_accuracy - 1.0).abs() < 1e-9);
        assert!(kinds["other"].exact_set_accuracy.abs() < 1e-9);
    }
}
