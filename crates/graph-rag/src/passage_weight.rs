//! How much does a passage matter before the graph is walked? (LinearRAG, passage weight)

use crate::activation::Active;
use crate::linear_rag::LinearRagConfig;
use crate::parallel::fill;
use crate::tri_graph::TriGraph;

/// Lists of fewer passages are gone through by one thread.
const LEAST_SHARED_PASSAGES: usize = 65_536;

/// Sums that are kept side by side while the least and the most are looked for.
const LANES: usize = 16;

/// The least and the most of values that are all numbers; nothing of none.
fn extent<T: Copy + PartialOrd>(values: &[T]) -> Option<(T, T)> {
    let first = *values.first()?;
    let (runs, rest) = values.as_chunks::<LANES>();
    let lower = |a: T, b: T| if b < a { b } else { a };
    let higher = |a: T, b: T| if b > a { b } else { a };
    let (mut least, mut most) = ([first; LANES], [first; LANES]);
    for run in runs {
        for lane in 0..LANES {
            least[lane] = lower(least[lane], run[lane]);
            most[lane] = higher(most[lane], run[lane]);
        }
    }
    let low = least.iter().chain(rest).fold(first, |a, b| lower(a, *b));
    let high = most.iter().chain(rest).fold(first, |a, b| higher(a, *b));
    Some((low, high))
}

/// How near each passage is to the question, in [0, 1]: cosines scaled over all passages, all 1 when they are equal; under
/// `Relevance::Hybrid` the mean of that and of BM25 over the highest one.
pub(crate) fn relevances<T: Copy + PartialOrd + Into<f64> + Sync>(
    cosines: &[T],
    bm25: Option<&[f32]>,
) -> Vec<f64> {
    let Some((least, most)) = extent(cosines) else {
        return Vec::new();
    };
    let least: f64 = least.into();
    let spread: f64 = most.into() - least;
    let dense = |cosine: T| {
        if spread > 0.0 {
            (cosine.into() - least) / spread
        } else {
            1.0
        }
    };
    let highest = bm25.and_then(extent).map_or(0.0, |(_, most)| most);
    let bm25 = bm25.filter(|_| highest > 0.0);
    let mut out = vec![0.0; cosines.len()];
    fill(&mut out, LEAST_SHARED_PASSAGES, |start, run| {
        let slots = run.iter_mut().zip(&cosines[start..]);
        match bm25 {
            None => slots.for_each(|(slot, cosine)| *slot = dense(*cosine)),
            Some(bm25) => slots
                .zip(&bm25[start..])
                .for_each(|((slot, cosine), score)| {
                    *slot = f64::midpoint(dense(*cosine), f64::from(score / highest));
                }),
        }
    });
    out
}

/// One weight a passage: `passage_node_weight · (passage_ratio · d + ln(1 + bonus))`, where `d` is its
/// relevance, and `bonus` sums, over active entities, score times
/// `ln(1 + occurrences)` over tier.
pub(crate) fn passage_weights(
    graph: &TriGraph,
    relevances: &[f64],
    active: &[Active],
    config: &LinearRagConfig,
) -> Vec<f64> {
    let mut weights = vec![0.0; relevances.len()];
    for Active {
        entity,
        score,
        tier,
    } in active
    {
        let scale = score / f64::from((*tier).max(1));
        for (passage, times) in graph.occurrences_of(*entity) {
            weights[*passage as usize] += scale * (1.0 + f64::from(*times)).ln();
        }
    }
    fill(&mut weights, LEAST_SHARED_PASSAGES, |start, run| {
        for (slot, relevance) in run.iter_mut().zip(&relevances[start..]) {
            // Most passages hold no active entity. Negative links can make the bonus so low that its logarithm does not
            // exist: such a passage weighs nothing.
            let bonus = if *slot == 0.0 {
                0.0
            } else {
                (1.0 + *slot).ln()
            };
            *slot = config.passage_node_weight * (config.passage_ratio * relevance + bonus);
        }
    });
    weights
}
