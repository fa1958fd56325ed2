//! Which keys are in an ordered set, from a given key on?
//!
//! An ordered set of [`Key`]s kept as blocks in a redb table. Everything the store looks up is such a set: the quads in
//! each order, the dictionary's hashes, the labels' hashes. A seek is one B-tree descent and the decoding of part of
//! one block, wherever it goes; a scan reads on from there.

use std::ops::Bound;
use std::sync::Arc;

use redb::{AccessGuard, ReadOnlyTable, ReadableTable, TableDefinition};

use crate::block::BlockReader;
use crate::error::StoreError;
use crate::order::Key;

/// A table of blocks: first key of the block, its other keys.
pub(crate) type BlockDefinition = TableDefinition<'static, Key, &'static [u8]>;
/// A table of blocks as a read transaction sees it, for as long as anybody holds it.
pub(crate) type BlockTable = Arc<ReadOnlyTable<Key, &'static [u8]>>;

type Blocks = redb::Range<'static, Key, &'static [u8]>;

pub(crate) fn damaged() -> StoreError {
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

    /// Moves to the first key that is at least `low`; `false` when the block ends before.
    fn skip_to(&mut self, low: Key) -> Result<bool, StoreError> {
        self.reader
            .skip_to(self.value.value(), low)
            .ok_or_else(damaged)
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
            if block.skip_to(low)? {
                return Ok(());
            }
            self.next_block()?;
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
        if block.skip_to(low)? {
            self.started = false;
            return Ok(());
        }
        self.descend(low)
    }

    /// Counts the current key and those after it up to `last`, at most a little over `limit`, and moves past them: what
    /// is given next is the first key after `last`. The keys of the open block are counted in place, so that the few
    /// edges of most nodes cost no descent.
    ///
    /// Returns the count and whether it is exact.
    pub(crate) fn count_to(&mut self, last: Key, limit: u64) -> Result<(u64, bool), StoreError> {
        let mut count = 0;
        loop {
            let Some(block) = &mut self.block else {
                return Ok((count, true));
            };
            let before = block.reader.left();
            let ends_inside = match last.checked_add(1) {
                Some(next) => block.skip_to(next)?,
                None => false,
            };
            count += before - block.reader.left();
            if ends_inside {
                self.started = false;
                return Ok((count, true));
            }
            // The block's last key, too, is at most `last`.
            count += 1;
            if count > limit {
                if let Some(next) = last.checked_add(1) {
                    self.descend(next)?;
                }
                return Ok((count, false));
            }
            self.next_block()?;
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
        if !reader.skip_to(value, low).ok_or_else(damaged)? {
            return Ok(true);
        }
        loop {
            let key = reader.current();
            if key > high || !visit(key) {
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

#[cfg(test)]
mod tests;
