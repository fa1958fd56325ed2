//! What is a matrix times vectors? Weights as 8-bit integers in blocks of 32 with a scale each.
//!
//! Every form of a GGUF file is decoded by candle and brought into this one, which is ggml's `Q8_0` with 32-bit scales;
//! the vectors are brought into the same form with 16-bit integers, which costs nothing and keeps them exact. The product of a row and a vector does not depend
//! on what else is multiplied with it, nor on the machine: all paths add in the same order.

use std::io::{Read, Seek};

use candle_core::Device;
use candle_core::quantized::ggml_file::qtensor_from_ggml;

use super::LocalError;
use super::gguf::{Gguf, TensorPlace, byte_length};

/// Numbers that share a scale.
pub(super) const BLOCK: usize = 32;

/// Numbers that are decoded at once while a matrix is loaded.
const CHUNK: usize = 1 << 20;

/// Vectors that go through a row of weights together.
const TILE: usize = 4;

/// A matrix of weights; its rows are the outputs.
#[derive(Debug)]
pub(super) struct Matrix {
    rows: usize,
    cols: usize,
    quants: Vec<i8>,
    scales: Vec<f32>,
}

/// Vectors in the form in which they are multiplied: in tiles of at most [`TILE`], whose first blocks come first, then their
/// second ones, and so on, as they are needed.
#[derive(Debug)]
pub(super) struct Vectors {
    count: usize,
    quants: Vec<i16>,
    scales: Vec<f32>,
}

impl Vectors {
    /// Brings vectors of `width` numbers each into the form.
    pub(super) fn new(numbers: &[f32], width: usize) -> Self {
        let mut quants = Vec::with_capacity(numbers.len());
        let mut scales = Vec::with_capacity(numbers.len() / BLOCK);
        for tile in numbers.chunks(TILE * width) {
            for at in (0..width).step_by(BLOCK) {
                for vector in tile.chunks_exact(width) {
                    let block = &vector[at..at + BLOCK];
                    let scale = scale_of(block, f32::from(i16::MAX));
                    scales.push(scale);
                    quants.extend(block.iter().map(|x| rounded(*x, scale)));
                }
            }
        }
        Self {
            count: numbers.len() / width,
            quants,
            scales,
        }
    }
}

/// The step between two integers: the largest number of the block becomes `most`.
fn scale_of(block: &[f32], most: f32) -> f32 {
    block
        .iter()
        .fold(0.0_f32, |largest, x| largest.max(x.abs()))
        / most
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the quotient lies in the range; a number that is none becomes 0"
)]
fn rounded(x: f32, scale: f32) -> i16 {
    if scale > 0.0 {
        (x / scale).round() as i16
    } else {
        0
    }
}

impl Matrix {
    /// Loads a matrix of `rows` × `cols` from a file.
    pub(super) fn load<R: Read + Seek>(
        file: &mut Gguf<R>,
        name: &str,
        rows: usize,
        cols: usize,
    ) -> Result<Self, LocalError> {
        if !cols.is_multiple_of(BLOCK) {
            let what = format!("\"{name}\" with {cols} columns");
            return Err(file.unsupported(what, "multiples of 32"));
        }
        let place = place(file, name, &[cols, rows])?;
        let mut matrix = Self {
            rows,
            cols,
            quants: Vec::with_capacity(rows * cols),
            scales: Vec::with_capacity(rows * cols / BLOCK),
        };
        decode(file, name, place, &mut |numbers| matrix.push(numbers))?;
        Ok(matrix)
    }

    fn push(&mut self, numbers: &[f32]) {
        for block in numbers.chunks_exact(BLOCK) {
            let scale = scale_of(block, f32::from(i8::MAX));
            self.scales.push(scale);
            let quants = block.iter().map(|x| rounded(*x, scale));
            self.quants
                .extend(quants.map(|q| i8::try_from(q).unwrap_or(i8::MAX)));
        }
    }

    /// A row as numbers.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        let blocks = self.cols / BLOCK;
        let quants = self.quants[row * self.cols..][..self.cols].chunks_exact(BLOCK);
        let scales = &self.scales[row * blocks..][..blocks];
        quants
            .zip(scales)
            .flat_map(|(block, scale)| block.iter().map(move |q| f32::from(*q) * scale))
    }

    /// The products with each vector, one after the other.
    pub(super) fn times(&self, vectors: &Vectors) -> Vec<f32> {
        let mut out = vec![0.0; vectors.count * self.rows];
        let blocks = self.cols / BLOCK;
        let tiles = vectors
            .quants
            .chunks(TILE * self.cols)
            .zip(vectors.scales.chunks(TILE * blocks))
            .zip(out.chunks_mut(TILE * self.rows));
        for ((quants, scales), out) in tiles {
            let product = Product {
                matrix: self,
                quants,
                scales,
                out,
            };
            match quants.len() / self.cols {
                TILE => product.run::<TILE>(),
                3 => product.run::<3>(),
                2 => product.run::<2>(),
                _ => product.run::<1>(),
            }
        }
        out
    }
}

/// A plain list of numbers from a file.
pub(super) fn vector<R: Read + Seek>(
    file: &mut Gguf<R>,
    name: &str,
    length: usize,
) -> Result<Vec<f32>, LocalError> {
    let place = place(file, name, &[length])?;
    let mut out = Vec::with_capacity(length);
    decode(file, name, place, &mut |numbers| {
        out.extend_from_slice(numbers);
    })?;
    Ok(out)
}

/// Where a tensor lies, which must have the dimensions `dims`: so they are no more than the file holds.
fn place<R: Read + Seek>(
    file: &Gguf<R>,
    name: &str,
    dims: &[usize],
) -> Result<TensorPlace, LocalError> {
    let Some(place) = file.tensors.get(name).cloned() else {
        return Err(file.lacks(&format!("tensor \"{name}\"")));
    };
    if place.dims != dims {
        let what = format!("tensor \"{name}\" of {:?}", place.dims);
        return Err(file.unsupported(what, &format!("{dims:?}, as the metadata says")));
    }
    Ok(place)
}

/// Decodes a tensor, piece by piece.
fn decode<R: Read + Seek>(
    file: &mut Gguf<R>,
    name: &str,
    place: TensorPlace,
    take: &mut dyn FnMut(&[f32]),
) -> Result<(), LocalError> {
    let cols = place.dims[0];
    let mut rows_left = place.dims.get(1).copied().unwrap_or(1);
    let mut start = place.start;
    while rows_left > 0 {
        let rows = rows_left.min((CHUNK / cols.max(1)).max(1));
        let shape = [cols, rows];
        let length = byte_length(place.dtype, &shape).unwrap_or(0);
        let bytes = file.bytes(start, length)?;
        let numbers = qtensor_from_ggml(place.dtype, &bytes, vec![rows * cols], &Device::Cpu)
            .and_then(|tensor| tensor.dequantize(&Device::Cpu)?.to_vec1::<f32>())
            .map_err(|source| LocalError::Tensor {
                path: file.path().to_owned(),
                tensor: name.to_owned(),
                source: Box::new(source),
            })?;
        take(&numbers);
        rows_left -= rows;
        start += length as u64;
    }
    Ok(())
}

/// The product of a matrix and at most [`TILE`] vectors.
struct Product<'a> {
    matrix: &'a Matrix,
    quants: &'a [i16],
    scales: &'a [f32],
    out: &'a mut [f32],
}

impl Product<'_> {
    fn run<const N: usize>(self) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            simd.vectorize(x86::Kernel::<N> {
                simd,
                product: self,
            });
            return;
        }
        self.portable::<N>();
    }

    /// The same sums in the same order without vector instructions.
    fn portable<const N: usize>(self) {
        let Matrix { rows, cols, .. } = *self.matrix;
        let blocks = cols / BLOCK;
        for row in 0..rows {
            let weights = &self.matrix.quants[row * cols..][..cols];
            let scales = &self.matrix.scales[row * blocks..][..blocks];
            for n in 0..N {
                let mut lanes = [0.0_f32; 8];
                for (block, scale) in scales.iter().enumerate() {
                    let at = block * BLOCK;
                    let scale = scale * self.scales[block * N + n];
                    let vector = &self.quants[(block * N + n) * BLOCK..][..BLOCK];
                    for (lane, sum) in lanes.iter_mut().enumerate() {
                        let term = |i: usize| i32::from(weights[at + i]) * i32::from(vector[i]);
                        let low = term(2 * lane) + term(2 * lane + 1);
                        let high = term(16 + 2 * lane) + term(17 + 2 * lane);
                        #[expect(
                            clippy::cast_precision_loss,
                            reason = "four products of 8 by 16 bits are below 2 to the 24th"
                        )]
                        let products = (low + high) as f32;
                        *sum = products.mul_add(scale, *sum);
                    }
                }
                self.out[n * rows + row] = lanes.iter().sum();
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, Matrix, Product};

    /// The product with AVX2 and FMA.
    pub(super) struct Kernel<'a, const N: usize> {
        pub(super) simd: pulp::x86::V3,
        pub(super) product: Product<'a>,
    }

    impl<const N: usize> pulp::NullaryFnOnce for Kernel<'_, N> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            let pulp::x86::V3 { avx, avx2, fma, .. } = self.simd;
            let Product {
                matrix,
                quants,
                scales,
                out,
            } = self.product;
            let Matrix { rows, cols, .. } = *matrix;
            let blocks = cols / BLOCK;
            let (vectors, _) = quants.as_chunks::<16>();
            for row in 0..rows {
                let (weights, _) = matrix.quants[row * cols..][..cols].as_chunks::<16>();
                let row_scales = &matrix.scales[row * blocks..][..blocks];
                let mut sums = [avx._mm256_setzero_ps(); N];
                let vectors = vectors.chunks_exact(2 * N).zip(scales.chunks_exact(N));
                for ((pair, scale), (vectors, scales)) in
                    weights.chunks_exact(2).zip(row_scales).zip(vectors)
                {
                    let low = avx2._mm256_cvtepi8_epi16(pulp::cast(pair[0]));
                    let high = avx2._mm256_cvtepi8_epi16(pulp::cast(pair[1]));
                    for (n, sum) in sums.iter_mut().enumerate() {
                        let low = avx2._mm256_madd_epi16(low, pulp::cast(vectors[2 * n]));
                        let high = avx2._mm256_madd_epi16(high, pulp::cast(vectors[2 * n + 1]));
                        let products = avx._mm256_cvtepi32_ps(avx2._mm256_add_epi32(low, high));
                        let scale = avx._mm256_set1_ps(scale * scales[n]);
                        *sum = fma._mm256_fmadd_ps(products, scale, *sum);
                    }
                }
                for (n, sum) in sums.into_iter().enumerate() {
                    let lanes: [f32; 8] = pulp::cast(sum);
                    out[n * rows + row] = lanes.iter().sum();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(rows: usize, cols: usize, numbers: &[f32]) -> Matrix {
        let mut matrix = Matrix {
            rows,
            cols,
            quants: Vec::new(),
            scales: Vec::new(),
        };
        matrix.push(numbers);
        matrix
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn all_paths_give_the_same_bits_and_the_product(
            numbers in prop::collection::vec(-1.0_f32..1.0, 3 * 64),
            vectors in prop::collection::vec(-8.0_f32..8.0, 7 * 64),
        ) {
            let matrix = matrix(3, 64, &numbers);
            let fast = matrix.times(&Vectors::new(&vectors, 64));
            for (n, vector) in vectors.chunks_exact(64).enumerate() {
                let alone = Vectors::new(vector, 64);
                let mut slow = vec![0.0; 3];
                Product { matrix: &matrix, quants: &alone.quants, scales: &alone.scales, out: &mut slow }
                    .portable::<1>();
                prop_assert_eq!(&fast[n * 3..][..3], slow.as_slice());
                for (row, found) in slow.iter().enumerate() {
                    let exact: f32 = numbers[row * 64..][..64].iter().zip(vector).map(|(a, b)| a * b).sum();
                    prop_assert!((exact - found).abs() < 0.5, "{exact} {found}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_becomes_nothing() {
        let matrix = matrix(1, 32, &[f32::NAN; 32]);
        assert_eq!(matrix.row(0).sum::<f32>(), 0.0);
    }
}
