//! Which entities does which sentence and passage hold, and how often? (LinearRAG, "Tri-Graph")
//!
//! Three kinds of node: passages, sentences, entities. The mention relation joins entities and sentences, without
//! weights; edges between passages and entities are weighted by occurrences. It holds no vectors and ranks nothing.

mod assemble;
mod occurrences;

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::csr::Csr;
use crate::names::NameTable;

pub(crate) use assemble::{PassageNodes, Previous, assemble};

/// When two surface forms are one entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// When their words are the same but for case and accents.
    #[default]
    Folded,
    /// Only when they are written alike: the paper's.
    Surface,
}

/// What counts as an occurrence of an entity in a passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occurrences {
    /// Its words, whatever their case: `us` does not occur in `famous`.
    #[default]
    Words,
    /// Its letters anywhere: the reference's.
    Substring,
}

/// Which passages have an edge to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Adjacency {
    /// None.
    #[default]
    None,
    /// Neighbours by ordinal in the same document, of weight 1.
    WithinDocument,
}

/// Which sentences a title is mentioned in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TitleScope {
    /// The first one of its passage, as if it were its beginning.
    FirstSentence,
    /// All of its passage: what a passage says, it says of its title.
    #[default]
    EverySentence,
}

/// An entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Its name as first written.
    pub name: Arc<str>,
    /// What a knowledge graph calls it, where a label said so.
    pub iri: Option<Arc<str>>,
}

/// A sentence that mentions an entity: where it stands first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentenceNode {
    /// The passage, by its place in the index.
    pub passage: u32,
    /// Where, in bytes of the passage's full text.
    pub span: Range<u32>,
}

/// The graph.
#[derive(Debug, Clone, Default)]
pub struct TriGraph {
    pub(crate) entities: Vec<Entity>,
    pub(crate) sentences: Vec<SentenceNode>,
    pub(crate) passages: usize,
    /// Entity → sentences, by id.
    pub(crate) entity_sentences: Csr<u32>,
    /// Sentence → entities, in order of mention.
    pub(crate) sentence_entities: Csr<u32>,
    /// Passage → (entity, share of its occurrences); the shares of a passage sum to 1.
    pub(crate) passage_entities: Csr<(u32, f64)>,
    /// Entity → (passage, occurrences), mentioned there or not.
    pub(crate) occurrences: Csr<(u32, u32)>,
    /// Passage → adjacent passages.
    pub(crate) adjacent: Csr<u32>,
    /// Folded name → the first entity so called.
    pub(crate) by_name: NameTable,
}

impl TriGraph {
    /// The entities, by id.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The sentences that mention one, by id.
    #[must_use]
    pub fn sentences(&self) -> &[SentenceNode] {
        &self.sentences
    }

    /// Whether all numbers point at something: what was read from outside is checked by this.
    pub(crate) fn is_sound(&self) -> bool {
        let (entities, sentences, passages) =
            (self.entities.len(), self.sentences.len(), self.passages);
        let share = |w: f64| w.is_finite() && w > 0.0;
        let below = |id: u32, count: usize| (id as usize) < count;
        self.entity_sentences
            .is_sound(entities, |s| below(*s, sentences))
            && self
                .sentence_entities
                .is_sound(sentences, |e| below(*e, entities))
            && self
                .passage_entities
                .is_sound(passages, |(e, w)| below(*e, entities) && share(*w))
            && self
                .occurrences
                .is_sound(entities, |(p, _)| below(*p, passages))
            && self.adjacent.is_sound(passages, |p| below(*p, passages))
            && self.sentences.iter().all(|s| below(s.passage, passages))
    }

    /// How many passages there are.
    #[must_use]
    pub fn passages(&self) -> usize {
        self.passages
    }

    /// How many edges there are between passages and entities.
    #[must_use]
    pub fn passage_entity_edges(&self) -> usize {
        self.passage_entities.items()
    }

    /// The sentences that mention an entity.
    #[must_use]
    pub fn sentences_of(&self, entity: u32) -> &[u32] {
        self.entity_sentences.row(entity as usize)
    }

    /// The entities a sentence mentions.
    #[must_use]
    pub fn entities_of(&self, sentence: u32) -> &[u32] {
        self.sentence_entities.row(sentence as usize)
    }

    /// The entities a passage mentions, each with its share of the passage's occurrences.
    #[must_use]
    pub fn entities_in(&self, passage: u32) -> &[(u32, f64)] {
        self.passage_entities.row(passage as usize)
    }

    /// The passages an entity occurs in, and how often.
    #[must_use]
    pub fn occurrences_of(&self, entity: u32) -> &[(u32, u32)] {
        self.occurrences.row(entity as usize)
    }

    /// The entity whose folded name a text has.
    #[must_use]
    pub fn entity_named(&self, text: &str) -> Option<u32> {
        self.by_name.get(&crate::token::Encoded::new(text).text)
    }

    /// An entity's name; empty for an id that does not exist.
    #[must_use]
    pub fn name_of(&self, entity: u32) -> &str {
        self.entities.get(entity as usize).map_or("", |e| &e.name)
    }
}
