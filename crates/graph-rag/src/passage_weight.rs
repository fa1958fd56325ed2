//! How much does a passage matter before the graph is walked? (LinearRAG, passage weight)

use crate::activation::Active;
use crate::linear_rag::LinearRagConfig;
use crate::tri_graph::TriGraph;

/// Values scaled to [0, 1]; all 1 when they are all equal.
fn min_max(values: &[f64]) -> Vec<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let spread = most - least;
    let scaled = values.iter().map(|v| if spread > 0.0 { (v - least) / spread } else { 1.0 });
    scaled.collect()
}

/// One weight a passage: `passage_node_weight · (passage_ratio · d + ln(1 + bonus))`, where `d` is the cosine with the
/// question scaled to [0, 1] over all passages, and `bonus` sums, over active entities, score times
/// `ln(1 + occurrences)` over tier.
pub(crate) fn passage_weights(
    graph: &TriGraph,
    cosines: &[f64],
    active: &[Active],
    config: &LinearRagConfig,
) -> Vec<f64> {
    let mut bonus = vec![0.0; cosines.len()];
    for Active { entity, score, tier } in active {
        let scale = score / f64::from((*tier).max(1));
        for (passage, times) in graph.occurrences_of(*entity) {
            bonus[*passage as usize] += scale * (1.0 + f64::from(*times)).ln();
        }
    }
    let dense = min_max(cosines);
    let weight = |(dense, bonus): (f64, f64)| {
        // Negative links can make the bonus so low that its logarithm does not exist: such a passage weighs nothing.
        config.passage_node_weight * (config.passage_ratio * dense + (1.0 + bonus).ln())
    };
    dense.into_iter().zip(bonus).map(weight).collect()
}
