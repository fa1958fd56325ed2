//! Where are the vectors of passages, sentences and entities?
//!
//! In pieces of 64 KiB, each of which is read from the index's file when a row of it is first needed.

mod coarse;
mod compact;

use std::sync::{Arc, OnceLock};

use similarity::{Embedding, dot};

use crate::GraphRagError;
use crate::index::{BLOCK, Blocks};
use crate::parallel::fill;

use coarse::Coarse;
pub(crate) use compact::Compact;

/// Tables of fewer rows are scanned by one thread.
const LEAST_SHARED_ROWS: usize = 16_384;

/// Larger tables are scanned in 16 bits a number, where 200,000 rows of 256 take half as long; smaller ones are exact, as
/// there is little to gain.
const LEAST_COMPACT_ROWS: usize = 32_768;

/// Larger tables are scanned in 8 bits a number, in half the time again. What is wrong by it, some 10⁻³, is shared out
/// among so many passages that it is below what a walk is exact to.
const LEAST_COARSE_ROWS: usize = 131_072;

/// Cosines of all rows with a unit vector.
#[derive(Debug, Clone)]
pub(crate) struct Cosines {
    /// One a row, in [-1, 1]; the lowest and the highest are exact.
    pub(crate) values: Vec<f32>,
    /// Most that the others are wrong by.
    pub(crate) bound: f32,
}

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
    coarse: OnceLock<Coarse>,
}

/// How a table is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scan {
    Exact,
    Compact,
    Coarse,
}

/// Sums that are kept side by side while the least and the most are looked for.
const LANES: usize = 16;

/// The least and the most of values that are all numbers; nothing of none.
pub(crate) fn extent<T: Copy + PartialOrd>(values: &[T]) -> Option<(T, T)> {
    let first = *values.first()?;
    let (runs, rest) = values.as_chunks::<LANES>();
    let lower = |a: T, b: T| if b < a { b } else { a };
    let higher = |a: T, b: T| if b > a { b } else { a };
    let (mut least, mut most) = ([first; LANES], [first; LANES]);
    for run in runs {
        for lane in 0..LANES {
            least[lane] = lower(least[lane], run[lane]);
            most[lane] = higher(most[lane], run[lane]);
        }
    }
    let low = least.iter().chain(rest).fold(first, |a, b| lower(a, *b));
    let high = most.iter().chain(rest).fold(first, |a, b| higher(a, *b));
    Some((low, high))
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

    fn scan(&self) -> Scan {
        match self.rows {
            LEAST_COARSE_ROWS.. => Scan::Coarse,
            LEAST_COMPACT_ROWS.. => Scan::Compact,
            _ => Scan::Exact,
        }
    }

    /// The rows in 16 bits a number, made when they are first needed.
    fn compact(&self) -> &Compact {
        self.compact
            .get_or_init(|| Compact::new(self.dims, (0..self.rows).map(|row| self.row(row))))
    }

    /// The rows in 8 bits a number, made when they are first needed.
    fn coarse(&self) -> &Coarse {
        self.coarse
            .get_or_init(|| Coarse::new(self.dims, (0..self.rows).map(|row| self.row(row))))
    }

    /// Products of all rows with a unit vector, and most that they are wrong by.
    fn near(&self, query: &Embedding, scan: Scan) -> (Vec<f32>, f32) {
        match scan {
            Scan::Exact => (self.products(query), 0.0),
            Scan::Compact => (self.compact().products(query), self.compact().bound()),
            Scan::Coarse => (self.coarse().products(query), self.coarse().bound(query)),
        }
    }

    /// Cosines of all rows with a unit vector.
    pub(crate) fn cosines(&self, query: &Embedding) -> Cosines {
        self.cosines_by(query, self.scan())
    }

    fn cosines_by(&self, query: &Embedding, scan: Scan) -> Cosines {
        let (mut values, bound) = self.near(query, scan);
        if bound > 0.0 {
            let (least, most) = extent(&values).unwrap_or_default();
            for (row, value) in values.iter_mut().enumerate() {
                if *value <= least + 2.0 * bound || *value >= most - 2.0 * bound {
                    *value = dot(self.row(row), query.as_slice()).clamp(-1.0, 1.0);
                }
            }
        }
        Cosines { values, bound }
    }

    /// Cosines as of the largest tables.
    #[cfg(test)]
    pub(crate) fn coarse_cosines(&self, query: &Embedding) -> Cosines {
        self.cosines_by(query, Scan::Coarse)
    }

    /// The row nearest to a unit vector, the first of equals, and its cosine: exact, whatever the size.
    pub(crate) fn nearest(&self, query: &Embedding) -> Option<(usize, f64)> {
        // In 8 bits even where 16 would be had: what is near is looked at again.
        let scan = match self.scan() {
            Scan::Exact => Scan::Exact,
            Scan::Compact | Scan::Coarse => Scan::Coarse,
        };
        let (products, bound) = self.near(query, scan);
        self.nearest_of(query, &products, bound)
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
        let all: Vec<f64> = table
            .cosines(&query)
            .values
            .into_iter()
            .map(f64::from)
            .collect();
        assert_eq!(all, each);
        let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (row, cosine) = table.nearest(&query).unwrap();
        assert_eq!((cosine, each[row]), (most, most));
    }

    #[test]
    fn narrow_rows_are_as_near_as_they_say_and_the_nearest_is_exact() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut unit = |dims: usize| {
            Embedding::new((0..dims).map(|_| rng.random_range(-1.0_f32..1.0)).collect()).unwrap()
        };
        for dims in [1, 12, 16, 256] {
            let mut table = VectorTable::new(dims);
            for _ in 0..2_000 {
                table.push(unit(dims).as_slice());
            }
            let query = unit(dims);
            let exact = table.products(&query);
            for scan in [Scan::Exact, Scan::Compact, Scan::Coarse] {
                let (near, bound) = table.near(&query, scan);
                assert_eq!(near.len(), exact.len());
                let fits = |(a, b): (&f32, &f32)| (a - b).abs() <= bound;
                assert!(near.iter().zip(&exact).all(fits), "{scan:?} {dims}");
                let found = table.nearest_of(&query, &near, bound);
                assert_eq!(found, table.nearest_of(&query, &exact, 0.0));
                let all = table.cosines_by(&query, scan).values;
                assert_eq!(extent(&all), extent(&exact));
            }
        }
    }
}
