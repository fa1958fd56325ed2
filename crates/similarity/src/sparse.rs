//! How alike are two sets of weighted ids?
//!
//! Ids are the caller's (nodes, predicates, words). Kept sorted, so everything here is a merge and
//! independent of the order of insertion.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A map from ids to weights that are finite and not zero, sorted by id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(u32, f32)>", into = "Vec<(u32, f32)>")]
pub struct SparseMap(Vec<(u32, f32)>);

impl SparseMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many ids have a weight.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no id has a weight.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The weight of an id; zero when it has none.
    #[must_use]
    pub fn weight(&self, id: u32) -> f32 {
        match self.0.binary_search_by_key(&id, |entry| entry.0) {
            Ok(place) => self.0[place].1,
            Err(_) => 0.0,
        }
    }

    /// The entries, by id.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.0.iter().copied()
    }

    /// Sum of the weights.
    #[must_use]
    pub fn sum(&self) -> f32 {
        self.0.iter().map(|entry| entry.1).sum()
    }

    /// Euclidean length.
    #[must_use]
    pub fn norm(&self) -> f32 {
        self.0
            .iter()
            .map(|entry| entry.1 * entry.1)
            .sum::<f32>()
            .sqrt()
    }

    /// Cosine similarity, in [-1, 1]; zero when either is empty.
    ///
    /// ```
    /// use similarity::sparse::SparseMap;
    /// let a = SparseMap::from_iter([(1, 1.0), (2, 1.0)]);
    /// let b = SparseMap::from_iter([(2, 1.0), (3, 1.0)]);
    /// assert!((a.cosine(&b) - 0.5).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        let norms = self.norm() * other.norm();
        if norms == 0.0 {
            return 0.0;
        }
        let mut product = 0.0;
        self.merge(other, |a, b| product += a * b);
        (product / norms).clamp(-1.0, 1.0)
    }

    /// Weighted Jaccard (Ruzicka) similarity, sum of minima over sum of maxima, in [0, 1].
    ///
    /// Negative weights count as zero. Two empty maps have similarity zero: nothing is shared.
    ///
    /// ```
    /// use similarity::sparse::SparseMap;
    /// let a = SparseMap::from_iter([(1, 1.0), (2, 3.0)]);
    /// let b = SparseMap::from_iter([(2, 1.0)]);
    /// assert_eq!(a.weighted_jaccard(&b), 0.25);
    /// ```
    #[must_use]
    pub fn weighted_jaccard(&self, other: &Self) -> f32 {
        let (mut least, mut most) = (0.0, 0.0);
        self.merge(other, |a, b| {
            let (a, b) = (a.max(0.0), b.max(0.0));
            least += a.min(b);
            most += a.max(b);
        });
        if most == 0.0 { 0.0 } else { least / most }
    }

    /// The sum of two maps.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }

    /// Calls `visit` with both weights of every id that has one in either map, by id.
    fn merge(&self, other: &Self, mut visit: impl FnMut(f32, f32)) {
        let (mut left, mut right) = (self.0.as_slice(), other.0.as_slice());
        loop {
            match (left.split_first(), right.split_first()) {
                (None, None) => return,
                (Some((a, rest)), None) => {
                    visit(a.1, 0.0);
                    left = rest;
                }
                (None, Some((b, rest))) => {
                    visit(0.0, b.1);
                    right = rest;
                }
                (Some((a, left_rest)), Some((b, right_rest))) => match a.0.cmp(&b.0) {
                    Ordering::Less => {
                        visit(a.1, 0.0);
                        left = left_rest;
                    }
                    Ordering::Greater => {
                        visit(0.0, b.1);
                        right = right_rest;
                    }
                    Ordering::Equal => {
                        visit(a.1, b.1);
                        left = left_rest;
                        right = right_rest;
                    }
                },
            }
        }
    }
}

impl FromIterator<(u32, f32)> for SparseMap {
    /// Weights of the same id are added; entries that are zero or not finite are dropped.
    fn from_iter<I: IntoIterator<Item = (u32, f32)>>(entries: I) -> Self {
        let mut sorted: Vec<(u32, f32)> = entries.into_iter().filter(|e| e.1.is_finite()).collect();
        // Equal ids also by weight, so that the sum does not depend on the order of insertion.
        sorted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        sorted.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        sorted.retain(|entry| entry.1 != 0.0 && entry.1.is_finite());
        Self(sorted)
    }
}

impl From<Vec<(u32, f32)>> for SparseMap {
    fn from(entries: Vec<(u32, f32)>) -> Self {
        entries.into_iter().collect()
    }
}

impl From<SparseMap> for Vec<(u32, f32)> {
    fn from(map: SparseMap) -> Self {
        map.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn entries() -> impl Strategy<Value = Vec<(u32, f32)>> {
        prop::collection::vec((0_u32..20, (-3_i8..8).prop_map(f32::from)), 0..30)
    }

    fn naive(entries: &[(u32, f32)]) -> BTreeMap<u32, f32> {
        let mut map = BTreeMap::new();
        for (id, weight) in entries {
            *map.entry(*id).or_insert(0.0) += weight;
        }
        map
    }

    proptest! {
        #[test]
        fn measures_equal_the_naive_ones(left in entries(), right in entries()) {
            let (a, b): (SparseMap, SparseMap) = (left.clone().into(), right.clone().into());
            let (x, y) = (naive(&left), naive(&right));
            let (mut product, mut least, mut most) = (0.0, 0.0, 0.0);
            for id in 0..20 {
                let (p, q) = (*x.get(&id).unwrap_or(&0.0), *y.get(&id).unwrap_or(&0.0));
                prop_assert_eq!(a.weight(id), p);
                product += p * q;
                least += p.max(0.0).min(q.max(0.0));
                most += p.max(0.0).max(q.max(0.0));
            }
            let norms = a.norm() * b.norm();
            let cosine = if norms == 0.0 { 0.0 } else { product / norms };
            prop_assert!((a.cosine(&b) - cosine).abs() < 1e-5);
            let jaccard = if most == 0.0 { 0.0 } else { least / most };
            prop_assert!((a.weighted_jaccard(&b) - jaccard).abs() < 1e-6);
            prop_assert_eq!(a.cosine(&b), b.cosine(&a));
        }

        #[test]
        fn order_of_insertion_does_not_show(mut all in entries()) {
            let forward = SparseMap::from(all.clone());
            all.reverse();
            prop_assert_eq!(forward, SparseMap::from(all));
        }
    }

    #[test]
    fn what_is_not_finite_is_dropped() {
        assert!(SparseMap::from_iter([(1, f32::NAN), (2, 0.0), (3, 1.0), (3, -1.0)]).is_empty());
    }
}
