//! How long does it take to embed a text? The texts are those of a question and of the labels of a
//! knowledge graph. Static table only, in one thread.

use divan::{Bencher, black_box, counter::ItemsCount};
use language_model::{Embedder, StaticEmbedder, words::words};

const QUESTION: &str = "who directed the films that were written by the author of the screenplay?";
const LABELS: [&str; 8] = [
    "film.directed_by",
    "placeOfBirth",
    "starred_actors",
    "has_genre",
    "release year",
    "written by",
    "spouse",
    "country of citizenship",
];

fn main() {
    let _ = StaticEmbedder::builtin(); // read the table before the clock starts
    divan::main();
}

#[divan::bench]
fn question(bencher: Bencher) {
    let embedder = StaticEmbedder::builtin();
    bencher.bench(|| embedder.embed(black_box(&[QUESTION])));
}

#[divan::bench]
fn labels(bencher: Bencher) {
    let embedder = StaticEmbedder::builtin();
    bencher
        .counter(ItemsCount::new(LABELS.len()))
        .bench(|| embedder.embed(black_box(&LABELS)));
}

#[divan::bench]
fn words_of_a_question() -> Vec<String> {
    words(black_box(QUESTION))
}

#[divan::bench]
fn reading_the_table() -> usize {
    let bytes: &'static [u8] = include_bytes!("../data/static.bin");
    StaticEmbedder::from_bytes(black_box(bytes)).map_or(0, |embedder| embedder.vocabulary_size())
}
