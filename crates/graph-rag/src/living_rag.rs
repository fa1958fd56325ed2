//! How do earlier, verified answers help to find passages? (LivingRAG)
//!
//! Experiences that match a question add their entities to where retrieval starts; what is new and grounded is kept.
//! `Mode::Paper` is the paper's equations; `Mode::Guarded`, the default, adds rules by which a store cannot do much harm.
//! Questions read; only [`LivingRag::learn`] and what follows it write.

mod calibrate;
mod candidate;
mod config;
mod example;
mod fusion;
mod ranking;

use std::collections::BTreeMap;
use std::sync::Arc;

use language_model::Embedder;
use similarity::sparse::SparseMap;

use crate::GraphRagError;
use crate::experience::{
    DocumentExperience, ExperienceId, ExperienceStore, Judge, Status, sparsify,
};
use crate::grounding::{Grounding, claims};
use crate::index::{ChangeReport, Index};
use crate::linear_rag::{LinearRagConfig, Nearness, Path, Query, Retrieval};
use crate::scaffold::{Scaffold, key_sentences};

pub use calibrate::{Calibration, calibrate_alpha};
pub use candidate::{Candidate, Kept, NotKept, Verdict};
pub use config::{LivingRagConfig, Mode};
pub use fusion::Used;
use ranking::Ranking;
pub use ranking::{PassageFeatures, RankingConfig};

/// What was found with experience.
#[derive(Debug, Clone, PartialEq)]
pub struct LivingRetrieval {
    /// The question as read, with the seeds it had before fusion.
    pub query: Query,
    /// The passages and what was activated.
    pub found: Retrieval,
    /// The experiences that were fused, and how much each weighed.
    pub used: Vec<Used>,
    /// What is known of the passages found, for verdicts to learn from; empty in the paper's mode.
    pub features: Vec<PassageFeatures>,
    /// Entities that fusion brought in with enough activation to be passed on, the question's own left out.
    pub transferred: usize,
    /// NS: 1 minus the likeness of the most similar experience, in [0, 1]; 1 for an empty store.
    pub novelty: f64,
    /// The worked example for a prompt.
    pub scaffold: Option<Scaffold>,
}

/// An experience as questions are matched with it.
#[derive(Debug, Clone)]
struct Bound {
    id: ExperienceId,
    map: Arc<SparseMap>,
}

/// Retrieval with experience.
#[derive(Debug, Clone)]
pub struct LivingRag<S> {
    config: LivingRagConfig,
    store: S,
    /// Active experiences with their maps by the ids of the index they were bound to.
    bound: Vec<Bound>,
    ranking: Ranking,
}

impl<S: ExperienceStore> LivingRag<S> {
    /// Retrieval over a store, bound to an index. Experiences with vectors of another size are left out of matching.
    #[must_use]
    pub fn new(store: S, index: &Index, config: LivingRagConfig) -> Self {
        let mut living = Self {
            config,
            store,
            bound: Vec::new(),
            ranking: Ranking::default(),
        };
        living.bind(index);
        living
    }

    /// As [`new`](Self::new), with the maps of the active experiences by the index's ids at hand; of one that has none there,
    /// no entity is matched.
    #[must_use]
    pub fn with_maps(
        store: S,
        maps: impl IntoIterator<Item = (ExperienceId, Arc<SparseMap>)>,
        config: LivingRagConfig,
    ) -> Self {
        let mut maps: BTreeMap<ExperienceId, Arc<SparseMap>> = maps.into_iter().collect();
        let active = store.active().into_iter();
        let bound = active.map(|experience| Bound {
            id: experience.id,
            map: maps.remove(&experience.id).unwrap_or_default(),
        });
        Self {
            bound: bound.collect(),
            config,
            store,
            ranking: Ranking::default(),
        }
    }

    /// Binds the experiences to an index that changed.
    pub fn bind(&mut self, index: &Index) {
        let active = self.store.active().into_iter();
        self.bound = active
            .map(|experience| Bound {
                id: experience.id,
                map: Arc::new(experience.map_in(index)),
            })
            .collect();
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The configuration.
    pub fn config(&self) -> &LivingRagConfig {
        &self.config
    }

    /// Finds passages, with what experience knows. `now` is in seconds since 1970.
    ///
    /// # Errors
    ///
    /// As [`Index::query`].
    pub fn retrieve(
        &self,
        index: &Index,
        question: &str,
        embedder: &dyn Embedder,
        retrieval: &LinearRagConfig,
        now: u64,
    ) -> Result<LivingRetrieval, GraphRagError> {
        let query = index.query(question, embedder, retrieval)?;
        self.retrieve_for(index, query, embedder, retrieval, now)
    }

    /// As [`Self::retrieve`], for a question that is a query already.
    ///
    /// # Errors
    ///
    /// As [`Index::query`].
    pub fn retrieve_for(
        &self,
        index: &Index,
        query: Query,
        embedder: &dyn Embedder,
        retrieval: &LinearRagConfig,
        now: u64,
    ) -> Result<LivingRetrieval, GraphRagError> {
        let nearness = Nearness::of(index, &query, retrieval.relevance);
        let count = retrieval.retrieval_top_k;
        let retrieval = &LinearRagConfig {
            retrieval_top_k: match self.config.mode {
                Mode::Paper => count,
                Mode::Guarded => count.max(self.config.ranking.candidates),
            },
            ..*retrieval
        };
        let base = index.search_with(&query, &nearness, &query.seeds, retrieval);
        let matches = self.matches(&query, now);
        let novelty = 1.0
            - matches
                .iter()
                .map(|m| m.score)
                .fold(0.0_f64, f64::max)
                .min(1.0);
        let scaffold = self.scaffold(index, &query, &matches, embedder)?;
        let used = match base.path {
            Path::Graph => self.chosen(&matches),
            Path::Dense => Vec::new(),
        };
        let mut transferred = 0;
        let mut found = if used.is_empty() {
            base
        } else {
            let seeds = self.fused_seeds(&query, &used);
            let new = seeds.iter().skip(query.seeds.len());
            transferred = new
                .filter(|seed| seed.score >= retrieval.iteration_threshold)
                .count();
            let fused = index.search_with(&query, &nearness, &seeds, retrieval);
            match self.config.mode {
                Mode::Paper => fused,
                Mode::Guarded => {
                    fusion::keep_first(base, fused, self.config.keep, retrieval.retrieval_top_k)
                }
            }
        };
        let features = match self.config.mode {
            Mode::Paper => Vec::new(),
            Mode::Guarded => ranking::features(index, &nearness.values, &found),
        };
        let (keep, bounds) = (self.config.keep, &self.config.ranking);
        self.ranking
            .order(&mut found.passages, &features, keep, bounds);
        found.passages.truncate(count);
        Ok(LivingRetrieval {
            query,
            found,
            features,
            used,
            transferred,
            novelty,
            scaffold,
        })
    }

    /// Keeps an answer if it is new and grounded: novelty first, as it is cheap, against the store as it is now.
    ///
    /// # Errors
    ///
    /// [`NotKept`] saying which gate refused it.
    pub fn learn(
        &mut self,
        index: &Index,
        candidate: &Candidate<'_>,
        now: u64,
    ) -> Result<Kept, NotKept> {
        let query = &candidate.retrieval.query;
        let novelty = 1.0
            - self
                .matches(query, now)
                .iter()
                .map(|m| m.score)
                .fold(0.0_f64, f64::max)
                .min(1.0);
        if novelty < self.config.minimum_novelty {
            return Err(NotKept::Known {
                novelty,
                needed: self.config.minimum_novelty,
            });
        }
        let grounding = self.grounding(index, candidate);
        if grounding.score < self.config.minimum_grounding {
            return Err(NotKept::Ungrounded {
                grounding,
                needed: self.config.minimum_grounding,
            });
        }
        let weights = &candidate.retrieval.found.activation.weights;
        let map = sparsify(weights, self.config.map_floor, self.config.map_cap);
        let named: Vec<(String, f64)> = map
            .iter()
            .map(|(e, w)| (index.graph().name_of(*e).to_owned(), *w))
            .collect();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "weights in [0, 1] lose digits, not size"
        )]
        let map: Vec<(String, f32)> = named
            .iter()
            .map(|(name, w)| (name.clone(), *w as f32))
            .collect();
        let experience = DocumentExperience {
            id: ExperienceId(0),
            question: query.text.clone(),
            vector: query.vector.clone(),
            summary: key_sentences(candidate.explanation, candidate.answer, &named),
            answer: candidate.answer.to_owned(),
            accepted_at: now,
            confidence: match grounding.judge {
                Judge::Lexical => grounding
                    .score
                    .min(self.config.grounding.max_lexical_confidence),
                Judge::Entailment | Judge::Person => grounding.score,
            },
            judge: grounding.judge,
            support: grounding.support.clone(),
            status: Status::Active,
            hurt: 0,
            map,
        };
        let map = Arc::new(experience.map_in(index));
        let id = self.store.insert(experience);
        self.bound.push(Bound { id, map });
        Ok(Kept { id, grounding })
    }

    /// The person's word, or the built-in judge's.
    fn grounding(&self, index: &Index, candidate: &Candidate<'_>) -> Grounding {
        if let Some(verdict) = candidate.verdict {
            return Grounding {
                score: verdict.score,
                claims: Vec::new(),
                support: index.support(verdict.passages),
                judge: Judge::Person,
            };
        }
        let bounds = &self.config.grounding;
        let text = &candidate.retrieval.query.text;
        let claims = claims(text, candidate.explanation, candidate.answer, bounds);
        index.ground(&claims, candidate.passages, bounds)
    }

    /// Makes suspect what rests on passages that changed or went; gives their numbers. The index is the one after the
    /// change, whose entities the rest is bound to.
    pub fn follow(&mut self, index: &Index, report: &ChangeReport) -> Vec<ExperienceId> {
        let mut suspects = Vec::new();
        for (document, ordinal) in report.changed.iter().chain(&report.removed) {
            suspects.extend(self.store.suspect(document, *ordinal));
        }
        suspects.sort_unstable();
        suspects.dedup();
        self.bind(index);
        suspects
    }

    /// Learns the order of passages from a person's word on those that were shown: which of them are evidence. Only in
    /// memory: a new value starts from the walk's own order.
    pub fn judge(&mut self, retrieval: &LivingRetrieval, right: &[u32], shown: &[u32]) {
        self.ranking
            .learn(&retrieval.features, right, shown, &self.config.ranking);
    }

    /// Says that an answer was wrong: every experience it used is blamed, and two blames make it suspect.
    pub fn blame(&mut self, used: &[Used], index: &Index) {
        for used in used {
            self.store.blame(used.id);
        }
        self.bind(index);
    }

    /// Forgets an experience at once; whether it was there.
    pub fn forget(&mut self, id: ExperienceId) -> bool {
        self.bound.retain(|bound| bound.id != id);
        self.store.remove(id)
    }
}

#[cfg(test)]
mod tests;
