//! How does an ordered set of keys change, block by block?
//!
//! Sorted keys are merged into the blocks they belong to, each block read and written once. Blocks that grow are split;
//! blocks that become empty go.

use std::ops::Bound;

use redb::{ReadableTable, Table};

use crate::block::{self, MAX_KEYS, TARGET_KEYS};
use crate::block_set::damaged;
use crate::error::StoreError;
use crate::order::Key;

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
