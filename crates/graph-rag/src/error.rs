//! What can go wrong between a document and an answer?

use thiserror::Error;

/// Why documents could not be indexed, kept or asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GraphRagError {
    /// The names of entities do not fit one search automaton.
    #[error("{names} names are too many to be counted as substrings; count words")]
    Gazetteer {
        /// How many names.
        names: usize,
        /// What the automaton says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The embedder failed on a text.
    #[error("a text could not be embedded")]
    Embed(#[from] language_model::EmbedError),
    /// Vectors of one embedder met those of another.
    #[error(
        "the index was made with embedder `{index}`, the question comes with `{given}`; index again, or ask with the same embedder"
    )]
    OtherEmbedder {
        /// The index's.
        index: String,
        /// The caller's.
        given: String,
    },
    /// Two passages have the same place in the same document.
    #[error("document `{document}` has two passages with ordinal {ordinal}; number them apart")]
    SamePlace {
        /// The document.
        document: String,
        /// The ordinal.
        ordinal: u32,
    },
    /// A passage was put into another document than its own.
    #[error(
        "a passage of document `{given}` was put into `{expected}`; put it under its own document"
    )]
    OtherDocument {
        /// The document that was to change.
        expected: String,
        /// The passage's.
        given: String,
    },
    /// The embedder gave no vector for a text.
    #[error("the embedder gave no vector for a text; use one that embeds every text")]
    NoVector,
    /// There are more items than 32 bits can number.
    #[error("the corpus has more than 4,294,967,295 {what}; split it")]
    TooMany {
        /// Of what.
        what: &'static str,
    },
    /// A file of the index could not be read or written.
    #[error("the files of the document index could not be read or written")]
    File(#[from] std::io::Error),
    /// Bytes that should be an index are not one.
    #[error("the document index cannot be read: {reason}; index the documents again")]
    Damaged {
        /// What is wrong.
        reason: &'static str,
    },
    /// The index was written by another version of this format.
    #[error(
        "the document index has format {found}, this program reads {known}; index the documents again, or use the program that wrote it"
    )]
    Format {
        /// The file's.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A setting is out of range.
    #[error("`{setting}` is {value}, outside {range}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What was given.
        value: String,
        /// What may be given.
        range: &'static str,
    },
}
