//! Under which keys is a term's label found?
//!
//! Each IRI (by the words of its local name) and each short literal (by its text) is a source of one label. Three
//! ordered sets point from labels to sources: by hash for exact look-ups, by the first bytes for prefixes, and by
//! pieces for look-ups with typing errors. The keys depend on the term alone, not on the quads, so they are written
//! once, when the term gets its id. `labels` turns sources into the entities they name.
//!
//! Pieces: a label within edit distance `k` of a text shares at least one of its `k + 1` pieces with it, almost at the
//! same place (Li, Deng, Wang, Feng: Pass-Join, VLDB 2011).

use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::error::StoreError;
use crate::order::{Key, join, split};
use crate::sorter::Sorter;
use crate::term_codec::{self, TermText};
use crate::text::{local_words, normalise};

/// A label with more characters is not indexed.
pub(crate) const MAX_LABEL_CHARS: usize = 160;
/// Labels with fewer characters are found exactly or by prefix only.
pub(crate) const MIN_FUZZY_CHARS: usize = 4;
/// From this many characters on, two typing errors are forgiven instead of one.
pub(crate) const TWO_ERRORS_FROM_CHARS: usize = 8;
/// Bytes of a label in a prefix key.
pub(crate) const START_BYTES: usize = 12;

const LITERAL_BIT: u32 = 1;

/// How many errors a label of so many characters forgives.
pub(crate) fn forgiven_errors(chars: usize) -> usize {
    if chars < TWO_ERRORS_FROM_CHARS { 1 } else { 2 }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "taking 32-bit parts of the hash is the point"
)]
fn exact_parts(label: &str) -> [u32; 3] {
    let hash = xxh3_128(label.as_bytes());
    [
        (hash >> 96) as u32,
        (hash >> 64) as u32,
        (hash >> 32) as u32 & !LITERAL_BIT,
    ]
}

pub(crate) fn exact_key(label: &str, literal: bool, id: u32) -> Key {
    let [a, b, c] = exact_parts(label);
    join([a, b, c | if literal { LITERAL_BIT } else { 0 }, id])
}

/// The range of exact keys of a label, sources of both kinds.
pub(crate) fn exact_range(label: &str) -> (Key, Key) {
    let [a, b, c] = exact_parts(label);
    (join([a, b, c, 0]), join([a, b, c | LITERAL_BIT, u32::MAX]))
}

/// Whether the source of an exact key is a literal, and its id.
pub(crate) fn exact_source(key: Key) -> (bool, u32) {
    let [_, _, c, id] = split(key);
    (c & LITERAL_BIT != 0, id)
}

/// The range of prefix keys of labels that start with the first bytes of `prefix`.
pub(crate) fn start_range(prefix: &str) -> (Key, Key) {
    (
        start_key(prefix, 0, 0),
        start_key(prefix, u8::MAX, u32::MAX),
    )
}

fn start_key(label: &str, fill: u8, id: u32) -> Key {
    let mut bytes = [fill; START_BYTES];
    for (to, from) in bytes.iter_mut().zip(label.bytes()) {
        *to = from;
    }
    let part =
        |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    join([part(0), part(4), part(8), id])
}

/// A 32-bit set of the letters of a label. One edit changes at most two of its bits.
pub(crate) fn letters(label: &[char]) -> u32 {
    label.iter().fold(0, |set, letter| {
        set | 1 << ((*letter as u32).wrapping_mul(0x9E37_79B1) >> 27)
    })
}

/// Where the pieces of a label of `chars` characters start and how long they are.
pub(crate) fn pieces(chars: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = forgiven_errors(chars) + 1;
    let (length, longer) = (chars / count, chars % count);
    let mut start = 0;
    (0..count).map(move |at| {
        let this = length + usize::from(at >= count - longer);
        let piece = (start, this);
        start += this;
        piece
    })
}

/// The hash of one piece of a label of `chars` characters.
pub(crate) fn piece_hash(chars: usize, at: usize, piece: &[char], buffer: &mut Vec<u8>) -> u64 {
    buffer.clear();
    buffer.extend([chars, at].map(|number| number.to_le_bytes()[0]));
    for letter in piece {
        buffer.extend_from_slice(&(*letter as u32).to_le_bytes());
    }
    xxh3_64(buffer)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "taking the two halves of the hash is the point"
)]
pub(crate) fn piece_key(hash: u64, id: u32, letters: u32) -> Key {
    join([(hash >> 32) as u32, hash as u32, id, letters])
}

/// The label that a term is a source of, normalised, and whether the term is a literal.
pub(crate) fn source_label(bytes: &[u8]) -> Option<(String, bool)> {
    let (label, literal) = match term_codec::text(bytes)? {
        TermText::Iri(iri) => (normalise(&local_words(iri)), false),
        TermText::Literal(text) if text.len() <= MAX_LABEL_CHARS * 4 => (normalise(text), true),
        TermText::Literal(_) | TermText::Blank(_) => return None,
    };
    let fits = !label.is_empty() && label.len() <= MAX_LABEL_CHARS * 4;
    (fits && label.chars().count() <= MAX_LABEL_CHARS).then_some((label, literal))
}

/// The keys of one label in the three sets.
pub(crate) struct LabelKeys {
    pub(crate) exact: Key,
    pub(crate) start: Key,
    pub(crate) pieces: Vec<Key>,
    pub(crate) tokens: u64,
}

/// The keys that a term is found under, when it is a source of a label.
pub(crate) fn keys_of(bytes: &[u8], id: u32) -> Option<LabelKeys> {
    let (label, literal) = source_label(bytes)?;
    let mut found = LabelKeys {
        exact: exact_key(&label, literal, id),
        start: start_key(&label, 0, id),
        pieces: Vec::new(),
        tokens: label.split(' ').count() as u64,
    };
    let chars: Vec<char> = label.chars().collect();
    if chars.len() >= MIN_FUZZY_CHARS && chars.iter().any(|letter| letter.is_alphabetic()) {
        let letters = letters(&chars);
        let mut buffer = Vec::new();
        for (at, (start, length)) in pieces(chars.len()).enumerate() {
            let hash = piece_hash(chars.len(), at, &chars[start..start + length], &mut buffer);
            found.pieces.push(piece_key(hash, id, letters));
        }
    }
    Some(found)
}

/// Collects the label keys of new terms.
pub(crate) struct LabelCollector {
    pub(crate) exact: Sorter,
    pub(crate) starts: Sorter,
    pub(crate) pieces: Sorter,
    pub(crate) max_tokens: u64,
}

impl LabelCollector {
    pub(crate) fn new(directory: &Path, memory_bytes: usize) -> Self {
        Self {
            exact: Sorter::new(directory, memory_bytes / 5),
            starts: Sorter::new(directory, memory_bytes / 5),
            pieces: Sorter::new(directory, memory_bytes / 5 * 3),
            max_tokens: 0,
        }
    }

    pub(crate) fn add(&mut self, bytes: &[u8], id: u32) -> Result<(), StoreError> {
        let Some(keys) = keys_of(bytes, id) else {
            return Ok(());
        };
        self.max_tokens = self.max_tokens.max(keys.tokens);
        self.exact.push(keys.exact)?;
        self.starts.push(keys.start)?;
        for key in keys.pieces {
            self.pieces.push(key)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_label_without_gaps() {
        for chars in MIN_FUZZY_CHARS..60 {
            let mut at = 0;
            for (start, length) in pieces(chars) {
                assert_eq!(start, at);
                assert!(length > 0);
                at += length;
            }
            assert_eq!(at, chars);
        }
    }

    #[test]
    fn an_exact_range_holds_both_kinds_of_sources_and_no_other_label() {
        let (low, high) = exact_range("paris");
        for literal in [false, true] {
            let key = exact_key("paris", literal, 9);
            assert!(low <= key && key <= high);
            assert_eq!(exact_source(key), (literal, 9));
        }
        let other = exact_key("pariz", false, 9);
        assert!(other < low || high < other);
    }
}
