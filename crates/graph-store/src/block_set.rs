//! Which keys are in an ordered set, from a given key on?
//!
//! An ordered set of [`Key`]s kept as blocks in a redb table. Everything the store looks up is such a set: the quads in
//! each order, the dictionary's hashes, the labels' hashes. A seek is one B-tree descent and the decoding of part of
//! one block, wherever it goes; a scan reads on from there.

use std::ops::Bound;
use std::sync::Arc;

use redb::{AccessGuard, ReadOnlyTable, ReadableTable, Table, TableDefinition};

use crate::block::{self, BlockReader, MAX_KEYS, TARGET_KEYS};
use crate::error::StoreError;
use crate::order::Key;

/// A table of blocks: first key of the block, its other keys.
pub(crate) type BlockDefinition = TableDefinition<'static, Key, &'static [u8]>;
/// A table of blocks as a read transaction sees it, for as long as anybody holds it.
pub(crate) type BlockTable = Arc<ReadOnlyTable<Key, &'static [u8]>>;

type Blocks = redb::Range<'static, Key, &'static [u8]>;

fn damaged() -> StoreError {
    StoreError::corrupt("an index block cannot be decoded")
}

/// The keys from `low` to `high`, both included, in order.
///
/// It holds on to its transaction, so it needs no lifetime; each key costs a few nanoseconds, each block one step in
/// the B-tree.
pub(crate) struct Scan {
    table: BlockTable,
    high: Key,
    block: Option<OpenBlock>,
    following: Option<Blocks>,
    /// Whether `block`'s current key has been given out or lies before the range.
    started: bool,
}

struct OpenBlock {
    first: Key,
    value: AccessGuard<'static, &'static [u8]>,
    reader: BlockReader,
}

impl OpenBlock {
    fn open(first: Key, value: AccessGuard<'static, &'static [u8]>) -> Result<Self, StoreError> {
        let reader = BlockReader::open(first, value.value()).ok_or_else(damaged)?;
        Ok(Self {
            first,
            value,
            reader,
        })
    }

    fn advance(&mut self) -> Result<bool, StoreError> {
        self.reader.advance(self.value.value()).ok_or_else(damaged)
    }
}

impl Scan {
    pub(crate) fn new(table: &BlockTable, low: Key, high: Key) -> Result<Self, StoreError> {
        let mut scan = Self {
            table: Arc::clone(table),
            high,
            block: None,
            following: None,
            started: false,
        };
        scan.descend(low)?;
        Ok(scan)
    }

    /// Positions before the first key that is at least `low`, from the root of the tree.
    fn descend(&mut self, low: Key) -> Result<(), StoreError> {
        self.started = false;
        self.following = None;
        self.block = match self.table.range(..=low)?.next_back() {
            Some(entry) => {
                let (first, value) = entry?;
                Some(OpenBlock::open(first.value(), value)?)
            }
            None => match self.table.range(low..=self.high.max(low))?.next() {
                Some(entry) => {
                    let (first, value) = entry?;
                    Some(OpenBlock::open(first.value(), value)?)
                }
                None => None,
            },
        };
        self.skip_to(low)
    }

    fn skip_to(&mut self, low: Key) -> Result<(), StoreError> {
        while let Some(block) = &mut self.block {
            if block.reader.current() >= low {
                return Ok(());
            }
            if !block.advance()? {
                self.next_block()?;
            }
        }
        Ok(())
    }

    fn next_block(&mut self) -> Result<(), StoreError> {
        if let Some(block) = self.block.take() {
            self.block = self.block_after(block.first)?;
        }
        Ok(())
    }

    fn block_after(&mut self, first: Key) -> Result<Option<OpenBlock>, StoreError> {
        if first >= self.high {
            return Ok(None);
        }
        if self.following.is_none() {
            let bounds = (Bound::Excluded(first), Bound::Included(self.high));
            self.following = Some(self.table.range::<Key>(bounds)?);
        }
        let Some(entry) = self.following.as_mut().and_then(Iterator::next) else {
            return Ok(None);
        };
        let (first, value) = entry?;
        OpenBlock::open(first.value(), value).map(Some)
    }

    /// Moves forward so that the next key given is the first that is at least `low`.
    ///
    /// Looks into the rest of the open block first, then descends: a seek never walks over the keys between.
    pub(crate) fn seek(&mut self, low: Key) -> Result<(), StoreError> {
        let Some(block) = &mut self.block else {
            return Ok(());
        };
        loop {
            if block.reader.current() >= low {
                self.started = false;
                return Ok(());
            }
            if !block.advance()? {
                return self.descend(low);
            }
        }
    }

    pub(crate) fn next_key(&mut self) -> Result<Option<Key>, StoreError> {
        if self.started {
            let Some(block) = &mut self.block else {
                return Ok(None);
            };
            if !block.advance()? {
                self.next_block()?;
            }
        }
        self.started = true;
        Ok(self
            .block
            .as_ref()
            .map(|block| block.reader.current())
            .filter(|key| *key <= self.high))
    }

    /// Counts the keys that are left, at most a little over `limit`; whole blocks are counted by their header.
    ///
    /// Returns the count and whether it is exact.
    pub(crate) fn count(mut self, limit: u64) -> Result<(u64, bool), StoreError> {
        if self.started && self.next_key()?.is_none() {
            return Ok((0, true));
        }
        let mut count = 0;
        while let Some(mut block) = self.block.take() {
            if block.reader.current() > self.high {
                break;
            }
            if count > limit {
                return Ok((count, false));
            }
            self.block = self.block_after(block.first)?;
            if self.block.is_some() {
                count += block.reader.left() + 1;
                continue;
            }
            while block.reader.current() <= self.high {
                count += 1;
                if !block.advance()? {
                    break;
                }
            }
        }
        Ok((count, true))
    }
}

impl Iterator for Scan {
    type Item = Result<Key, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_key().transpose()
    }
}

/// Calls `visit` with the keys from `low` to `high` until it says `false`. Works inside a write transaction too.
pub(crate) fn visit(
    table: &impl ReadableTable<Key, &'static [u8]>,
    low: Key,
    high: Key,
    mut visit: impl FnMut(Key) -> bool,
) -> Result<(), StoreError> {
    let mut each = |first: Key, value: &[u8]| -> Result<bool, StoreError> {
        let mut reader = BlockReader::open(first, value).ok_or_else(damaged)?;
        loop {
            let key = reader.current();
            if key > high || (key >= low && !visit(key)) {
                return Ok(false);
            }
            if !reader.advance(value).ok_or_else(damaged)? {
                return Ok(true);
            }
        }
    };
    if let Some(entry) = table.range(..=low)?.next_back() {
        let (first, value) = entry?;
        if !each(first.value(), value.value())? {
            return Ok(());
        }
    }
    let Some(after) = low.checked_add(1) else {
        return Ok(());
    };
    if after > high {
        return Ok(());
    }
    for entry in table.range(after..=high)? {
        let (first, value) = entry?;
        if !each(first.value(), value.value())? {
            return Ok(());
        }
    }
    Ok(())
}

/// Adds sorted keys; `added` is told each key that was not there before.
pub(crate) fn merge(
    table: &mut Table<'_, Key, &'static [u8]>,
    sorted: impl Iterator<Item = Result<Key, StoreError>>,
    mut added: impl FnMut(Key),
) -> Result<(), StoreError> {
    let mut incoming = sorted.peekable();
    loop {
        let first = match incoming.peek() {
            None => return Ok(()),
            Some(Ok(key)) => *key,
            Some(Err(_)) => return incoming.next().map_or(Ok(()), |key| key.map(|_| ())),
        };
        let (old, until) = block_for(table, first)?;
        let mut out = BlockWriter::new(table);
        let mut kept = old.into_iter().flatten().peekable();
        if let Some(old_first) = kept.peek() {
            out.replaces = Some(*old_first);
        }
        while let Some(Ok(key)) = incoming.peek() {
            let key = *key;
            if until.is_some_and(|until| key >= until) {
                break;
            }
            incoming.next();
            while kept.peek().is_some_and(|have| *have < key) {
                out.push_next(&mut kept)?;
            }
            if kept.peek() == Some(&key) || out.last == Some(key) {
                continue;
            }
            added(key);
            out.push(key)?;
        }
        while kept.peek().is_some() {
            out.push_next(&mut kept)?;
        }
        out.finish()?;
    }
}

/// The block that `key` belongs into, decoded, and the first key of the block after it.
fn block_for(
    table: &Table<'_, Key, &'static [u8]>,
    key: Key,
) -> Result<(Option<Vec<Key>>, Option<Key>), StoreError> {
    let before = match table.range(..=key)?.next_back() {
        Some(entry) => {
            let (first, value) = entry?;
            Some(block::decode(first.value(), value.value()).ok_or_else(damaged)?)
        }
        None => None,
    };
    let mut after = table.range::<Key>((Bound::Excluded(key), Bound::Unbounded))?;
    if before.is_some() {
        let until = after.next().transpose()?.map(|(first, _)| first.value());
        return Ok((before, until));
    }
    let Some(entry) = after.next() else {
        return Ok((None, None));
    };
    let (first, value) = entry?;
    let block = block::decode(first.value(), value.value()).ok_or_else(damaged)?;
    let until = after.next().transpose()?.map(|(first, _)| first.value());
    Ok((Some(block), until))
}

struct BlockWriter<'a, 'txn> {
    table: &'a mut Table<'txn, Key, &'static [u8]>,
    keys: Vec<Key>,
    value: Vec<u8>,
    last: Option<Key>,
    /// The first key of the block that is being written anew.
    replaces: Option<Key>,
}

impl<'a, 'txn> BlockWriter<'a, 'txn> {
    fn new(table: &'a mut Table<'txn, Key, &'static [u8]>) -> Self {
        Self {
            table,
            keys: Vec::with_capacity(TARGET_KEYS * 2),
            value: Vec::new(),
            last: None,
            replaces: None,
        }
    }

    fn push_next(&mut self, keys: &mut impl Iterator<Item = Key>) -> Result<(), StoreError> {
        keys.next().map_or(Ok(()), |key| self.push(key))
    }

    fn push(&mut self, key: Key) -> Result<(), StoreError> {
        self.last = Some(key);
        self.keys.push(key);
        if self.keys.len() >= TARGET_KEYS * 2 {
            self.write(TARGET_KEYS)?;
        }
        Ok(())
    }

    fn write(&mut self, count: usize) -> Result<(), StoreError> {
        let Some(first) = self.keys.first().copied() else {
            return Ok(());
        };
        if let Some(old) = self.replaces.take()
            && old != first
        {
            self.table.remove(old)?;
        }
        self.value.clear();
        block::encode(&self.keys[..count], &mut self.value);
        self.table.insert(first, self.value.as_slice())?;
        self.keys.drain(..count);
        Ok(())
    }

    fn finish(mut self) -> Result<(), StoreError> {
        if self.keys.len() > MAX_KEYS {
            self.write(self.keys.len() / 2)?;
        }
        self.write(self.keys.len())?;
        if let Some(old) = self.replaces.take() {
            self.table.remove(old)?;
        }
        Ok(())
    }
}

/// Removes sorted keys; `removed` is told each key that was there.
pub(crate) fn remove(
    table: &mut Table<'_, Key, &'static [u8]>,
    sorted: &[Key],
    mut removed: impl FnMut(Key),
) -> Result<(), StoreError> {
    let mut at = 0;
    while let Some(key) = sorted.get(at).copied() {
        let block = match table.range(..=key)?.next_back() {
            Some(entry) => {
                let (first, value) = entry?;
                block::decode(first.value(), value.value()).ok_or_else(damaged)?
            }
            None => Vec::new(),
        };
        let (Some(first), Some(last)) = (block.first().copied(), block.last().copied()) else {
            at += 1;
            continue;
        };
        let end = at + sorted[at..].partition_point(|key| *key <= last);
        let gone = &sorted[at..end];
        at = end.max(at + 1);
        if gone.is_empty() {
            continue;
        }
        let mut out = BlockWriter::new(table);
        out.replaces = Some(first);
        for key in block {
            if gone.binary_search(&key).is_ok() {
                removed(key);
            } else {
                out.push(key)?;
            }
        }
        out.finish()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
