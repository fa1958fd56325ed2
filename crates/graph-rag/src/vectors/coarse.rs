//! How are very many rows compared with a vector in a quarter of the memory?
//!
//! A long scan costs what it reads. Each row has a scale of its own, so that its largest number is as large as a byte can
//! say.

use similarity::Embedding;

use super::LEAST_SHARED_ROWS;
use crate::parallel::fill;

/// The largest number of a row.
const MOST: f32 = 127.0;

/// What 1 is in the vector that rows are compared with. Products stay below `127 · SCALE · √dims`: 32 bits hold them up to
/// 260,000 numbers a row.
const SCALE: f32 = 32_767.0;

/// Parts of a table that are gone through side by side: memory that is asked for at several places comes two to three times
/// as fast.
const STREAMS: usize = 8;

/// Rows of unit vectors in 8 bits a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Coarse {
    dims: usize,
    values: Vec<i8>,
    /// What 1 is worth in each row.
    scales: Vec<f32>,
    /// The largest distance of a row from what is kept of it.
    farthest: f32,
}

/// What rounding adds to a bound at most: sums of products of unit vectors in 32 bits.
const ROUNDING: f32 = 1e-5;

impl Coarse {
    pub(super) fn new<'r>(dims: usize, rows: impl Iterator<Item = &'r [f32]>) -> Self {
        let mut coarse = Self {
            dims,
            ..Self::default()
        };
        for row in rows {
            let most = row
                .iter()
                .fold(0.0_f32, |most, value| most.max(value.abs()));
            let scale = most / MOST;
            let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
            #[expect(clippy::cast_possible_truncation, reason = "at most 127 of the scale")]
            let narrow = |value: &f32| (value * inverse).round().clamp(-MOST, MOST) as i8;
            let start = coarse.values.len();
            coarse.values.extend(row.iter().map(narrow));
            let kept = coarse.values[start..].iter().map(|n| f32::from(*n) * scale);
            coarse.farthest = coarse.farthest.max(distance(row, kept));
            coarse.scales.push(scale);
        }
        coarse
    }

    /// Most that a product with a unit vector is wrong by: after Cauchy and Schwarz, how far either is from what is kept of
    /// it, and rounding.
    pub(super) fn bound(&self, query: &Embedding) -> f32 {
        let kept = narrowed(query).into_iter().map(|n| f32::from(n) / SCALE);
        let query = distance(query.as_slice(), kept);
        self.farthest + query * (1.0 + self.farthest) + ROUNDING
    }

    /// Products of all rows with a unit vector.
    pub(super) fn products(&self, query: &Embedding) -> Vec<f32> {
        let query = narrowed(query);
        let mut products = vec![0.0; self.scales.len()];
        if self.dims == 0 {
            return products;
        }
        fill(&mut products, LEAST_SHARED_ROWS, |start, run| {
            self.scan(start, run, &query);
        });
        products
    }

    /// Products of the rows from `start` on, as many as there are slots.
    fn scan(&self, start: usize, slots: &mut [f32], query: &[i16]) {
        let dims = self.dims;
        let each = slots.len().div_ceil(STREAMS).max(1);
        let values = self.values[start * dims..].chunks(each * dims);
        let scales = self.scales[start..].chunks(each);
        let mut streams: Vec<_> = slots.chunks_mut(each).zip(values.zip(scales)).collect();
        for at in 0..each {
            for (slots, (values, scales)) in &mut streams {
                let row = values.get(at * dims..(at + 1) * dims);
                if let (Some(slot), Some(row), Some(scale)) =
                    (slots.get_mut(at), row, scales.get(at))
                {
                    *slot = (product(row, query) as f32 * (scale / SCALE)).clamp(-1.0, 1.0);
                }
            }
        }
    }
}

/// A vector in 16 bits a number.
fn narrowed(query: &Embedding) -> Vec<i16> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "numbers of unit vectors are at most 1"
    )]
    let narrow = |value: &f32| (value * SCALE).round().clamp(-SCALE, SCALE) as i16;
    query.as_slice().iter().map(narrow).collect()
}

/// How far a vector is from another.
fn distance(vector: &[f32], other: impl Iterator<Item = f32>) -> f32 {
    let squares = vector.iter().zip(other).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f32>().sqrt()
}

/// Numbers whose products are summed at once: as 16 bits each, which processors multiply by pairs.
const RUN: usize = 32;

fn product(row: &[i8], query: &[i16]) -> i32 {
    let (runs, rest) = row.as_chunks::<RUN>();
    let (with, with_rest) = query.as_chunks::<RUN>();
    let mut sum = 0;
    for (run, with) in runs.iter().zip(with) {
        let wide: [i16; RUN] = std::array::from_fn(|at| i16::from(run[at]));
        let products = wide.iter().zip(with);
        sum += products
            .map(|(a, b)| i32::from(*a) * i32::from(*b))
            .sum::<i32>();
    }
    let rest = rest.iter().zip(with_rest);
    sum + rest
        .map(|(a, b)| i32::from(*a) * i32::from(*b))
        .sum::<i32>()
}
