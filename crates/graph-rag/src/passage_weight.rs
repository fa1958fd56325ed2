//! How much does a passage matter before the graph is walked? (LinearRAG, passage weight)

use crate::activation::Active;
use crate::linear_rag::{LEAST_SHARED_PASSAGES, LinearRagConfig};
use crate::parallel::fill;
use crate::tri_graph::TriGraph;

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
