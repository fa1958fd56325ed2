//! How much does a passage matter before the graph is walked? (LinearRAG, passage weight)

use crate::activation::Active;
use crate::linear_rag::LinearRagConfig;
use crate::tri_graph::TriGraph;

/// Values scaled to [0, 1]; all 1 when they are all equal.
fn min_max(values: &[f64]) -> Vec<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let spread = most - least;
    let scaled = values.iter().map(|v| {
        if spread > 0.0 {
            (v - least) / spread
        } else {
            1.0
        }
    });
    scaled.collect()
}

/// How near each passage is to the question, in [0, 1]: cosines scaled over all passages, and under
/// `Relevance::Hybrid` the mean of that and of BM25 over the highest one.
pub(crate) fn relevances(cosines: &[f64], bm25: Option<&[f32]>) -> Vec<f64> {
    let dense = min_max(cosines);
    let Some(bm25) = bm25 else { return dense };
    let most = bm25.iter().copied().fold(0.0_f32, f32::max);
    if most <= 0.0 {
        return dense;
    }
    let lexical = bm25.iter().map(|score| f64::from(score / most));
    dense
        .into_iter()
        .zip(lexical)
        .map(|(d, l)| f64::midpoint(d, l))
        .collect()
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
    let mut bonus = vec![0.0; relevances.len()];
    for Active {
        entity,
        score,
        tier,
    } in active
    {
        let scale = score / f64::from((*tier).max(1));
        for (passage, times) in graph.occurrences_of(*entity) {
            bonus[*passage as usize] += scale * (1.0 + f64::from(*times)).ln();
        }
    }
    let weight = |(relevance, bonus): (&f64, f64)| {
        // Negative links can make the bonus so low that its logarithm does not exist: such a passage weighs nothing.
        config.passage_node_weight * (config.passage_ratio * relevance + (1.0 + bonus).ln())
    };
    relevances.iter().zip(bonus).map(weight).collect()
}
