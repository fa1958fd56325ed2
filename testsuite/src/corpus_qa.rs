//! How well are the passages found that answer questions over documents?
//!
//! Retrieval by the tri-graph beside the baselines dense, BM25 and LinearRAG to the letter, on the same passages in the
//! same run. Without a language model: what is judged is what a model would be given to read.

mod grounding;
mod load;
mod measure;
mod stream;

use std::sync::Arc;
use std::time::Instant;

use graph_rag::tri_graph::Adjacency;
use graph_rag::{Index, IndexConfig, LinearRagConfig, Passage};
use language_model::words::words;
use language_model::Embedder;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use similarity::bm25::Bm25;

pub use load::CorpusName;
pub(crate) use grounding::grounding;
pub use grounding::GroundingFigures;
pub(crate) use load::{Corpus, load};
pub use stream::StreamFigures;
pub(crate) use stream::stream;
pub use measure::{LatencyMs, RetrievalFigures};
pub(crate) use measure::{Found, figures};

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
    pub(crate) fn build(corpus: &Corpus, layout: Layout, config: IndexConfig, embedder: &dyn Embedder) -> anyhow::Result<Self> {
        let mut order: Vec<usize> = (0..corpus.entries.len()).collect();
        if let Layout::Shuffled(seed) = layout {
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        let passages = order.iter().enumerate().map(|(rank, place)| {
            let entry = &corpus.entries[*place];
            let (document, ordinal) = match layout {
                Layout::Separate => (format!("{place:06}"), 0),
                Layout::FileOrder | Layout::Shuffled(_) => ("all".to_owned(), u32::try_from(rank).unwrap_or(u32::MAX)),
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

    pub(crate) fn retrieve(&self, corpus: &Corpus, config: &LinearRagConfig, embedder: &dyn Embedder) -> anyhow::Result<Vec<Found>> {
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
                passages: found.passages.iter().map(|r| self.places[r.passage as usize]).collect(),
            });
        }
        Ok(out)
    }

    fn dense(&self, corpus: &Corpus, embedder: &dyn Embedder) -> anyhow::Result<Vec<Found>> {
        let mut out = Vec::new();
        for question in &corpus.questions {
            let start = Instant::now();
            let found = self.index.nearest_passages(&question.question, embedder, RETRIEVED)?;
            out.push(Found {
                time: start.elapsed(),
                passages: found.iter().map(|r| self.places[r.passage as usize]).collect(),
            });
        }
        Ok(out)
    }
}

fn bm25(corpus: &Corpus) -> Vec<Found> {
    let index = Bm25::new(corpus.entries.iter().map(|e| words(&format!("{}\n{}", e.title, e.text))));
    let ask = |question: &str| {
        let start = Instant::now();
        let passages = index.top_k(&words(question), RETRIEVED).into_iter().map(|(p, _)| p).collect();
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
        let alone = |extraction| IndexConfig { extraction, ..index };
        let literal = IndexConfig {
            adjacency: Adjacency::None,
            ..IndexConfig::reference()
        };
        vec![
            ours("refrain", Layout::Separate, index),
            Self {
                retrieval: LinearRagConfig::reference(),
                ..ours("literal LinearRAG, capitalised spans", Layout::Separate, literal)
            },
            Self {
                retrieval: LinearRagConfig::reference(),
                ..ours("literal, adjacency in file order", Layout::FileOrder, IndexConfig::reference())
            },
            ours("gazetteer only", Layout::Separate, alone(Extraction::GazetteerOnly)),
            ours("capitalised spans only", Layout::Separate, alone(Extraction::CapitalisedOnly)),
            ours("adjacency in file order", Layout::FileOrder, adjacent),
            ours("adjacency, shuffled", Layout::Shuffled(7), adjacent),
        ]
    }
}

/// Measures the baselines and the variants on a set.
///
/// # Errors
/// When the data folder lacks a file, or the embedder fails.
pub fn corpus_retrieval(
    name: CorpusName,
    data: &std::path::Path,
    embedder: &Arc<dyn Embedder>,
    variants: &[Variant],
) -> anyhow::Result<Vec<CorpusRow>> {
    let corpus = load(name, data)?;
    let mut rows = vec![CorpusRow {
        system: "BM25".to_owned(),
        figures: figures(&corpus, &bm25(&corpus)),
        index_passages_per_s: None,
    }];
    for (number, variant) in variants.iter().enumerate() {
        let indexed = IndexedCorpus::build(&corpus, variant.layout, variant.index, embedder.as_ref())?;
        if number == 0 {
            rows.push(CorpusRow {
                system: "dense".to_owned(),
                figures: figures(&corpus, &indexed.dense(&corpus, embedder.as_ref())?),
                index_passages_per_s: None,
            });
        }
        let found = indexed.retrieve(&corpus, &variant.retrieval, embedder.as_ref())?;
        rows.push(CorpusRow {
            system: variant.name.clone(),
            figures: figures(&corpus, &found),
            index_passages_per_s: Some(corpus.entries.len() as f64 / indexed.seconds),
        });
    }
    Ok(rows)
}
