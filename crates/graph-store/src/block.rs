//! How are a hundred sorted keys written as one value?
//!
//! A block is one B-tree entry: the key is the block's first key, the value holds the number of keys and the
//! differences between neighbours. A difference is one variable-length number that says which of the four ids is the
//! first to differ and by how much, then the ids after it. Neighbouring quads differ mostly in the last ids, so a
//! quad takes some four bytes and a B-tree sees one insert for about a hundred quads.
//!
//! Not here: where blocks are kept (`block_set`).

use crate::order::{Key, join, split};

/// Keys in a block that is written by a bulk load.
pub(crate) const TARGET_KEYS: usize = 128;
/// A block with more keys is split.
pub(crate) const MAX_KEYS: usize = 192;

pub(crate) fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(u64::from(first));
    }
    let mut value = u64::from(first & 0x7f);
    let mut shift = 7;
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
        if shift > 63 {
            return None;
        }
    }
}

fn read_id(bytes: &[u8], at: &mut usize) -> Option<u32> {
    u32::try_from(read_varint(bytes, at)?).ok()
}

/// Appends the value of a block of sorted, distinct keys. The first key itself is not written: it is the B-tree key.
pub(crate) fn encode(keys: &[Key], out: &mut Vec<u8>) {
    write_varint(keys.len() as u64, out);
    for pair in keys.windows(2) {
        encode_step(split(pair[0]), split(pair[1]), out);
    }
}

fn encode_step(from: [u32; 4], to: [u32; 4], out: &mut Vec<u8>) {
    let first = (0..3).find(|at| from[*at] != to[*at]).unwrap_or(3);
    let same_last = first < 3 && from[3] == to[3];
    let delta = u64::from(to[first].wrapping_sub(from[first]));
    write_varint(
        (delta << 3) | (u64::from(same_last) << 2) | first as u64,
        out,
    );
    for id in to.iter().take(3).skip(first + 1) {
        write_varint(u64::from(*id), out);
    }
    if first < 3 && !same_last {
        write_varint(u64::from(to[3]), out);
    }
}

/// Reads a block from its first key on, one key at a time.
#[derive(Debug, Clone)]
pub(crate) struct BlockReader {
    current: [u32; 4],
    at: usize,
    /// Keys after `current`.
    left: u64,
}

impl BlockReader {
    /// `None` when the value is not a block.
    pub(crate) fn open(first: Key, value: &[u8]) -> Option<Self> {
        let mut at = 0;
        let count = read_varint(value, &mut at)?;
        Some(Self {
            current: split(first),
            at,
            left: count.checked_sub(1)?,
        })
    }

    pub(crate) fn current(&self) -> Key {
        join(self.current)
    }

    /// How many keys follow the current one.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Moves to the next key. `Some(false)` at the end of the block, `None` when the value is not a block.
    pub(crate) fn advance(&mut self, value: &[u8]) -> Option<bool> {
        if self.left == 0 {
            return Some(false);
        }
        let tag = read_varint(value, &mut self.at)?;
        let first = usize::from((tag & 3).to_le_bytes()[0]);
        let delta = u32::try_from(tag >> 3).ok()?;
        self.current[first] = self.current[first].checked_add(delta)?;
        for id in self.current.iter_mut().take(3).skip(first + 1) {
            *id = read_id(value, &mut self.at)?;
        }
        if first < 3 && tag & 4 == 0 {
            self.current[3] = read_id(value, &mut self.at)?;
        }
        self.left -= 1;
        Some(true)
    }
}

/// All keys of a block. `None` when the value is not a block.
pub(crate) fn decode(first: Key, value: &[u8]) -> Option<Vec<Key>> {
    let mut reader = BlockReader::open(first, value)?;
    let mut keys = Vec::with_capacity(usize::try_from(reader.left()).ok()?.min(MAX_KEYS * 2) + 1);
    keys.push(reader.current());
    while reader.advance(value)? {
        keys.push(reader.current());
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_block_gives_back_the_keys_it_was_made_of(
            mut keys in prop::collection::vec(
                (0..4u32, 0..4u32, any::<u32>(), 0..3u32).prop_map(|(a, b, c, d)| join([a, b, c, d])),
                1..300,
            )
        ) {
            keys.sort_unstable();
            keys.dedup();
            let mut value = Vec::new();
            encode(&keys, &mut value);
            prop_assert_eq!(decode(keys[0], &value), Some(keys));
        }

        #[test]
        fn bytes_that_are_not_a_block_are_refused_or_read_without_a_panic(
            first in any::<u128>(),
            value in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            if let Some(keys) = decode(first, &value) {
                prop_assert!(keys.len() <= value.len() + 1);
            }
        }
    }

    #[test]
    fn extreme_differences_survive() {
        let keys = vec![
            0,
            1,
            join([0, 0, 0, u32::MAX]),
            join([u32::MAX, 0, u32::MAX, 0]),
            Key::MAX,
        ];
        let mut value = Vec::new();
        encode(&keys, &mut value);
        assert_eq!(decode(0, &value), Some(keys));
    }
}
