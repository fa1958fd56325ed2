//! What is a vector that may be compared by its dot product alone?
//!
//! It does not say which model made it: comparing vectors of two models is the caller's mistake,
//! which the fingerprint of the embedder is there to prevent.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why numbers could not become an [`Embedding`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// All numbers are zero, or there are none: there is no direction to keep.
    #[error("a vector of {dims} numbers, all zero, has no direction")]
    Zero {
        /// How many numbers there were.
        dims: usize,
    },
    /// A number, or the length of the vector, is infinite or not a number.
    #[error("a vector of {dims} numbers is not finite")]
    NotFinite {
        /// How many numbers there were.
        dims: usize,
    },
}

/// A vector of length one (within rounding).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f32>", into = "Vec<f32>")]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Scales `values` to length one.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] when the values are all zero or not finite.
    ///
    /// ```
    /// let e = similarity::Embedding::new(vec![3.0, 4.0])?;
    /// assert_eq!(e.as_slice(), [0.6, 0.8]);
    /// # Ok::<(), similarity::EmbeddingError>(())
    /// ```
    pub fn new(mut values: Vec<f32>) -> Result<Self, EmbeddingError> {
        let dims = values.len();
        let peak = values.iter().fold(0.0_f32, |peak, v| peak.max(v.abs()));
        if values.iter().any(|v| !v.is_finite()) {
            return Err(EmbeddingError::NotFinite { dims });
        }
        if peak == 0.0 {
            return Err(EmbeddingError::Zero { dims });
        }
        // Already of unit length, as when it was read back: keep the bits.
        if (dot(&values, &values) - 1.0).abs() <= 4.0 * f32::EPSILON {
            return Ok(Self(values));
        }
        // Dividing by the peak first keeps squares of tiny and huge values in range.
        for value in &mut values {
            *value /= peak;
        }
        let norm = dot(&values, &values).sqrt();
        for value in &mut values {
            *value /= norm;
        }
        Ok(Self(values))
    }

    /// How many numbers the vector has.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.0.len()
    }

    /// The numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The numbers, given away.
    #[must_use]
    pub fn into_vec(self) -> Vec<f32> {
        self.0
    }

    /// Cosine similarity, in [-1, 1]; 0 for vectors of different size, which have nothing in common.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.dims() != other.dims() {
            return 0.0;
        }
        dot(&self.0, &other.0).clamp(-1.0, 1.0)
    }
}

impl TryFrom<Vec<f32>> for Embedding {
    type Error = EmbeddingError;

    fn try_from(values: Vec<f32>) -> Result<Self, Self::Error> {
        Self::new(values)
    }
}

impl From<Embedding> for Vec<f32> {
    fn from(embedding: Embedding) -> Self {
        embedding.0
    }
}

/// Dot product over the common length of two slices.
///
/// Sixteen running sums, always added in the same order: fast, and the same on every machine.
///
/// ```
/// assert_eq!(similarity::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[must_use]
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    const LANES: usize = 16;
    let common = left.len().min(right.len());
    let (left_chunks, left_rest) = left[..common].as_chunks::<LANES>();
    let (right_chunks, right_rest) = right[..common].as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in left_chunks.iter().zip(right_chunks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = left_rest.iter().zip(right_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_empty_and_infinite_are_refused() {
        assert_eq!(
            Embedding::new(vec![]),
            Err(EmbeddingError::Zero { dims: 0 })
        );
        assert_eq!(
            Embedding::new(vec![0.0; 3]),
            Err(EmbeddingError::Zero { dims: 3 })
        );
        let nan = Embedding::new(vec![f32::NAN, 1.0]);
        assert_eq!(nan, Err(EmbeddingError::NotFinite { dims: 2 }));
        let infinite = Embedding::new(vec![f32::INFINITY]);
        assert_eq!(infinite, Err(EmbeddingError::NotFinite { dims: 1 }));
    }

    #[test]
    fn sizes_that_differ_have_nothing_in_common() {
        let short = Embedding::new(vec![1.0]).unwrap();
        let long = Embedding::new(vec![1.0, 0.0]).unwrap();
        assert_eq!(short.cosine(&long), 0.0);
    }

    proptest! {
        #[test]
        fn length_is_one_whatever_the_scale(
            values in prop::collection::vec(-1.0_f32..1.0, 1..300),
            exponent in -30_i32..30,
        ) {
            prop_assume!(values.iter().any(|v| v.abs() > 1e-3));
            let scale = 10.0_f32.powi(exponent);
            let embedding = Embedding::new(values.iter().map(|v| v * scale).collect()).unwrap();
            prop_assert!((dot(embedding.as_slice(), embedding.as_slice()) - 1.0).abs() < 1e-5);
            prop_assert!((embedding.cosine(&embedding) - 1.0).abs() < 1e-5);
        }

        #[test]
        fn reading_back_keeps_the_bits(values in prop::collection::vec(-1.0_f32..1.0, 1..300)) {
            prop_assume!(values.iter().any(|v| v.abs() > 1e-3));
            let once = Embedding::new(values).unwrap();
            let again = Embedding::new(once.as_slice().to_vec()).unwrap();
            let close = once.as_slice().iter().zip(again.as_slice()).all(|(a, b)| (a - b).abs() < 1e-6);
            prop_assert!(close);
            let thrice = Embedding::new(again.as_slice().to_vec()).unwrap();
            prop_assert_eq!(again, thrice);
        }

        #[test]
        fn dot_equals_the_naive_sum(pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..300)) {
            let (left, right): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let naive: f64 = pairs.iter().map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(dot(&left, &right)) - naive).abs() < 1e-4);
        }
    }
}
