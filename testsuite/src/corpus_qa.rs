//! How well are the passages found that answer questions over documents?
//!
//! Retrieval by the tri-graph beside the baselines dense, BM25 and LinearRAG to the letter, on the same passages in the
//! same run. Without a language model: what is judged is what a model would be given to read.

mod grounding;
mod load;
mod measure;
mod report;
mod stream;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use graph_rag::living_rag::{LivingRagConfig, Mode, calibrate_alpha};
use graph_rag::tri_graph::Adjacency;
use graph_rag::{Index, IndexConfig, LinearRagConfig, Passage};
use language_model::words::words;
use language_model::{Embedder, StaticEmbedder};
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
pub use report::{CalibratedAlpha, CorpusReport, StreamRow};
pub use stream::StreamFigures;
pub(crate) use stream::stream;

/// Passages retrieved, for the largest cut that is judged.
const RETRIEVED: usize = 10;

/// How passages lie in documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Each passage is a document of its own.
    Separate,
    /// All are one document, in the file's order.
    FileOrder,
    /// All are one document, in an order drawn with the seed.
    Shuffled(u64),
}

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

/// A variant of our own retrieval to measure.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name in the report.
    pub name: String,
    /// How passages lie in documents.
    pub layout: Layout,
    /// How they are indexed.
    pub index: IndexConfig,
    /// How they are retrieved.
    pub retrieval: LinearRagConfig,
}

impl Variant {
    /// What the report compares: ours, LinearRAG to the letter with capitalised spans alone, each source of entities
    /// alone, and adjacency in file order and shuffled.
    pub fn standard() -> Vec<Self> {
        use graph_rag::recogniser::Extraction;
        let ours = |name: &str, layout: Layout, index: IndexConfig| Self {
            name: name.to_owned(),
            layout,
            index,
            retrieval: LinearRagConfig::default(),
        };
        let index = IndexConfig::default();
        let adjacent = IndexConfig {
            adjacency: Adjacency::WithinDocument,
            ..index
        };
        let alone = |extraction| IndexConfig {
            extraction,
            ..index
        };
        let literal = IndexConfig {
            adjacency: Adjacency::None,
            ..IndexConfig::reference()
        };
        vec![
            ours("refrain", Layout::Separate, index),
            Self {
                retrieval: LinearRagConfig::reference(),
                ..ours(
                    "literal LinearRAG, capitalised spans",
                    Layout::Separate,
                    literal,
                )
            },
            Self {
                retrieval: LinearRagConfig::reference(),
                ..ours(
                    "literal, adjacency in file order",
                    Layout::FileOrder,
                    IndexConfig::reference(),
                )
            },
            ours(
                "gazetteer only",
                Layout::Separate,
                alone(Extraction::GazetteerOnly),
            ),
            ours(
                "capitalised spans only",
                Layout::Separate,
                alone(Extraction::CapitalisedOnly),
            ),
            ours("adjacency in file order", Layout::FileOrder, adjacent),
            ours("adjacency, shuffled", Layout::Shuffled(7), adjacent),
        ]
    }
}

/// What to measure.
pub struct CorpusOptions {
    /// The set.
    pub name: CorpusName,
    /// The data folder.
    pub data: PathBuf,
    /// What embeds passages and questions.
    pub embedder: Arc<dyn Embedder>,
    /// Orders of the stream; the first is the file's.
    pub orders: u64,
    /// Our own retrieval and what it is compared with; the first is ours.
    pub variants: Vec<Variant>,
}

impl CorpusOptions {
    /// All variants and five orders, with the built-in embedder.
    pub fn new(name: CorpusName, data: &Path) -> Self {
        Self {
            name,
            data: data.to_owned(),
            embedder: StaticEmbedder::builtin(),
            orders: 5,
            variants: Variant::standard(),
        }
    }
}

/// Measures a set: every system, then streams with experience, then the judge.
///
/// # Errors
/// When the data folder lacks a file, or the embedder fails.
pub fn corpus_qa(options: &CorpusOptions) -> anyhow::Result<CorpusReport> {
    let corpus = load(options.name, &options.data)?;
    let embedder = options.embedder.as_ref();
    let first = options
        .variants
        .first()
        .context("there is no variant to measure")?;
    let ours = IndexedCorpus::build(&corpus, first.layout, first.index, embedder)?;
    let found = figures(
        &corpus,
        &ours.retrieve(&corpus, &first.retrieval, embedder)?,
    );
    let speed = |indexed: &IndexedCorpus| corpus.entries.len() as f64 / indexed.seconds;
    let row = |system: &str, figures, index_passages_per_s| CorpusRow {
        system: system.to_owned(),
        figures,
        index_passages_per_s,
    };
    let mut systems = vec![
        row(&first.name, found, Some(speed(&ours))),
        row("BM25", figures(&corpus, &bm25(&corpus)), None),
        row(
            "dense",
            figures(&corpus, &ours.dense(&corpus, embedder)?),
            None,
        ),
    ];
    for variant in options.variants.iter().skip(1) {
        let indexed = IndexedCorpus::build(&corpus, variant.layout, variant.index, embedder)?;
        let found = figures(
            &corpus,
            &indexed.retrieve(&corpus, &variant.retrieval, embedder)?,
        );
        systems.push(row(&variant.name, found, Some(speed(&indexed))));
    }
    let calibration = calibrated(&corpus, &ours, first, options)?;
    let streams = streams(&corpus, &ours, options, calibration.map(|c| c.alpha))?;
    let guarded = streams
        .first()
        .map(|row| row.figures.clone())
        .unwrap_or_default();
    let has_facts = corpus.questions.iter().any(|q| !q.evidence.is_empty());
    Ok(CorpusReport {
        dataset: options.name.as_str(),
        embedder: embedder.fingerprint().to_owned(),
        passages: corpus.entries.len(),
        recall_at_2: found.recall_at_2,
        recall_at_5: found.recall_at_5,
        recall_at_10: found.recall_at_10,
        all_recall_at_5: found.all_recall_at_5,
        mrr_at_5: found.mrr_at_5,
        answer_at_5: found.answer_at_5,
        contain_match: guarded.contain_match,
        stored: guarded.stored,
        ns_pass: guarded.ns_pass,
        gs_pass: guarded.gs_pass,
        latency_ms: found.latency_ms,
        index_passages_per_s: speed(&ours),
        systems,
        streams,
        calibration,
        grounding: has_facts
            .then(|| grounding(&corpus, &ours, embedder))
            .transpose()?,
    })
}

fn calibrated(
    corpus: &Corpus,
    ours: &IndexedCorpus,
    first: &Variant,
    options: &CorpusOptions,
) -> anyhow::Result<Option<CalibratedAlpha>> {
    let embedder = options.embedder.as_ref();
    let read = |q: &load::CorpusQuestion| ours.index.query(&q.question, embedder, &first.retrieval);
    let queries: Result<Vec<_>, _> = corpus.questions.iter().map(read).collect();
    let target = options.name.published_novelty();
    let found = calibrate_alpha(
        &queries?,
        LivingRagConfig::default().minimum_novelty,
        target,
    );
    Ok(found.map(|found| CalibratedAlpha::new(found, target)))
}

/// Guarded in every order, then the paper's equations, then guarded with the calibrated weight.
fn streams(
    corpus: &Corpus,
    ours: &IndexedCorpus,
    options: &CorpusOptions,
    calibrated: Option<f64>,
) -> anyhow::Result<Vec<StreamRow>> {
    let guarded = LivingRagConfig::default();
    // β of the paper's mode as measured in the specification.
    let paper = LivingRagConfig {
        mode: Mode::Paper,
        fusion_weight: 0.5,
        ..guarded
    };
    let mut runs: Vec<(&'static str, LivingRagConfig, u64)> = (0..options.orders)
        .map(|o| ("guarded", guarded, o))
        .collect();
    runs.push(("paper", paper, 0));
    runs.extend(calibrated.map(|alpha| ("guarded", LivingRagConfig { alpha, ..guarded }, 0)));
    let mut rows = Vec::new();
    for (mode, config, order) in runs {
        rows.push(StreamRow {
            mode,
            alpha: config.alpha,
            order,
            figures: stream(corpus, ours, options.embedder.as_ref(), config, order)?,
        });
    }
    Ok(rows)
}
