//! How does an index become bytes, and bytes an index?
//!
//! Sections in [`blocks`](super::blocks): what is small and what every question needs is read when the index is opened;
//! records and vectors when a question needs them. The walk is derived again. Bytes are not trusted: hashes, text
//! boundaries and every number are checked.

use std::io::Write;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::blocks::{BlockWriter, Blocks, damaged};
use super::codec::{In, Out};
use super::records::Records;
use super::words::WordIndex;
use super::{Index, IndexConfig};
use crate::GraphRagError;
use crate::csr::{Csr, id32};
use crate::ppr::PassageEntityGraph;
use crate::recogniser::{Gazetteer, Label, Recogniser};
use crate::tri_graph::{Entity, SentenceNode, TriGraph};
use crate::vectors::{VectorTable, Vectors};

/// The sections, in order.
const HEAD: usize = 0;
const RECORD_ENDS: usize = 1;
const RECORDS: usize = 2;
const GAZETTEER: usize = 3;
const GRAPH: usize = 4;
const WORDS: usize = 5;
const PASSAGE_VECTORS: usize = 6;
const SENTENCE_VECTORS: usize = 7;
const ENTITY_VECTORS: usize = 8;

#[derive(Serialize, Deserialize)]
struct Head {
    config: IndexConfig,
    embedder: String,
    recogniser: String,
    labels: Vec<Label>,
    dims: usize,
}

impl Index {
    /// Writes the index.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::File`] when the writer fails, and as [`check`](Self::check) when it was opened from a file that
    /// cannot be read now.
    pub fn write_to(&self, writer: impl Write) -> Result<(), GraphRagError> {
        self.load()?;
        let mut out = BlockWriter::new(writer)?;
        let head = Head {
            config: self.config,
            embedder: self.embedder.clone(),
            recogniser: Recogniser::VERSION.to_owned(),
            labels: self.labels.clone(),
            dims: self.vectors.passages.dims(),
        };
        out.put(
            &postcard::to_stdvec(&head).map_err(|_| damaged("a part of it cannot be encoded"))?,
        )?;
        out.end_section()?;
        let mut end = 0_u64;
        for record in self.records.iter() {
            end += record.to_bytes()?.len() as u64;
            out.put(&end.to_le_bytes())?;
        }
        out.end_section()?;
        for record in self.records.iter() {
            out.put(&record.to_bytes()?)?;
        }
        out.end_section()?;
        for section in [
            gazetteer_bytes(self.recogniser.gazetteer())?,
            graph_bytes(&self.graph)?,
            self.words.to_bytes()?,
        ] {
            out.put(&section)?;
            out.end_section()?;
        }
        let mut piece_bytes = Vec::new();
        for table in [
            &self.vectors.passages,
            &self.vectors.sentences,
            &self.vectors.entities,
        ] {
            for piece in table.pieces() {
                piece_bytes.clear();
                piece_bytes.extend(piece.iter().flat_map(|value| value.to_le_bytes()));
                out.put(&piece_bytes)?;
            }
            out.end_section()?;
        }
        self.check()?;
        Ok(out.finish()?)
    }

    /// Reads an index that [`write_to`](Self::write_to) wrote. What only some questions need is verified when it is
    /// needed: [`verify`](Self::verify) does all at once.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::Format`] for another version's, [`GraphRagError::Damaged`] for bytes that are not a whole index.
    pub fn read_from(mut reader: impl std::io::Read) -> Result<Self, GraphRagError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        Self::of_blocks(Blocks::of_bytes(bytes)?)
    }

    pub(super) fn of_blocks(blocks: Blocks) -> Result<Self, GraphRagError> {
        let blocks = Arc::new(blocks);
        let head: Head = postcard::from_bytes(&blocks.section_bytes(HEAD)?)
            .map_err(|_| damaged("its head is broken"))?;
        if head.recogniser != Recogniser::VERSION {
            return Err(damaged("its entities were recognised by other rules"));
        }
        let ends = blocks.section_bytes(RECORD_ENDS)?;
        let ends: Vec<u64> = ends
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect();
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) != blocks.len_of(RECORDS)? {
            return Err(damaged("its passages are broken"));
        }
        // Each part takes its time, and none needs another.
        let (graph, gazetteer, words) = std::thread::scope(|scope| {
            let words =
                scope.spawn(|| WordIndex::from_bytes(&blocks.section_bytes(WORDS)?, ends.len()));
            let gazetteer = scope.spawn(|| gazetteer_of(&blocks.section_bytes(GAZETTEER)?));
            let graph = blocks
                .section_bytes(GRAPH)
                .and_then(|bytes| graph_of(&bytes));
            let walks = graph.and_then(|graph| Ok((PassageEntityGraph::new(&graph)?, graph)));
            (walks, joined(gazetteer), joined(words))
        });
        let ((walks, graph), words) = (graph?, words?);
        let table = |rows: usize, section: usize| {
            let bytes = (rows as u64)
                .checked_mul(head.dims as u64)
                .and_then(|n| n.checked_mul(4));
            if bytes != Some(blocks.len_of(section)?) {
                return Err(damaged("its parts do not fit each other"));
            }
            Ok(VectorTable::stored(
                head.dims,
                rows,
                Arc::clone(&blocks),
                section,
            ))
        };
        let vectors = Vectors {
            passages: table(ends.len(), PASSAGE_VECTORS)?,
            sentences: table(graph.sentences.len(), SENTENCE_VECTORS)?,
            entities: table(graph.entities.len(), ENTITY_VECTORS)?,
        };
        if graph.passages != ends.len() {
            return Err(damaged("its parts do not fit each other"));
        }
        Ok(Self {
            recogniser: Recogniser::new(gazetteer?, head.config.extraction),
            config: head.config,
            embedder: head.embedder,
            labels: head.labels,
            records: Records::stored(Arc::clone(&blocks), RECORDS, ends),
            graph,
            walks,
            vectors,
            words,
            blocks: Some(blocks),
        })
    }
}

fn joined<T>(part: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match part.join() {
        Ok(part) => part,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn gazetteer_bytes(gazetteer: &Gazetteer) -> Result<Vec<u8>, GraphRagError> {
    let mut out = Out::default();
    out.names(gazetteer.names());
    let labels = gazetteer.labels();
    out.texts(labels.iter().map(|label| label.name.as_str()))?;
    let named = (0_u32..)
        .zip(labels)
        .filter_map(|(n, label)| Some((n, label.iri.as_deref()?)));
    let (numbers, iris): (Vec<u32>, Vec<&str>) = named.unzip();
    out.numbers(&numbers);
    out.texts(iris.into_iter())?;
    Ok(out.0)
}

fn gazetteer_of(bytes: &[u8]) -> Result<Gazetteer, GraphRagError> {
    let mut bytes = In(bytes);
    let (names, texts) = (bytes.names()?, bytes.texts()?);
    let mut labels: Vec<Label> = texts.into_iter().map(Label::title).collect();
    for (number, iri) in bytes.numbers()?.into_iter().zip(bytes.texts()?) {
        let label = labels
            .get_mut(number as usize)
            .ok_or(damaged("its names are broken"))?;
        label.iri = Some(iri.to_owned());
    }
    bytes.end()?;
    Gazetteer::from_parts(names, labels).ok_or(damaged("its names are broken"))
}

fn graph_bytes(graph: &TriGraph) -> Result<Vec<u8>, GraphRagError> {
    let mut out = Out::default();
    out.numbers(&[id32(graph.passages, "passages")?]);
    out.texts(graph.entities.iter().map(|entity| &*entity.name))?;
    let named = (0_u32..)
        .zip(&graph.entities)
        .filter_map(|(n, entity)| Some((n, entity.iri.as_deref()?)));
    let (numbers, iris): (Vec<u32>, Vec<&str>) = named.unzip();
    out.numbers(&numbers);
    out.texts(iris.into_iter())?;
    for part in [
        |s: &SentenceNode| s.passage,
        |s: &SentenceNode| s.span.start,
        |s: &SentenceNode| s.span.end,
    ] {
        out.list(
            graph
                .sentences
                .iter()
                .map(|sentence| part(sentence).to_le_bytes()),
        );
    }
    out.rows(&graph.entity_sentences);
    out.rows(&graph.sentence_entities);
    out.rows(&graph.adjacent);
    out.numbers(graph.passage_entities.ends());
    out.list(
        graph
            .passage_entities
            .all()
            .iter()
            .map(|(entity, _)| entity.to_le_bytes()),
    );
    out.list(
        graph
            .passage_entities
            .all()
            .iter()
            .map(|(_, share)| share.to_le_bytes()),
    );
    out.numbers(graph.occurrences.ends());
    out.list(
        graph
            .occurrences
            .all()
            .iter()
            .map(|(passage, _)| passage.to_le_bytes()),
    );
    out.list(
        graph
            .occurrences
            .all()
            .iter()
            .map(|(_, times)| times.to_le_bytes()),
    );
    out.names(&graph.by_name);
    Ok(out.0)
}

fn graph_of(bytes: &[u8]) -> Result<TriGraph, GraphRagError> {
    let mut bytes = In(bytes);
    let broken = damaged("its graph is broken");
    let passages = bytes.numbers()?;
    let entities = bytes.texts()?.into_iter().map(|name| Entity {
        name: Arc::from(name),
        iri: None,
    });
    let mut entities: Vec<Entity> = entities.collect();
    for (number, iri) in bytes.numbers()?.into_iter().zip(bytes.texts()?) {
        let entity = entities
            .get_mut(number as usize)
            .ok_or(damaged("its graph is broken"))?;
        entity.iri = Some(Arc::from(iri));
    }
    let (of, starts, ends) = (bytes.numbers()?, bytes.numbers()?, bytes.numbers()?);
    let [passages] = *passages.as_slice() else {
        return Err(broken);
    };
    if of.len() != starts.len() || of.len() != ends.len() {
        return Err(broken);
    }
    let spans = starts.into_iter().zip(ends);
    let sentences = of
        .into_iter()
        .zip(spans)
        .map(|(passage, (start, end))| SentenceNode {
            passage,
            span: start..end,
        });
    let graph = TriGraph {
        passages: passages as usize,
        entities,
        sentences: sentences.collect(),
        entity_sentences: bytes.rows()?,
        sentence_entities: bytes.rows()?,
        adjacent: bytes.rows()?,
        passage_entities: {
            let (ends, entities, shares) = (bytes.numbers()?, bytes.numbers()?, bytes.list::<8>()?);
            let shares = shares.iter().map(|share| f64::from_le_bytes(*share));
            Csr::from_parts(ends, entities.into_iter().zip(shares).collect())
        },
        occurrences: {
            let (ends, passages, times) = (bytes.numbers()?, bytes.numbers()?, bytes.numbers()?);
            Csr::from_parts(ends, passages.into_iter().zip(times).collect())
        },
        by_name: bytes.names()?,
    };
    bytes.end()?;
    let named = graph
        .by_name
        .parts()
        .2
        .iter()
        .all(|entity| (*entity as usize) < graph.entities.len());
    if graph.is_sound() && named {
        Ok(graph)
    } else {
        Err(broken)
    }
}
