//! Which few experiences should guide this question? (CacheRAG, Algorithm 2)
//!
//! Candidates come from the bucket (domain → aspect, widened to the domain when thin) and from similarity; maximal
//! marginal relevance chooses among them. **Ours**: masked questions are compared, so that entities do not count; BM25 is
//! divided by the query's score against itself, so that it mixes with a cosine; a second example with the same template
//! adds nothing, whatever its words. One experience stands for all with the same masked question and template: the newest.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::experience::Stored;
use crate::index::{Bucket, DomainIndex, Text, word_hashes};
use crate::memory::Memory;
use crate::vector::cosine;
use crate::{ExperienceId, Timestamp};

/// How alike two questions are said to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Similarity {
    /// The paper's: BM25, normalised to [0, 1].
    Bm25,
    /// Cosine of the masked questions.
    Cosine,
    /// The mean of both.
    #[default]
    Hybrid,
}

/// Which layers of the index are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layers {
    /// Domain and aspect.
    #[default]
    Two,
    /// The domain alone: an ablation.
    One,
}

/// How the few are chosen among the candidates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// Relevant and unlike each other.
    #[default]
    Diverse,
    /// Relevant only: an ablation.
    Relevance,
}

/// Bounds and weights of recall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallSettings {
    /// Most experiences recalled; 5 in CacheRAG.
    pub examples: usize,
    /// λ of maximal marginal relevance; 0.5 in CacheRAG.
    pub relevance_weight: f32,
    /// Least relevance, in [0, 1]; below it nothing is recalled.
    pub minimum_relevance: f32,
    /// Most candidates from the bucket, and as many from similarity.
    pub pool: usize,
    /// What is meant by similar.
    pub similarity: Similarity,
    /// Which layers are used.
    pub layers: Layers,
    /// How the few are chosen.
    pub ranking: Ranking,
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self {
            examples: 5,
            relevance_weight: 0.5,
            minimum_relevance: 0.3,
            pool: 32,
            similarity: Similarity::default(),
            layers: Layers::default(),
            ranking: Ranking::default(),
        }
    }
}

/// What to recall for.
#[derive(Debug, Clone, Copy)]
pub struct RecallQuery<'q> {
    /// The source asked.
    pub domain: &'q str,
    /// The core intent.
    pub aspect: &'q str,
    /// The masked question.
    pub masked: &'q str,
    /// Its vector.
    pub vector: &'q [f32],
    /// Expired experiences are left out.
    pub now: Timestamp,
}

/// A recalled experience.
#[derive(Debug, Clone)]
pub struct Recalled {
    /// Its relevance, in [0, 1].
    pub similarity: f32,
    /// Whether it lies in the question's own bucket.
    pub in_bucket: bool,
    /// The experience with its usage.
    pub stored: Stored,
}

struct Candidate<'m> {
    masked: &'m Arc<str>,
    template: &'m Arc<str>,
    text: &'m Text,
    stored: &'m Stored,
    relevance: f32,
}

impl Memory {
    /// At most `examples` experiences, in the order in which they were chosen.
    #[must_use]
    pub fn recall(&self, query: &RecallQuery<'_>, settings: &RecallSettings) -> Vec<Recalled> {
        let Some(domain) = self.index().domain(query.domain) else {
            return Vec::new();
        };
        let bucket = match settings.layers {
            Layers::Two => domain.aspects.get(query.aspect),
            Layers::One => None,
        };
        let words = Words::new(domain, query.masked);
        let relevance = |text: &Text| words.relevance(query, text, settings.similarity);
        let candidates = self.candidates(domain, bucket, query, settings, relevance);
        let relevances: Vec<f32> = candidates.iter().map(|c| c.relevance).collect();
        let alike =
            |a: usize, b: usize| words.alike(&candidates[a], &candidates[b], settings.similarity);
        let weight = match settings.ranking {
            Ranking::Diverse => settings.relevance_weight,
            Ranking::Relevance => 1.0,
        };
        let chosen = similarity::mmr::select(&relevances, alike, weight, settings.examples);
        let recalled = |c: &Candidate<'_>| Recalled {
            similarity: c.relevance,
            in_bucket: bucket.is_some_and(|b| b.members.contains(&c.stored.experience.id)),
            stored: c.stored.clone(),
        };
        chosen
            .into_iter()
            .map(|place| recalled(&candidates[place]))
            .collect()
    }

    fn candidates<'m>(
        &'m self,
        domain: &'m DomainIndex,
        bucket: Option<&'m Bucket>,
        query: &RecallQuery<'_>,
        settings: &RecallSettings,
        relevance: impl Fn(&Text) -> f32,
    ) -> Vec<Candidate<'m>> {
        let near = domain.matrix.nearest(query.vector, settings.pool * 2, -1.0);
        let mut texts: BTreeMap<&'m Arc<str>, ()> = near
            .iter()
            .take(settings.pool)
            .map(|(_, text)| (*text, ()))
            .collect();
        let in_bucket = |text: &Arc<str>| bucket.is_none_or(|b| b.texts.contains_key(text));
        let size = bucket.map_or(0, |b| b.texts.size());
        match bucket {
            // A bucket larger than the pool gives those of its members that lie nearest.
            Some(b) if size > settings.pool => {
                texts.extend(
                    near.iter()
                        .filter(|(_, t)| in_bucket(t))
                        .take(settings.pool)
                        .map(|(_, t)| (*t, ())),
                );
                if texts.is_empty() {
                    texts.extend(b.texts.keys().take(settings.pool).map(|t| (t, ())));
                }
            }
            Some(b) => texts.extend(b.texts.keys().map(|t| (t, ()))),
            None => {}
        }
        // Widened: a thin bucket is filled up from the whole domain.
        if size < settings.examples {
            texts.extend(domain.texts.keys().take(settings.pool).map(|t| (t, ())));
        }
        let mut out = Vec::new();
        for (masked, ()) in texts {
            let Some((masked, text)) = domain.texts.get_key_value(masked) else {
                continue;
            };
            let relevance = relevance(text);
            if relevance < settings.minimum_relevance {
                continue;
            }
            for (template, ids) in text.templates.iter() {
                if let Some(stored) = self.newest(ids.iter().rev(), query.now) {
                    out.push(Candidate {
                        masked,
                        template,
                        text,
                        stored,
                        relevance,
                    });
                }
            }
        }
        out
    }

    fn newest<'m>(
        &'m self,
        ids: impl Iterator<Item = &'m ExperienceId>,
        now: Timestamp,
    ) -> Option<&'m Stored> {
        ids.filter_map(|id| self.stored(*id))
            .find(|stored| !stored.expired(now))
    }
}

/// The words of a query and of a domain, for BM25 with the usual k1 = 1.2 and b = 0.75.
struct Words<'m> {
    domain: &'m DomainIndex,
    query: Arc<[u64]>,
    weights: BTreeMap<u64, f32>,
    own: f32,
    mean_length: f32,
}

const K1: f32 = 1.2;
const B: f32 = 0.75;

impl<'m> Words<'m> {
    fn new(domain: &'m DomainIndex, masked: &str) -> Self {
        let query = word_hashes(masked);
        let texts = as_f32(domain.texts.size() as u64);
        let mean_length = (as_f32(domain.words) / texts.max(1.0)).max(1.0);
        let mut words = Self {
            domain,
            query,
            weights: BTreeMap::new(),
            own: 0.0,
            mean_length,
        };
        let query = Arc::clone(&words.query);
        words.weights = query.iter().map(|w| (*w, words.idf(*w))).collect();
        words.own = words.score(&query, &query);
        words
    }

    fn idf(&self, word: u64) -> f32 {
        let texts = as_f32(self.domain.texts.size() as u64);
        let found = as_f32(
            self.domain
                .frequencies
                .get(&word)
                .map_or(0, |f| u64::from(*f)),
        );
        (1.0 + (texts - found + 0.5) / (found + 0.5)).ln()
    }

    fn weight(&self, word: u64) -> f32 {
        self.weights
            .get(&word)
            .copied()
            .unwrap_or_else(|| self.idf(word))
    }

    fn score(&self, query: &[u64], text: &[u64]) -> f32 {
        let norm = K1 * (1.0 - B + B * as_f32(text.len() as u64) / self.mean_length);
        let mut sum = 0.0;
        for (place, word) in query.iter().enumerate() {
            let count = as_f32(text.iter().filter(|w| *w == word).count() as u64);
            if count > 0.0 && !query[..place].contains(word) {
                sum += self.weight(*word) * count * (K1 + 1.0) / (count + norm);
            }
        }
        sum
    }

    fn bm25(&self, text: &Text) -> f32 {
        if self.own > 0.0 {
            (self.score(&self.query, &text.words) / self.own).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    fn relevance(&self, query: &RecallQuery<'_>, text: &Text, similarity: Similarity) -> f32 {
        let angle = || cosine(query.vector, text.vector.as_slice()).max(0.0);
        match similarity {
            Similarity::Bm25 => self.bm25(text),
            Similarity::Cosine => angle(),
            Similarity::Hybrid => f32::midpoint(self.bm25(text), angle()),
        }
    }

    /// The penalty between two candidates: the larger of question similarity and equality of template.
    fn alike(&self, a: &Candidate<'_>, b: &Candidate<'_>, similarity: Similarity) -> f32 {
        if a.template == b.template && !a.template.is_empty() || a.masked == b.masked {
            return 1.0;
        }
        match similarity {
            Similarity::Bm25 => {
                let own = self.score(&a.text.words, &a.text.words);
                if own > 0.0 {
                    (self.score(&a.text.words, &b.text.words) / own).clamp(0.0, 1.0)
                } else {
                    0.0
                }
            }
            Similarity::Cosine | Similarity::Hybrid => {
                cosine(a.text.vector.as_slice(), b.text.vector.as_slice()).max(0.0)
            }
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words and texts; a rounding in the seventh digit is harmless"
)]
fn as_f32(count: u64) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests;
