//! Which of ten thousand vectors are nearest? A flat scan over small integers, the best of it scored again in full.
//!
//! Rows live in chunks that snapshots share, so a change copies one chunk, not the matrix. A row is a unit vector scaled
//! to 16-bit integers, which a processor multiplies and adds faster than floats and in half their room; up to 900
//! numbers its rounding moves a cosine by less than [`MARGIN`]. Row order is invisible: results are ordered by
//! similarity, ties by key.

use std::sync::Arc;

use crate::persistent::Map;
use crate::vector::{Vector, cosine};

const CHUNK_ROWS: usize = 64;
const MARGIN: f32 = 0.03;
/// Rows scored in full beyond those asked for, since rough scores may be out of order.
const SPARE_ROWS: usize = 32;
/// The largest integer of a row, if its size allows: the sum of products must fit in 32 bits.
const LEVELS: f32 = 1023.0;

#[derive(Debug, Clone)]
struct Chunk<K> {
    numbers: Vec<i16>,
    scales: Vec<f32>,
    rows: Vec<(K, Vector)>,
}

/// Keyed unit vectors of one size.
#[derive(Debug, Clone)]
pub(crate) struct Matrix<K: Ord> {
    dims: usize,
    chunks: Vec<Arc<Chunk<K>>>,
    places: Map<K, u32>,
}

impl<K: Ord + Clone> Default for Matrix<K> {
    fn default() -> Self {
        Self {
            dims: 0,
            chunks: Vec::new(),
            places: Map::new_sync(),
        }
    }
}

impl<K: Ord + Clone> Matrix<K> {
    /// How many rows there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.places.size()
    }

    /// The vector at `key`.
    #[cfg(test)]
    pub(crate) fn vector(&self, key: &K) -> Option<&Vector> {
        let place = *self.places.get(key)? as usize;
        self.chunks
            .get(place / CHUNK_ROWS)?
            .rows
            .get(place % CHUNK_ROWS)
            .map(|row| &row.1)
    }

    /// Adds a row. A vector that is empty, or of another size than the first, is left out: nothing compares to it.
    pub(crate) fn insert(&mut self, key: &K, vector: &Vector) {
        if self.places.is_empty() {
            self.dims = vector.dims();
            self.chunks.clear();
        }
        if vector.dims() == 0 || vector.dims() != self.dims || self.places.contains_key(key) {
            return;
        }
        let place = self.places.size();
        let Ok(number) = u32::try_from(place) else {
            return;
        };
        if place.is_multiple_of(CHUNK_ROWS) {
            self.chunks.push(Arc::new(Chunk {
                numbers: Vec::new(),
                scales: Vec::new(),
                rows: Vec::new(),
            }));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            Arc::make_mut(chunk).push(key.clone(), vector);
            self.places.insert_mut(key.clone(), number);
        }
    }

    /// Takes a row out; the last row moves into its place.
    pub(crate) fn remove(&mut self, key: &K) {
        let Some(&place) = self.places.get(key) else {
            return;
        };
        self.places.remove_mut(key);
        let Some(last_chunk) = self.chunks.last_mut() else {
            return;
        };
        let last = Arc::make_mut(last_chunk).pop();
        if last_chunk.rows.is_empty() {
            self.chunks.pop();
        }
        let Some((moved, vector)) = last else { return };
        if moved == *key {
            return;
        }
        let place_index = place as usize;
        if let Some(chunk) = self.chunks.get_mut(place_index / CHUNK_ROWS) {
            Arc::make_mut(chunk).set(place_index % CHUNK_ROWS, moved.clone(), &vector);
        }
        self.places.insert_mut(moved, place);
    }

    /// The `limit` rows nearest to `query` with a cosine of at least `minimum`, nearest first, ties by key.
    pub(crate) fn nearest(&self, query: &[f32], limit: usize, minimum: f32) -> Vec<(f32, &K)> {
        if query.len() != self.dims || limit == 0 || self.places.is_empty() {
            return Vec::new();
        }
        let (numbers, scale) = quantise(query);
        let mut best = Best {
            keep: limit + SPARE_ROWS,
            floor: minimum - MARGIN,
            rows: Vec::new(),
        };
        let mut number = 0_u32;
        for chunk in &self.chunks {
            for (row, row_scale) in chunk.numbers.chunks_exact(self.dims).zip(&chunk.scales) {
                best.offer(as_f32(dot(&numbers, row)) * scale * row_scale, number, self);
                number += 1;
            }
        }
        best.cut(self);
        let rough = best.rows;
        let exact = rough.into_iter().filter_map(|(_, number)| self.row(number));
        let mut exact: Vec<(f32, &K)> = exact
            .map(|(key, v)| (cosine(query, v.as_slice()), key))
            .filter(|e| e.0 >= minimum)
            .collect();
        exact.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        exact.truncate(limit);
        exact
    }

    fn row(&self, number: u32) -> Option<&(K, Vector)> {
        let number = number as usize;
        self.chunks
            .get(number / CHUNK_ROWS)?
            .rows
            .get(number % CHUNK_ROWS)
    }

    fn key(&self, number: u32) -> Option<&K> {
        self.row(number).map(|row| &row.0)
    }
}

/// The best rough scores seen so far; what falls below the worst of them is not even noted.
struct Best {
    keep: usize,
    floor: f32,
    rows: Vec<(f32, u32)>,
}

impl Best {
    fn offer<K: Ord + Clone>(&mut self, score: f32, number: u32, matrix: &Matrix<K>) {
        if score >= self.floor {
            self.rows.push((score, number));
            if self.rows.len() >= self.keep * 4 {
                self.cut(matrix);
            }
        }
    }

    fn cut<K: Ord + Clone>(&mut self, matrix: &Matrix<K>) {
        if self.rows.len() <= self.keep {
            return;
        }
        let order = |a: &(f32, u32), b: &(f32, u32)| {
            b.0.total_cmp(&a.0)
                .then_with(|| matrix.key(a.1).cmp(&matrix.key(b.1)))
        };
        let (_, worst, _) = self.rows.select_nth_unstable_by(self.keep - 1, order);
        self.floor = self.floor.max(worst.0);
        self.rows.truncate(self.keep);
    }
}

impl<K> Chunk<K> {
    fn push(&mut self, key: K, vector: &Vector) {
        let (numbers, scale) = quantise(vector.as_slice());
        self.numbers.extend(numbers);
        self.scales.push(scale);
        self.rows.push((key, vector.clone()));
    }

    fn pop(&mut self) -> Option<(K, Vector)> {
        let (key, vector) = self.rows.pop()?;
        self.scales.pop();
        self.numbers.truncate(self.numbers.len() - vector.dims());
        Some((key, vector))
    }

    fn set(&mut self, row: usize, key: K, vector: &Vector) {
        let (numbers, scale) = quantise(vector.as_slice());
        let start = row * numbers.len();
        self.numbers[start..start + numbers.len()].copy_from_slice(&numbers);
        self.scales[row] = scale;
        self.rows[row] = (key, vector.clone());
    }
}

/// Integers and what one of them is worth.
fn quantise(values: &[f32]) -> (Vec<i16>, f32) {
    let peak = values.iter().fold(0.0_f32, |peak, v| peak.max(v.abs()));
    if peak == 0.0 || !peak.is_finite() {
        return (vec![0; values.len()], 0.0);
    }
    let room = i32::MAX / i32::try_from(values.len()).unwrap_or(i32::MAX);
    let scale = peak / LEVELS.min(as_f32(room).sqrt().floor());
    (values.iter().map(|v| as_i16(v / scale)).collect(), scale)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "scaled to at most 1023; the cast saturates and maps NaN to 0"
)]
fn as_i16(value: f32) -> i16 {
    value.round() as i16
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rough score; the best are computed again in full"
)]
fn as_f32(value: i32) -> f32 {
    value as f32
}

/// Dot product, in the form that compilers turn into multiply-and-add instructions.
fn dot(left: &[i16], right: &[i16]) -> i32 {
    left.iter()
        .zip(right)
        .map(|(a, b)| i32::from(*a) * i32::from(*b))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use similarity::Embedding;

    fn vector() -> impl Strategy<Value = Vector> {
        prop::collection::vec(-1.0_f32..1.0, 16).prop_filter_map("not zero", |values| {
            Embedding::new(values).ok().map(Vector::from)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn equals_a_scan_of_every_vector(
            vectors in prop::collection::vec(vector(), 1..400),
            removed in prop::collection::vec(any::<prop::sample::Index>(), 0..50),
            query in vector(),
            limit in 0_usize..20,
            minimum in -1.0_f32..1.0,
        ) {
            let mut matrix = Matrix::default();
            let mut plain = std::collections::BTreeMap::new();
            for (i, v) in vectors.iter().enumerate() {
                matrix.insert(&i, v);
                plain.insert(i, v.clone());
            }
            let before = matrix.clone();
            for index in removed {
                let key = index.index(vectors.len());
                matrix.remove(&key);
                plain.remove(&key);
            }
            prop_assert_eq!(before.len(), vectors.len(), "a snapshot does not see later changes");
            prop_assert_eq!(matrix.len(), plain.len());
            for (key, v) in &plain {
                prop_assert_eq!(matrix.vector(key), Some(v));
            }
            let mut naive: Vec<(f32, usize)> = plain.iter().map(|(k, v)| (query.cosine(v), *k)).filter(|e| e.0 >= minimum).collect();
            naive.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            naive.truncate(limit);
            let fast: Vec<(f32, usize)> = matrix.nearest(query.as_slice(), limit, minimum).into_iter().map(|(s, k)| (s, *k)).collect();
            prop_assert_eq!(fast, naive);
        }
    }

    #[test]
    fn large_vectors_that_are_not_of_unit_length_do_not_overflow() {
        let (numbers, scale) = quantise(&[1.0_f32; 5_000]);
        let dot = as_f32(dot(&numbers, &numbers)) * scale * scale;
        assert!((dot - 5_000.0).abs() < 50.0, "{dot}");
    }

    #[test]
    fn vectors_of_another_size_are_left_out() {
        let mut matrix = Matrix::default();
        matrix.insert(&1, &Vector::from(Embedding::new(vec![1.0, 0.0]).unwrap()));
        matrix.insert(&2, &Vector::from(Embedding::new(vec![1.0]).unwrap()));
        matrix.insert(&3, &Vector::default());
        assert_eq!(matrix.len(), 1);
        assert!(matrix.nearest(&[], 3, -1.0).is_empty());
    }
}
