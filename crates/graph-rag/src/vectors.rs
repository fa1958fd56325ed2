//! Where are the vectors of passages, sentences and entities?
//!
//! In pieces of 64 KiB, each of which is read from the index's file when a row of it is first needed.

use std::sync::{Arc, OnceLock};

use similarity::{Embedding, dot};

use crate::GraphRagError;
use crate::index::{BLOCK, Blocks};
use crate::parallel::fill;

/// Tables of fewer rows are scanned by one thread.
const LEAST_SHARED_ROWS: usize = 16_384;

/// Larger tables are scanned in 16 bits a number, where 200,000 rows of 256 take half as long; smaller ones are exact, as
/// there is little to gain.
const LEAST_COMPACT_ROWS: usize = 32_768;

/// A table in a file.
#[derive(Debug, Clone)]
struct Stored {
    blocks: Arc<Blocks>,
    section: usize,
}

/// Unit vectors, row after row.
#[derive(Debug, Clone, Default)]
pub(crate) struct VectorTable {
    dims: usize,
    rows: usize,
    pieces: Vec<OnceLock<Vec<f32>>>,
    stored: Option<Stored>,
    compact: OnceLock<Compact>,
}

impl PartialEq for VectorTable {
    fn eq(&self, other: &Self) -> bool {
        (self.dims, self.rows) == (other.dims, other.rows)
            && (0..self.rows).all(|row| self.row(row) == other.row(row))
    }
}

impl VectorTable {
    pub(crate) fn new(dims: usize) -> Self {
        Self {
            dims,
            ..Self::default()
        }
    }

    /// A table of so many rows that is read from a section of a file.
    pub(crate) fn stored(dims: usize, rows: usize, blocks: Arc<Blocks>, section: usize) -> Self {
        let mut table = Self {
            dims,
            rows,
            stored: Some(Stored { blocks, section }),
            ..Self::default()
        };
        table
            .pieces
            .resize_with(rows.div_ceil(table.rows_per_piece()), OnceLock::new);
        table
    }

    fn rows_per_piece(&self) -> usize {
        (BLOCK / (self.dims.max(1) * size_of::<f32>())).max(1)
    }

    pub(crate) fn push(&mut self, row: &[f32]) {
        debug_assert!(row.len() == self.dims && self.stored.is_none());
        let capacity = self.rows_per_piece() * self.dims;
        match self.pieces.last_mut().and_then(OnceLock::get_mut) {
            Some(piece) if piece.len() < capacity => piece.extend_from_slice(row),
            Some(_) | None => self.pieces.push(OnceLock::from(row.to_vec())),
        }
        self.rows += 1;
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    /// A piece as it is held; an empty one, and a fault noted, when it cannot be read.
    fn piece(&self, number: usize) -> &[f32] {
        let Some(slot) = self.pieces.get(number) else {
            return &[];
        };
        if let Some(piece) = slot.get() {
            return piece;
        }
        match self.read(number) {
            Ok(piece) => slot.get_or_init(|| piece),
            Err(fault) => {
                if let Some(stored) = &self.stored {
                    stored.blocks.note(fault);
                }
                &[]
            }
        }
    }

    fn read(&self, number: usize) -> Result<Vec<f32>, GraphRagError> {
        let Some(stored) = &self.stored else {
            return Ok(Vec::new());
        };
        let row_bytes = self.dims * size_of::<f32>();
        let first = number * self.rows_per_piece();
        let last = (first + self.rows_per_piece()).min(self.rows);
        let range = (first * row_bytes) as u64..(last * row_bytes) as u64;
        let bytes = stored.blocks.read(stored.section, range)?;
        let values = bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes));
        Ok(values.collect())
    }

    /// The pieces in order: all rows, one behind the other.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &[f32]> {
        (0..self.pieces.len()).map(|number| self.piece(number))
    }

    pub(crate) fn row(&self, row: usize) -> &[f32] {
        let per = self.rows_per_piece();
        let start = row % per * self.dims;
        self.piece(row / per)
            .get(start..start + self.dims)
            .unwrap_or_default()
    }

    /// Cosine of a row with a unit vector.
    pub(crate) fn cosine(&self, row: usize, query: &Embedding) -> f64 {
        f64::from(dot(self.row(row), query.as_slice()).clamp(-1.0, 1.0))
    }

    /// Products of all rows with a unit vector, exact.
    fn products(&self, query: &Embedding) -> Vec<f32> {
        let mut products = vec![0.0; self.rows];
        fill(&mut products, LEAST_SHARED_ROWS, |start, run| {
            for (at, slot) in run.iter_mut().enumerate() {
                *slot = dot(self.row(start + at), query.as_slice()).clamp(-1.0, 1.0);
            }
        });
        products
    }

    fn is_large(&self) -> bool {
        self.rows >= LEAST_COMPACT_ROWS
    }

    /// The rows in 16 bits a number, made when they are first needed.
    fn compact(&self) -> &Compact {
        self.compact
            .get_or_init(|| Compact::new(self.dims, (0..self.rows).map(|row| self.row(row))))
    }

    /// Cosines of all rows with a unit vector; of a large table within [`Compact::bound`].
    pub(crate) fn cosines(&self, query: &Embedding) -> Vec<f32> {
        if self.is_large() {
            self.compact().products(query)
        } else {
            self.products(query)
        }
    }

    /// Cosines as of a large table.
    #[cfg(test)]
    pub(crate) fn compact_cosines(&self, query: &Embedding) -> Vec<f32> {
        self.compact().products(query)
    }

    /// The row nearest to a unit vector, the first of equals, and its cosine: exact, whatever the size.
    pub(crate) fn nearest(&self, query: &Embedding) -> Option<(usize, f64)> {
        if self.is_large() {
            self.nearest_of(
                query,
                &self.compact().products(query),
                self.compact().bound(),
            )
        } else {
            self.nearest_of(query, &self.products(query), 0.0)
        }
    }

    /// The nearest row, given all products within `bound`: those that may be it are looked at again.
    fn nearest_of(&self, query: &Embedding, products: &[f32], bound: f32) -> Option<(usize, f64)> {
        let most = products.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let near = products
            .iter()
            .enumerate()
            .filter(|(_, product)| **product >= most - 2.0 * bound);
        let exact = near.map(|(row, _)| (row, dot(self.row(row), query.as_slice())));
        let best = exact.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.map(|(row, product)| (row, f64::from(product.clamp(-1.0, 1.0))))
    }
}

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

    fn new<'r>(dims: usize, rows: impl Iterator<Item = &'r [f32]>) -> Self {
        Self {
            dims,
            values: rows.flatten().copied().map(compacted).collect(),
        }
    }

    /// Most that a product is wrong by: half a unit in each number of either vector, whose numbers sum to the root of
    /// their count at most, and rounding.
    fn bound(&self) -> f32 {
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

/// The three tables of an index.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) passages: VectorTable,
    pub(crate) sentences: VectorTable,
    pub(crate) entities: VectorTable,
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn many_rows_are_scanned_as_one_by_one() {
        let mut table = VectorTable::new(3);
        for row in 0..LEAST_SHARED_ROWS + 77 {
            let angle = row as f32 * 0.01;
            table.push(&[angle.cos(), angle.sin(), 0.0]);
        }
        let query = Embedding::new(vec![0.3, -0.7, 0.1]).unwrap();
        let each: Vec<f64> = (0..table.len())
            .map(|row| table.cosine(row, &query))
            .collect();
        let all: Vec<f64> = table.cosines(&query).into_iter().map(f64::from).collect();
        assert_eq!(all, each);
        let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (row, cosine) = table.nearest(&query).unwrap();
        assert_eq!((cosine, each[row]), (most, most));
    }

    #[test]
    fn compact_rows_are_as_near_as_they_say_and_the_nearest_is_exact() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut unit = |dims: usize| {
            Embedding::new((0..dims).map(|_| rng.random_range(-1.0_f32..1.0)).collect()).unwrap()
        };
        for dims in [1, 12, 256] {
            let mut table = VectorTable::new(dims);
            for _ in 0..2_000 {
                table.push(unit(dims).as_slice());
            }
            let query = unit(dims);
            let (exact, compact) = (table.products(&query), table.compact());
            let near = compact.products(&query);
            assert_eq!(near.len(), exact.len());
            assert!(
                near.iter()
                    .zip(&exact)
                    .all(|(a, b)| (a - b).abs() <= compact.bound())
            );
            let found = table.nearest_of(&query, &near, compact.bound());
            assert_eq!(found, table.nearest_of(&query, &exact, 0.0));
        }
    }
}
