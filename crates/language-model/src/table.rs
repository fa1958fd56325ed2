//! What does the file of a static table hold?
//!
//! The format is that of `tools/distill/table.py`, little endian: magic `RFST`, u32 version, u32
//! dims, u32 rows, u32 bytes of vocabulary, 8 bytes of fingerprint; the vocabulary, one entry a
//! line, sorted by bytes; an f32 scale per row; an f32 weight per row; rows of i8.

use std::borrow::Cow;
use std::num::NonZeroU32;

use thiserror::Error;

const HEAD: usize = 28;
const MAGIC: &[u8; 4] = b"RFST";
const VERSION: u32 = 1;

/// Why bytes are not a static table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file does not start like a table of a version that is known here.
    #[error("not a static table of version {VERSION}")]
    Header,
    /// The file is shorter or longer than its header says.
    #[error("a static table of {expected} bytes was announced, {found} are there")]
    Length {
        /// Bytes that the header asks for.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The vocabulary is not sorted UTF-8 with an entry per row.
    #[error("the vocabulary of the static table is not {expected} sorted lines of UTF-8")]
    Vocabulary {
        /// Rows of the table.
        expected: u32,
    },
}

/// A table, checked once.
#[derive(Debug)]
pub(crate) struct Table {
    bytes: Cow<'static, [u8]>,
    fingerprint: String,
    dims: usize,
    /// Where in the file each entry of the vocabulary ends; entry `i` starts one after the end of `i - 1`.
    ends: Vec<u32>,
    /// Rows by the hash of their entries, in slots of which at least half are empty.
    slots: Vec<Option<NonZeroU32>>,
    longest_entry_words: usize,
    scales: usize,
    weights: usize,
    rows: usize,
}

impl Table {
    pub(crate) fn parse(bytes: Cow<'static, [u8]>) -> Result<Self, TableError> {
        let word = |place: usize| {
            let field = bytes.get(place..place + 4)?;
            Some(u32::from_le_bytes(field.try_into().ok()?))
        };
        let header = (
            bytes.get(..4),
            word(4),
            word(8),
            word(12),
            word(16),
            bytes.get(20..HEAD),
        );
        let (Some(magic), Some(version), Some(dims), Some(rows), Some(text), Some(hash)) = header
        else {
            return Err(TableError::Header);
        };
        if magic != MAGIC || version != VERSION || dims == 0 {
            return Err(TableError::Header);
        }
        let (wide_rows, wide_dims) = (u64::from(rows), u64::from(dims));
        let expected =
            (HEAD as u64) + u64::from(text) + wide_rows * 8 + wide_rows.saturating_mul(wide_dims);
        let found = bytes.len() as u64;
        if expected != found {
            return Err(TableError::Length { expected, found });
        }
        let fingerprint: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let (dims, text, count) = (dims as usize, text as usize, rows as usize);
        let vocabulary = &bytes[HEAD..HEAD + text];
        let (ends, longest_entry_words) =
            index(vocabulary, count).ok_or(TableError::Vocabulary { expected: rows })?;
        let scales = HEAD + text;
        let weights = scales + 4 * count;
        let rows = weights + 4 * count;
        let mut table = Self {
            bytes,
            fingerprint: format!("static-{fingerprint}"),
            dims,
            ends,
            slots: Vec::new(),
            longest_entry_words,
            scales,
            weights,
            rows,
        };
        table.slots = table.hashed();
        Ok(table)
    }

    /// The slots of all rows.
    fn hashed(&self) -> Vec<Option<NonZeroU32>> {
        let mut slots = vec![None; (2 * self.rows()).next_power_of_two()];
        for (row, number) in (0..self.rows()).zip(1..) {
            let free = probe(slots.len(), self.entry(row)).find(|slot| slots[*slot].is_none());
            if let Some(slot) = free {
                slots[slot] = NonZeroU32::new(number);
            }
        }
        slots
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    pub(crate) fn rows(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Words of the longest entry: 1 without collocations.
    pub(crate) fn longest_entry_words(&self) -> usize {
        self.longest_entry_words
    }

    /// The row of an entry of the vocabulary.
    pub(crate) fn row_of(&self, entry: &[u8]) -> Option<usize> {
        let held = probe(self.slots.len(), entry).map_while(|slot| self.slots[slot]);
        held.map(|number| number.get() as usize - 1)
            .find(|row| self.entry(*row) == entry)
    }

    /// The entry of a row; empty for a row that does not exist.
    pub(crate) fn entry(&self, row: usize) -> &[u8] {
        let Some(&end) = self.ends.get(row) else {
            return &[];
        };
        let start = if row == 0 {
            HEAD
        } else {
            self.ends[row - 1] as usize + 1
        };
        &self.bytes[start..end as usize]
    }

    /// Frequency weight of a row, in (0, 1].
    pub(crate) fn weight(&self, row: usize) -> f32 {
        self.float(self.weights + 4 * row)
    }

    /// Adds a row to a sum of `dims` numbers.
    pub(crate) fn add_row(&self, row: usize, sum: &mut [f32]) {
        let scale = self.float(self.scales + 4 * row);
        let start = self.rows + row * self.dims;
        for (total, &byte) in sum.iter_mut().zip(&self.bytes[start..start + self.dims]) {
            *total += scale * f32::from(byte.cast_signed());
        }
    }

    fn float(&self, place: usize) -> f32 {
        let mut field = [0; 4];
        field.copy_from_slice(&self.bytes[place..place + 4]);
        f32::from_le_bytes(field)
    }
}

/// The slots in which an entry may be, in order; `slots` is a power of two.
fn probe(slots: usize, entry: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let first = hash(entry);
    (0..slots).map(move |step| first.wrapping_add(step) & (slots - 1))
}

/// Eight bytes at a time, each multiplied and folded; the lowest bits depend on all of them.
fn hash(entry: &[u8]) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (eights, rest) = entry.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = eights
        .iter()
        .chain([&last])
        .map(|eight| u64::from_le_bytes(*eight));
    let hash = words.fold(entry.len() as u64, |hash, word| {
        let product = (hash ^ word).wrapping_mul(ODD);
        product ^ (product >> 32)
    });
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lowest bits are enough"
    )]
    let hash = hash as usize;
    hash
}

/// Ends of the lines, in the file, and the words of the longest; nothing when they are not `rows` sorted lines.
fn index(vocabulary: &[u8], rows: usize) -> Option<(Vec<u32>, usize)> {
    std::str::from_utf8(vocabulary).ok()?;
    let mut ends = Vec::with_capacity(rows);
    let (mut end, mut last, mut longest) = (HEAD, None, 1);
    for line in vocabulary.split(|byte| *byte == b'\n') {
        end += line.len();
        ends.push(u32::try_from(end).ok()?);
        if last.is_some_and(|last| last >= line) {
            return None;
        }
        longest = longest.max(1 + line.iter().filter(|byte| **byte == b' ').count());
        last = Some(line);
        end += 1;
    }
    (ends.len() == rows).then_some((ends, longest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    fn file(vocabulary: &str, rows: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for field in [VERSION, 2, rows, u32::try_from(vocabulary.len()).unwrap()] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend([7; 8]);
        bytes.extend(vocabulary.as_bytes());
        for _ in 0..rows * 2 {
            bytes.extend(0.5_f32.to_le_bytes());
        }
        bytes.extend((0..rows * 2).map(|_| (-4_i8).cast_unsigned()));
        bytes
    }

    #[test]
    fn a_small_table_reads_back() {
        let table = Table::parse(file("a\na b\nc", 3).into()).unwrap();
        assert_eq!(
            (table.dims(), table.rows(), table.longest_entry_words()),
            (2, 3, 2)
        );
        assert_eq!(table.row_of(b"a b"), Some(1));
        assert_eq!(table.row_of(b"b"), None);
        let mut sum = [1.0, 0.0];
        table.add_row(2, &mut sum);
        assert_eq!(sum, [-1.0, -2.0]);
        assert_eq!(table.fingerprint(), "static-0707070707070707");
    }

    #[test]
    fn every_entry_has_its_row_and_nothing_else_has_one() {
        let table = Table::parse(crate::static_embedder::BUILTIN.into()).unwrap();
        for row in 0..table.rows() {
            let entry = table.entry(row);
            assert_eq!(table.row_of(entry), Some(row));
            let other = [entry, b"\n"].concat();
            assert_eq!(table.row_of(&other), None);
        }
    }

    #[test]
    fn what_is_not_a_table_is_refused() {
        let parse = |bytes: Vec<u8>| Table::parse(bytes.into()).map(|_| ()).unwrap_err();
        assert_eq!(parse(vec![]), TableError::Header);
        assert_eq!(parse(b"RFST".to_vec()), TableError::Header);
        assert_eq!(
            parse(file("b\na", 2)),
            TableError::Vocabulary { expected: 2 }
        );
        assert_eq!(
            parse(file("a\nb", 3)),
            TableError::Vocabulary { expected: 3 }
        );
        let mut short = file("a\nb", 2);
        short.pop();
        assert!(matches!(parse(short), TableError::Length { .. }));
    }

    #[test]
    fn the_fingerprint_of_the_built_in_table_is_the_hash_of_its_content() {
        let bytes = crate::static_embedder::BUILTIN;
        let table = Table::parse(bytes.into()).unwrap();
        let hash = Sha256::digest(&bytes[HEAD..]);
        let expected: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(table.fingerprint(), format!("static-{expected}"));
    }
}
