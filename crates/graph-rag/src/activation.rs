//! Which entities does a question reach, over which sentences? (LinearRAG, activation propagation)
//!
//! The default variant: an entity's best sentences pass its activation on, each sentence once a question. It ranks no
//! passages.

use std::collections::{HashMap, HashSet};

use similarity::Embedding;

use crate::linear_rag::LinearRagConfig;
use crate::parallel::fill;
use crate::tri_graph::TriGraph;
use crate::vectors::VectorTable;

/// Entities of fewer sentences are looked through by one thread.
const LEAST_SHARED_SENTENCES: usize = 4_096;

/// An entity a question starts from.
#[derive(Debug, Clone, PartialEq)]
pub struct Seed {
    /// The entity.
    pub entity: u32,
    /// How sure the link is, in [-1, 1].
    pub score: f64,
}

/// What an entity was reached with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Active {
    /// The entity.
    pub entity: u32,
    /// Its last score.
    pub score: f64,
    /// 1 for seeds, one more each hop.
    pub tier: u32,
}

/// How an entity was first reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The entity that passed its activation on.
    pub from: u32,
    /// The sentence that mentions both.
    pub sentence: u32,
}

/// The outcome of propagation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Activation {
    /// Last score and tier of every reached entity, in order of reaching.
    pub active: Vec<Active>,
    /// Accumulated weight of every reached entity, in the same order.
    pub weights: Vec<(u32, f64)>,
    /// How each entity that is no seed was first reached.
    pub steps: HashMap<u32, Step>,
}

impl Activation {
    /// The entities on the way from a seed to an entity, the seed first, with the sentence before each but the first.
    #[must_use]
    pub fn chain(&self, entity: u32) -> Vec<(Option<u32>, u32)> {
        let mut chain = Vec::new();
        let mut at = entity;
        // A step leads to an entity reached earlier, so this ends; the bound says so.
        for _ in 0..=self.active.len() {
            match self.steps.get(&at) {
                Some(step) => {
                    chain.push((Some(step.sentence), at));
                    at = step.from;
                }
                None => {
                    chain.push((None, at));
                    break;
                }
            }
        }
        chain.reverse();
        chain
    }
}

/// Entities with a value, in order of insertion; a later value replaces an earlier one in its place.
#[derive(Default)]
struct Ordered<T> {
    places: HashMap<u32, usize>,
    entries: Vec<(u32, T)>,
}

impl<T> Ordered<T> {
    fn set(&mut self, entity: u32, value: T) {
        match self.places.get(&entity) {
            Some(place) => self.entries[*place].1 = value,
            None => {
                self.places.insert(entity, self.entries.len());
                self.entries.push((entity, value));
            }
        }
    }

    fn value_mut(&mut self, entity: u32) -> Option<&mut T> {
        let place = self.places.get(&entity)?;
        Some(&mut self.entries[*place].1)
    }
}

/// Spreads the seeds' scores for at most `max_iterations - 1` hops.
pub(crate) fn propagate(
    graph: &TriGraph,
    sentences: &VectorTable,
    question: &Embedding,
    seeds: &[Seed],
    config: &LinearRagConfig,
) -> Activation {
    let mut active: Ordered<(f64, u32)> = Ordered::default();
    let mut weights: Ordered<f64> = Ordered::default();
    for seed in seeds {
        active.set(seed.entity, (seed.score, 1));
        weights.set(seed.entity, seed.score);
    }
    let mut used: HashSet<u32> = HashSet::new();
    let mut steps = HashMap::new();
    let mut frontier: Vec<(u32, f64)> = active.entries.iter().map(|(e, (s, _))| (*e, *s)).collect();
    for iteration in 1..config.max_iterations {
        if frontier.is_empty() {
            break;
        }
        let mut next: Ordered<f64> = Ordered::default();
        for (entity, score) in frontier {
            if score < config.iteration_threshold {
                continue;
            }
            for (sentence, cosine) in best_sentences(
                graph,
                sentences,
                question,
                entity,
                &used,
                config.top_k_sentence,
            ) {
                used.insert(sentence);
                let passed = score * cosine;
                if passed < config.iteration_threshold {
                    continue;
                }
                for reached in graph.entities_of(sentence) {
                    match weights.value_mut(*reached) {
                        Some(weight) => *weight += passed,
                        None => {
                            weights.set(*reached, passed);
                            steps.insert(
                                *reached,
                                Step {
                                    from: entity,
                                    sentence,
                                },
                            );
                        }
                    }
                    next.set(*reached, passed);
                }
            }
        }
        for (entity, score) in &next.entries {
            active.set(*entity, (*score, iteration + 1));
        }
        frontier = next.entries;
    }
    let listed = active.entries.into_iter();
    Activation {
        active: listed
            .map(|(entity, (score, tier))| Active {
                entity,
                score,
                tier,
            })
            .collect(),
        weights: weights.entries,
        steps,
    }
}

/// The unused sentences of an entity that are nearest to the question, nearest first, ties by id.
fn best_sentences(
    graph: &TriGraph,
    vectors: &VectorTable,
    question: &Embedding,
    entity: u32,
    used: &HashSet<u32>,
    count: usize,
) -> Vec<(u32, f64)> {
    let candidates = graph
        .sentences_of(entity)
        .iter()
        .filter(|s| !used.contains(s));
    let mut scored: Vec<(u32, f64)> = candidates.map(|sentence| (*sentence, 0.0)).collect();
    fill(&mut scored, LEAST_SHARED_SENTENCES, |_, run| {
        for (sentence, cosine) in run {
            *cosine = vectors.cosine(*sentence as usize, question);
        }
    });
    let nearer = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if (1..scored.len()).contains(&count) {
        scored.select_nth_unstable_by(count - 1, nearer);
        scored.truncate(count);
    }
    scored.sort_by(nearer);
    scored.truncate(count);
    scored
}
