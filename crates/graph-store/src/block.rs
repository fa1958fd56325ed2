//! How are a hundred sorted keys written as one value?
//!
//! A block is one B-tree entry: the key is the block's first key, the value holds the number of keys and the
//! differences between neighbours. A difference is one variable-length number that says which of the four ids is the
//! first to differ and by how much, then the ids after it. Neighbouring quads differ mostly in the last ids, so a
//! quad takes some four bytes and a B-tree sees one insert for about a hundred quads.
//!
//! Signposts stand before the differences: every [`STRETCH`]-th key in full, with the place where its successor's
//! difference begins. A search jumps to the last signpost that is not beyond what it looks for, and decodes and
//! touches a sixth of the block instead of half of it. Blocks written before there were signposts (they do not begin with
//! a zero) are read as they are, and get theirs when they are next written.
//!
//! Not here: where blocks are kept (`block_set`).

use crate::order::{Key, join, split};

/// Keys in a block that is written by a bulk load.
pub(crate) const TARGET_KEYS: usize = 128;
/// A block with more keys is split.
pub(crate) const MAX_KEYS: usize = 192;

/// From one signpost to the next so many keys.
const STRETCH: usize = 32;
/// A key and a place.
const SIGNPOST_BYTES: usize = 16 + 2;

pub(crate) fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

#[inline]
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
    out.push(0);
    write_varint(keys.len() as u64, out);
    let table = out.len();
    out.resize(table + signposts(keys.len()) * SIGNPOST_BYTES, 0);
    let differences = out.len();
    for (at, pair) in keys.windows(2).enumerate() {
        if at > 0 && at.is_multiple_of(STRETCH) {
            let post = table + (at / STRETCH - 1) * SIGNPOST_BYTES;
            // A difference takes at most 25 bytes, so a place in a block of a few hundred keys fits two; one that
            // would not leads nowhere, which a reader passes by.
            let place = u16::try_from(out.len() - differences).unwrap_or(0);
            out[post..post + 16].copy_from_slice(&pair[0].to_be_bytes());
            out[post + 16..post + SIGNPOST_BYTES].copy_from_slice(&place.to_be_bytes());
        }
        encode_step(split(pair[0]), split(pair[1]), out);
    }
}

/// How many signposts a block of so many keys has: none for the first key, none for the last.
fn signposts(keys: usize) -> usize {
    keys.saturating_sub(2) / STRETCH
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
    /// All keys.
    count: u64,
    /// Where the signposts begin, and where they end and the differences begin.
    signposts: (usize, usize),
}

impl BlockReader {
    /// `None` when the value is not a block.
    pub(crate) fn open(first: Key, value: &[u8]) -> Option<Self> {
        let mut at = 0;
        let mut count = read_varint(value, &mut at)?;
        let mut table = at;
        if count == 0 {
            count = read_varint(value, &mut at)?;
            table = at;
            at += signposts(usize::try_from(count).ok()?) * SIGNPOST_BYTES;
            value.get(table..at)?;
        }
        Some(Self {
            current: split(first),
            at,
            left: count.checked_sub(1)?,
            count,
            signposts: (table, at),
        })
    }

    #[inline]
    pub(crate) fn current(&self) -> Key {
        join(self.current)
    }

    /// How many keys follow the current one.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Moves to the first key that is at least `low`, from the current one on. `Some(false)` when the block ends before,
    /// `None` when the value is not a block.
    pub(crate) fn skip_to(&mut self, value: &[u8], low: Key) -> Option<bool> {
        self.follow_signposts(value, low)?;
        while self.current() < low {
            if !self.advance(value)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Jumps to the last signpost ahead that is at most `low`.
    fn follow_signposts(&mut self, value: &[u8], low: Key) -> Option<()> {
        let (table, differences) = self.signposts;
        let posts = value.get(table..differences)?.chunks_exact(SIGNPOST_BYTES);
        for (n, post) in posts.enumerate() {
            let key = Key::from_be_bytes(post[..16].try_into().ok()?);
            if key > low {
                break;
            }
            let place = usize::from(u16::from_be_bytes(post[16..].try_into().ok()?));
            let passed = (n as u64 + 1) * STRETCH as u64;
            if place > 0 && key > self.current() {
                self.at = differences + place;
                self.current = split(key);
                self.left = self.count.checked_sub(passed + 1)?;
            }
        }
        Some(())
    }

    /// Moves to the next key. `Some(false)` at the end of the block, `None` when the value is not a block.
    #[inline]
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

/// All keys of a block. `None` when the value is not a block, or when a signpost does not say what the differences say.
pub(crate) fn decode(first: Key, value: &[u8]) -> Option<Vec<Key>> {
    let mut reader = BlockReader::open(first, value)?;
    let mut keys = Vec::with_capacity(usize::try_from(reader.left()).ok()?.min(MAX_KEYS * 2) + 1);
    let (table, differences) = reader.signposts;
    let mut posts = value.get(table..differences)?.chunks_exact(SIGNPOST_BYTES);
    loop {
        keys.push(reader.current());
        let passed = keys.len() - 1;
        if passed > 0
            && passed.is_multiple_of(STRETCH)
            && reader.left() > 0
            && let Some(post) = posts.next()
        {
            let place = u16::try_from(reader.at - differences).unwrap_or(0);
            let said = (&post[..16], &post[16..]);
            if said
                != (
                    &reader.current().to_be_bytes()[..],
                    &place.to_be_bytes()[..],
                )
            {
                return None;
            }
        }
        if !reader.advance(value)? {
            return Some(keys);
        }
    }
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
        fn a_search_finds_what_a_walk_finds(
            mut keys in prop::collection::vec(
                (0..4u32, 0..4u32, 0..500u32, 0..3u32).prop_map(|(a, b, c, d)| join([a, b, c, d])),
                1..300,
            ),
            sought in prop::collection::vec((0..5u32, 0..5u32, 0..500u32), 1..8),
            signposted in any::<bool>(),
        ) {
            keys.sort_unstable();
            keys.dedup();
            let mut value = Vec::new();
            if signposted {
                encode(&keys, &mut value);
            } else {
                encode_without_signposts(&keys, &mut value);
            }
            let mut sought: Vec<Key> = sought.into_iter().map(|(a, b, c)| join([a, b, c, 0])).collect();
            sought.sort_unstable();
            let mut reader = BlockReader::open(keys[0], &value).unwrap();
            for low in sought {
                let there = keys.iter().position(|key| *key >= low);
                prop_assert_eq!(reader.skip_to(&value, low), Some(there.is_some()));
                let at = there.unwrap_or(keys.len() - 1);
                prop_assert_eq!(reader.current(), keys[at]);
                prop_assert_eq!(reader.left(), (keys.len() - 1 - at) as u64);
            }
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

    /// As blocks were written before there were signposts.
    fn encode_without_signposts(keys: &[Key], out: &mut Vec<u8>) {
        write_varint(keys.len() as u64, out);
        for pair in keys.windows(2) {
            encode_step(split(pair[0]), split(pair[1]), out);
        }
    }

    #[test]
    fn a_signpost_that_lies_is_damage() {
        let keys: Vec<Key> = (0..100).map(|n| join([1, 2, n * 3, 0])).collect();
        let mut value = Vec::new();
        encode(&keys, &mut value);
        assert_eq!(decode(keys[0], &value), Some(keys.clone()));
        // Behind the zero and the number of keys stands the first signpost's key.
        value[2 + 15] ^= 1;
        assert_eq!(decode(keys[0], &value), None);
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
