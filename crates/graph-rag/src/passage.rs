//! What is the unit that is retrieved and cited?

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a document, chosen by the caller, unique in its index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(pub String);

impl From<&str> for DocumentId {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A piece of a document, some hundreds of words at most: what embedders read of longer ones is their start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The document it is a piece of.
    pub document: DocumentId,
    /// Its place in the document; neighbours by this number are adjacent.
    pub ordinal: u32,
    /// The title it stands under; may be empty.
    pub title: String,
    /// The words themselves.
    pub text: String,
}

impl Passage {
    /// Title and text as they are embedded, searched and cited: the title, a line break, the text. Spans of sentences
    /// are byte ranges of this.
    #[must_use]
    pub fn full_text(&self) -> String {
        if self.title.is_empty() {
            self.text.clone()
        } else {
            format!("{}\n{}", self.title, self.text)
        }
    }

    /// Where the text starts in [`full_text`](Self::full_text), in bytes.
    #[must_use]
    pub fn text_start(&self) -> usize {
        if self.title.is_empty() {
            0
        } else {
            self.title.len() + 1
        }
    }
}

/// What a text is known by: the first 16 bytes of its BLAKE3 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The hash of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        Self(short)
    }
}
