//! How do the mentions of all passages become one graph?
//!
//! Passages come in the index's order; entities and sentences are numbered as they first appear, so the same passages
//! give the same graph, however they came to be there.

use std::collections::HashMap;
use std::sync::Arc;

use super::occurrences::{Counts, Known, count_substrings, count_words};
use super::{Adjacency, Entity, Identity, Occurrences, SentenceNode, TitleScope, TriGraph};
use crate::GraphRagError;
use crate::csr::{Csr, id32};
use crate::extraction::{Named, PassageMentions};
use crate::index::IndexConfig;
use crate::names::NameTable;
use crate::passage::DocumentId;
use crate::token::Encoded;

/// What the graph needs of a passage.
pub(crate) struct PassageNodes<'p> {
    pub(crate) document: &'p DocumentId,
    pub(crate) text: &'p str,
    pub(crate) encoded: &'p Encoded,
    pub(crate) mentions: &'p PassageMentions,
}

/// The graph before a change, and what became of its passages.
pub(crate) struct Previous<'p> {
    pub(crate) graph: &'p TriGraph,
    /// Where each of its passages is now.
    pub(crate) places: Vec<Option<u32>>,
    /// Whether each passage of now was not there.
    pub(crate) fresh: Vec<bool>,
}

#[derive(Default)]
struct Building<'p> {
    entities: Vec<Entity>,
    /// Their names as they are looked up.
    forms: Vec<String>,
    by_key: HashMap<String, u32>,
    by_name: HashMap<String, u32>,
    sentences: Vec<SentenceNode>,
    by_text: HashMap<&'p str, u32>,
    sentence_entities: Vec<Vec<u32>>,
    /// Entities of each passage, in order of mention, each once.
    mentioned: Vec<Vec<u32>>,
}

/// Builds the graph. What the one before counted is not counted again.
pub(crate) fn assemble(
    passages: &[PassageNodes<'_>],
    config: &IndexConfig,
    previous: Option<&Previous<'_>>,
) -> Result<TriGraph, GraphRagError> {
    let mut building = Building::default();
    for (place, passage) in passages.iter().enumerate() {
        building.add(id32(place, "passages")?, passage, config)?;
    }
    let texts: Vec<&str> = passages.iter().map(|p| p.text).collect();
    let counts = match config.occurrences {
        Occurrences::Words => {
            let encoded: Vec<&Encoded> = passages.iter().map(|p| p.encoded).collect();
            count_words(&encoded, &building.forms, building.known(previous).as_ref())?
        }
        Occurrences::Substring => {
            let names: Vec<&str> = building.entities.iter().map(|e| &*e.name).collect();
            count_substrings(&texts, &names)?
        }
    };
    let mut entity_sentences = vec![Vec::new(); building.entities.len()];
    for (sentence, entities) in building.sentence_entities.iter().enumerate() {
        for entity in entities {
            entity_sentences[*entity as usize].push(id32(sentence, "sentences")?);
        }
    }
    let edges = edges(&building, &texts, &counts, config.occurrences);
    Ok(TriGraph {
        passages: passages.len(),
        entity_sentences: Csr::from_rows(entity_sentences, "mentions")?,
        sentence_entities: Csr::from_rows(building.sentence_entities, "mentions")?,
        passage_entities: Csr::from_rows(edges, "edges")?,
        occurrences: Csr::from_rows(counts.by_entity, "occurrences")?,
        adjacent: Csr::from_rows(adjacent(passages, config.adjacency)?, "adjacencies")?,
        entities: building.entities,
        sentences: building.sentences,
        by_name: NameTable::new(building.by_name)?,
    })
}

impl<'p> Building<'p> {
    fn add(
        &mut self,
        place: u32,
        passage: &PassageNodes<'p>,
        config: &IndexConfig,
    ) -> Result<(), GraphRagError> {
        let mentions = passage.mentions;
        let title = self.ids(&mentions.title, config.identity)?;
        let mut all = title.clone();
        for (number, sentence) in mentions.sentences.iter().enumerate() {
            let titled = number == 0 || config.title_scope == TitleScope::EverySentence;
            let mut entities = if titled { title.clone() } else { Vec::new() };
            extend_new(
                &mut entities,
                self.ids(&sentence.mentions, config.identity)?,
            );
            extend_new(&mut all, entities.clone());
            if !entities.is_empty() {
                let text = &passage.text[sentence.span.clone()];
                let span = id32(sentence.span.start, "bytes in a passage")?
                    ..id32(sentence.span.end, "bytes in a passage")?;
                self.sentence(
                    text,
                    SentenceNode {
                        passage: place,
                        span,
                    },
                    entities,
                )?;
            }
        }
        self.mentioned.push(all);
        Ok(())
    }

    fn known<'k>(&self, previous: Option<&'k Previous<'k>>) -> Option<Known<'k>> {
        let previous = previous?;
        let row = |form: &String| {
            let entity = previous.graph.by_name.get(form)?;
            Some(previous.graph.occurrences.row(entity as usize))
        };
        Some(Known {
            rows: self.forms.iter().map(row).collect(),
            places: &previous.places,
            fresh: &previous.fresh,
        })
    }

    /// Equal text is one sentence.
    fn sentence(
        &mut self,
        text: &'p str,
        node: SentenceNode,
        entities: Vec<u32>,
    ) -> Result<(), GraphRagError> {
        if let Some(known) = self.by_text.get(text) {
            extend_new(&mut self.sentence_entities[*known as usize], entities);
            return Ok(());
        }
        self.by_text
            .insert(text, id32(self.sentences.len(), "sentences")?);
        self.sentences.push(node);
        self.sentence_entities.push(entities);
        Ok(())
    }

    /// The entities of mentions, each once.
    fn ids(&mut self, mentions: &[Named], identity: Identity) -> Result<Vec<u32>, GraphRagError> {
        let mut out = Vec::with_capacity(mentions.len());
        for mention in mentions {
            let folded = Encoded::new(&mention.name).text;
            let key = match identity {
                Identity::Folded => folded.clone(),
                Identity::Surface => mention.name.clone(),
            };
            let next = id32(self.entities.len(), "entities")?;
            let id = *self.by_key.entry(key).or_insert(next);
            if id == next {
                self.by_name.entry(folded.clone()).or_insert(id);
                self.forms.push(folded);
                self.entities.push(Entity {
                    name: Arc::from(mention.name.as_str()),
                    iri: None,
                });
            }
            if let Some(iri) = &mention.iri {
                let known = &mut self.entities[id as usize].iri;
                known.get_or_insert_with(|| Arc::from(iri.as_str()));
            }
            extend_new(&mut out, vec![id]);
        }
        Ok(out)
    }
}

fn extend_new(list: &mut Vec<u32>, more: Vec<u32>) {
    for id in more {
        if !list.contains(&id) {
            list.push(id);
        }
    }
}

/// Passage → (entity, share of occurrences), by entity.
fn edges(
    building: &Building<'_>,
    texts: &[&str],
    counts: &Counts,
    mode: Occurrences,
) -> Vec<Vec<(u32, f64)>> {
    let occurs = |passage: usize, entity: u32| {
        let times = match mode {
            // The reference counts an edge with case, unlike an occurrence.
            Occurrences::Substring => texts[passage]
                .matches(&*building.entities[entity as usize].name)
                .count(),
            Occurrences::Words => counts.of(entity, passage) as usize,
        };
        // An entity is mentioned at least once, though another spelling gave it its name.
        times.max(1) as f64
    };
    let mut rows = Vec::with_capacity(building.mentioned.len());
    for (passage, mentioned) in building.mentioned.iter().enumerate() {
        let mut row: Vec<(u32, f64)> = mentioned
            .iter()
            .map(|e| (*e, occurs(passage, *e)))
            .collect();
        let total: f64 = row.iter().map(|(_, times)| times).sum();
        for (_, weight) in &mut row {
            *weight /= total;
        }
        row.sort_by_key(|(entity, _)| *entity);
        rows.push(row);
    }
    rows
}

/// Passages are in order of document and ordinal, so neighbours in the list are neighbours in the document.
fn adjacent(
    passages: &[PassageNodes<'_>],
    adjacency: Adjacency,
) -> Result<Vec<Vec<u32>>, GraphRagError> {
    let mut rows = vec![Vec::new(); passages.len()];
    if adjacency == Adjacency::WithinDocument {
        for at in 1..passages.len() {
            if passages[at].document == passages[at - 1].document {
                rows[at - 1].push(id32(at, "passages")?);
                rows[at].push(id32(at - 1, "passages")?);
            }
        }
    }
    Ok(rows)
}
