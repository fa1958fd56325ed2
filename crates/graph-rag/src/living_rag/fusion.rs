//! Which experiences match a question, and what do they add to where retrieval starts? (LivingRAG, Eq. 7 to 10)

use similarity::sparse::SparseMap;

use super::{LivingRag, Mode};
use crate::activation::Seed;
use crate::experience::{DocumentExperience, ExperienceId, ExperienceStore};
use crate::linear_rag::{Query, Retrieval};

/// An experience that was fused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Used {
    /// Its number.
    pub id: ExperienceId,
    /// w: softmax of its match times its confidence, in [0, 1].
    pub weight: f64,
}

/// An experience and how it matches.
pub(super) struct Match<'s> {
    pub(super) experience: &'s DocumentExperience,
    /// s_ret.
    pub(super) score: f64,
    /// Cosine of the questions.
    pub(super) question: f64,
    /// Cosine of the maps.
    pub(super) overlap: f64,
    /// Its confidence by age.
    confidence: f64,
}

/// The seeds as a map, before fusion.
pub(super) fn seed_map(query: &Query) -> SparseMap {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "scores in [-1, 1] lose digits, not size"
    )]
    let entries = query
        .seeds
        .iter()
        .map(|seed| (seed.entity, seed.score as f32));
    entries.collect()
}

impl<S: ExperienceStore> LivingRag<S> {
    /// All active experiences with their match, by number.
    pub(super) fn matches(&self, query: &Query, now: u64) -> Vec<Match<'_>> {
        let base = seed_map(query);
        let alpha = self.config.alpha;
        let active = self.store.active();
        let bound = self.bound.iter().filter_map(|bound| {
            let place = active.binary_search_by_key(&bound.id, |e| e.id).ok()?;
            Some((active[place], &bound.map))
        });
        let matched = bound
            .filter(|(e, _)| e.vector.dims() == query.vector.dims())
            .map(|(experience, map)| {
                let question = f64::from(query.vector.cosine(&experience.vector));
                let overlap = f64::from(base.cosine(map));
                Match {
                    experience,
                    score: alpha * question + (1.0 - alpha) * overlap,
                    question,
                    overlap,
                    confidence: experience.confidence_at(now, self.config.half_life_seconds),
                }
            });
        matched.collect()
    }

    /// The best `K`, with their weights; under the guards only those that share entities or all but repeat the question.
    pub(super) fn chosen(&self, matches: &[Match<'_>]) -> Vec<Used> {
        let mut best: Vec<&Match<'_>> = matches.iter().collect();
        best.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then(a.experience.id.cmp(&b.experience.id))
        });
        best.truncate(self.config.top_k);
        let Some(top) = best.first().map(|m| m.score) else {
            return Vec::new();
        };
        let power = |m: &Match<'_>| ((m.score - top) / self.config.temperature).exp();
        let total: f64 = best.iter().map(|m| power(m)).sum();
        let passes = |m: &&Match<'_>| match self.config.mode {
            Mode::Paper => true,
            Mode::Guarded => {
                m.overlap >= self.config.overlap_gate || m.question >= self.config.paraphrase
            }
        };
        let used = best.iter().copied().filter(passes);
        used.map(|m| Used {
            id: m.experience.id,
            weight: power(m) / total * m.confidence,
        })
        .collect()
    }

    /// The question's seeds with the weighted entities of experiences added, scaled so that the largest is as large as
    /// before; entities that were no seeds follow by id.
    pub(super) fn fused_seeds(&self, query: &Query, used: &[Used]) -> Vec<Seed> {
        let mut added: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
        for used in used {
            let Ok(place) = self.bound.binary_search_by_key(&used.id, |b| b.id) else {
                continue;
            };
            let mut entries: Vec<(u32, f32)> = self.bound[place].map.iter().collect();
            entries.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            for (entity, weight) in entries.into_iter().take(self.config.max_injected) {
                *added.entry(entity).or_insert(0.0) +=
                    self.config.fusion_weight * used.weight * f64::from(weight);
            }
        }
        let mut seeds = query.seeds.clone();
        for seed in &mut seeds {
            seed.score += added.remove(&seed.entity).unwrap_or(0.0);
        }
        seeds.extend(
            added
                .into_iter()
                .map(|(entity, score)| Seed { entity, score }),
        );
        let most = |seeds: &[Seed]| seeds.iter().map(|s| s.score).fold(0.0_f64, f64::max);
        let (before, after) = (most(&query.seeds), most(&seeds));
        if before > 0.0 && after > 0.0 {
            for seed in &mut seeds {
                seed.score *= before / after;
            }
        }
        seeds
    }
}

/// The first `keep` places as they were without experience, the others in the order with it. Scores of the two walks are
/// not comparable: each passage keeps that of the list it comes from.
pub(super) fn keep_first(
    base: Retrieval,
    fused: Retrieval,
    keep: usize,
    count: usize,
) -> Retrieval {
    let mut passages: Vec<_> = base
        .passages
        .iter()
        .copied()
        .take(keep.min(count))
        .collect();
    for ranked in fused.passages.iter().chain(&base.passages) {
        if passages.len() < count && !passages.iter().any(|known| known.passage == ranked.passage) {
            passages.push(*ranked);
        }
    }
    Retrieval { passages, ..fused }
}
