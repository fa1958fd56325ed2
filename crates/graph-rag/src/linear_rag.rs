//! Which passages answer a question? (LinearRAG)
//!
//! Entities of the question are linked to the graph, their activation spreads over sentences, passages are weighted,
//! and a walk ranks them. Without a linked entity the passages nearest to the question are given. No language model.

mod config;
mod nearness;

use std::collections::BTreeSet;

use language_model::Embedder;
use similarity::Embedding;

use crate::GraphRagError;
use crate::activation::{Activation, Seed, propagate};
use crate::index::Index;
use crate::passage_weight::passage_weights;
use crate::ppr::PassageEntityGraph;
use crate::recogniser::Casing;
use crate::token::Encoded;

pub use config::{LinearRagConfig, Linking, Relevance};
pub(crate) use nearness::{LEAST_SHARED_PASSAGES, Nearness};
use nearness::{corrected, scaled};

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
        let nearness = Nearness::of(self, query, config.relevance);
        self.search_with(query, &nearness, seeds, config)
    }

    pub(crate) fn search_with(
        &self,
        query: &Query,
        nearness: &Nearness,
        seeds: &[Seed],
        config: &LinearRagConfig,
    ) -> Retrieval {
        if seeds.is_empty() {
            return Retrieval {
                passages: nearness.best(self, query, config),
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
        let rescaled;
        let (values, scale) = match config.relevance {
            Relevance::Hybrid => (&nearness.values, 1.0),
            Relevance::Cosine => {
                rescaled = scaled(&nearness.values);
                (&rescaled.0, rescaled.1)
            }
        };
        let weights = passage_weights(&self.graph, values, &activation.active, config);
        let ppr = config.ppr();
        let scores = self
            .walks
            .passage_scores(&weights, &activation.weights, &ppr);
        // A passage's own weight reaches its score in full; that of others only over entities that they share.
        let share = config.passage_node_weight * config.passage_ratio * scale
            / PassageEntityGraph::total(&weights, &activation.weights).max(f64::MIN_POSITIVE);
        let bound = nearness.bound() * share * self.walks.most_own_share(&ppr);
        let passages = corrected(&scores, bound, config.retrieval_top_k, |passage| {
            let own = share * self.walks.own_share(passage, &ppr);
            nearness.correction(self, query, passage) * own
        });
        Retrieval {
            passages,
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
        let found = self.search(&query, &query.seeds, config);
        self.check()?;
        Ok(found)
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
        let table = &self.vectors.passages;
        let cosines = table.cosines(vector);
        let near: Vec<f64> = cosines.values.iter().copied().map(f64::from).collect();
        let nearest = corrected(&near, cosines.bound.into(), count, |passage| {
            table.cosine(passage as usize, vector) - near[passage as usize]
        });
        self.check()?;
        Ok(nearest)
    }
}

/// The best of scored places, best first, ties by place.
fn best(scores: &[f64], count: usize) -> Vec<Ranked> {
    let mut best: Vec<Ranked> = Vec::with_capacity(count.min(scores.len()) + 1);
    let mut least = f64::NEG_INFINITY;
    for (passage, score) in (0_u32..).zip(scores) {
        let score = *score;
        // Most are worse than the last of those kept; one that is as good comes later.
        if best.len() == count && score.total_cmp(&least).is_le() {
            continue;
        }
        let place = best.partition_point(|kept| kept.score.total_cmp(&score).is_ge());
        best.insert(place, Ranked { passage, score });
        best.truncate(count);
        least = best.last().map_or(f64::NEG_INFINITY, |kept| kept.score);
    }
    best
}

#[cfg(test)]
pub(crate) mod tests;
