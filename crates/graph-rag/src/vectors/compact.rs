//! How are many rows compared with a vector in half the memory?

use similarity::Embedding;

use super::LEAST_SHARED_ROWS;
use crate::parallel::fill;

/// Rows of unit vectors in 16 bits a number: half the memory to go through, which is what a long scan costs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Compact {
    dims: usize,
    values: Vec<i16>,
}

/// What 1 is in a compact row. Products of unit vectors stay below `SCALE²`, half of what 32 bits hold.
const SCALE: f32 = 32_767.0;

fn compacted(value: f32) -> i16 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "numbers of unit vectors are at most 1"
    )]
    let value = (value * SCALE).round().clamp(-SCALE, SCALE) as i16;
    value
}

impl Compact {
    /// Adds a row; not if it has another size than those before.
    pub(crate) fn push(&mut self, row: &[f32]) -> bool {
        if self.values.is_empty() {
            self.dims = row.len();
        }
        let fits = row.len() == self.dims;
        if fits {
            self.values.extend(row.iter().copied().map(compacted));
        }
        fits
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    pub(super) fn new<'r>(dims: usize, rows: impl Iterator<Item = &'r [f32]>) -> Self {
        Self {
            dims,
            values: rows.flatten().copied().map(compacted).collect(),
        }
    }

    /// Most that a product is wrong by: half a unit in each number of either vector, whose numbers sum to the root of
    /// their count at most, and rounding.
    pub(super) fn bound(&self) -> f32 {
        ((self.dims as f32).sqrt() + 1.0) / SCALE
    }

    /// Products of all rows with a unit vector.
    pub(crate) fn products(&self, query: &Embedding) -> Vec<f32> {
        let query: Vec<i16> = query.as_slice().iter().copied().map(compacted).collect();
        let mut products = vec![0.0; self.values.len().checked_div(self.dims).unwrap_or(0)];
        fill(&mut products, LEAST_SHARED_ROWS, |start, run| {
            let rows = self.values[start * self.dims..].chunks_exact(self.dims);
            for (slot, row) in run.iter_mut().zip(rows) {
                let sum: i32 = row
                    .iter()
                    .zip(&query)
                    .map(|(a, b)| i32::from(*a) * i32::from(*b))
                    .sum();
                *slot = (sum as f32 / (SCALE * SCALE)).clamp(-1.0, 1.0);
            }
        });
        products
    }
}
