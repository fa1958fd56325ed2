//! What is kept of a corpus so that questions can be asked of it, and how does it follow the documents?
//!
//! An index is a value: a change gives a new one that shares the unchanged passages. Whatever the way there, the same
//! documents, labels and embedder give the same index. Only [`Index::save`] and
//! [`Index::open`] touch files.

mod blocks;
mod change;
mod codec;
mod directory;
mod embedding;
mod file;
mod records;
mod words;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use language_model::Embedder;
use serde::{Deserialize, Serialize};

use crate::GraphRagError;
use crate::csr::id32;
use crate::passage::{ContentHash, DocumentId, Passage};
use crate::ppr::PassageEntityGraph;
use crate::recogniser::{Extraction, Gazetteer, Label, Recogniser};
use crate::tri_graph::{
    Adjacency, Identity, Occurrences, PassageNodes, Previous, SentenceNode, TitleScope, TriGraph,
    assemble,
};
use crate::vectors::Vectors;

pub(crate) use blocks::{BLOCK, Blocks};
pub use change::{Change, ChangeReport};
pub(crate) use records::{Record, Records};
pub(crate) use words::WordIndex;

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

/// An index over passages.
#[derive(Debug, Clone)]
pub struct Index {
    pub(crate) config: IndexConfig,
    pub(crate) embedder: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) records: Records,
    pub(crate) recogniser: Recogniser,
    pub(crate) graph: TriGraph,
    pub(crate) walks: PassageEntityGraph,
    pub(crate) vectors: Vectors,
    pub(crate) words: WordIndex,
    /// The file that it was opened from.
    blocks: Option<Arc<Blocks>>,
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
        let records = Records::read(passages, &recogniser);
        Self::of_records(records, labels, recogniser, config, None, embedder)
    }

    /// The one way to an index, from all its passages; vectors of texts that `old` has are taken from there.
    fn of_records(
        records: Records,
        labels: Vec<Label>,
        recogniser: Recogniser,
        config: IndexConfig,
        old: Option<&Self>,
        embedder: &dyn Embedder,
    ) -> Result<Self, GraphRagError> {
        let previous = old.map(|old| previous(old, &records)).transpose()?;
        let graph = graph_of(&records, &config, previous.as_ref())?;
        let vectors = embedding::vectors(&records, &graph, config, old, embedder)?;
        old.map_or(Ok(()), Self::check)?;
        Ok(Self {
            walks: PassageEntityGraph::new(&graph)?,
            words: WordIndex::new(&records, old),
            config,
            embedder: embedder.fingerprint().to_owned(),
            labels,
            records,
            recogniser,
            graph,
            vectors,
            blocks: None,
        })
    }

    /// Whether all that questions needed so far could be read. What of an opened index cannot be read counts as empty
    /// until this is asked: ask it before what was found is used.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::Damaged`] or [`GraphRagError::File`], whichever came first.
    pub fn check(&self) -> Result<(), GraphRagError> {
        match self.blocks.as_ref().and_then(|blocks| blocks.fault()) {
            None => Ok(()),
            Some(GraphRagError::File(error)) => Err(GraphRagError::File(std::io::Error::new(
                error.kind(),
                error.to_string(),
            ))),
            Some(GraphRagError::Damaged { reason }) => Err(blocks::damaged(reason)),
            Some(_) => Err(blocks::damaged("a part cannot be read")),
        }
    }

    /// Reads all that has not been read, and checks it.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn verify(&self) -> Result<(), GraphRagError> {
        if let Some(blocks) = &self.blocks {
            blocks.verify()?;
        }
        self.load()?;
        self.check()
    }

    /// Reads all records.
    fn load(&self) -> Result<(), GraphRagError> {
        self.records.load()?;
        let span_fits = |s: &SentenceNode| {
            let record = self.records.get(s.passage as usize);
            record.is_some_and(|r| {
                r.full_text
                    .get(s.span.start as usize..s.span.end as usize)
                    .is_some()
            })
        };
        if self.graph.sentences.iter().all(span_fits) {
            Ok(())
        } else {
            Err(blocks::damaged("its parts do not fit each other"))
        }
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
        self.records.len() == 0
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
        let (mut low, mut high) = (0, self.records.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let passage = &self.records.get(middle)?.passage;
            match (&passage.document, passage.ordinal).cmp(&(document, ordinal)) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return u32::try_from(middle).ok(),
                Ordering::Greater => high = middle,
            }
        }
        None
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

fn previous<'o>(old: &'o Index, records: &Records) -> Result<Previous<'o>, GraphRagError> {
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
    records: &Records,
    config: &IndexConfig,
    previous: Option<&Previous<'_>>,
) -> Result<TriGraph, GraphRagError> {
    let nodes: Vec<PassageNodes<'_>> = records
        .iter()
        .map(|record| PassageNodes {
            document: &record.passage.document,
            text: &record.full_text,
            encoded: record.encoded(),
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
