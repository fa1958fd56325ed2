//! How often did each of many things go right or wrong, in bounded room?
//!
//! When it is full, what has the least evidence leaves, the oldest first: deterministic, and nothing else is consulted.

use serde::{Deserialize, Serialize};

use crate::persistent::{Map, Set};
use crate::posterior::weight;

/// Evidence for and against one thing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Weighted successes.
    pub successes: f64,
    /// Weighted failures.
    pub failures: f64,
    /// The step at which it last changed.
    pub(crate) touched: u64,
}

impl Tally {
    /// Successes and failures together.
    #[must_use]
    pub fn evidence(&self) -> f64 {
        self.successes + self.failures
    }

    /// The order in which things leave. Bits of non-negative floats sort as the floats do.
    fn rank(&self) -> (u64, u64) {
        (self.evidence().to_bits(), self.touched)
    }
}

/// Below this, evidence that was taken back counts as gone: sums of floats do not cancel exactly.
const NOTHING: f64 = 1e-9;

/// Tallies by key, at most a given number of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Map<K, Tally>", into = "Map<K, Tally>")]
#[serde(bound(
    serialize = "K: Ord + Clone + Serialize",
    deserialize = "K: Ord + Clone + Deserialize<'de>"
))]
pub(crate) struct Tallies<K: Ord + Clone> {
    by_key: Map<K, Tally>,
    by_rank: Set<((u64, u64), K)>,
}

impl<K: Ord + Clone> Default for Tallies<K> {
    fn default() -> Self {
        Self {
            by_key: Map::new_sync(),
            by_rank: Set::new_sync(),
        }
    }
}

impl<K: Ord + Clone> From<Map<K, Tally>> for Tallies<K> {
    fn from(by_key: Map<K, Tally>) -> Self {
        let mut by_rank = Set::new_sync();
        for (key, tally) in by_key.iter() {
            by_rank.insert_mut((tally.rank(), key.clone()));
        }
        Self { by_key, by_rank }
    }
}

impl<K: Ord + Clone> From<Tallies<K>> for Map<K, Tally> {
    fn from(tallies: Tallies<K>) -> Self {
        tallies.by_key
    }
}

impl<K: Ord + Clone> Tallies<K> {
    pub(crate) fn len(&self) -> usize {
        self.by_key.size()
    }

    pub(crate) fn map(&self) -> &Map<K, Tally> {
        &self.by_key
    }

    pub(crate) fn get(&self, key: &K) -> Option<&Tally> {
        self.by_key.get(key)
    }

    /// Adds evidence. Returns the keys that had to leave to stay within `capacity`.
    pub(crate) fn add(
        &mut self,
        key: &K,
        successes: f64,
        failures: f64,
        step: u64,
        capacity: usize,
    ) -> Vec<K> {
        let (successes, failures) = (weight(successes), weight(failures));
        if successes + failures <= 0.0 {
            return Vec::new();
        }
        let old = self.by_key.get(key).copied();
        let known = old.unwrap_or_default();
        let new = Tally {
            successes: known.successes + successes,
            failures: known.failures + failures,
            touched: step,
        };
        self.replace(key, old, Some(new));
        let mut left = Vec::new();
        while self.by_key.size() > capacity.max(1) {
            let Some(weakest) = self.by_rank.first().map(|(_, key)| key.clone()) else {
                break;
            };
            self.remove(&weakest);
            left.push(weakest);
        }
        left
    }

    /// Takes evidence back. Returns whether nothing is left of the key.
    pub(crate) fn subtract(&mut self, key: &K, successes: f64, failures: f64) -> bool {
        let Some(old) = self.by_key.get(key).copied() else {
            return true;
        };
        let new = Tally {
            successes: (old.successes - weight(successes)).max(0.0),
            failures: (old.failures - weight(failures)).max(0.0),
            touched: old.touched,
        };
        let gone = new.evidence() <= NOTHING;
        self.replace(key, Some(old), (!gone).then_some(new));
        gone
    }

    pub(crate) fn remove(&mut self, key: &K) {
        let old = self.by_key.get(key).copied();
        self.replace(key, old, None);
    }

    fn replace(&mut self, key: &K, old: Option<Tally>, new: Option<Tally>) {
        if let Some(old) = old {
            self.by_rank.remove_mut(&(old.rank(), key.clone()));
        }
        if let Some(new) = new {
            self.by_rank.insert_mut((new.rank(), key.clone()));
            self.by_key.insert_mut(key.clone(), new);
        } else {
            self.by_key.remove_mut(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_least_evidence_leaves_and_among_equals_the_oldest() {
        let mut tallies = Tallies::default();
        tallies.add(&"strong", 3.0, 0.0, 1, 3);
        tallies.add(&"old", 1.0, 0.0, 2, 3);
        tallies.add(&"young", 0.0, 1.0, 3, 3);
        assert_eq!(tallies.add(&"newer", 1.0, 0.0, 4, 3), ["old"]);
    }

    #[test]
    fn what_is_taken_back_is_gone() {
        let mut tallies = Tallies::default();
        tallies.add(&1, 0.1, 0.2, 1, 9);
        tallies.add(&1, 0.7, 0.0, 2, 9);
        assert!(!tallies.subtract(&1, 0.7, 0.0));
        assert!(tallies.subtract(&1, 0.1, 0.2));
        assert_eq!(tallies.len(), 0);
    }

    proptest! {
        #[test]
        fn never_over_capacity_and_ranks_agree(
            steps in prop::collection::vec((0_u8..20, 0.0_f64..3.0, 0.0_f64..3.0, any::<bool>()), 0..80),
            capacity in 1_usize..8,
        ) {
            let mut tallies = Tallies::default();
            for (step, (key, s, f, add)) in steps.into_iter().enumerate() {
                if add {
                    tallies.add(&key, s, f, step as u64, capacity);
                } else {
                    tallies.subtract(&key, s, f);
                }
                prop_assert!(tallies.len() <= capacity);
                let rebuilt = Tallies::from(tallies.by_key.clone());
                prop_assert!(rebuilt.by_rank == tallies.by_rank);
            }
        }
    }
}
