//! What do 10,000 experiences add to a question over documents, and what does the rest of it cost?
//!
//! Corpus: 2,000 made-up passages of three sentences; 10,000 experiences with vectors of 256 numbers and maps of 20 of
//! its entities. Question: two names of the corpus. Target: `picked` and `fused` together under 1 ms.

use divan::{Bencher, black_box};
use graph_rag::experience::{
    DocumentExperience, ExperienceId, ExperienceList, ExperienceStore, Judge, Status,
};
use graph_rag::linear_rag::Query;
use graph_rag::ppr::{PassageEntityGraph, PprConfig};
use graph_rag::{
    DocumentId, ExperienceIndex, Index, IndexConfig, LinearRagConfig, LivingRag, LivingRagConfig,
    Passage,
};
use language_model::{Embedder, StaticEmbedder};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use similarity::Embedding;

const PASSAGES: u32 = 2_000;
const EXPERIENCES: usize = 10_000;
/// Experiences that are looked at closely, as in the engine.
const CLOSE: usize = 32;

fn main() {
    divan::main();
}

fn name(n: u32) -> String {
    const PARTS: [&str; 10] = [
        "bra", "cor", "dul", "fen", "gri", "hol", "jas", "kel", "lom", "mir",
    ];
    let part = |n: u32| PARTS[n as usize % 10];
    format!(
        "K{}{} V{}{}",
        part(n),
        part(n / 10),
        part(n / 100),
        part(n / 1_000)
    )
}

fn index() -> Index {
    let passages = (0..PASSAGES).map(|n| Passage {
        document: DocumentId(format!("{n:05}")),
        ordinal: 0,
        title: name(n),
        text: format!(
            "{} was born near {}. Later the family of {} moved. In {} it was known to {}.",
            name(n),
            name(n * 7 % PASSAGES),
            name(n * 13 % PASSAGES),
            1900 + n % 90,
            name(n * 31 % PASSAGES)
        ),
    });
    Index::build(
        passages,
        [],
        IndexConfig::default(),
        StaticEmbedder::builtin().as_ref(),
    )
    .expect("it can be indexed")
}

fn experiences(index: &Index) -> Vec<DocumentExperience> {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let one = |n: usize| {
        let vector = (0..256).map(|_| rng.random_range(-1.0_f32..1.0)).collect();
        let map = (0..20).map(|_| {
            (
                name(rng.random_range(0..PASSAGES)),
                rng.random_range(0.1_f32..1.0),
            )
        });
        DocumentExperience {
            id: ExperienceId(0),
            question: format!(
                "Where was {} born?",
                name(u32::try_from(n).unwrap_or(0) % PASSAGES)
            ),
            map: map.collect(),
            vector: Embedding::new(vector).expect("random numbers are not all zero"),
            summary: Vec::new(),
            answer: "There.".to_owned(),
            accepted_at: 0,
            confidence: 0.8,
            judge: Judge::Lexical,
            support: Vec::new(),
            status: Status::Active,
            hurt: 0,
        }
    };
    let made: Vec<DocumentExperience> = (0..EXPERIENCES).map(one).collect();
    assert!(made[0].map_in(index).len() > 10);
    made
}

fn question() -> String {
    format!("Who of {} and {} was born first?", name(17), name(1_234))
}

struct Asked {
    index: Index,
    made: Vec<DocumentExperience>,
    ready: ExperienceIndex,
    query: Query,
}

fn asked() -> Asked {
    let index = index();
    let made = experiences(&index);
    let mut ready = ExperienceIndex::default();
    for experience in &made {
        ready.insert(&experience.vector, experience.map_in(&index));
    }
    let embedder = StaticEmbedder::builtin();
    let query = index
        .query(&question(), embedder.as_ref(), &LinearRagConfig::default())
        .expect("it can be read");
    assert!(query.seeds.len() > 1);
    Asked {
        index,
        made,
        ready,
        query,
    }
}

/// The most similar ones are picked out of all.
#[divan::bench]
fn picked(bencher: Bencher<'_, '_>) {
    let asked = asked();
    bencher.bench_local(|| black_box(asked.ready.best(&asked.query, 0.7, CLOSE, |_| true)));
}

/// A question with those that were picked, handed over as the engine does.
#[divan::bench]
fn question_with_experiences(bencher: Bencher<'_, '_>) {
    let asked = asked();
    let (embedder, settings) = (StaticEmbedder::builtin(), LinearRagConfig::default());
    bencher.bench_local(|| {
        let mut list = ExperienceList::default();
        let mut maps = Vec::new();
        for number in asked.ready.best(&asked.query, 0.7, CLOSE, |_| true) {
            let id = list.insert(asked.made[number as usize].clone());
            maps.extend(asked.ready.map(number).map(|map| (id, map)));
        }
        let living = LivingRag::with_maps(list, maps, LivingRagConfig::default());
        black_box(living.retrieve(&asked.index, &question(), embedder.as_ref(), &settings, 0))
    });
}

/// The same question without.
#[divan::bench]
fn question_without(bencher: Bencher<'_, '_>) {
    let asked = asked();
    let (embedder, settings) = (StaticEmbedder::builtin(), LinearRagConfig::default());
    bencher.bench_local(|| {
        black_box(
            asked
                .index
                .retrieve(&question(), embedder.as_ref(), &settings),
        )
    });
}

/// Embedding the question alone.
#[divan::bench]
fn embedding(bencher: Bencher<'_, '_>) {
    let embedder = StaticEmbedder::builtin();
    let question = question();
    bencher.bench_local(|| black_box(embedder.embed(&[question.as_str()])));
}

/// The walk alone.
#[divan::bench]
fn walk(bencher: Bencher<'_, '_>) {
    let index = index();
    let walks = PassageEntityGraph::new(index.graph()).expect("it can be numbered");
    let weights: Vec<f64> = (0..PASSAGES)
        .map(|n| 0.01 + f64::from(n % 17) / 200.0)
        .collect();
    let config = PprConfig {
        damping: 0.5,
        tolerance: 4e-9,
        max_rounds: 64,
    };
    bencher
        .bench_local(|| black_box(walks.passage_scores(&weights, &[(5, 1.0), (9, 1.0)], &config)));
}
