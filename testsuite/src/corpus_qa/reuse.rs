//! How much of a stream could have reused earlier questions, and how much did? (LivingRAG, its analysis of reuse)
//!
//! Opportunities are of the questions alone, by retrieval without experience; what was realised is of the store.

use std::collections::{BTreeMap, BTreeSet};

use graph_rag::experience::{ExperienceId, sparsify};
use graph_rag::living_rag::{LivingRagConfig, LivingRetrieval};
use graph_rag::scaffold::template;
use graph_rag::{Index, Retrieval};
use language_model::words::words;
use serde::Serialize;

use super::load::Corpus;
use super::stream::share;

/// Neighbourhoods as alike as this, by Jaccard, are reusable; the paper's.
const MINIMUM_JACCARD: f64 = 0.05;

/// Templates as alike as this, by the cosine of tf-idf, are reusable; the paper's.
const MINIMUM_TEMPLATE: f64 = 0.35;

/// Passages of a neighbourhood.
const NEIGHBOURS: usize = 5;

/// Shares of the stream, in [0, 1].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ReuseFigures {
    /// Questions with an entity that an earlier one names.
    pub entity_opportunity: f64,
    /// Questions whose first five passages, or whose activated entities, have a Jaccard of 0.05 or more with an earlier one's.
    pub neighbourhood_opportunity: f64,
    /// Questions that share no entity with an earlier one whose masked words are like theirs: a tf-idf cosine of 0.35.
    pub template_opportunity: f64,
    /// Questions to which fusion brought an entity that they do not name, active enough to be passed on.
    pub graph_transfer: f64,
    /// Questions whose scaffold's masked words are as like theirs.
    pub template_reuse: f64,
    /// Share of the experiences that were fused at least once.
    pub fused_coverage: f64,
    /// Share of the experiences that were a scaffold at least once.
    pub scaffold_coverage: f64,
}

type Weights = BTreeMap<String, f64>;

/// What an earlier question left.
struct Earlier {
    seeds: BTreeSet<u32>,
    passages: BTreeSet<u32>,
    entities: BTreeSet<u32>,
    template: Weights,
}

/// Counts along a stream.
pub(super) struct Reuse {
    templates: Vec<Weights>,
    by_question: BTreeMap<String, usize>,
    earlier: Vec<Earlier>,
    counts: [usize; 5],
    fused: BTreeSet<ExperienceId>,
    scaffolds: BTreeSet<ExperienceId>,
}

impl Reuse {
    pub(super) fn new(corpus: &Corpus, index: &Index) -> Self {
        let masked: Vec<Vec<String>> = corpus
            .questions
            .iter()
            .map(|q| words(&template(&q.question, index)))
            .collect();
        let numbered = corpus.questions.iter().enumerate();
        Self {
            templates: tf_idf(&masked),
            by_question: numbered.map(|(at, q)| (q.question.clone(), at)).collect(),
            earlier: Vec::new(),
            counts: [0; 5],
            fused: BTreeSet::new(),
            scaffolds: BTreeSet::new(),
        }
    }

    /// Counts a question by its place among all; `without` is its retrieval without experience.
    pub(super) fn note(&mut self, place: usize, found: &LivingRetrieval, without: &Retrieval) {
        let bounds = LivingRagConfig::default();
        let active = sparsify(
            &without.activation.weights,
            bounds.map_floor,
            bounds.map_cap,
        );
        let nearest = without.passages.iter().take(NEIGHBOURS);
        let now = Earlier {
            seeds: found.query.seeds.iter().map(|s| s.entity).collect(),
            passages: nearest.map(|r| r.passage).collect(),
            entities: active.into_iter().map(|(entity, _)| entity).collect(),
            template: self.templates[place].clone(),
        };
        let any = |alike: &dyn Fn(&Earlier) -> bool| self.earlier.iter().any(alike);
        let entity = any(&|e| !e.seeds.is_disjoint(&now.seeds));
        let near = any(&|e| {
            jaccard(&e.passages, &now.passages) >= MINIMUM_JACCARD
                || jaccard(&e.entities, &now.entities) >= MINIMUM_JACCARD
        });
        let like = any(&|e| {
            e.seeds.is_disjoint(&now.seeds)
                && cosine(&e.template, &now.template) >= MINIMUM_TEMPLATE
        });
        let scaffold = found.scaffold.as_ref();
        let source = scaffold.and_then(|s| self.by_question.get(&s.question));
        let realised = source.is_some_and(|source| {
            cosine(&self.templates[*source], &now.template) >= MINIMUM_TEMPLATE
        });
        let facts = [entity, near, like, found.transferred > 0, realised];
        for (count, fact) in self.counts.iter_mut().zip(facts) {
            *count += usize::from(fact);
        }
        self.fused.extend(found.used.iter().map(|used| used.id));
        self.scaffolds.extend(scaffold.map(|s| s.experience));
        self.earlier.push(now);
    }

    pub(super) fn figures(&self, stored: usize) -> ReuseFigures {
        let [entity, near, like, graph, template] =
            self.counts.map(|count| share(count, self.earlier.len()));
        ReuseFigures {
            entity_opportunity: entity,
            neighbourhood_opportunity: near,
            template_opportunity: like,
            graph_transfer: graph,
            template_reuse: template,
            fused_coverage: share(self.fused.len(), stored),
            scaffold_coverage: share(self.scaffolds.len(), stored),
        }
    }
}

fn jaccard(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> f64 {
    let both = a.intersection(b).count();
    share(both, a.len() + b.len() - both)
}

/// Unit vectors of term frequency times `ln(n / df)`, of texts among each other.
fn tf_idf(texts: &[Vec<String>]) -> Vec<Weights> {
    let mut frequency: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        let distinct: BTreeSet<&str> = text.iter().map(String::as_str).collect();
        for word in distinct {
            *frequency.entry(word).or_default() += 1;
        }
    }
    let unit = |text: &Vec<String>| {
        let mut weights = Weights::new();
        for word in text {
            let rarity = (texts.len() as f64 / frequency[word.as_str()] as f64).ln();
            *weights.entry(word.clone()).or_default() += rarity;
        }
        let length = weights.values().map(|w| w * w).sum::<f64>().sqrt();
        if length > 0.0 {
            weights.values_mut().for_each(|w| *w /= length);
        }
        weights
    };
    texts.iter().map(unit).collect()
}

fn cosine(a: &Weights, b: &Weights) -> f64 {
    a.iter()
        .filter_map(|(word, weight)| Some(weight * b.get(word)?))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_text_do_not_make_templates_alike() {
        let texts = ["who directed it", "who wrote it", "who directed it then"];
        let texts: Vec<Vec<String>> = texts.iter().map(|t| words(t)).collect();
        let vectors = tf_idf(&texts);
        assert_eq!(cosine(&vectors[0], &vectors[1]), 0.0);
        assert!(cosine(&vectors[0], &vectors[2]) > 0.3);
        assert!((cosine(&vectors[0], &vectors[0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn neighbourhoods_are_alike_by_their_common_share() {
        let of = |list: &[u32]| list.iter().copied().collect::<BTreeSet<u32>>();
        assert_eq!(jaccard(&of(&[1, 2, 3]), &of(&[3, 4])), 0.25);
        assert_eq!(jaccard(&of(&[]), &of(&[])), 0.0);
    }
}
