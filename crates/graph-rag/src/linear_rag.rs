//! Which passages answer a question? (LinearRAG)
//!
//! Entities of the question are linked to the graph, their activation spreads over sentences, passages are weighted,
//! and a walk ranks them. Without a linked entity the passages nearest to the question are given. No language model.

use std::collections::BTreeSet;

use language_model::Embedder;
use language_model::words::words;
use serde::{Deserialize, Serialize};
use similarity::Embedding;

use crate::GraphRagError;
use crate::activation::{Activation, Seed, propagate};
use crate::index::Index;
use crate::passage_weight::{passage_weights, relevances};
use crate::ppr::{PprConfig, Solver};
use crate::recogniser::Casing;
use crate::token::Encoded;

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

    fn ppr(&self) -> PprConfig {
        PprConfig {
            damping: self.damping,
            tolerance: self.ppr_tolerance,
            max_rounds: self.ppr_max_rounds,
        }
    }
}

/// A question, read against an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Its words.
    pub text: String,
    /// Its vector.
    pub vector: Embedding,
    /// Its mentions, lower case, each once, in order.
    pub mentions: Vec<String>,
    /// The entities they are linked to, in order.
    pub seeds: Vec<Seed>,
}

/// How passages were ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// By the walk.
    Graph,
    /// By nearness to the question, as no entity was linked.
    Dense,
}

/// A passage and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The passage's place in the index.
    pub passage: u32,
    /// Its score in the walk, or its nearness to the question.
    pub score: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieval {
    /// Best first, ties by place.
    pub passages: Vec<Ranked>,
    /// What was reached on the way; empty when no entity was linked.
    pub activation: Activation,
    /// How it was ranked.
    pub path: Path,
}

impl Index {
    /// Reads a question: its vector, its mentions, and what they link to.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::OtherEmbedder`] when the embedder is not the index's; [`GraphRagError::Embed`] when it fails.
    pub fn query(
        &self,
        question: &str,
        embedder: &dyn Embedder,
        config: &LinearRagConfig,
    ) -> Result<Query, GraphRagError> {
        if embedder.fingerprint() != self.embedder {
            return Err(GraphRagError::OtherEmbedder {
                index: self.embedder.clone(),
                given: embedder.fingerprint().to_owned(),
            });
        }
        let mentions = self.mentions_of(question);
        let exact: Vec<Option<u32>> = match config.linking {
            Linking::ExactFirst => mentions
                .iter()
                .map(|m| self.graph.entity_named(m))
                .collect(),
            Linking::Nearest => vec![None; mentions.len()],
        };
        let mut texts = vec![question];
        texts.extend(
            mentions
                .iter()
                .zip(&exact)
                .filter(|(_, e)| e.is_none())
                .map(|(m, _)| m.as_str()),
        );
        let mut vectors = embedder.embed(&texts)?.into_iter();
        let Some(vector) = vectors.next() else {
            return Err(GraphRagError::NoVector);
        };
        let mut seeds: Vec<Seed> = Vec::new();
        for exact in exact {
            let linked = match exact {
                Some(entity) => Some((entity, 1.0)),
                None => vectors
                    .next()
                    .and_then(|vector| self.nearest_entity(&vector, config)),
            };
            let Some((entity, score)) = linked else {
                continue;
            };
            // The later of two mentions of one entity gives its score, in the place of the first.
            match seeds.iter_mut().find(|seed| seed.entity == entity) {
                Some(seed) => seed.score = score,
                None => seeds.push(Seed { entity, score }),
            }
        }
        Ok(Query {
            text: question.to_owned(),
            vector,
            mentions,
            seeds,
        })
    }

    fn mentions_of(&self, question: &str) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mentions = self.recogniser.mentions(question, Casing::of(question));
        let lower = mentions
            .into_iter()
            .map(|m| question[m.span].to_lowercase());
        lower
            .filter(|m| !Encoded::new(m).text.is_empty() && seen.insert(m.clone()))
            .collect()
    }

    fn nearest_entity(&self, mention: &Embedding, config: &LinearRagConfig) -> Option<(u32, f64)> {
        let (row, cosine) = self.vectors.entities.nearest(mention)?;
        let enough = match config.linking {
            Linking::ExactFirst => cosine >= config.minimum_link_similarity,
            Linking::Nearest => true,
        };
        Some((u32::try_from(row).ok()?, cosine)).filter(|_| enough)
    }

    /// Ranks passages for a question from the given seeds: its own, or those that experience added to.
    #[must_use]
    pub fn search(&self, query: &Query, seeds: &[Seed], config: &LinearRagConfig) -> Retrieval {
        let relevances = self.relevances(query, config.relevance);
        self.search_with(query, &relevances, seeds, config)
    }

    /// How near each passage is to the question; cosines in [-1, 1] or, scaled, in [0, 1].
    pub(crate) fn relevances(&self, query: &Query, relevance: Relevance) -> Vec<f64> {
        let cosines = self.vectors.passages.cosines(&query.vector);
        match relevance {
            Relevance::Cosine => cosines,
            Relevance::Hybrid => {
                relevances(&cosines, Some(&self.words.scores(&words(&query.text))))
            }
        }
    }

    pub(crate) fn search_with(
        &self,
        query: &Query,
        nearness: &[f64],
        seeds: &[Seed],
        config: &LinearRagConfig,
    ) -> Retrieval {
        if seeds.is_empty() {
            return Retrieval {
                passages: best(nearness, config.retrieval_top_k),
                activation: Activation::default(),
                path: Path::Dense,
            };
        }
        let activation = propagate(
            &self.graph,
            &self.vectors.sentences,
            &query.vector,
            seeds,
            config,
        );
        let scaled;
        let nearness = match config.relevance {
            Relevance::Hybrid => nearness,
            Relevance::Cosine => {
                scaled = relevances(nearness, None);
                &scaled
            }
        };
        let weights = passage_weights(&self.graph, nearness, &activation.active, config);
        let scores = self.walks.passage_scores(
            &weights,
            &activation.weights,
            &config.ppr(),
            Solver::PowerIteration,
        );
        Retrieval {
            passages: best(&scores, config.retrieval_top_k),
            activation,
            path: Path::Graph,
        }
    }

    /// Reads a question and ranks passages for it.
    ///
    /// # Errors
    ///
    /// As [`Index::query`].
    pub fn retrieve(
        &self,
        question: &str,
        embedder: &dyn Embedder,
        config: &LinearRagConfig,
    ) -> Result<Retrieval, GraphRagError> {
        let query = self.query(question, embedder, config)?;
        Ok(self.search(&query, &query.seeds, config))
    }

    /// The passages nearest to a question: the dense baseline.
    ///
    /// # Errors
    ///
    /// As [`Index::query`].
    pub fn nearest_passages(
        &self,
        question: &str,
        embedder: &dyn Embedder,
        count: usize,
    ) -> Result<Vec<Ranked>, GraphRagError> {
        let vectors = embedder.embed(&[question])?;
        let vector = vectors.first().ok_or(GraphRagError::NoVector)?;
        Ok(best(&self.vectors.passages.cosines(vector), count))
    }
}

/// The best of scored places, best first, ties by place.
fn best(scores: &[f64], count: usize) -> Vec<Ranked> {
    let order =
        |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage));
    let mut all: Vec<Ranked> = (0_u32..)
        .zip(scores)
        .map(|(passage, score)| Ranked {
            passage,
            score: *score,
        })
        .collect();
    if count < all.len() && count > 0 {
        all.select_nth_unstable_by(count - 1, order);
    }
    all.truncate(count);
    all.sort_by(order);
    all
}

#[cfg(test)]
pub(crate) mod tests;
