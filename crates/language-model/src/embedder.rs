//! How do texts become vectors, whatever model does it?

use similarity::{Embedding, EmbeddingError};
use thiserror::Error;

/// Why a text could not be embedded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model gave numbers that have no direction.
    #[error("the vector of {text:?} cannot be used")]
    Vector {
        /// The start of the text.
        text: String,
        /// What is wrong with the numbers.
        #[source]
        source: EmbeddingError,
    },
    /// The model failed on a text.
    #[error("the model failed on {text:?}")]
    Model {
        /// The start of the text, or of the first of its batch.
        text: String,
        /// What the model says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The start of a text, for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    text.chars().take(MAX_CHARS).collect()
}

/// Turns texts into unit vectors whose cosine says how alike the texts are.
pub trait Embedder: Send + Sync {
    /// One vector per text, in the same order, each of [`dims`](Self::dims) numbers.
    ///
    /// # Errors
    ///
    /// [`EmbedError`] when the model fails on one of the texts.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError>;

    /// How many numbers a vector has.
    fn dims(&self) -> usize;

    /// What identifies the vectors: embedders with the same fingerprint give the same vectors, so
    /// stored vectors may be compared with new ones exactly when the fingerprints are equal.
    fn fingerprint(&self) -> &str;
}
