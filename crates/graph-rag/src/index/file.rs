//! How does an index become bytes, and bytes an index?
//!
//! A head with the format's version, then three sections (passages, graph, vectors), each with its length and BLAKE3
//! hash. What can be derived quickly (the gazetteer, the walk, the word index) is derived again. Bytes are not trusted:
//! hashes, text boundaries and every number are checked.

use std::io::{Read, Write};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Index, IndexConfig, Record, WordIndex, recogniser};
use crate::GraphRagError;
use crate::csr::Csr;
use crate::recogniser::{Label, Recogniser};
use crate::token::Encoded;
use crate::tri_graph::{Entity, SentenceNode, TriGraph};
use crate::vectors::{VectorTable, Vectors};

const MAGIC: &[u8; 8] = b"RFRNDOCS";

/// Grows whenever bytes of before cannot be read any more.
const FORMAT: u32 = 1;

/// A hash of a section, in bytes.
const HASH_BYTES: usize = 32;

#[derive(Serialize, Deserialize)]
struct Passages {
    config: IndexConfig,
    embedder: String,
    recogniser: String,
    labels: Vec<Label>,
    records: Vec<Record>,
}

#[derive(Serialize, Deserialize)]
struct Graph {
    entities: Vec<Entity>,
    sentences: Vec<SentenceNode>,
    passages: usize,
    entity_sentences: Csr<u32>,
    sentence_entities: Csr<u32>,
    passage_entities: Csr<(u32, f64)>,
    occurrences: Csr<(u32, u32)>,
    adjacent: Csr<u32>,
}

impl Index {
    /// Writes the index.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::File`] when the writer fails.
    pub fn write_to(&self, mut writer: impl Write) -> Result<(), GraphRagError> {
        writer.write_all(MAGIC)?;
        writer.write_all(&FORMAT.to_le_bytes())?;
        let passages = Passages {
            config: self.config,
            embedder: self.embedder.clone(),
            recogniser: Recogniser::VERSION.to_owned(),
            labels: self.labels.clone(),
            records: self.records.iter().map(|r| Record::clone(r)).collect(),
        };
        let graph = Graph {
            entities: self.graph.entities.clone(),
            sentences: self.graph.sentences.clone(),
            passages: self.graph.passages,
            entity_sentences: self.graph.entity_sentences.clone(),
            sentence_entities: self.graph.sentence_entities.clone(),
            passage_entities: self.graph.passage_entities.clone(),
            occurrences: self.graph.occurrences.clone(),
            adjacent: self.graph.adjacent.clone(),
        };
        let unencodable = |_| GraphRagError::Damaged {
            reason: "a part of it cannot be encoded",
        };
        write_section(
            &mut writer,
            &postcard::to_stdvec(&passages).map_err(unencodable)?,
        )?;
        write_section(
            &mut writer,
            &postcard::to_stdvec(&graph).map_err(unencodable)?,
        )?;
        write_section(&mut writer, &vector_bytes(&self.vectors))?;
        writer.flush()?;
        Ok(())
    }

    /// Reads an index that [`write_to`](Self::write_to) wrote.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::Format`] for another version's, [`GraphRagError::Damaged`] for bytes that are not a whole index.
    pub fn read_from(mut reader: impl Read) -> Result<Self, GraphRagError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let mut rest = bytes.as_slice();
        if take(&mut rest, MAGIC.len())? != MAGIC {
            return Err(damaged("it is no document index"));
        }
        let found = number(take(&mut rest, 4)?);
        if found != u64::from(FORMAT) {
            return Err(GraphRagError::Format {
                found: u32::try_from(found).unwrap_or(u32::MAX),
                known: FORMAT,
            });
        }
        let passages: Passages = postcard::from_bytes(section(&mut rest)?)
            .map_err(|_| damaged("its passages are broken"))?;
        let graph: Graph = postcard::from_bytes(section(&mut rest)?)
            .map_err(|_| damaged("its graph is broken"))?;
        let vectors = read_vectors(section(&mut rest)?)?;
        if !rest.is_empty() {
            return Err(damaged("there is more behind its end"));
        }
        assembled(passages, graph, vectors)
    }
}

fn assembled(passages: Passages, graph: Graph, vectors: Vectors) -> Result<Index, GraphRagError> {
    if passages.recogniser != Recogniser::VERSION {
        return Err(damaged("its entities were recognised by other rules"));
    }
    let with_words = |mut record: Record| {
        record.encoded = Encoded::new(&record.full_text);
        Arc::new(record)
    };
    let records: Vec<Arc<Record>> = passages.records.into_iter().map(with_words).collect();
    let graph = TriGraph {
        by_name: TriGraph::named(&graph.entities),
        entities: graph.entities,
        sentences: graph.sentences,
        passages: graph.passages,
        entity_sentences: graph.entity_sentences,
        sentence_entities: graph.sentence_entities,
        passage_entities: graph.passage_entities,
        occurrences: graph.occurrences,
        adjacent: graph.adjacent,
    };
    let counts = [
        vectors.passages.len(),
        vectors.sentences.len(),
        vectors.entities.len(),
    ];
    let expected = [records.len(), graph.sentences.len(), graph.entities.len()];
    let span_fits = |s: &SentenceNode| {
        let record = records.get(s.passage as usize);
        record.is_some_and(|r| {
            r.full_text
                .get(s.span.start as usize..s.span.end as usize)
                .is_some()
        })
    };
    let spans_fit = |r: &Arc<Record>| {
        r.mentions
            .sentences
            .iter()
            .all(|s| r.full_text.get(s.span.clone()).is_some())
    };
    let sound = graph.is_sound()
        && graph.passages == records.len()
        && counts == expected
        && graph.sentences.iter().all(span_fits)
        && records
            .iter()
            .all(|r| spans_fit(r) && r.full_text == r.passage.full_text());
    if !sound {
        return Err(damaged("its parts do not fit each other"));
    }
    let titles = records.iter().map(|r| r.passage.title.as_str());
    let recogniser = recogniser(&passages.labels, titles, passages.config)?;
    let words = WordIndex::new(&records, None);
    Index::of_parts(
        passages.config,
        passages.embedder,
        passages.labels,
        records,
        recogniser,
        graph,
        vectors,
        words,
    )
}

const fn damaged(reason: &'static str) -> GraphRagError {
    GraphRagError::Damaged { reason }
}

fn write_section(writer: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    writer.write_all(&(bytes.len() as u64).to_le_bytes())?;
    writer.write_all(blake3::hash(bytes).as_bytes())?;
    writer.write_all(bytes)
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Result<&'b [u8], GraphRagError> {
    let (taken, left) = rest
        .split_at_checked(count)
        .ok_or(damaged("it is cut short"))?;
    *rest = left;
    Ok(taken)
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn section<'b>(rest: &mut &'b [u8]) -> Result<&'b [u8], GraphRagError> {
    let length =
        usize::try_from(number(take(rest, 8)?)).map_err(|_| damaged("a part is too long"))?;
    let hash = take(rest, HASH_BYTES)?;
    let bytes = take(rest, length)?;
    if blake3::hash(bytes).as_bytes() == hash {
        Ok(bytes)
    } else {
        Err(damaged("a checksum does not fit"))
    }
}

/// Columns, then for each table its rows, then their numbers.
fn vector_bytes(vectors: &Vectors) -> Vec<u8> {
    let tables = [&vectors.passages, &vectors.sentences, &vectors.entities];
    let mut bytes = (vectors.passages.dims() as u64).to_le_bytes().to_vec();
    for table in tables {
        bytes.extend((table.len() as u64).to_le_bytes());
        bytes.extend(table.values().iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

fn read_vectors(mut rest: &[u8]) -> Result<Vectors, GraphRagError> {
    let too_many = |_| damaged("a table of vectors is too long");
    let dims = usize::try_from(number(take(&mut rest, 8)?)).map_err(too_many)?;
    let mut table = || {
        let rows = usize::try_from(number(take(&mut rest, 8)?)).map_err(too_many)?;
        let size = rows
            .checked_mul(dims)
            .and_then(|n| n.checked_mul(4))
            .ok_or(damaged("a table of vectors is too long"))?;
        let bytes = take(&mut rest, size)?.as_chunks::<4>().0;
        Ok::<_, GraphRagError>(VectorTable::from_values(
            dims,
            bytes.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        ))
    };
    Ok(Vectors {
        passages: table()?,
        sentences: table()?,
        entities: table()?,
    })
}
