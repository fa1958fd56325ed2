//! How long do the measures take? Corpus: rows of numbers, and texts of eight words, made by a fixed
//! congruential generator; sizes are those of a memory of some thousand questions.

use divan::{Bencher, black_box};
use similarity::bm25::Bm25;
use similarity::sparse::SparseMap;
use similarity::{dot, mmr, top_k};

const DIMS: usize = 256;

fn main() {
    divan::main();
}

/// Numbers in [-1, 1), always the same.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from(state >> 16).unwrap_or(0)) / 32_768.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn texts(count: usize) -> Vec<Vec<String>> {
    let words: Vec<String> = numbers(count * 8)
        .iter()
        .map(|n| format!("w{:.2}", n.abs()))
        .collect();
    words.chunks(8).map(<[String]>::to_vec).collect()
}

#[divan::bench]
fn dot_of_256(bencher: Bencher) {
    let (left, right) = (numbers(DIMS), numbers(DIMS));
    bencher.bench(|| dot(black_box(&left), black_box(&right)));
}

#[divan::bench(args = [1_000, 10_000])]
fn top_10(bencher: Bencher, rows: usize) {
    let (matrix, query) = (numbers(rows * DIMS), numbers(DIMS));
    bencher.bench(|| top_k(black_box(&query), black_box(&matrix), DIMS, 10));
}

#[divan::bench(args = [20, 100])]
fn mmr_4_of(bencher: Bencher, candidates: usize) {
    let (relevance, rows) = (numbers(candidates), numbers(candidates * DIMS));
    let row = |i: usize| &rows[i * DIMS..(i + 1) * DIMS];
    bencher.bench(|| mmr::select(black_box(&relevance), |a, b| dot(row(a), row(b)), 0.7, 4));
}

#[divan::bench(args = [1_000, 10_000])]
fn bm25_top_10(bencher: Bencher, count: usize) {
    let texts = texts(count);
    let index = Bm25::new(&texts);
    bencher.bench(|| index.top_k(black_box(&texts[0]), 10));
}

#[divan::bench]
fn weighted_jaccard_of_100(bencher: Bencher) {
    let map = |step| {
        numbers(100)
            .into_iter()
            .zip((0_u32..).step_by(step))
            .map(|(w, id)| (id, w))
            .collect()
    };
    let (left, right): (SparseMap, SparseMap) = (map(2), map(3));
    bencher.bench(|| black_box(&left).weighted_jaccard(black_box(&right)));
}
