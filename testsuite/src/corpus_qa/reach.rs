//! How far could experience reach on a set, whatever its weights?
//!
//! For each question the best of all earlier ones is chosen with hindsight: what remains out of reach then cannot be had by
//! choosing or weighing activation maps better.

use graph_rag::LinearRagConfig;
use graph_rag::activation::Seed;
use graph_rag::experience::sparsify;
use graph_rag::living_rag::LivingRagConfig;
use language_model::Embedder;
use serde::Serialize;
use similarity::Embedding;
use similarity::sparse::SparseMap;

use super::load::Corpus;
use super::measure::recall;
use super::stream::share;
use super::{IndexedCorpus, RETRIEVED};

/// Passages that are judged.
const READ: usize = 5;

/// What the store could do in the file's order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ReachFigures {
    /// Share of the judged questions with an earlier one that passes the guards: it shares entities, or is all but the same.
    pub usable: f64,
    /// Share of the judged questions that need a passage which an earlier one needed, too.
    pub shared_evidence: f64,
    /// Mean Recall@5 without experience.
    pub recall_at_5: f64,
    /// Mean Recall@5 if each question were fused, at full weight, with the usable earlier one that helps it most, or with none.
    pub oracle_recall_at_5: f64,
    /// Mean Recall@10 without experience: what a perfect order of the first ten would reach.
    pub recall_at_10: f64,
}

struct Earlier {
    map: Vec<(u32, f64)>,
    sparse: SparseMap,
    vector: Embedding,
    place: usize,
}

/// Tries, for each question, every earlier one.
pub(crate) fn reach(
    corpus: &Corpus,
    indexed: &IndexedCorpus,
    embedder: &dyn Embedder,
) -> anyhow::Result<ReachFigures> {
    let bounds = LivingRagConfig::default();
    let retrieval = LinearRagConfig {
        retrieval_top_k: RETRIEVED,
        ..LinearRagConfig::default()
    };
    let index = &indexed.index;
    let (mut judged, mut usable, mut shared) = (0, 0, 0);
    let mut out = ReachFigures::default();
    let mut earlier: Vec<Earlier> = Vec::new();
    for (place, question) in corpus.questions.iter().enumerate() {
        let query = index.query(&question.question, embedder, &retrieval)?;
        let hits = |seeds: &[Seed], count| {
            let found = index.search(&query, seeds, &retrieval);
            let files = found.passages.iter();
            let files: Vec<usize> = files.map(|r| indexed.places[r.passage as usize]).collect();
            recall(&files, &question.gold, count)
        };
        let seeds = sparse(query.seeds.iter().map(|s| (s.entity, s.score)));
        if !question.gold.is_empty() {
            judged += 1;
            let base = hits(&query.seeds, READ);
            let matching = earlier.iter().filter(|e| {
                f64::from(seeds.cosine(&e.sparse)) >= bounds.overlap_gate
                    || f64::from(query.vector.cosine(&e.vector)) >= bounds.paraphrase
            });
            let tried: Vec<f64> = matching
                .map(|e| hits(&fused(&query.seeds, &e.map, bounds.max_injected), READ))
                .collect();
            usable += usize::from(!tried.is_empty());
            shared += usize::from(
                earlier
                    .iter()
                    .any(|e| !corpus.questions[e.place].gold.is_disjoint(&question.gold)),
            );
            out.recall_at_5 += base;
            out.oracle_recall_at_5 += tried.into_iter().fold(base, f64::max);
            out.recall_at_10 += hits(&query.seeds, RETRIEVED);
        }
        let weights = index.search(&query, &query.seeds, &retrieval).activation;
        let map = sparsify(&weights.weights, bounds.map_floor, bounds.map_cap);
        earlier.push(Earlier {
            sparse: sparse(map.iter().copied()),
            map,
            vector: query.vector,
            place,
        });
    }
    let count = judged.max(1) as f64;
    Ok(ReachFigures {
        usable: share(usable, judged),
        shared_evidence: share(shared, judged),
        recall_at_5: out.recall_at_5 / count,
        oracle_recall_at_5: out.oracle_recall_at_5 / count,
        recall_at_10: out.recall_at_10 / count,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "weights in [-1, 1] lose digits, not size"
)]
fn sparse(entries: impl Iterator<Item = (u32, f64)>) -> SparseMap {
    entries
        .map(|(entity, weight)| (entity, weight as f32))
        .collect()
}

/// The seeds with an experience's strongest entities added at their full weight.
fn fused(seeds: &[Seed], map: &[(u32, f64)], count: usize) -> Vec<Seed> {
    let mut out = seeds.to_vec();
    for (entity, weight) in map.iter().take(count) {
        match out.iter_mut().find(|seed| seed.entity == *entity) {
            Some(seed) => seed.score += weight,
            None => out.push(Seed {
                entity: *entity,
                score: *weight,
            }),
        }
    }
    out
}
