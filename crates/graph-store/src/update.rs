//! How do quads enter and leave the store, all or nothing?
//!
//! One [`Update`] is one redb write transaction. It gives terms their ids, merges sorted quads into each order, and
//! keeps the counts, the label index and the generation in step. Dropped without `commit`, it leaves no trace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use redb::{ReadableTable, WriteTransaction};

use crate::block_set::BlockDefinition;
use crate::block_write;
use crate::dictionary::DictionaryWriter;
use crate::error::StoreError;
use crate::id::TermId;
use crate::label_keys::LabelCollector;
use crate::label_predicates;
use crate::order::{IdQuad, Key, Order};
use crate::sorter::{QuadSorter, Sorter};
use crate::tables::{self, Meta};

/// The most changed ids that an update reports.
pub(crate) const MAX_CHANGED_IDS: usize = 10_000;

/// What an update changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The store's generation after the update.
    pub generation: u64,
    /// Statements that were added (were not there before) or removed (were there).
    pub statements: u64,
    /// Subjects and objects of those statements, in ascending order, each once; at most 10,000 of them.
    pub terms: Vec<TermId>,
    /// Whether more terms changed than `terms` lists.
    pub more_terms: bool,
}

#[derive(Default)]
struct Tally {
    statements: u64,
    named: u64,
    predicates: BTreeMap<u32, u64>,
    graphs: BTreeMap<u32, u64>,
    terms: BTreeSet<u32>,
    more_terms: bool,
}

impl Tally {
    fn count(&mut self, [subject, predicate, object, graph]: IdQuad) {
        self.statements += 1;
        *self.predicates.entry(predicate).or_insert(0) += 1;
        if graph != 0 {
            self.named += 1;
            *self.graphs.entry(graph).or_insert(0) += 1;
        }
        for id in [subject, object] {
            if self.more_terms {
                return;
            }
            if self.terms.len() < MAX_CHANGED_IDS {
                self.terms.insert(id);
            } else {
                self.more_terms = !self.terms.contains(&id);
            }
        }
    }
}

/// How much memory the parts of an update may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) terms_bytes: usize,
    pub(crate) quads_bytes: usize,
    pub(crate) labels_bytes: usize,
}

impl Memory {
    /// Divides a whole: half for terms, a quarter each for quads and labels.
    pub(crate) fn of(bytes: usize) -> Self {
        Self {
            terms_bytes: bytes / 2,
            quads_bytes: bytes / 4,
            labels_bytes: bytes / 4,
        }
    }
}

/// An open write transaction that takes quads as encoded terms.
pub(crate) struct Update<'txn> {
    transaction: &'txn WriteTransaction,
    dictionary: DictionaryWriter<'txn>,
    labels: LabelCollector,
    quads: QuadSorter,
    meta: Meta,
}

impl<'txn> Update<'txn> {
    pub(crate) fn begin(
        transaction: &'txn WriteTransaction,
        directory: &Path,
        memory: Memory,
    ) -> Result<Self, StoreError> {
        let meta = Meta::read(&transaction.open_table(tables::META)?)?;
        Ok(Self {
            dictionary: DictionaryWriter::new(
                transaction.open_table(tables::TERMS)?,
                transaction.open_table(tables::TERM_HASHES)?,
                meta.next_term,
                memory.terms_bytes,
            )?,
            labels: LabelCollector::new(directory, memory.labels_bytes),
            quads: QuadSorter::new(directory, memory.quads_bytes),
            transaction,
            meta,
        })
    }

    /// A number that no other file's blank nodes have been marked with.
    pub(crate) fn new_blank_scope(&mut self) -> u64 {
        self.meta.blank_scopes += 1;
        self.meta.blank_scopes
    }

    /// The id of a term; it gets one when it has none.
    pub(crate) fn term(&mut self, bytes: &[u8], hash: u64) -> Result<u32, StoreError> {
        let labels = &mut self.labels;
        self.dictionary.id(bytes, hash, |id| labels.add(bytes, id))
    }

    /// The id of a term, when it has one.
    pub(crate) fn known_term(
        &mut self,
        bytes: &[u8],
        hash: u64,
    ) -> Result<Option<u32>, StoreError> {
        self.dictionary.find(bytes, hash)
    }

    pub(crate) fn insert(&mut self, quad: IdQuad) -> Result<(), StoreError> {
        self.quads.push(quad)
    }

    /// Writes the terms, their labels and the inserted quads.
    pub(crate) fn finish_insert(mut self) -> Result<Change, StoreError> {
        self.dictionary.flush()?;
        self.meta.next_term = self.dictionary.next_id();
        self.meta.max_label_tokens = self.meta.max_label_tokens.max(self.labels.max_tokens);
        for (definition, keys) in [
            (tables::LABELS, self.labels.exact),
            (tables::LABEL_STARTS, self.labels.starts),
            (tables::LABEL_PIECES, self.labels.pieces),
        ] {
            merge_keys(self.transaction, definition, keys)?;
        }
        let mut tally = Tally::default();
        let transaction = self.transaction;
        self.quads.finish(|order, keys| {
            let mut table = transaction.open_table(tables::index(order))?;
            block_write::merge(&mut table, keys, |key| {
                if order == Order::Spog {
                    tally.count(order.unpack(key));
                }
            })
        })?;
        drop(self.dictionary);
        apply(self.transaction, self.meta, &tally, u64::checked_add)
    }

    /// Removes quads; terms stay in the dictionary.
    pub(crate) fn finish_remove(self, quads: &[IdQuad]) -> Result<Change, StoreError> {
        let mut tally = Tally::default();
        for order in Order::ALL {
            let mut keys: Vec<Key> = quads
                .iter()
                .filter(|quad| order.holds(**quad))
                .map(|quad| order.pack(*quad))
                .collect();
            keys.sort_unstable();
            keys.dedup();
            let mut table = self.transaction.open_table(tables::index(order))?;
            block_write::remove(&mut table, &keys, |key| {
                if order == Order::Spog {
                    tally.count(order.unpack(key));
                }
            })?;
        }
        drop(self.dictionary);
        apply(self.transaction, self.meta, &tally, u64::checked_sub)
    }
}

fn merge_keys(
    transaction: &WriteTransaction,
    definition: BlockDefinition,
    keys: Sorter,
) -> Result<(), StoreError> {
    let mut table = transaction.open_table(definition)?;
    block_write::merge(&mut table, keys.finish()?, |_| {})
}

/// Brings counts, label predicates and meta data up to date. `combine` is addition or subtraction.
fn apply(
    transaction: &WriteTransaction,
    mut meta: Meta,
    tally: &Tally,
    combine: fn(u64, u64) -> Option<u64>,
) -> Result<Change, StoreError> {
    let changed = |was: u64, by: u64| {
        combine(was, by).ok_or_else(|| StoreError::corrupt("a statement count is out of range"))
    };
    for (definition, counts) in [
        (tables::PREDICATES, &tally.predicates),
        (tables::GRAPHS, &tally.graphs),
    ] {
        let mut table = transaction.open_table(definition)?;
        for (id, by) in counts {
            let was = table.get(*id)?.map_or(0, |count| count.value());
            match changed(was, *by)? {
                0 => table.remove(*id)?,
                count => table.insert(*id, count)?,
            };
        }
    }
    label_predicates::update(transaction, tally.predicates.keys().copied())?;
    meta.statements = changed(meta.statements, tally.statements)?;
    meta.named_statements = changed(meta.named_statements, tally.named)?;
    if tally.statements > 0 {
        meta.generation += 1;
    }
    meta.write(transaction)?;
    Ok(Change {
        generation: meta.generation,
        statements: tally.statements,
        terms: tally.terms.iter().copied().map(TermId).collect(),
        more_terms: tally.more_terms,
    })
}
