//! Does MiniLM on candle equal the reference?
//!
//! The golden vectors are those of `tools/distill/golden.py`. Without weights there is nothing to
//! compare: the tests then pass, and say aloud that they were skipped.

use language_model::{Embedder, MiniLm, minilm};
use serde_json::Value;

#[expect(clippy::print_stdout, reason = "a skipped test says so aloud")]
fn model() -> Option<MiniLm> {
    let directories = minilm::search_directories(None, |name| std::env::var_os(name));
    let Some(directory) = minilm::find_directory(&directories) else {
        println!("SKIPPED: no weights in {directories:?}; set REFRAIN_MODEL_DIR");
        return None;
    };
    Some(MiniLm::from_dir(directory).expect("the weights load"))
}

fn golden() -> Vec<(String, Vec<f32>)> {
    let file: Value =
        serde_json::from_str(include_str!("golden/minilm.json")).expect("the file is JSON");
    let entry = |e: &Value| {
        let numbers: Vec<f32> =
            serde_json::from_value(e["vector"].clone()).expect("a list of numbers");
        (e["text"].as_str().expect("a text").to_owned(), numbers)
    };
    file.as_array().expect("a list").iter().map(entry).collect()
}

#[test]
fn vectors_equal_the_reference() {
    let Some(model) = model() else { return };
    let golden = golden();
    let texts: Vec<&str> = golden.iter().map(|(text, _)| text.as_str()).collect();
    for ((text, expected), found) in golden.iter().zip(model.embed(&texts).unwrap()) {
        assert_eq!(found.dims(), expected.len());
        for (a, b) in found.as_slice().iter().zip(expected) {
            assert!((a - b).abs() < 1e-5, "{text}: {a} {b}");
        }
    }
}

#[test]
fn company_in_the_batch_does_not_matter() {
    let Some(model) = model() else { return };
    let alone = model.embed(&["who directed the film"]).unwrap();
    let together = model
        .embed(&["a", "who directed the film", "who wrote the book", ""])
        .unwrap();
    assert!(alone[0].cosine(&together[1]) > 0.999_999);
    assert_eq!(together.len(), 4);
    assert_eq!(model.dims(), 384);
}
