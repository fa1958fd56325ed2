//! How good is a list of passages, and a text, for a question?
//!
//! The measures of LinearRAG's and HippoRAG's evaluations that need no language model.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use super::load::{Corpus, CorpusQuestion};

/// Times of questions, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct LatencyMs {
    /// The median.
    pub p50: f64,
    /// 95 of 100 are not slower.
    pub p95: f64,
}

/// How good retrieval was. Shares are in `0..=1`, over the questions whose gold passages are all in the corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RetrievalFigures {
    /// Questions asked.
    pub questions: usize,
    /// Questions with gold passages.
    pub judged: usize,
    /// Mean share of the gold passages among the first 2.
    pub recall_at_2: f64,
    /// Mean share of the gold passages among the first 5.
    pub recall_at_5: f64,
    /// Mean share of the gold passages among the first 10.
    pub recall_at_10: f64,
    /// Share of questions with all gold passages among the first 5.
    pub all_recall_at_5: f64,
    /// Mean of one over the rank of the first gold passage, 0 beyond 5.
    pub mrr_at_5: f64,
    /// Share of questions, yes and no left out, whose answer stands in one of the first 5.
    pub answer_at_5: f64,
    /// Time a question took.
    pub latency_ms: LatencyMs,
}

/// A question's passages, best first, and how long they took.
pub(crate) struct Found {
    pub(crate) passages: Vec<usize>,
    pub(crate) time: Duration,
}

/// Judges the passages found for each question.
pub(crate) fn figures(corpus: &Corpus, found: &[Found]) -> RetrievalFigures {
    let mut out = RetrievalFigures {
        questions: found.len(),
        ..RetrievalFigures::default()
    };
    let (mut answerable, mut answered) = (0, 0);
    for (question, found) in corpus.questions.iter().zip(found) {
        if wants_text(question) {
            answerable += 1;
            let texts = found.passages.iter().take(5).map(|p| &corpus.entries[*p]);
            let hit = texts
                .into_iter()
                .any(|e| contains_answer(&format!("{}\n{}", e.title, e.text), &question.answers));
            answered += u32::from(hit);
        }
        if question.gold.is_empty() {
            continue;
        }
        out.judged += 1;
        let gold = &question.gold;
        out.recall_at_2 += recall(&found.passages, gold, 2);
        out.recall_at_5 += recall(&found.passages, gold, 5);
        out.recall_at_10 += recall(&found.passages, gold, 10);
        out.all_recall_at_5 += f64::from(u8::from(recall(&found.passages, gold, 5) >= 1.0));
        let first = found.passages.iter().take(5).position(|p| gold.contains(p));
        out.mrr_at_5 += first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
    }
    let judged = out.judged.max(1) as f64;
    for sum in [
        &mut out.recall_at_2,
        &mut out.recall_at_5,
        &mut out.recall_at_10,
        &mut out.all_recall_at_5,
        &mut out.mrr_at_5,
    ] {
        *sum /= judged;
    }
    out.answer_at_5 = f64::from(answered) / f64::from(answerable.max(1_u32));
    out.latency_ms = latency(found.iter().map(|f| f.time).collect());
    out
}

/// Median and 95th percentile.
pub(crate) fn latency(mut times: Vec<Duration>) -> LatencyMs {
    times.sort();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .map_or(0.0, |t| t.as_secs_f64() * 1e3)
    };
    LatencyMs {
        p50: at(50),
        p95: at(95),
    }
}

/// The share of `gold` among the first `count` passages.
pub(crate) fn recall(passages: &[usize], gold: &BTreeSet<usize>, count: usize) -> f64 {
    let hits = passages
        .iter()
        .take(count)
        .filter(|p| gold.contains(p))
        .count();
    hits as f64 / gold.len().max(1) as f64
}

/// Whether the answer is something a text can hold, not a yes or no.
pub(crate) fn wants_text(question: &CorpusQuestion) -> bool {
    !question
        .answers
        .iter()
        .any(|a| matches!(normalise(a).as_str(), "yes" | "no" | ""))
}

/// Contain-match: whether one of the answers, normalised, is part of the text, normalised.
pub(crate) fn contains_answer(text: &str, answers: &[String]) -> bool {
    let text = normalise(text);
    answers
        .iter()
        .map(|a| normalise(a))
        .any(|a| !a.is_empty() && text.contains(&a))
}

/// Lower case, no ASCII punctuation, no articles, single spaces.
fn normalise(text: &str) -> String {
    let lower = text.to_lowercase();
    let letters: String = lower
        .chars()
        .filter(|c| !c.is_ascii_punctuation())
        .collect();
    let words = letters
        .split_whitespace()
        .filter(|word| !matches!(*word, "a" | "an" | "the"));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contain_match_ignores_case_articles_and_punctuation() {
        let answers = ["The U.S. Army".to_owned()];
        assert!(contains_answer("served in (the) US  army!", &answers));
        assert!(!contains_answer("served in the navy", &answers));
        assert!(!contains_answer("anything", &["".to_owned()]));
    }

    #[test]
    fn recall_is_the_share_of_gold_among_the_first() {
        let gold = BTreeSet::from([3, 5]);
        assert_eq!(recall(&[5, 1, 3], &gold, 2), 0.5);
        assert_eq!(recall(&[5, 1, 3], &gold, 5), 1.0);
    }
}
