//! Which texts of an index need a new vector?
//!
//! Only those that the index before the change did not have.

use std::collections::HashMap;

use language_model::{EmbedError, Embedder};
use similarity::Embedding;

use super::{Index, IndexConfig, Records, SentenceContext};
use crate::GraphRagError;
use crate::parallel::fill;
use crate::tri_graph::{SentenceNode, TriGraph};
use crate::vectors::{VectorTable, Vectors};

/// Texts that go to the embedder at once.
const BATCH: usize = 256;

/// Texts whose vectors are made before they are put in their places.
const GATHERED: usize = 32 * BATCH;

/// The vectors of all passages, sentences and entities.
pub(super) fn vectors(
    records: &Records,
    graph: &TriGraph,
    config: IndexConfig,
    old: Option<&Index>,
    embedder: &dyn Embedder,
) -> Result<Vectors, GraphRagError> {
    let old = old.filter(|old| old.embedder == embedder.fingerprint() && old.config == config);
    let passages: Vec<&str> = records.iter().map(|r| r.full_text.as_str()).collect();
    let sentences = sentence_texts(records, &graph.sentences, config.sentence_context);
    let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let entities: Vec<&str> = graph.entities.iter().map(|e| &*e.name).collect();
    let old_sentences =
        old.map(|o| sentence_texts(&o.records, &o.graph.sentences, config.sentence_context));
    let (mut known_passages, mut known_sentences, mut known_entities) =
        <(Known<'_>, Known<'_>, Known<'_>)>::default();
    if let Some(old) = old {
        known_passages = numbered(old.records.iter().map(|r| r.full_text.as_str()));
        known_sentences = numbered(old_sentences.iter().flatten().map(String::as_str));
        known_entities = numbered(old.graph.entities.iter().map(|e| &*e.name));
    }
    let none = VectorTable::new(embedder.dims());
    let table =
        |old_table: fn(&Vectors) -> &VectorTable| old.map_or(&none, |old| old_table(&old.vectors));
    Ok(Vectors {
        passages: embed(&passages, &known_passages, table(|v| &v.passages), embedder)?,
        sentences: embed(
            &sentences,
            &known_sentences,
            table(|v| &v.sentences),
            embedder,
        )?,
        entities: embed(&entities, &known_entities, table(|v| &v.entities), embedder)?,
    })
}

/// What sentences are embedded as.
fn sentence_texts(
    records: &Records,
    nodes: &[SentenceNode],
    context: SentenceContext,
) -> Vec<String> {
    let text = |node: &SentenceNode| {
        let Some(record) = records.get(node.passage as usize) else {
            return String::new();
        };
        let span = node.span.start as usize..node.span.end as usize;
        let sentence = record.full_text.get(span).unwrap_or_default();
        match context {
            SentenceContext::Alone => sentence.to_owned(),
            SentenceContext::Title => format!("{}: {sentence}", record.passage.title),
        }
    };
    nodes.iter().map(text).collect()
}

/// The rows of texts.
type Known<'t> = HashMap<&'t str, usize>;

fn numbered<'t>(texts: impl Iterator<Item = &'t str>) -> Known<'t> {
    texts.enumerate().map(|(row, text)| (text, row)).collect()
}

/// The vectors of texts, each embedded once, and not at all if it is known.
fn embed(
    texts: &[&str],
    known: &Known<'_>,
    old: &VectorTable,
    embedder: &dyn Embedder,
) -> Result<VectorTable, GraphRagError> {
    let mut table = VectorTable::new(embedder.dims());
    let mut rows: Known<'_> = HashMap::new();
    for batch in texts.chunks(GATHERED) {
        let first = table.len();
        let mut fresh = Vec::new();
        for (row, text) in (first..).zip(batch) {
            if !known.contains_key(text) && !rows.contains_key(text) {
                rows.insert(text, row);
                fresh.push(*text);
            }
        }
        let mut vectors = embedded(&fresh, embedder)?.into_iter();
        for (row, text) in (first..).zip(batch) {
            match (known.get(text), rows.get(text)) {
                (Some(row), _) => table.push(old.row(*row)),
                (None, Some(own)) if *own == row => {
                    let vector = vectors.next().ok_or(GraphRagError::NoVector)?;
                    table.push(vector.as_slice());
                }
                (None, Some(other)) => {
                    let same = Vec::from(table.row(*other));
                    table.push(&same);
                }
                (None, None) => return Err(GraphRagError::NoVector),
            }
        }
    }
    Ok(table)
}

/// The vectors of texts, batches of them at the same time.
fn embedded(texts: &[&str], embedder: &dyn Embedder) -> Result<Vec<Embedding>, GraphRagError> {
    let mut batches: Vec<Option<Result<Vec<Embedding>, EmbedError>>> = Vec::new();
    batches.resize_with(texts.len().div_ceil(BATCH), || None);
    fill(&mut batches, 2, |start, slots| {
        for (slot, batch) in slots.iter_mut().zip(texts.chunks(BATCH).skip(start)) {
            *slot = Some(embedder.embed(batch));
        }
    });
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in batches.into_iter().flatten() {
        vectors.extend(batch?);
    }
    Ok(vectors)
}
