//! Which bounds and weights does retrieval have, and which are the paper's?

use serde::{Deserialize, Serialize};

use crate::GraphRagError;
use crate::ppr::PprConfig;

/// How a mention of the question finds its entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Linking {
    /// The entity of the same folded name, with score 1; else the nearest one, if near enough.
    #[default]
    ExactFirst,
    /// The nearest one, however far: the reference's.
    Nearest,
}

/// How near a passage is to the question, before the graph is walked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relevance {
    /// The mean of the cosine of vectors and of BM25, each scaled to [0, 1]: words and meaning.
    #[default]
    Hybrid,
    /// The cosine alone: the paper's.
    Cosine,
}

/// Bounds and weights of retrieval. Defaults are the paper's library defaults but for what says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearRagConfig {
    /// Rounds of propagation plus one: 3 means two hops.
    pub max_iterations: u32,
    /// δ: activation below this is not passed on. The paper's is 0.1 to 0.5, by set; ours is for the built-in embedder,
    /// whose cosines are lower than those of the paper's.
    pub iteration_threshold: f64,
    /// Sentences an entity passes its activation over, each round.
    pub top_k_sentence: usize,
    /// Weight of the passage's cosine against its entities' bonus.
    pub passage_ratio: f64,
    /// Scale of all passage weights against the entities'.
    pub passage_node_weight: f64,
    /// Probability of following an edge, in [0, 1).
    pub damping: f64,
    /// Passages retrieved.
    pub retrieval_top_k: usize,
    /// What passages are compared with the question by.
    pub relevance: Relevance,
    /// How mentions find their entities.
    pub linking: Linking,
    /// Least cosine of a link by nearness, under [`Linking::ExactFirst`]; ours.
    pub minimum_link_similarity: f64,
    /// Largest error of a passage's score.
    pub ppr_tolerance: f64,
    /// Most rounds of the walk.
    pub ppr_max_rounds: usize,
}

impl Default for LinearRagConfig {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            iteration_threshold: 0.25,
            top_k_sentence: 1,
            passage_ratio: 1.5,
            passage_node_weight: 0.05,
            damping: 0.5,
            retrieval_top_k: 5,
            relevance: Relevance::Hybrid,
            linking: Linking::ExactFirst,
            minimum_link_similarity: 0.6,
            ppr_tolerance: 4e-9,
            ppr_max_rounds: 64,
        }
    }
}

impl LinearRagConfig {
    /// LinearRAG's: δ 0.4, cosines alone, links without a minimum.
    #[must_use]
    pub fn reference() -> Self {
        Self {
            iteration_threshold: 0.4,
            relevance: Relevance::Cosine,
            linking: Linking::Nearest,
            ..Self::default()
        }
    }

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::Setting`] naming the first setting that is out of range.
    pub fn validate(&self) -> Result<(), GraphRagError> {
        let checks: [(&'static str, f64, bool, &'static str); 6] = [
            (
                "damping",
                self.damping,
                (0.0..1.0).contains(&self.damping),
                "0 to below 1",
            ),
            (
                "ppr_tolerance",
                self.ppr_tolerance,
                self.ppr_tolerance > 0.0,
                "above 0",
            ),
            (
                "iteration_threshold",
                self.iteration_threshold,
                self.iteration_threshold >= 0.0,
                "0 or more",
            ),
            (
                "passage_ratio",
                self.passage_ratio,
                self.passage_ratio >= 0.0,
                "0 or more",
            ),
            (
                "passage_node_weight",
                self.passage_node_weight,
                self.passage_node_weight >= 0.0,
                "0 or more",
            ),
            (
                "minimum_link_similarity",
                self.minimum_link_similarity,
                (-1.0..=1.0).contains(&self.minimum_link_similarity),
                "-1 to 1",
            ),
        ];
        match checks
            .into_iter()
            .find(|(_, value, fits, _)| !fits || !value.is_finite())
        {
            Some((setting, value, _, range)) => Err(GraphRagError::Setting {
                setting,
                value: value.to_string(),
                range,
            }),
            None => Ok(()),
        }
    }

    pub(super) fn ppr(&self) -> PprConfig {
        PprConfig {
            damping: self.damping,
            tolerance: self.ppr_tolerance,
            max_rounds: self.ppr_max_rounds,
        }
    }
}
