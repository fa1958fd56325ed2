//! What do verdicts on passages teach about the order of passages?
//!
//! A passage's score is a weighted sum of what is known of it before it is read. The weights begin as the walk's own order and
//! learn from pairs: one passage that a person called evidence, one that they did not (pairwise logistic regression; Burges et
//! al. 2005, with a linear score). Nothing of a question or of a passage's words is kept. Ours, not LivingRAG's.

use serde::{Deserialize, Serialize};

use crate::index::Index;
use crate::linear_rag::{Ranked, Retrieval};

/// What is known of a passage: see [`features`].
const FEATURES: usize = 4;

/// What the weights begin as, and are pulled towards: the walk alone.
const WALK: [f64; FEATURES] = [1.0, 0.0, 0.0, 0.0];

/// A score this small beside the best is as good as none.
const LEAST_RATIO: f64 = 1e-6;

/// How the order is learned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankingConfig {
    /// Passages of the walk that are ordered anew.
    pub candidates: usize,
    /// How far one pair moves the weights.
    pub rate: f64,
    /// How much of the distance to the walk's own weights each pair takes back, as a share of `rate`.
    pub pull: f64,
    /// Questions judged before the order is changed: one a weight, and one.
    pub least_verdicts: usize,
}

impl Default for RankingConfig {
    fn default() -> Self {
        Self {
            candidates: 20,
            rate: 0.1,
            pull: 0.01,
            least_verdicts: FEATURES + 1,
        }
    }
}

/// What is known of a passage before it is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageFeatures {
    passage: u32,
    values: [f64; FEATURES],
}

/// Weights that verdicts moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranking {
    weights: [f64; FEATURES],
    verdicts: usize,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            weights: WALK,
            verdicts: 0,
        }
    }
}

/// For each passage found: the logarithm of its score over the best one, its nearness to the question, whether its title is
/// an entity of the question, and whether its title is an entity that activation reached.
pub(super) fn features(index: &Index, nearness: &[f64], found: &Retrieval) -> Vec<PassageFeatures> {
    let best = found.passages.iter().map(|r| r.score).fold(0.0, f64::max);
    let of = |ranked: &Ranked| {
        let title = index.passage(ranked.passage)?.title.as_str();
        let entity = index.graph().entity_named(title);
        let active = entity.and_then(|e| found.activation.active.iter().find(|a| a.entity == e));
        let flag = |holds: bool| f64::from(u8::from(holds));
        let ratio = if best > 0.0 { ranked.score / best } else { 0.0 };
        Some(PassageFeatures {
            passage: ranked.passage,
            values: [
                ratio.max(LEAST_RATIO).ln(),
                nearness
                    .get(ranked.passage as usize)
                    .copied()
                    .unwrap_or_default(),
                flag(active.is_some_and(|a| a.tier <= 1)),
                flag(active.is_some_and(|a| a.tier > 1)),
            ],
        })
    };
    found.passages.iter().filter_map(of).collect()
}

impl Ranking {
    /// Log odds of being evidence, up to a constant of the question.
    fn score(&self, features: &PassageFeatures) -> f64 {
        let terms = features.values.iter().zip(&self.weights);
        terms.map(|(value, weight)| value * weight).sum()
    }

    /// The passages found, those behind the first `keep` in the order learned; as they are before enough was judged.
    pub(super) fn order(
        &self,
        found: &mut [Ranked],
        features: &[PassageFeatures],
        keep: usize,
        config: &RankingConfig,
    ) {
        if self.verdicts < config.least_verdicts {
            return;
        }
        let score = |ranked: &Ranked| {
            let known = features.iter().find(|f| f.passage == ranked.passage);
            known.map_or(f64::NEG_INFINITY, |f| self.score(f))
        };
        for place in keep + 1..found.len() {
            let mut at = place;
            while at > keep && score(&found[at]) > score(&found[at - 1]) {
                found.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// Learns which of the passages shown are evidence.
    pub(super) fn learn(
        &mut self,
        features: &[PassageFeatures],
        right: &[u32],
        shown: &[u32],
        config: &RankingConfig,
    ) {
        let known = |passage: &u32| features.iter().find(|f| f.passage == *passage);
        for evidence in right.iter().filter_map(known) {
            let wrong = shown.iter().filter(|passage| !right.contains(passage));
            for other in wrong.filter_map(known) {
                let margin = self.score(evidence) - self.score(other);
                let surprise = 1.0 / (1.0 + margin.exp());
                let steps = evidence.values.iter().zip(&other.values).zip(WALK);
                for (weight, ((a, b), walk)) in self.weights.iter_mut().zip(steps) {
                    let pulled = config.pull * (*weight - walk);
                    *weight += config.rate * (surprise * (a - b) - pulled);
                }
            }
        }
        self.verdicts += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(passages: &[u32]) -> Vec<Ranked> {
        passages
            .iter()
            .map(|passage| Ranked {
                passage: *passage,
                score: 1.0 / (f64::from(*passage) + 1.0),
            })
            .collect()
    }

    /// Passage `n` comes `n`-th by the walk; those in `bridges` have an entity that was reached as their title.
    fn known(bridges: &[u32]) -> Vec<PassageFeatures> {
        (0..5)
            .map(|passage| PassageFeatures {
                passage,
                values: [
                    -f64::from(passage) / 10.0,
                    0.5,
                    0.0,
                    f64::from(u8::from(bridges.contains(&passage))),
                ],
            })
            .collect()
    }

    fn order(ranking: &Ranking, keep: usize, config: &RankingConfig) -> Vec<u32> {
        let mut found = ranked(&[0, 1, 2, 3, 4]);
        ranking.order(&mut found, &known(&[4]), keep, config);
        found.iter().map(|r| r.passage).collect()
    }

    #[test]
    fn what_people_called_evidence_comes_first_among_what_is_not_kept() {
        let config = RankingConfig::default();
        let mut ranking = Ranking::default();
        for _ in 0..20 {
            ranking.learn(&known(&[4]), &[4], &[0, 1, 2, 3, 4], &config);
        }
        assert_eq!(order(&ranking, 3, &config), [0, 1, 2, 4, 3]);
        assert_eq!(order(&ranking, 0, &config), [4, 0, 1, 2, 3]);
        let later = RankingConfig {
            least_verdicts: 21,
            ..config
        };
        assert_eq!(order(&ranking, 0, &later), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn few_verdicts_and_verdicts_without_pairs_change_nothing() {
        let config = RankingConfig::default();
        let mut ranking = Ranking::default();
        ranking.learn(&known(&[4]), &[4], &[0, 1, 2, 3, 4], &config);
        assert_eq!(order(&ranking, 0, &config), [0, 1, 2, 3, 4]);
        let mut ranking = Ranking::default();
        for _ in 0..20 {
            ranking.learn(&known(&[4]), &[], &[0, 1], &config);
            ranking.learn(&known(&[4]), &[0, 1], &[0, 1], &config);
        }
        assert_eq!(ranking.weights, WALK);
        assert_eq!(order(&ranking, 0, &config), [0, 1, 2, 3, 4]);
    }
}
