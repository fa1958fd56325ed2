//! Which bounds and weights does experience have, and which are the paper's?

use serde::{Deserialize, Serialize};

use super::ranking::RankingConfig;
use crate::grounding::GroundingConfig;
use crate::scaffold::ScaffoldConfig;

/// Whether the safety rules hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Overlap gate, bounded fusion, and the first places left to retrieval without experience.
    #[default]
    Guarded,
    /// The equations alone.
    Paper,
}

/// Bounds and weights of experience. What the paper does not state is ours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LivingRagConfig {
    /// Whether the safety rules hold.
    pub mode: Mode,
    /// α: weight of the questions' likeness against that of their entities. Depends on the embedder: see
    /// [`calibrate_alpha`](super::calibrate_alpha).
    pub alpha: f64,
    /// K: experiences that are fused.
    pub top_k: usize,
    /// τ_s: temperature of their weights.
    pub temperature: f64,
    /// β: how much of them enters.
    pub fusion_weight: f64,
    /// H: entities of each that enter.
    pub max_injected: usize,
    /// Guarded: least cosine between an experience's entities and the question's.
    pub overlap_gate: f64,
    /// Guarded: likeness of questions from which no shared entity is asked for.
    pub paraphrase: f64,
    /// Guarded: places that stay as retrieval without experience has them.
    pub keep: usize,
    /// ε: entries of a map below this share of its largest are dropped.
    pub map_floor: f64,
    /// Entities of a map.
    pub map_cap: usize,
    /// τ_novel; 0.7 in the paper.
    pub minimum_novelty: f64,
    /// τ_gs; 0.6 in the paper.
    pub minimum_grounding: f64,
    /// Seconds in which confidence halves; `None` for a corpus that does not age.
    pub half_life_seconds: Option<u64>,
    /// How answers are grounded.
    pub grounding: GroundingConfig,
    /// How scaffolds are chosen.
    pub scaffold: ScaffoldConfig,
    /// Guarded: how verdicts on passages change their order.
    pub ranking: RankingConfig,
}

impl Default for LivingRagConfig {
    fn default() -> Self {
        Self {
            mode: Mode::Guarded,
            alpha: 0.7,
            top_k: 3,
            temperature: 0.1,
            fusion_weight: 0.3,
            max_injected: 10,
            overlap_gate: 0.05,
            paraphrase: 0.85,
            keep: 3,
            map_floor: 0.05,
            map_cap: 64,
            minimum_novelty: 0.7,
            minimum_grounding: 0.6,
            half_life_seconds: None,
            grounding: GroundingConfig::default(),
            scaffold: ScaffoldConfig::default(),
            ranking: RankingConfig::default(),
        }
    }
}
