#![doc = include_str!("../README.md")]

mod abbreviation;
mod compression;
mod document;
mod encoding;
mod error;
mod hidden;
mod html;
mod ingest;
mod json_lines;
mod json_records;
mod limits;
mod markdown;
mod open;
mod passage;
mod pdf;
mod read;
mod report;
mod sentence;
mod sniff;
mod style;
mod text;
mod tokens;
mod walk;

pub use document::{ContentHash, Document, DocumentId, Heading, MediaKind, Passage, Place, Source};
pub use error::{SkipReason, Skipped};
pub use ingest::{Change, Ingest, Progress};
pub use limits::Limits;
pub use passage::{ChunkConfig, ChunkConfigError, Chunker, Passages};
pub use read::{read, read_json_line};
pub use report::Report;
pub use sentence::{MAX_SENTENCE_CHARS, Sentences, sentences};
pub use tokens::count_tokens;
