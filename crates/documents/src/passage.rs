//! Which passages does a document give?
//!
//! Whole sentences, up to a number of tokens (by [`count_tokens`]); a passage begins with the last sentences of the one
//! before it, up to another number of tokens. A passage does not go on past the start of a heading, once it has more than
//! headings. A sentence that alone is too long is cut. Everything but white space is in some passage. Titles do not count.

use std::collections::VecDeque;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::document::{ContentHash, Document, Passage};
use crate::sentence::{MAX_SENTENCE_CHARS, Sentences};
use crate::tokens::{TokenCounter, count_tokens};

/// How long passages are, and how much neighbours share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkConfig {
    /// Tokens of a passage, at least 1.
    pub max_tokens: usize,
    /// Tokens that a passage repeats of the one before it, fewer than `max_tokens`.
    pub overlap_tokens: usize,
    /// Characters of a sentence, at least 1.
    pub max_sentence_chars: usize,
}

impl Default for ChunkConfig {
    fn default() -> Self {
        Self {
            max_tokens: 256,
            overlap_tokens: 32,
            max_sentence_chars: MAX_SENTENCE_CHARS,
        }
    }
}

/// Why a [`ChunkConfig`] is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkConfigError {
    /// A number must be at least 1.
    #[error("{field} is 0; set it to 1 or more")]
    Zero {
        /// The field's name.
        field: &'static str,
    },
    /// Passages would repeat each other and not get on.
    #[error("overlap_tokens is {overlap}, which is not less than max_tokens, {max}; set it lower")]
    Overlap {
        /// `overlap_tokens`.
        overlap: usize,
        /// `max_tokens`.
        max: usize,
    },
}

/// Cuts documents into passages by one [`ChunkConfig`].
#[derive(Clone, Debug, Default)]
pub struct Chunker {
    config: ChunkConfig,
}

impl Chunker {
    /// A chunker with these sizes.
    ///
    /// # Errors
    /// When a size is 0 or the overlap is not less than the passage.
    pub fn new(config: ChunkConfig) -> Result<Self, ChunkConfigError> {
        for (field, value) in [
            ("max_tokens", config.max_tokens),
            ("max_sentence_chars", config.max_sentence_chars),
        ] {
            if value == 0 {
                return Err(ChunkConfigError::Zero { field });
            }
        }
        if config.overlap_tokens >= config.max_tokens {
            return Err(ChunkConfigError::Overlap {
                overlap: config.overlap_tokens,
                max: config.max_tokens,
            });
        }
        Ok(Self { config })
    }

    /// The passages of `document`, in order, made as they are asked for.
    #[must_use]
    pub fn passages<'a>(&self, document: &'a Document) -> Passages<'a> {
        Passages {
            document,
            config: self.config,
            section: 0..0,
            next_heading: 0,
            heading: "",
            sentences: Sentences::new("", self.config.max_sentence_chars),
            pending: VecDeque::new(),
            current: Current::default(),
            ordinal: 0,
        }
    }
}

/// A sentence, or a part of one that is too long.
#[derive(Clone, Debug)]
struct Piece {
    span: Range<usize>,
    tokens: usize,
}

/// The passage that is being put together.
#[derive(Clone, Debug, Default)]
struct Current {
    pieces: VecDeque<Piece>,
    tokens: usize,
    /// Pieces that no passage had before.
    fresh: usize,
}

impl Current {
    fn push(&mut self, piece: Piece) {
        self.tokens += piece.tokens;
        self.fresh += 1;
        self.pieces.push_back(piece);
    }

    /// Keeps the last pieces, as many as have at most `tokens`.
    fn keep_last(&mut self, tokens: usize) {
        while self.tokens > tokens || self.pieces.len() > MAX_OVERLAP_PIECES {
            let Some(piece) = self.pieces.pop_front() else {
                break;
            };
            self.tokens -= piece.tokens;
        }
        self.fresh = 0;
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Sentences that a passage repeats at most, even if they count no token.
const MAX_OVERLAP_PIECES: usize = 64;

/// Sentences of a passage at most, even if they count no token.
const MAX_PIECES: usize = 4_096;

/// Iterator over the passages of a document; see [`Chunker::passages`]. It holds the sentences of one passage.
#[derive(Clone, Debug)]
pub struct Passages<'a> {
    document: &'a Document,
    config: ChunkConfig,
    /// The stretch between two headings that is being read.
    section: Range<usize>,
    next_heading: usize,
    heading: &'a str,
    sentences: Sentences<'a>,
    pending: VecDeque<Piece>,
    current: Current,
    ordinal: u32,
}

impl<'a> Passages<'a> {
    /// Goes on to the text up to the next heading that something stands before; false at the end.
    fn enter_next_section(&mut self) -> bool {
        let document = self.document;
        let text = document.text.as_str();
        let start = self.section.end;
        if start >= text.len() {
            return false;
        }
        let mut read_to = start;
        let mut end = text.len();
        while let Some(heading) = document.headings.get(self.next_heading) {
            if !text.is_char_boundary(heading.span.start) {
                self.next_heading += 1;
                continue;
            }
            let only_headings = text
                .get(read_to..heading.span.start)
                .is_none_or(|between| between.trim().is_empty());
            if heading.span.start > start && !only_headings {
                end = heading.span.start;
                break;
            }
            self.heading = text.get(heading.span.clone()).unwrap_or_default();
            read_to = heading.span.end;
            self.next_heading += 1;
        }
        self.section = start..end;
        self.sentences = Sentences::new(&text[start..end], self.config.max_sentence_chars);
        true
    }

    fn next_piece(&mut self) -> Option<Piece> {
        if self.pending.is_empty() {
            let span = self.sentences.next()?;
            let span = self.section.start + span.start..self.section.start + span.end;
            self.cut(span);
        }
        self.pending.pop_front()
    }

    /// Puts the sentence at `span` into `pending`, in parts that are within the budget.
    fn cut(&mut self, span: Range<usize>) {
        let text: &'a str = &self.document.text;
        let tokens = count_tokens(&text[span.clone()]);
        if tokens <= self.config.max_tokens {
            self.pending.push_back(Piece { span, tokens });
            return;
        }
        let mut start = span.start;
        while start < span.end {
            let mut counter = TokenCounter::default();
            let mut end = span.end;
            let mut space = None;
            for (at, c) in text[start..span.end].char_indices() {
                counter.push(c);
                if counter.tokens() > self.config.max_tokens {
                    end = space.unwrap_or(start + at);
                    break;
                }
                if c.is_whitespace() && at > 0 {
                    space = Some(start + at);
                }
            }
            let part = text[start..end].trim();
            if !part.is_empty() {
                let from = end - text[start..end].trim_start().len();
                let span = from..from + part.len();
                let tokens = count_tokens(part);
                self.pending.push_back(Piece { span, tokens });
            }
            start = end;
        }
    }

    fn emit(&mut self) -> Option<Passage> {
        let span = self.current.pieces.front()?.span.start..self.current.pieces.back()?.span.end;
        let document = self.document;
        let text = document.text[span.clone()].to_owned();
        let passage = Passage {
            document: document.id,
            ordinal: self.ordinal,
            title: document.title.clone(),
            heading: self.heading.to_owned(),
            content_hash: ContentHash::of_passage(&document.title, self.heading, &text),
            text,
            span,
        };
        self.ordinal = self.ordinal.saturating_add(1);
        Some(passage)
    }
}

impl Iterator for Passages<'_> {
    type Item = Passage;

    fn next(&mut self) -> Option<Passage> {
        loop {
            let Some(piece) = self.next_piece() else {
                let last = if self.current.fresh > 0 {
                    self.emit()
                } else {
                    None
                };
                self.current.clear();
                if last.is_none() && self.enter_next_section() {
                    continue;
                }
                return last;
            };
            let full = self.current.tokens + piece.tokens > self.config.max_tokens
                || self.current.pieces.len() >= MAX_PIECES;
            if !full {
                self.current.push(piece);
                continue;
            }
            let passage = if self.current.fresh > 0 {
                self.emit()
            } else {
                None
            };
            let room = self.config.max_tokens - piece.tokens;
            self.current.keep_last(room.min(self.config.overlap_tokens));
            self.current.push(piece);
            if passage.is_some() {
                return passage;
            }
        }
    }
}
