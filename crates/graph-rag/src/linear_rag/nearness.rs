//! How near is each passage to the question, and what of it is exact?
//!
//! The vectors of a large corpus are compared in fewer bits. Passages that may be among the best are then looked at again,
//! so that what is ranked first, and its scores, are as without.

use super::{LinearRagConfig, Query, Ranked, Relevance, best};
use crate::index::Index;
use crate::parallel::fill;
use crate::vectors::{Cosines, extent};

/// Lists of fewer passages are gone through by one thread.
pub(crate) const LEAST_SHARED_PASSAGES: usize = 65_536;

/// Passages that are looked at again, at most.
const MAX_AGAIN: usize = 4_096;

/// How near each passage is to a question.
#[derive(Debug, Clone)]
pub(crate) struct Nearness {
    /// Under [`Relevance::Cosine`] its cosine; else the mean of that, scaled to [0, 1] over all passages, and of BM25 over
    /// the highest one.
    pub(crate) values: Vec<f64>,
    /// What 1 of a cosine is in these values.
    share: f64,
    cosines: Cosines,
}

/// Values scaled to [0, 1]; all 1 when they are all equal.
pub(super) fn scaled(values: &[f64]) -> (Vec<f64>, f64) {
    let (least, most) = extent(values).unwrap_or_default();
    let spread = most - least;
    if spread <= 0.0 {
        return (vec![1.0; values.len()], 0.0);
    }
    let scaled = values.iter().map(|value| (value - least) / spread);
    (scaled.collect(), 1.0 / spread)
}

impl Nearness {
    /// Of all passages of an index.
    pub(crate) fn of(index: &Index, query: &Query, relevance: Relevance) -> Self {
        let cosines = index.vectors.passages.cosines(&query.vector);
        Self::from_cosines(index, query, relevance, cosines)
    }

    pub(super) fn from_cosines(
        index: &Index,
        query: &Query,
        relevance: Relevance,
        cosines: Cosines,
    ) -> Self {
        let wide = || cosines.values.iter().copied().map(f64::from).collect();
        let (values, share) = match relevance {
            Relevance::Cosine => (wide(), 1.0),
            Relevance::Hybrid => {
                let words = language_model::words::words(&query.text);
                hybrid(&cosines.values, &index.words.scores(&words))
            }
        };
        Self {
            values,
            share,
            cosines,
        }
    }

    /// Most that a value is wrong by.
    pub(super) fn bound(&self) -> f64 {
        f64::from(self.cosines.bound) * self.share
    }

    /// What is to be added to a passage's value for it to be exact.
    pub(super) fn correction(&self, index: &Index, query: &Query, passage: u32) -> f64 {
        let place = passage as usize;
        let near = self.cosines.values.get(place).copied().unwrap_or_default();
        let exact = index.vectors.passages.cosine(place, &query.vector);
        (exact - f64::from(near)) * self.share
    }

    /// The passages nearest to the question.
    pub(super) fn best(
        &self,
        index: &Index,
        query: &Query,
        config: &LinearRagConfig,
    ) -> Vec<Ranked> {
        let correct = |passage: u32| self.correction(index, query, passage);
        corrected(&self.values, self.bound(), config.retrieval_top_k, correct)
    }
}

/// The values of [`Relevance::Hybrid`], and what 1 of a cosine is in them.
fn hybrid(cosines: &[f32], bm25: &[f32]) -> (Vec<f64>, f64) {
    let (least, most) = extent(cosines).unwrap_or_default();
    let (least, most) = (f64::from(least), f64::from(most));
    let spread = most - least;
    let inverse = if spread > 0.0 { 1.0 / spread } else { 0.0 };
    let dense = |cosine: f32| {
        if spread > 0.0 {
            (f64::from(cosine) - least) / spread
        } else {
            1.0
        }
    };
    let highest = extent(bm25).map_or(0.0, |(_, most)| most);
    let lexical = highest > 0.0;
    let mut values = vec![0.0; cosines.len()];
    fill(&mut values, LEAST_SHARED_PASSAGES, |start, run| {
        let slots = run.iter_mut().zip(&cosines[start..]);
        if lexical {
            slots
                .zip(&bm25[start..])
                .for_each(|((slot, cosine), score)| {
                    *slot = f64::midpoint(dense(*cosine), f64::from(score / highest));
                });
        } else {
            slots.for_each(|(slot, cosine)| *slot = dense(*cosine));
        }
    });
    (values, if lexical { inverse / 2.0 } else { inverse })
}

/// The best of scores that are wrong by `bound` at most, each of those that may be among them corrected.
pub(super) fn corrected(
    scores: &[f64],
    bound: f64,
    count: usize,
    correction: impl Fn(u32) -> f64,
) -> Vec<Ranked> {
    let found = best(scores, count);
    let Some(last) = found.last().filter(|_| bound > 0.0) else {
        return found;
    };
    let least = last.score - 2.0 * bound;
    let may_be = scores.iter().filter(|score| **score >= least).count();
    let mut again = best(scores, may_be.min(MAX_AGAIN).max(found.len()));
    for ranked in &mut again {
        ranked.score += correction(ranked.passage);
    }
    again.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    again.truncate(count);
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_among_the_best_is_looked_at_again() {
        let exact = [0.5, 0.9, 0.86, 0.1, 0.87];
        let near = [0.52, 0.86, 0.88, 0.12, 0.85];
        let found = corrected(&near, 0.05, 2, |p| exact[p as usize] - near[p as usize]);
        let places: Vec<u32> = found.iter().map(|r| r.passage).collect();
        assert_eq!(places, [1, 4]);
        assert!((found[0].score - 0.9).abs() < 1e-12);
        assert_eq!(corrected(&near, 0.0, 1, |_| 1.0)[0].passage, 2);
        assert!(corrected(&[], 0.1, 3, |_| 0.0).is_empty());
    }
}
