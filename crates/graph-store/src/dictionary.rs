//! Which id has a term, and which term has an id?
//!
//! Terms are kept in blocks of neighbouring ids, each term as the number of bytes it shares with the one before and
//! its other bytes. The way back goes over a 64-bit hash of the bytes; a term found by hash is compared byte by byte,
//! so two terms with one hash stay two terms.

use hashbrown::HashTable;
use redb::{ReadableTable, Table};
use xxhash_rust::xxh3::xxh3_64;

use crate::block::{read_varint, write_varint};
use crate::block_set;
use crate::block_write;
use crate::error::StoreError;
use crate::order::{Key, join, prefix_range, split};

/// Terms in a block.
const TERMS_PER_BLOCK: u32 = 32;
/// A block of terms is closed when it is larger than this.
const BLOCK_BYTES: usize = 16 * 1024;

pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "taking the two halves of the hash is the point"
)]
fn halves(hash: u64) -> (u32, u32) {
    ((hash >> 32) as u32, hash as u32)
}

pub(crate) fn hash_key(hash: u64, id: u32) -> Key {
    let (high, low) = halves(hash);
    join([high, low, id, 0])
}

/// Reads the terms of a block one after the other.
pub(crate) struct TermBlockReader<'a> {
    value: &'a [u8],
    at: usize,
    /// The term read last.
    pub(crate) term: Vec<u8>,
}

impl<'a> TermBlockReader<'a> {
    pub(crate) fn new(value: &'a [u8]) -> Self {
        Self {
            value,
            at: 0,
            term: Vec::with_capacity(96),
        }
    }

    /// `Ok(false)` at the end of the block.
    pub(crate) fn next(&mut self) -> Result<bool, StoreError> {
        if self.at >= self.value.len() {
            return Ok(false);
        }
        self.step()
            .map(|()| true)
            .ok_or_else(|| StoreError::corrupt("a block of terms cannot be decoded"))
    }

    fn step(&mut self) -> Option<()> {
        let shared = usize::try_from(read_varint(self.value, &mut self.at)?).ok()?;
        let length = usize::try_from(read_varint(self.value, &mut self.at)?).ok()?;
        if shared > self.term.len() {
            return None;
        }
        let end = self.at.checked_add(length)?;
        let rest = self.value.get(self.at..end)?;
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        self.at = end;
        Some(())
    }
}

/// The bytes of a term, or `None` when no term has the id.
pub(crate) fn term_bytes(
    terms: &impl ReadableTable<u32, &'static [u8]>,
    id: u32,
) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(entry) = terms.range(..=id)?.next_back() else {
        return Ok(None);
    };
    let (first, value) = entry?;
    let mut reader = TermBlockReader::new(value.value());
    for _ in first.value()..=id {
        if !reader.next()? {
            return Ok(None);
        }
    }
    Ok(Some(reader.term))
}

/// The id of the term with these bytes and this hash of them.
pub(crate) fn find(
    terms: &impl ReadableTable<u32, &'static [u8]>,
    hashes: &impl ReadableTable<Key, &'static [u8]>,
    bytes: &[u8],
    hash: u64,
) -> Result<Option<u32>, StoreError> {
    let (high, low) = halves(hash);
    let (from, to) = prefix_range(&[high, low]);
    let mut candidate = None;
    let mut others = Vec::new();
    block_set::visit(hashes, from, to, |key| {
        let id = split(key)[2];
        if candidate.is_none() {
            candidate = Some(id);
        } else {
            others.push(id);
        }
        true
    })?;
    for id in candidate.into_iter().chain(others) {
        if term_bytes(terms, id)?.as_deref() == Some(bytes) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Terms met in this transaction and their ids, in memory.
struct Interner {
    table: HashTable<u32>,
    slots: Vec<Slot>,
    arena: Vec<u8>,
}

struct Slot {
    hash: u64,
    start: usize,
    length: u32,
    id: u32,
}

impl Interner {
    fn new() -> Self {
        Self {
            table: HashTable::new(),
            slots: Vec::new(),
            arena: Vec::new(),
        }
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        let slot = self.table.find(hash, |at| {
            let slot = &self.slots[*at as usize];
            slot.hash == hash && self.text(slot) == bytes
        })?;
        Some(self.slots[*slot as usize].id)
    }

    fn text(&self, slot: &Slot) -> &[u8] {
        &self.arena[slot.start..slot.start + slot.length as usize]
    }

    fn insert(&mut self, bytes: &[u8], hash: u64, id: u32) -> Result<(), StoreError> {
        let at = u32::try_from(self.slots.len()).map_err(|_| StoreError::Full)?;
        let length = u32::try_from(bytes.len()).map_err(|_| StoreError::Full)?;
        self.slots.push(Slot {
            hash,
            start: self.arena.len(),
            length,
            id,
        });
        self.arena.extend_from_slice(bytes);
        let slots = &self.slots;
        self.table
            .insert_unique(hash, at, |at| slots[*at as usize].hash);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        self.arena.capacity()
            + self.slots.capacity() * size_of::<Slot>()
            + self.table.capacity() * size_of::<(u8, u32)>()
    }
}

/// Gives ids to terms inside one write transaction.
///
/// Terms met before in the transaction are answered from memory; others are looked up in the stored dictionary, unless
/// that is empty. When the memory is full, what is new is written and the memory starts anew.
pub(crate) struct DictionaryWriter<'txn> {
    terms: Table<'txn, u32, &'static [u8]>,
    hashes: Table<'txn, Key, &'static [u8]>,
    interner: Interner,
    memory_bytes: usize,
    next_id: u32,
    new_hashes: Vec<Key>,
    /// Whether the stored tables hold any term.
    any_stored: bool,
    block: OpenTermBlock,
}

#[derive(Default)]
struct OpenTermBlock {
    first: u32,
    count: u32,
    value: Vec<u8>,
    last: Vec<u8>,
}

impl<'txn> DictionaryWriter<'txn> {
    pub(crate) fn new(
        terms: Table<'txn, u32, &'static [u8]>,
        hashes: Table<'txn, Key, &'static [u8]>,
        next_id: u32,
        memory_bytes: usize,
    ) -> Result<Self, StoreError> {
        let mut block = OpenTermBlock {
            first: next_id,
            ..OpenTermBlock::default()
        };
        if let Some((first, value)) = terms.last()? {
            let mut reader = TermBlockReader::new(value.value());
            let mut count = 0;
            while reader.next()? {
                count += 1;
            }
            if count < TERMS_PER_BLOCK && value.value().len() < BLOCK_BYTES {
                block = OpenTermBlock {
                    first: first.value(),
                    count,
                    value: value.value().to_vec(),
                    last: reader.term,
                };
            }
        }
        Ok(Self {
            any_stored: next_id > 1,
            terms,
            hashes,
            interner: Interner::new(),
            memory_bytes,
            next_id,
            new_hashes: Vec::new(),
            block,
        })
    }

    pub(crate) fn next_id(&self) -> u32 {
        self.next_id
    }

    /// The term's id, when it has one.
    pub(crate) fn find(&mut self, bytes: &[u8], hash: u64) -> Result<Option<u32>, StoreError> {
        if let Some(id) = self.interner.find(bytes, hash) {
            return Ok(Some(id));
        }
        if !self.any_stored {
            return Ok(None);
        }
        let found = find(&self.terms, &self.hashes, bytes, hash)?;
        if let Some(id) = found {
            self.make_room()?;
            self.interner.insert(bytes, hash, id)?;
        }
        Ok(found)
    }

    /// The term's id; a new one when it has none. `added` is told about a new term.
    pub(crate) fn id(
        &mut self,
        bytes: &[u8],
        hash: u64,
        added: impl FnOnce(u32) -> Result<(), StoreError>,
    ) -> Result<u32, StoreError> {
        if let Some(id) = self.find(bytes, hash)? {
            return Ok(id);
        }
        self.make_room()?;
        let id = self.next_id;
        if id == u32::MAX {
            return Err(StoreError::Full);
        }
        self.next_id += 1;
        self.interner.insert(bytes, hash, id)?;
        self.new_hashes.push(hash_key(hash, id));
        self.append(bytes)?;
        added(id)?;
        Ok(id)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let block = &mut self.block;
        let shared = block
            .last
            .iter()
            .zip(bytes)
            .take_while(|(a, b)| a == b)
            .count();
        write_varint(shared as u64, &mut block.value);
        write_varint((bytes.len() - shared) as u64, &mut block.value);
        block.value.extend_from_slice(&bytes[shared..]);
        block.last.truncate(shared);
        block.last.extend_from_slice(&bytes[shared..]);
        block.count += 1;
        if block.count >= TERMS_PER_BLOCK || block.value.len() >= BLOCK_BYTES {
            self.write_block()?;
            self.block = OpenTermBlock {
                first: self.next_id,
                ..OpenTermBlock::default()
            };
        }
        Ok(())
    }

    fn write_block(&mut self) -> Result<(), StoreError> {
        if self.block.count > 0 {
            self.terms
                .insert(self.block.first, self.block.value.as_slice())?;
        }
        Ok(())
    }

    fn make_room(&mut self) -> Result<(), StoreError> {
        if self.interner.memory_bytes() + self.new_hashes.capacity() * size_of::<Key>()
            > self.memory_bytes
            && !self.interner.slots.is_empty()
        {
            self.flush()?;
            self.interner = Interner::new();
        }
        Ok(())
    }

    /// Writes everything that is new.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        self.write_block()?;
        let mut hashes = std::mem::take(&mut self.new_hashes);
        hashes.sort_unstable();
        self.any_stored |= !hashes.is_empty();
        block_write::merge(&mut self.hashes, hashes.into_iter().map(Ok), |_| {})
    }
}

#[cfg(test)]
mod tests {
    use redb::{Database, ReadableDatabase};

    use super::*;
    use crate::tables::{TERM_HASHES, TERMS};

    fn terms(range: std::ops::Range<u32>) -> Vec<Vec<u8>> {
        range
            .map(|n| format!("\u{1}http://example.org/thing/{n}").into_bytes())
            .collect()
    }

    fn add(
        database: &Database,
        next: u32,
        all: &[Vec<u8>],
        memory: usize,
        hash: fn(&[u8]) -> u64,
    ) -> (Vec<u32>, u32) {
        let transaction = database.begin_write().unwrap();
        let mut writer = DictionaryWriter::new(
            transaction.open_table(TERMS).unwrap(),
            transaction.open_table(TERM_HASHES).unwrap(),
            next,
            memory,
        )
        .unwrap();
        let ids = all
            .iter()
            .map(|bytes| writer.id(bytes, hash(bytes), |_| Ok(())).unwrap())
            .collect();
        writer.flush().unwrap();
        let next = writer.next_id();
        drop(writer);
        transaction.commit().unwrap();
        (ids, next)
    }

    #[test]
    fn ids_stay_the_same_across_transactions_and_small_memories() {
        for (memory, hash) in [
            (0, xxh3_64 as fn(&[u8]) -> u64),
            (1 << 20, xxh3_64),
            (0, |_| 7),
            (1 << 20, |bytes| bytes.len() as u64),
        ] {
            let database = Database::builder()
                .create_with_backend(redb::backends::InMemoryBackend::new())
                .unwrap();
            let (first, next) = add(&database, 1, &terms(0..70), memory, hash);
            assert_eq!(first, (1..71).collect::<Vec<_>>());
            let (again, next) = add(&database, next, &terms(0..100), memory, hash);
            assert_eq!(again, (1..101).collect::<Vec<_>>());
            assert_eq!(next, 101);
            let read = database.begin_read().unwrap();
            let table = read.open_table(TERMS).unwrap();
            let hashes = read.open_table(TERM_HASHES).unwrap();
            for (id, bytes) in (1..).zip(terms(0..100)) {
                assert_eq!(term_bytes(&table, id).unwrap().as_ref(), Some(&bytes));
                assert_eq!(
                    find(&table, &hashes, &bytes, hash(&bytes)).unwrap(),
                    Some(id)
                );
            }
            assert_eq!(term_bytes(&table, 101).unwrap(), None);
            assert_eq!(term_bytes(&table, 0).unwrap(), None);
        }
    }
}
