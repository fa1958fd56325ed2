//! Where are the vectors of passages, sentences and entities?

use similarity::{Embedding, dot};

/// Unit vectors, row after row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct VectorTable {
    dims: usize,
    values: Vec<f32>,
}

impl VectorTable {
    pub(crate) fn new(dims: usize) -> Self {
        Self {
            dims,
            values: Vec::new(),
        }
    }

    pub(crate) fn from_values(dims: usize, values: Vec<f32>) -> Self {
        Self { dims, values }
    }

    pub(crate) fn push(&mut self, row: &[f32]) {
        debug_assert_eq!(row.len(), self.dims);
        self.values.extend_from_slice(row);
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len().checked_div(self.dims).unwrap_or(0)
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    pub(crate) fn values(&self) -> &[f32] {
        &self.values
    }

    pub(crate) fn row(&self, row: usize) -> &[f32] {
        let start = row * self.dims;
        self.values
            .get(start..start + self.dims)
            .unwrap_or_default()
    }

    /// Cosine of a row with a unit vector.
    pub(crate) fn cosine(&self, row: usize, query: &Embedding) -> f64 {
        f64::from(dot(self.row(row), query.as_slice()).clamp(-1.0, 1.0))
    }

    /// Cosines of all rows with a unit vector.
    pub(crate) fn cosines(&self, query: &Embedding) -> Vec<f64> {
        (0..self.len()).map(|row| self.cosine(row, query)).collect()
    }

    /// The row nearest to a unit vector, the first of equals, and its cosine.
    pub(crate) fn nearest(&self, query: &Embedding) -> Option<(usize, f64)> {
        let best = similarity::top_k(query.as_slice(), &self.values, self.dims, 1);
        let (row, _) = best.first()?;
        Some((*row, self.cosine(*row, query)))
    }
}

/// The three tables of an index.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) passages: VectorTable,
    pub(crate) sentences: VectorTable,
    pub(crate) entities: VectorTable,
}
