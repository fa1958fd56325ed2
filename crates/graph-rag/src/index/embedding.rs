//! Which texts of an index need a new vector?
//!
//! Only those that the index before the change did not have.

use std::collections::HashMap;
use std::sync::Arc;

use language_model::Embedder;

use super::{Index, IndexConfig, Record, SentenceContext};
use crate::GraphRagError;
use crate::tri_graph::{SentenceNode, TriGraph};
use crate::vectors::{VectorTable, Vectors};

/// Texts that go to the embedder at once.
const BATCH: usize = 256;

/// The vectors of all passages, sentences and entities.
pub(super) fn vectors(
    records: &[Arc<Record>],
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
    let known = |texts: &mut dyn Iterator<Item = &'_ str>| -> HashMap<String, usize> {
        texts
            .enumerate()
            .map(|(row, text)| (text.to_owned(), row))
            .collect()
    };
    let (mut known_passages, mut known_sentences, mut known_entities) =
        <(HashMap<_, _>, HashMap<_, _>, HashMap<_, _>)>::default();
    if let Some(old) = old {
        known_passages = known(&mut old.records.iter().map(|r| r.full_text.as_str()));
        known_sentences = known(&mut old_sentences.iter().flatten().map(String::as_str));
        known_entities = known(&mut old.graph.entities.iter().map(|e| &*e.name));
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
    records: &[Arc<Record>],
    nodes: &[SentenceNode],
    context: SentenceContext,
) -> Vec<String> {
    let text = |node: &SentenceNode| {
        let record = &records[node.passage as usize];
        let span = node.span.start as usize..node.span.end as usize;
        let sentence = &record.full_text[span];
        match context {
            SentenceContext::Alone => sentence.to_owned(),
            SentenceContext::Title => format!("{}: {sentence}", record.passage.title),
        }
    };
    nodes.iter().map(text).collect()
}

fn embed(
    texts: &[&str],
    known: &HashMap<String, usize>,
    old: &VectorTable,
    embedder: &dyn Embedder,
) -> Result<VectorTable, GraphRagError> {
    let mut fresh: HashMap<&str, Vec<f32>> = HashMap::new();
    let new: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| !known.contains_key(*text))
        .collect();
    for batch in new.chunks(BATCH) {
        let vectors = embedder.embed(batch)?;
        fresh.extend(
            batch
                .iter()
                .copied()
                .zip(vectors.into_iter().map(|v| v.into_vec())),
        );
    }
    let mut table = VectorTable::new(embedder.dims());
    for text in texts {
        match (known.get(*text), fresh.get(text)) {
            (Some(row), _) => table.push(old.row(*row)),
            (None, Some(vector)) => table.push(vector),
            // An embedder that gives fewer vectors than texts breaks its promise; the row stays empty-handed.
            (None, None) => table.push(&vec![0.0; embedder.dims()]),
        }
    }
    Ok(table)
}
