//! How well are the passages found that answer questions over documents?
//!
//! Retrieval by the tri-graph beside the baselines dense, BM25 and LinearRAG to the letter, on the same passages in the
//! same run. Without a language model: what is judged is what a model would be given to read.

mod draw;
mod grounding;
mod load;
mod measure;
mod options;
mod reach;
mod refusals;
mod report;
mod reuse;
mod stream;
mod texts;
mod variant;

use std::time::Instant;

use anyhow::Context;
use graph_rag::living_rag::{LivingRagConfig, calibrate_alpha};
use graph_rag::{Index, IndexConfig, LinearRagConfig, Passage};
use language_model::Embedder;
use language_model::words::words;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use similarity::bm25::Bm25;

pub use grounding::GroundingFigures;
pub(crate) use grounding::grounding;
pub use load::CorpusName;
pub(crate) use load::{Corpus, load};
pub(crate) use measure::{Found, figures};
pub use measure::{LatencyMs, RetrievalFigures};
pub use options::CorpusOptions;
pub use reach::ReachFigures;
use reach::reach;
pub use refusals::RefusalFigures;
use refusals::refusals;
pub use report::{CalibratedAlpha, CorpusReport, StreamRow};
pub use reuse::ReuseFigures;
pub use stream::{StreamFigures, StreamPoint, StreamSettings};
pub(crate) use stream::{asked_order, stream};
pub use texts::corpus_texts;
pub use variant::{Layout, Variant};

/// Passages retrieved, for the largest cut that is judged.
const RETRIEVED: usize = 10;

/// An index over a set, with the place in the file of each passage.
pub(crate) struct IndexedCorpus {
    pub(crate) index: Index,
    /// Passage's place in the index → in the file.
    pub(crate) places: Vec<usize>,
    pub(crate) seconds: f64,
}

impl IndexedCorpus {
    pub(crate) fn build(
        corpus: &Corpus,
        layout: Layout,
        config: IndexConfig,
        embedder: &dyn Embedder,
    ) -> anyhow::Result<Self> {
        let mut order: Vec<usize> = (0..corpus.entries.len()).collect();
        if let Layout::Shuffled(seed) = layout {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        let passages = order.iter().enumerate().map(|(rank, place)| {
            let entry = &corpus.entries[*place];
            let (document, ordinal) = match layout {
                Layout::Separate => (format!("{place:06}"), 0),
                Layout::FileOrder | Layout::Shuffled(_) => {
                    ("all".to_owned(), u32::try_from(rank).unwrap_or(u32::MAX))
                }
            };
            Passage {
                document: graph_rag::DocumentId(document),
                ordinal,
                title: entry.title.clone(),
                text: entry.text.clone(),
            }
        });
        let start = Instant::now();
        let index = Index::build(passages, [], config, embedder)?;
        Ok(Self {
            index,
            places: order,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    pub(crate) fn retrieve(
        &self,
        corpus: &Corpus,
        config: &LinearRagConfig,
        embedder: &dyn Embedder,
    ) -> anyhow::Result<Vec<Found>> {
        let config = LinearRagConfig {
            retrieval_top_k: RETRIEVED,
            ..*config
        };
        let mut out = Vec::new();
        for question in &corpus.questions {
            let start = Instant::now();
            let found = self.index.retrieve(&question.question, embedder, &config)?;
            out.push(Found {
                time: start.elapsed(),
                passages: found
                    .passages
                    .iter()
                    .map(|r| self.places[r.passage as usize])
                    .collect(),
            });
        }
        Ok(out)
    }

    fn dense(&self, corpus: &Corpus, embedder: &dyn Embedder) -> anyhow::Result<Vec<Found>> {
        let mut out = Vec::new();
        for question in &corpus.questions {
            let start = Instant::now();
            let found = self
                .index
                .nearest_passages(&question.question, embedder, RETRIEVED)?;
            out.push(Found {
                time: start.elapsed(),
                passages: found
                    .iter()
                    .map(|r| self.places[r.passage as usize])
                    .collect(),
            });
        }
        Ok(out)
    }
}

fn bm25(corpus: &Corpus) -> Vec<Found> {
    let index = Bm25::new(
        corpus
            .entries
            .iter()
            .map(|e| words(&format!("{}\n{}", e.title, e.text))),
    );
    let ask = |question: &str| {
        let start = Instant::now();
        let passages = index
            .top_k(&words(question), RETRIEVED)
            .into_iter()
            .map(|(p, _)| p)
            .collect();
        Found {
            passages,
            time: start.elapsed(),
        }
    };
    corpus.questions.iter().map(|q| ask(&q.question)).collect()
}

/// A system on a set.
#[derive(Debug, Clone, Serialize)]
pub struct CorpusRow {
    /// What was measured.
    pub system: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: RetrievalFigures,
    /// Passages indexed a second; `None` where there is nothing to index.
    pub index_passages_per_s: Option<f64>,
}

/// Measures a set: every system, then streams with experience, then the judge; or, where the memory is said to be on or
/// off, one stream beside the baselines.
///
/// # Errors
/// When the data folder lacks a file, or the embedder fails.
pub fn corpus_qa(options: &CorpusOptions) -> anyhow::Result<CorpusReport> {
    let mut corpus = load(options.name, &options.data)?;
    corpus
        .questions
        .truncate(options.limit.unwrap_or(usize::MAX));
    let embedder = options.embedder.as_ref();
    let first = options
        .variants
        .first()
        .context("there is no variant to measure")?;
    let ours = IndexedCorpus::build(&corpus, first.layout, first.index, embedder)?;
    let calibration = if options.calibrates() {
        calibrated(&corpus, &ours, first, options)?
    } else {
        None
    };
    let mut rows = Vec::new();
    for settings in options.streams(calibration.map(|c| c.alpha)) {
        let figures = stream(&corpus, &ours, embedder, &settings)?;
        rows.push(StreamRow::new(&settings, figures));
    }
    let has_facts = corpus.questions.iter().any(|q| !q.evidence.is_empty());
    let grounding = (options.memory.is_none() && has_facts)
        .then(|| grounding(&corpus, &ours, embedder))
        .transpose()?;
    let reach = options
        .memory
        .is_none()
        .then(|| reach(&corpus, &ours, embedder))
        .transpose()?;
    let refused = match options.memory {
        None => refusals(&corpus, &ours, embedder)?,
        Some(_) => Vec::new(),
    };
    let systems = systems(&corpus, &ours, options)?;
    Ok(CorpusReport {
        refusals: refused,
        calibration,
        grounding,
        reach,
        ..CorpusReport::new(options, &corpus, systems, rows)?
    })
}

/// Ours, the baselines, and the variants that are asked for, without experience.
fn systems(
    corpus: &Corpus,
    ours: &IndexedCorpus,
    options: &CorpusOptions,
) -> anyhow::Result<Vec<CorpusRow>> {
    let embedder = options.embedder.as_ref();
    let speed = |indexed: &IndexedCorpus| corpus.entries.len() as f64 / indexed.seconds;
    let row = |system: &str, found: &[Found], index_passages_per_s| CorpusRow {
        system: system.to_owned(),
        figures: figures(corpus, found),
        index_passages_per_s,
    };
    let mut systems = Vec::new();
    for (rank, variant) in options.variants.iter().enumerate() {
        if rank == 0 {
            let found = ours.retrieve(corpus, &variant.retrieval, embedder)?;
            systems.push(row(&variant.name, &found, Some(speed(ours))));
            systems.push(row("BM25", &bm25(corpus), None));
            systems.push(row("dense", &ours.dense(corpus, embedder)?, None));
        } else if options.memory.is_none() {
            let indexed = IndexedCorpus::build(corpus, variant.layout, variant.index, embedder)?;
            let found = indexed.retrieve(corpus, &variant.retrieval, embedder)?;
            systems.push(row(&variant.name, &found, Some(speed(&indexed))));
        }
    }
    Ok(systems)
}

/// The α whose share of the stream passes the novelty gate as the paper prints it.
fn calibrated(
    corpus: &Corpus,
    ours: &IndexedCorpus,
    first: &Variant,
    options: &CorpusOptions,
) -> anyhow::Result<Option<CalibratedAlpha>> {
    let embedder = options.embedder.as_ref();
    let order = asked_order(corpus.questions.len(), options.order, options.seed);
    let read = |place: usize| {
        let question = &corpus.questions[place].question;
        ours.index.query(question, embedder, &first.retrieval)
    };
    let queries: Result<Vec<_>, _> = order.into_iter().map(read).collect();
    let target = options.name.published_novelty();
    let found = calibrate_alpha(
        &queries?,
        LivingRagConfig::default().minimum_novelty,
        target,
    );
    Ok(found.map(|found| CalibratedAlpha::new(found, target)))
}
