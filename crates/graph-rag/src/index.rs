//! What is kept of a corpus so that questions can be asked of it, and how does it follow the documents?
//!
//! An index is a value: a change gives a new one that shares the unchanged passages. Whatever the way there, the same
//! documents, labels and embedder give the same index. Only [`Index::save`] and
//! [`Index::open`] touch files.

mod change;
mod directory;
mod embedding;
mod file;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use language_model::Embedder;
use language_model::words::words;
use serde::{Deserialize, Serialize};
use similarity::bm25::Bm25;

use crate::GraphRagError;
use crate::csr::id32;
use crate::extraction::PassageMentions;
use crate::passage::{ContentHash, DocumentId, Passage};
use crate::ppr::PassageEntityGraph;
use crate::recogniser::{Extraction, Gazetteer, Label, Recogniser};
use crate::token::Encoded;
use crate::tri_graph::{
    Adjacency, Identity, Occurrences, PassageNodes, Previous, TitleScope, TriGraph, assemble,
};
use crate::vectors::Vectors;

pub use change::{Change, ChangeReport};

/// What a sentence is embedded with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentenceContext {
    /// Nothing: the paper's.
    Alone,
    /// The title of its passage before it, so that "he was born in 1950" says who.
    #[default]
    Title,
}

/// How documents are indexed. The default is ours; [`reference`](Self::reference) is LinearRAG's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Which sources of mentions are used.
    pub extraction: Extraction,
    /// When two surface forms are one entity.
    pub identity: Identity,
    /// What counts as an occurrence.
    pub occurrences: Occurrences,
    /// Which passages have edges to each other.
    pub adjacency: Adjacency,
    /// Which sentences a title is mentioned in.
    pub title_scope: TitleScope,
    /// What a sentence is embedded with.
    pub sentence_context: SentenceContext,
}

impl IndexConfig {
    /// LinearRAG as published, but for what recognises entities: surface forms, substrings, adjacency.
    #[must_use]
    pub fn reference() -> Self {
        Self {
            extraction: Extraction::CapitalisedOnly,
            identity: Identity::Surface,
            occurrences: Occurrences::Substring,
            adjacency: Adjacency::WithinDocument,
            title_scope: TitleScope::FirstSentence,
            sentence_context: SentenceContext::Alone,
        }
    }
}

/// A passage as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) passage: Passage,
    pub(crate) full_text: String,
    pub(crate) hash: ContentHash,
    pub(crate) mentions: PassageMentions,
    /// The full text as names are looked for in it.
    #[serde(skip)]
    pub(crate) encoded: Encoded,
}

impl Record {
    fn new(passage: Passage, recogniser: &Recogniser) -> Self {
        let full_text = passage.full_text();
        Self {
            mentions: PassageMentions::of(&passage, recogniser),
            hash: ContentHash::of(&full_text),
            encoded: Encoded::new(&full_text),
            full_text,
            passage,
        }
    }
}

/// An index over passages.
#[derive(Debug, Clone)]
pub struct Index {
    pub(crate) config: IndexConfig,
    pub(crate) embedder: String,
    pub(crate) labels: Vec<Label>,
    /// In order of document and ordinal.
    pub(crate) records: Vec<Arc<Record>>,
    pub(crate) recogniser: Recogniser,
    pub(crate) graph: TriGraph,
    pub(crate) walks: PassageEntityGraph,
    pub(crate) vectors: Vectors,
    pub(crate) words: WordIndex,
}

/// BM25 over the passages.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordIndex {
    pub(crate) bm25: Bm25,
    /// The index there of each passage.
    places: Vec<usize>,
}

impl WordIndex {
    /// The words of records; those that `old` has are taken from there.
    fn new(records: &[Arc<Record>], old: Option<&Index>) -> Self {
        let mut bm25 = old.map_or_else(Bm25::default, |old| old.words.bm25.clone());
        let mut known: HashMap<*const Record, usize> = HashMap::new();
        if let Some(old) = old {
            known = old
                .records
                .iter()
                .map(Arc::as_ptr)
                .zip(old.words.places.iter().copied())
                .collect();
        }
        let mut places = Vec::with_capacity(records.len());
        for record in records {
            let place = known.remove(&Arc::as_ptr(record));
            places.push(place.unwrap_or_else(|| bm25.insert(words(&record.full_text))));
        }
        // What is left is gone. Its order does not show: it is only taken out.
        for record in old.into_iter().flat_map(|old| &old.records) {
            if let Some(place) = known.get(&Arc::as_ptr(record)) {
                bm25.remove(*place, words(&record.full_text));
            }
        }
        Self { bm25, places }
    }

    /// BM25 of each passage.
    pub(crate) fn scores(&self, query: &[String]) -> Vec<f32> {
        let all = self.bm25.scores(query);
        self.places.iter().map(|place| all[*place]).collect()
    }
}

impl Index {
    /// Indexes passages. `labels` are names known beforehand, of a knowledge graph for instance; titles are known anyway.
    ///
    /// # Errors
    ///
    /// [`GraphRagError`] when the embedder fails, when two passages have the same place, or when there are too many of
    /// something.
    pub fn build(
        passages: impl IntoIterator<Item = Passage>,
        labels: impl IntoIterator<Item = Label>,
        config: IndexConfig,
        embedder: &dyn Embedder,
    ) -> Result<Self, GraphRagError> {
        let mut passages: Vec<Passage> = passages.into_iter().collect();
        passages.sort_by(|a, b| (&a.document, a.ordinal).cmp(&(&b.document, b.ordinal)));
        for pair in passages.windows(2) {
            if let [a, b] = pair
                && (&a.document, a.ordinal) == (&b.document, b.ordinal)
            {
                return Err(GraphRagError::SamePlace {
                    document: a.document.to_string(),
                    ordinal: a.ordinal,
                });
            }
        }
        let mut labels: Vec<Label> = labels.into_iter().collect();
        labels.sort();
        labels.dedup();
        let recogniser = recogniser(&labels, passages.iter().map(|p| p.title.as_str()), config)?;
        let records: Vec<Arc<Record>> = passages
            .into_iter()
            .map(|passage| Arc::new(Record::new(passage, &recogniser)))
            .collect();
        Self::of_records(records, labels, recogniser, config, None, embedder)
    }

    /// The one way to an index, from all its passages; vectors of texts that `old` has are taken from there.
    fn of_records(
        records: Vec<Arc<Record>>,
        labels: Vec<Label>,
        recogniser: Recogniser,
        config: IndexConfig,
        old: Option<&Self>,
        embedder: &dyn Embedder,
    ) -> Result<Self, GraphRagError> {
        let previous = old.map(|old| previous(old, &records)).transpose()?;
        let graph = graph_of(&records, &config, previous.as_ref())?;
        let vectors = embedding::vectors(&records, &graph, config, old, embedder)?;
        let words = WordIndex::new(&records, old);
        let embedder = embedder.fingerprint().to_owned();
        Self::of_parts(
            config, embedder, labels, records, recogniser, graph, vectors, words,
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts are what the index is made of"
    )]
    fn of_parts(
        config: IndexConfig,
        embedder: String,
        labels: Vec<Label>,
        records: Vec<Arc<Record>>,
        recogniser: Recogniser,
        graph: TriGraph,
        vectors: Vectors,
        words: WordIndex,
    ) -> Result<Self, GraphRagError> {
        Ok(Self {
            walks: PassageEntityGraph::new(&graph)?,
            words,
            config,
            embedder,
            labels,
            records,
            recogniser,
            graph,
            vectors,
        })
    }

    /// How it was indexed.
    #[must_use]
    pub fn config(&self) -> &IndexConfig {
        &self.config
    }

    /// The fingerprint of the embedder of its vectors.
    #[must_use]
    pub fn embedder(&self) -> &str {
        &self.embedder
    }

    /// How many passages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are no passages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// A passage, by its place in order of document and ordinal.
    #[must_use]
    pub fn passage(&self, place: u32) -> Option<&Passage> {
        self.records
            .get(place as usize)
            .map(|record| &record.passage)
    }

    /// A passage's title and text, which spans of sentences point into; empty for a place that does not exist.
    #[must_use]
    pub fn full_text(&self, place: u32) -> &str {
        self.records
            .get(place as usize)
            .map_or("", |record| &record.full_text)
    }

    /// The hash of a passage's title and text.
    #[must_use]
    pub fn content_hash(&self, place: u32) -> Option<ContentHash> {
        self.records.get(place as usize).map(|record| record.hash)
    }

    /// The place of a passage.
    #[must_use]
    pub fn place_of(&self, document: &DocumentId, ordinal: u32) -> Option<u32> {
        let found = self.records.binary_search_by(|r| {
            (&r.passage.document, r.passage.ordinal).cmp(&(document, ordinal))
        });
        found.ok().and_then(|place| u32::try_from(place).ok())
    }

    /// Its documents, in order.
    #[must_use]
    pub fn documents(&self) -> Vec<&DocumentId> {
        let documents: BTreeSet<&DocumentId> =
            self.records.iter().map(|r| &r.passage.document).collect();
        documents.into_iter().collect()
    }

    /// The share of passages whose text has no capitals to go by: there only known names and dates are found.
    #[must_use]
    pub fn lower_case_share(&self) -> f64 {
        let lower = self.records.iter().filter(|r| !r.mentions.cased).count();
        lower as f64 / self.records.len().max(1) as f64
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &TriGraph {
        &self.graph
    }

    /// The text of a sentence; empty for one that does not exist.
    #[must_use]
    pub fn sentence_text(&self, sentence: u32) -> &str {
        let node = self.graph.sentences.get(sentence as usize);
        node.and_then(|node| {
            let text = &self.records.get(node.passage as usize)?.full_text;
            text.get(node.span.start as usize..node.span.end as usize)
        })
        .unwrap_or_default()
    }
}

fn previous<'o>(old: &'o Index, records: &[Arc<Record>]) -> Result<Previous<'o>, GraphRagError> {
    let mut now: HashMap<*const Record, u32> = HashMap::with_capacity(records.len());
    for (place, record) in records.iter().enumerate() {
        now.insert(Arc::as_ptr(record), id32(place, "passages")?);
    }
    let places: Vec<Option<u32>> = old
        .records
        .iter()
        .map(|r| now.get(&Arc::as_ptr(r)).copied())
        .collect();
    let mut fresh = vec![true; records.len()];
    for place in places.iter().flatten() {
        fresh[*place as usize] = false;
    }
    Ok(Previous {
        graph: &old.graph,
        places,
        fresh,
    })
}

fn graph_of(
    records: &[Arc<Record>],
    config: &IndexConfig,
    previous: Option<&Previous<'_>>,
) -> Result<TriGraph, GraphRagError> {
    let nodes: Vec<PassageNodes<'_>> = records
        .iter()
        .map(|record| PassageNodes {
            document: &record.passage.document,
            text: &record.full_text,
            encoded: &record.encoded,
            mentions: &record.mentions,
        })
        .collect();
    assemble(&nodes, config, previous)
}

/// A recogniser that knows labels and titles.
pub(crate) fn recogniser<'t>(
    labels: &[Label],
    titles: impl Iterator<Item = &'t str>,
    config: IndexConfig,
) -> Result<Recogniser, GraphRagError> {
    let titles: BTreeSet<&str> = titles.filter(|title| !title.is_empty()).collect();
    let titles: Vec<Label> = titles.into_iter().map(Label::title).collect();
    let gazetteer = Gazetteer::new(labels.iter().chain(&titles))?;
    Ok(Recogniser::new(gazetteer, config.extraction))
}

#[cfg(test)]
pub(crate) mod tests;
