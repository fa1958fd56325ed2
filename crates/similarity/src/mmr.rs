//! Which few of many relevant things should be shown, so that they are not all alike?
//!
//! Maximal marginal relevance: Carbonell and Goldstein, SIGIR 1998.

/// Chooses at most `k` of `relevance.len()` things, in the order in which they were chosen.
///
/// Each step takes the thing with the largest
/// `relevance_weight * relevance - (1 - relevance_weight) * (largest similarity to one chosen)`,
/// ties by index; before anything is chosen the second term is zero. `relevance_weight` (lambda in
/// the paper) is clamped to [0, 1]: at 1 this is plain ranking. `pair_similarity` is called at most
/// `k * n` times; values that are not a number count as the worst.
///
/// ```
/// // 0 and 1 are twins: the second choice is 2, though 1 is more relevant.
/// let twins = |a: usize, b: usize| if a < 2 && b < 2 { 1.0 } else { 0.0 };
/// assert_eq!(similarity::mmr::select(&[0.9, 0.8, 0.5], twins, 0.5, 2), [0, 2]);
/// ```
pub fn select(
    relevance: &[f32],
    pair_similarity: impl Fn(usize, usize) -> f32,
    relevance_weight: f32,
    k: usize,
) -> Vec<usize> {
    let weight = if relevance_weight.is_nan() {
        1.0
    } else {
        relevance_weight.clamp(0.0, 1.0)
    };
    let mut remaining: Vec<usize> = (0..relevance.len()).collect();
    let mut closest: Vec<Option<f32>> = vec![None; relevance.len()];
    let mut chosen = Vec::with_capacity(k.min(relevance.len()));
    while chosen.len() < k {
        let mut best: Option<(usize, f32)> = None;
        for (place, &index) in remaining.iter().enumerate() {
            let score = marginal(relevance[index], closest[index], weight);
            if best.is_none_or(|(_, top)| score > top) {
                best = Some((place, score));
            }
        }
        let Some((place, _)) = best else { break };
        let index = remaining.remove(place);
        for &other in &remaining {
            let similarity = pair_similarity(index, other);
            closest[other] = Some(closest[other].map_or(similarity, |known| known.max(similarity)));
        }
        chosen.push(index);
    }
    chosen
}

fn marginal(relevance: f32, closest: Option<f32>, weight: f32) -> f32 {
    let score = weight * relevance - (1.0 - weight) * closest.unwrap_or(0.0);
    if score.is_nan() {
        f32::NEG_INFINITY
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(relevance: &[f32], sim: &[Vec<f32>], weight: f32, k: usize) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < k.min(relevance.len()) {
            let score = |i: usize| {
                let closest = chosen.iter().map(|&c| sim[c][i]).max_by(f32::total_cmp);
                weight * relevance[i] - (1.0 - weight) * closest.unwrap_or(0.0)
            };
            let left = (0..relevance.len()).filter(|i| !chosen.contains(i));
            let best = left.reduce(|a, b| if score(b) > score(a) { b } else { a });
            chosen.extend(best);
        }
        chosen
    }

    proptest! {
        #[test]
        fn equals_recomputing_everything(
            relevance in prop::collection::vec(0_u8..4, 0..12),
            cells in prop::collection::vec(0_u8..4, 144),
            weight in 0_u8..=4,
            k in 0_usize..14,
        ) {
            let relevance: Vec<f32> = relevance.into_iter().map(|v| f32::from(v) / 4.0).collect();
            let sim: Vec<Vec<f32>> =
                cells.chunks(12).map(|row| row.iter().map(|v| f32::from(*v) / 4.0).collect()).collect();
            let weight = f32::from(weight) / 4.0;
            let fast = select(&relevance, |a, b| sim[a][b], weight, k);
            prop_assert_eq!(&fast, &naive(&relevance, &sim, weight, k));
            prop_assert_eq!(fast.len(), k.min(relevance.len()));
            let mut distinct = fast.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), fast.len());
        }
    }

    #[test]
    fn not_a_number_comes_last() {
        assert_eq!(select(&[f32::NAN, 0.1], |_, _| 0.0, 1.0, 2), [1, 0]);
    }
}
