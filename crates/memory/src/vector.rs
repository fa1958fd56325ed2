//! How is an embedding kept? Shared, and with its very bits.
//!
//! Reading it back must not change a bit, or a replayed state would differ from the live one: so nothing is normalised
//! here. `similarity::Embedding` did that when it was made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use similarity::Embedding;

/// A vector of unit length, cheap to clone; empty when there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Vector(Arc<[f32]>);

impl Vector {
    /// The numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// How many numbers there are.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.0.len()
    }

    /// Cosine similarity in [-1, 1]; 0 between vectors of different size.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        cosine(&self.0, &other.0)
    }
}

/// Cosine of two unit vectors in [-1, 1]; 0 when they differ in size or are not numbers.
pub(crate) fn cosine(left: &[f32], right: &[f32]) -> f32 {
    if left.len() != right.len() {
        return 0.0;
    }
    let dot = similarity::dot(left, right);
    if dot.is_nan() {
        0.0
    } else {
        dot.clamp(-1.0, 1.0)
    }
}

impl From<&Embedding> for Vector {
    fn from(embedding: &Embedding) -> Self {
        Self(Arc::from(embedding.as_slice()))
    }
}

impl From<Embedding> for Vector {
    fn from(embedding: Embedding) -> Self {
        Self(Arc::from(embedding.into_vec()))
    }
}
