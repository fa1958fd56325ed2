//! What is a document, and what is a passage of it?

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Mixed into every content hash: a new number makes every file count as changed, because it would be read differently.
const READER_VERSION: &[u8] = b"refrain documents 3\n";

/// Where a document was read from: a file's path or another name and, for JSON, the line or the record.
///
/// Displayed as `notes/a.md`, `corpus.jsonl:17` or `corpus.json#17`. Ordered by name, then by place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Source {
    /// The path as it was given (joined with what was found below it), or a name; `/` separates on every platform that
    /// uses it.
    pub name: String,
    /// Where in the file, if that has many documents.
    #[serde(flatten)]
    pub place: Option<Place>,
}

/// Where in a file of many documents one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// On this line of JSON lines, counted from 1 as editors do, blank ones too.
    Line(u64),
    /// In this record of an array of JSON, or of values one behind the other, counted from 1.
    Record(u64),
}

impl Source {
    /// A whole file or a named text.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            place: None,
        }
    }

    /// Line `line` (from 1) of the file `name`.
    #[must_use]
    pub fn line(name: impl Into<String>, line: u64) -> Self {
        Self {
            name: name.into(),
            place: Some(Place::Line(line)),
        }
    }

    /// Record `record` (from 1) of the file `name`.
    #[must_use]
    pub fn record(name: impl Into<String>, record: u64) -> Self {
        Self {
            name: name.into(),
            place: Some(Place::Record(record)),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            None => f.write_str(&self.name),
            Some(Place::Line(line)) => write!(f, "{}:{line}", self.name),
            Some(Place::Record(record)) => write!(f, "{}#{record}", self.name),
        }
    }
}

/// The identity of a document: a 128-bit BLAKE3 hash of its source, so it stays when the content changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentId([u8; 16]);

impl DocumentId {
    /// The identity of the document at `source`.
    #[must_use]
    pub fn of(source: &Source) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(source.name.as_bytes());
        let place = match source.place {
            None => None,
            Some(Place::Line(line)) => Some((0, line)),
            Some(Place::Record(record)) => Some((1, record)),
        };
        if let Some((kind, number)) = place {
            hasher.update(&[kind]);
            hasher.update(&number.to_le_bytes());
        }
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }

    /// The identity as bytes, to be stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// An identity that was stored with [`DocumentId::as_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hexadecimal(&self.0, f)
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DocumentId({self})")
    }
}

/// What a document or passage says, as a 256-bit BLAKE3 hash: equal hashes mean equal content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of a document's bytes as they are stored, decompressed. It covers the version of the readers too, so
    /// that a file counts as changed when a newer version would read it differently.
    #[must_use]
    pub fn of_document(bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(READER_VERSION);
        hasher.update(bytes);
        Self(*hasher.finalize().as_bytes())
    }

    /// The hash of a passage: of what is searched and shown, its titles and its text, wherever it stands.
    #[must_use]
    pub fn of_passage(title: &str, heading: &str, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [title, heading, text] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The hash as bytes, to be stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A hash that was stored with [`ContentHash::as_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hexadecimal(&self.0, f)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

fn hexadecimal(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// What kind of file a document was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MediaKind {
    /// Plain text.
    Text,
    /// Markdown (CommonMark with tables, footnotes and front matter).
    Markdown,
    /// HTML or XHTML.
    Html,
    /// PDF with a text layer.
    Pdf,
    /// A JSON object with `text` and perhaps `title`: one a line, or one of an array.
    JsonLines,
}

impl MediaKind {
    /// The kind's name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "Markdown",
            Self::Html => "HTML",
            Self::Pdf => "PDF",
            Self::JsonLines => "JSON lines",
        }
    }
}

/// A heading inside a document's text; no passage goes on past the start of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Its bytes in the document's text.
    pub span: Range<usize>,
    /// Its rank, 1 (highest) to 6.
    pub level: u8,
}

/// What a file, or a line of one, says.
///
/// `text` is plain: paragraphs, list items and table rows are lines, blank lines stand between blocks, markup is gone.
/// Lines end with `\n`, there are no NUL bytes, and what could not be decoded is U+FFFD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its identity, which is that of its source.
    pub id: DocumentId,
    /// Where it was read from.
    pub source: Source,
    /// Its own title or, if it has none, the file's name without its ending.
    pub title: String,
    /// What it says.
    pub text: String,
    /// The headings in `text`, in order.
    pub headings: Vec<Heading>,
    /// What it was read from.
    pub kind: MediaKind,
    /// The hash of the bytes that it was read from.
    pub content_hash: ContentHash,
}

/// A stretch of a document's text, short enough to be embedded and shown as evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The document it is from.
    pub document: DocumentId,
    /// Its place among the document's passages, from 0.
    pub ordinal: u32,
    /// The document's title.
    pub title: String,
    /// The heading it stands under; empty above the first one. A passage that begins with its heading has it here and in
    /// `text`.
    pub heading: String,
    /// `document.text[span]`.
    pub text: String,
    /// Its bytes in the document's text.
    pub span: Range<usize>,
    /// The hash of title, heading and text.
    pub content_hash: ContentHash,
}
