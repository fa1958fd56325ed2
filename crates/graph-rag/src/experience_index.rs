//! Which of many experiences are most like a question? (LivingRAG, Eq. 7)
//!
//! Questions are compared in one pass over all vectors, entities over lists of who activated them. It picks; what is
//! picked is matched exactly by [`LivingRag`](crate::LivingRag).

use std::collections::HashMap;
use std::sync::Arc;

use similarity::Embedding;
use similarity::sparse::SparseMap;

use crate::linear_rag::Query;
use crate::vectors::Compact;

/// Experiences by number, ready to be compared with questions to one index.
#[derive(Debug, Clone, Default)]
pub struct ExperienceIndex {
    vectors: Compact,
    /// For each entity the experiences that activated it, with its share of the map's length.
    holders: HashMap<u32, Vec<(u32, f32)>>,
    maps: Vec<Arc<SparseMap>>,
}

impl ExperienceIndex {
    /// How many experiences there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.maps.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// Adds an experience by its question's vector and its map by the index's ids; gives its number, the next one.
    /// `None` when the vector has another size than those before, or 32 bits do not hold the number.
    pub fn insert(&mut self, vector: &Embedding, map: SparseMap) -> Option<u32> {
        let number = u32::try_from(self.maps.len()).ok()?;
        if !self.vectors.push(vector.as_slice()) {
            return None;
        }
        let length = map.norm();
        for (entity, weight) in map.iter() {
            self.holders
                .entry(entity)
                .or_default()
                .push((number, weight / length));
        }
        self.maps.push(Arc::new(map));
        Some(number)
    }

    /// The map of an experience, as it was inserted.
    #[must_use]
    pub fn map(&self, number: u32) -> Option<Arc<SparseMap>> {
        self.maps.get(number as usize).map(Arc::clone)
    }

    /// The `count` admitted experiences with the highest `alpha · cos(questions) + (1 - alpha) · cos(entities)`, best
    /// first, later ones first among equals. Vectors are compared in 16 bits a number: the order is exact but for
    /// differences of some 10⁻⁵.
    pub fn best(
        &self,
        query: &Query,
        alpha: f64,
        count: usize,
        mut admits: impl FnMut(u32) -> bool,
    ) -> Vec<u32> {
        if query.vector.dims() != self.vectors.dims() {
            return Vec::new();
        }
        #[expect(clippy::cast_possible_truncation, reason = "a share in [0, 1]")]
        let alpha = alpha as f32;
        let mut scores = self.vectors.products(&query.vector);
        scores.iter_mut().for_each(|score| *score *= alpha);
        let length = query
            .seeds
            .iter()
            .map(|seed| seed.score * seed.score)
            .sum::<f64>()
            .sqrt();
        for seed in &query.seeds {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a cosine's part, in [-1, 1]"
            )]
            let share = (seed.score / length.max(f64::MIN_POSITIVE)) as f32;
            for (number, weight) in self.holders.get(&seed.entity).into_iter().flatten() {
                scores[*number as usize] += (1.0 - alpha) * share * weight;
            }
        }
        let mut order: Vec<(f32, u32)> = scores.into_iter().zip(0..).collect();
        let better = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        let mut found = Vec::with_capacity(count);
        let mut sorted = 0;
        // Refused ones are few: some more than are needed are put in order, and more again while too few are admitted.
        while found.len() < count && sorted < order.len() {
            let rest = &mut order[sorted..];
            let next = rest.len().min(2 * count + sorted);
            if next < rest.len() {
                rest.select_nth_unstable_by(next - 1, better);
            }
            rest[..next].sort_unstable_by(better);
            let wanted = count - found.len();
            found.extend(
                rest[..next]
                    .iter()
                    .map(|(_, number)| *number)
                    .filter(|number| admits(*number))
                    .take(wanted),
            );
            sorted += next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::activation::Seed;

    fn unit(rng: &mut ChaCha8Rng) -> Embedding {
        Embedding::new((0..32).map(|_| rng.random_range(-1.0_f32..1.0)).collect()).unwrap()
    }

    #[test]
    fn the_best_are_those_of_the_definition_whoever_is_refused() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut index = ExperienceIndex::default();
        let mut known = Vec::new();
        for n in 0..500 {
            let map: SparseMap = (0..6)
                .map(|_| (rng.random_range(0_u32..40), rng.random_range(0.1_f32..1.0)))
                .collect();
            let vector = unit(&mut rng);
            assert_eq!(index.insert(&vector, map.clone()), Some(n));
            known.push((vector, map));
        }
        for round in 0..20 {
            let seeds = vec![
                Seed {
                    entity: round,
                    score: 1.0,
                },
                Seed {
                    entity: 39 - round,
                    score: 0.5,
                },
            ];
            let map = SparseMap::from_iter([(round, 1.0), (39 - round, 0.5)]);
            let query = Query {
                text: String::new(),
                vector: unit(&mut rng),
                mentions: Vec::new(),
                seeds,
            };
            let admits = |n: u32| n % 3 != round % 3;
            let mut scored: Vec<(f32, u32)> = known
                .iter()
                .zip(0..)
                .filter(|(_, n)| admits(*n))
                .map(|((vector, of), n)| {
                    (0.7 * query.vector.cosine(vector) + 0.3 * map.cosine(of), n)
                })
                .collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            let best = index.best(&query, 0.7, 10, admits);
            assert_eq!(best.len(), 10);
            for (found, (score, _)) in best.iter().zip(&scored) {
                let own = scored.iter().find(|(_, n)| n == found).unwrap().0;
                assert!((own - score).abs() < 1e-3, "{own} in the place of {score}");
            }
            assert_eq!(index.best(&query, 0.7, 1_000, admits).len(), scored.len());
        }
    }

    #[test]
    fn vectors_of_another_size_are_not_compared() {
        let mut index = ExperienceIndex::default();
        assert!(index.is_empty());
        let vector = |dims: usize| Embedding::new(vec![1.0; dims]).unwrap();
        assert_eq!(index.insert(&vector(3), SparseMap::new()), Some(0));
        assert_eq!(index.insert(&vector(4), SparseMap::new()), None);
        let query = Query {
            text: String::new(),
            vector: vector(4),
            mentions: Vec::new(),
            seeds: Vec::new(),
        };
        assert!(index.best(&query, 0.7, 3, |_| true).is_empty());
        assert_eq!(index.len(), 1);
    }
}
