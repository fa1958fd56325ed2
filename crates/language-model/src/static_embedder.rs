//! How are texts embedded in microseconds, with nothing to download?
//!
//! By adding up the rows of a table: a text's words (collocations first, then words, then word
//! pieces) each have a row that carries its frequency weight. The table is distilled from
//! all-MiniLM-L6-v2 by `tools/distill`. Word order does not show: that is the planner's business.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use similarity::Embedding;

use crate::embedder::excerpt;
use crate::table::{Table, TableError};
use crate::words::Joined;
use crate::{EmbedError, Embedder};

pub(crate) static BUILTIN: &[u8] = include_bytes!("../data/static.bin");

/// Token ids from here on stand for words that the table lacks; the rest of the id is their hash.
const UNKNOWN: u32 = 1 << 31;

/// Words longer than this, in bytes, are unknown without a look at their pieces.
const MAX_WORD_BYTES: usize = 100;

/// An [`Embedder`] over a table of word vectors.
#[derive(Debug)]
pub struct StaticEmbedder {
    table: Table,
}

impl StaticEmbedder {
    /// The table that is compiled in, read once per process.
    ///
    /// # Panics
    ///
    /// Never, as the file is checked by this crate's tests.
    #[must_use]
    pub fn builtin() -> Arc<Self> {
        static EMBEDDER: LazyLock<Arc<StaticEmbedder>> = LazyLock::new(|| {
            let embedder = StaticEmbedder::from_bytes(BUILTIN);
            Arc::new(embedder.expect("the compiled-in table is well formed, as tests check"))
        });
        Arc::clone(&EMBEDDER)
    }

    /// Reads a table written by `tools/distill`.
    ///
    /// # Errors
    ///
    /// [`TableError`] when the bytes are not such a table.
    pub fn from_bytes(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, TableError> {
        Ok(Self {
            table: Table::parse(bytes.into())?,
        })
    }

    /// The tokens of a text: rows of the table or, above 2^31, hashes of words that it lacks.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let words = Joined::of(text);
        let mut tokens = Vec::with_capacity(words.len() + 4);
        let mut start = 0;
        while start < words.len() {
            let longest = self.table.longest_entry_words().min(words.len() - start);
            let collocation = (2..=longest).rev().find_map(|n| {
                let row = self.table.row_of(words.run(start, n).as_bytes())?;
                Some((n, row))
            });
            if let Some((n, row)) = collocation {
                tokens.push(id(row));
                start += n;
            } else {
                self.push_word(words.run(start, 1), &mut tokens);
                start += 1;
            }
        }
        tokens
    }

    /// The text of a token; empty for a word that the table lacks.
    #[must_use]
    pub fn token_text(&self, token: u32) -> &str {
        std::str::from_utf8(self.table.entry(token as usize)).unwrap_or_default()
    }

    /// The vector of a token, with its frequency weight in it, not of unit length. A word that the
    /// table lacks has a random direction that depends on the word alone.
    #[must_use]
    pub fn token_vector(&self, token: u32) -> Vec<f32> {
        let mut sum = vec![0.0; self.table.dims()];
        self.add_token(token, &mut sum);
        sum
    }

    /// The sum of the vectors of a word or phrase, not of unit length.
    #[must_use]
    pub fn word(&self, word: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.table.dims()];
        for token in self.tokens(word) {
            self.add_token(token, &mut sum);
        }
        sum
    }

    /// How much a word says, in (0, 1]: small for the most frequent words of English, near 1 for rare
    /// ones. For a phrase, or a word in pieces, the weight of its rarest part.
    #[must_use]
    pub fn weight(&self, word: &str) -> f32 {
        let weights = self.tokens(word).into_iter().map(|token| {
            if token < UNKNOWN {
                self.table.weight(token as usize)
            } else {
                1.0
            }
        });
        weights.reduce(f32::max).unwrap_or(1.0)
    }

    /// How many rows the table has.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.table.rows()
    }

    /// WordPiece: the longest entry that starts the word, then the longest `##` entries.
    fn push_word(&self, word: &str, tokens: &mut Vec<u32>) {
        let mark = tokens.len();
        let mut start = 0;
        let mut piece = Vec::with_capacity(word.len() + 2);
        while start < word.len() && word.len() <= MAX_WORD_BYTES {
            let ends = (start + 1..=word.len())
                .rev()
                .filter(|end| word.is_char_boundary(*end));
            let found = ends.into_iter().find_map(|end| {
                piece.clear();
                if start > 0 {
                    piece.extend(b"##");
                }
                piece.extend(&word.as_bytes()[start..end]);
                Some((end, self.table.row_of(&piece)?))
            });
            let Some((end, row)) = found else { break };
            tokens.push(id(row));
            start = end;
        }
        if start < word.len() {
            tokens.truncate(mark);
            tokens.push(unknown(word));
        }
    }

    fn add_token(&self, token: u32, sum: &mut [f32]) {
        if token >= UNKNOWN {
            add_random(token, sum);
        } else if (token as usize) < self.table.rows() {
            self.table.add_row(token as usize, sum);
        }
    }

    fn embed_one(&self, text: &str) -> Result<Embedding, EmbedError> {
        let mut sum = self.word(text);
        if sum.iter().all(|value| *value == 0.0) {
            add_random(unknown(text.trim()), &mut sum);
        }
        Embedding::new(sum).map_err(|source| EmbedError::Vector {
            text: excerpt(text),
            source,
        })
    }
}

impl Embedder for StaticEmbedder {
    /// Never fails: a text without a known word, even an empty one, has a direction of its own, equal
    /// for equal texts and nearly orthogonal to all others.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        texts.iter().map(|text| self.embed_one(text)).collect()
    }

    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn fingerprint(&self) -> &str {
        self.table.fingerprint()
    }
}

fn id(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(UNKNOWN)
}

/// FNV-1a, 64 bits, folded to 31.
fn unknown(word: &str) -> u32 {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let bytes = (hash ^ (hash >> 32)).to_le_bytes();
    UNKNOWN | u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Adds a vector of length about 1 whose signs come from SplitMix64.
fn add_random(seed: u32, sum: &mut [f32]) {
    let mut state = u64::from(seed);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred dimensions")]
    let step = 1.0 / (sum.len() as f32).sqrt();
    for chunk in sum.chunks_mut(64) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        for value in chunk {
            *value += if bits & 1 == 0 { step } else { -step };
            bits >>= 1;
        }
    }
}

#[cfg(test)]
mod tests;
