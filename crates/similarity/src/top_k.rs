//! Which rows of a matrix have the largest dot product with a query?
//!
//! Exact and linear: a scan with a bounded heap. It is not an index.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::dot;

/// A row and its score; the greater is the better: higher score, then lower index.
#[derive(PartialEq)]
pub(crate) struct Scored {
    pub(crate) score: f32,
    pub(crate) index: usize,
}

impl Eq for Scored {}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then_with(|| other.index.cmp(&self.index))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `k` best of scored rows, best first, ties by index; scores that are not a number are left out.
pub(crate) fn best(scores: impl Iterator<Item = (usize, f32)>, k: usize) -> Vec<(usize, f32)> {
    let mut heap: BinaryHeap<Reverse<Scored>> = BinaryHeap::new();
    if k == 0 {
        return Vec::new();
    }
    for (index, score) in scores.filter(|(_, score)| !score.is_nan()) {
        let candidate = Scored { score, index };
        if heap.len() < k {
            heap.push(Reverse(candidate));
        } else if let Some(mut worst) = heap.peek_mut()
            && candidate > worst.0
        {
            worst.0 = candidate;
        }
    }
    let ordered = heap.into_sorted_vec();
    ordered
        .into_iter()
        .map(|Reverse(s)| (s.index, s.score))
        .collect()
}

/// The `k` rows of the row-major matrix `rows` (of `dims` columns) with the largest dot product
/// with `query`, best first, ties by index.
///
/// With unit rows and a unit query the scores are cosines. A rest of `rows` that does not fill a
/// row is ignored, and so are rows whose score is not a number. `dims` of zero gives nothing.
///
/// ```
/// let rows = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
/// assert_eq!(similarity::top_k(&[1.0, 0.0], &rows, 2, 2), [(0, 1.0), (2, 1.0)]);
/// ```
#[must_use]
pub fn top_k(query: &[f32], rows: &[f32], dims: usize, k: usize) -> Vec<(usize, f32)> {
    if dims == 0 {
        return Vec::new();
    }
    let scores = rows.chunks_exact(dims).map(|row| dot(query, row));
    best(scores.enumerate(), k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(query: &[f32], rows: &[f32], dims: usize, k: usize) -> Vec<(usize, f32)> {
        let mut all: Vec<_> = rows
            .chunks_exact(dims)
            .map(|row| dot(query, row))
            .enumerate()
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(k);
        all
    }

    proptest! {
        // Small whole numbers make ties common.
        #[test]
        fn equals_sorting_everything(
            dims in 1_usize..5,
            cells in prop::collection::vec(-2_i8..3, 0..200),
            query in prop::collection::vec(-2_i8..3, 4),
            k in 0_usize..12,
        ) {
            let cells: Vec<f32> = cells.into_iter().map(|v| f32::from(v) + 0.0).collect();
            let query: Vec<f32> = query.into_iter().take(dims).map(f32::from).collect();
            prop_assert_eq!(top_k(&query, &cells, dims, k), naive(&query, &cells, dims, k));
        }
    }

    #[test]
    fn no_columns_no_rows() {
        assert!(top_k(&[], &[], 0, 3).is_empty());
        assert!(top_k(&[1.0], &[1.0, 2.0], 1, 0).is_empty());
    }

    #[test]
    fn not_a_number_is_left_out() {
        assert_eq!(top_k(&[1.0], &[f32::NAN, 1.0], 1, 2), [(1, 1.0)]);
    }
}
