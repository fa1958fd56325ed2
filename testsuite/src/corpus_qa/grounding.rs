//! Does the built-in judge tell passages that prove a fact from those that do not?
//!
//! Gold facts of 2WikiMultiHopQA as claims, each judged against the question's gold passages and against as many that
//! were retrieved for it but are not gold.

use graph_rag::LinearRagConfig;
use graph_rag::grounding::GroundingConfig;
use language_model::Embedder;
use serde::Serialize;

use super::load::Corpus;
use super::{IndexedCorpus, RETRIEVED};

/// How well right and wrong evidence were told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct GroundingFigures {
    /// Facts judged.
    pub facts: usize,
    /// Chance that the right passages support a fact more than the wrong ones do, ties counting half.
    pub auc: f64,
    /// Share of facts that the right passages support by the gate's measure.
    pub right_pass: f64,
    /// Share of facts that the wrong passages do.
    pub wrong_pass: f64,
}

/// Judges every fact of questions whose gold is in the corpus.
pub(crate) fn grounding(
    corpus: &Corpus,
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
) -> anyhow::Result<GroundingFigures> {
    let config = GroundingConfig::default();
    let retrieval = LinearRagConfig {
        retrieval_top_k: RETRIEVED,
        ..LinearRagConfig::default()
    };
    let mut place_in_index = vec![0_u32; corpus.entries.len()];
    for (place, file) in (0_u32..).zip(&indexed.places) {
        place_in_index[*file] = place;
    }
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for question in corpus.questions.iter().filter(|q| !q.gold.is_empty()) {
        let found = indexed
            .index
            .retrieve(&question.question, embedder, &retrieval)?;
        let gold: Vec<u32> = question
            .gold
            .iter()
            .map(|file| place_in_index[*file])
            .collect();
        let retrieved = found.passages.iter().map(|r| r.passage);
        let others: Vec<u32> = retrieved
            .filter(|p| !gold.contains(p))
            .take(gold.len())
            .collect();
        for [subject, relation, object] in &question.evidence {
            let claim = [format!("{subject} {relation} {object}")];
            let support = |passages: &[u32]| {
                let judged = indexed.index.ground(&claim, passages, &config);
                judged.claims.first().map_or(0.0, |c| c.support)
            };
            right.push(support(&gold));
            wrong.push(support(&others));
        }
    }
    let passes = |scores: &[f64]| {
        scores
            .iter()
            .filter(|s| **s >= config.minimum_support)
            .count() as f64
            / scores.len().max(1) as f64
    };
    Ok(GroundingFigures {
        facts: right.len(),
        auc: auc(&right, &wrong),
        right_pass: passes(&right),
        wrong_pass: passes(&wrong),
    })
}

/// Area under the curve: the share of pairs in order.
fn auc(right: &[f64], wrong: &[f64]) -> f64 {
    let mut sorted = wrong.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |score: f64| {
        let less = sorted.partition_point(|w| *w < score);
        let equal = sorted.partition_point(|w| *w <= score) - less;
        less as f64 + equal as f64 / 2.0
    };
    let pairs: f64 = right.iter().map(|score| below(*score)).sum();
    pairs / (right.len().max(1) * wrong.len().max(1)) as f64
}

#[cfg(test)]
mod tests {
    use super::auc;

    #[test]
    fn the_area_counts_pairs_in_order_and_ties_half() {
        assert_eq!(auc(&[0.9, 0.8], &[0.1, 0.2]), 1.0);
        assert_eq!(auc(&[0.5], &[0.5]), 0.5);
        assert_eq!(auc(&[0.1, 0.9], &[0.5]), 0.5);
    }
}
