//! How is an embedding kept? Shared, and with its very bits.
//!
//! Reading it back must not change a bit, or a replayed state would differ from the live one: so nothing is normalised
//! here. `similarity::Embedding` did that when it was made.

use std::fmt;
use std::sync::Arc;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use similarity::Embedding;

/// A vector of unit length, cheap to clone; empty when there is none.
#[derive(Debug, Clone, Default, PartialEq)]
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

/// Bytes of the vectors that are written without asking for memory: 384 numbers, MiniLM's.
const NEAR_BYTES: usize = 4 * 384;

/// In binary formats the numbers are little-endian bytes in one piece: a checkpoint holds millions of them.
impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.0.serialize(serializer);
        }
        let mut near = [0; NEAR_BYTES];
        let mut far;
        let bytes = match near.get_mut(..4 * self.0.len()) {
            Some(bytes) => bytes,
            None => {
                far = vec![0; 4 * self.0.len()];
                &mut far
            }
        };
        for (four, value) in bytes.chunks_exact_mut(4).zip(self.0.iter()) {
            four.copy_from_slice(&value.to_le_bytes());
        }
        serializer.serialize_bytes(bytes)
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Arc::deserialize(deserializer).map(Self);
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vector;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes of 32-bit numbers")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Vector, E> {
        let (numbers, []) = bytes.as_chunks::<4>() else {
            return Err(E::invalid_length(bytes.len(), &self));
        };
        Ok(Vector(
            numbers
                .iter()
                .map(|number| f32::from_le_bytes(*number))
                .collect(),
        ))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_bit_survives_in_binary_and_every_number_in_text(bits in prop::collection::vec(any::<u32>(), 0..40)) {
            let vector = Vector(bits.iter().map(|b| f32::from_bits(*b)).collect());
            let back: Vector = postcard::from_bytes(&postcard::to_stdvec(&vector).unwrap()).unwrap();
            prop_assert_eq!(back.0.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), bits);
            let finite = Vector(vector.0.iter().copied().filter(|v| v.is_finite()).collect());
            let back: Vector = serde_json::from_str(&serde_json::to_string(&finite).unwrap()).unwrap();
            prop_assert_eq!(back, finite);
        }
    }

    #[test]
    fn bytes_that_are_no_whole_numbers_are_refused() {
        // A length of 3, then as many bytes.
        assert!(postcard::from_bytes::<Vector>(&[3, 1, 2, 3]).is_err());
    }
}
