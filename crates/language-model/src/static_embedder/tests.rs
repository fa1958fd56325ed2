use super::*;
use proptest::prelude::*;

fn cosine(left: &str, right: &str) -> f32 {
    let vectors = StaticEmbedder::builtin().embed(&[left, right]).unwrap();
    vectors[0].cosine(&vectors[1])
}

#[test]
fn related_words_are_closer_than_unrelated_ones() {
    let cases = [
        ("mother", "parent", "genre"),
        (
            "who directed the film",
            "film.directed_by",
            "place_of_birth",
        ),
        ("year of release", "release year", "nationality"),
        ("faith", "religion", "runtime"),
    ];
    for (phrase, near, far) in cases {
        assert!(
            cosine(phrase, near) > cosine(phrase, far) + 0.1,
            "{phrase}: {near}, {far}"
        );
    }
}

#[test]
fn spelling_of_identifiers_does_not_matter() {
    for other in ["directedBy", "directed-by", "DIRECTED_BY", "Directed by?"] {
        assert!(cosine("directed by", other) > 0.9999, "{other}");
    }
}

#[test]
fn words_in_every_text_say_little() {
    let embedder = StaticEmbedder::builtin();
    assert!(embedder.weight("the") < embedder.weight("director"));
    assert!(embedder.weight("of") < embedder.weight("genre"));
}

#[test]
fn texts_without_known_words_have_directions_of_their_own() {
    assert!(cosine("", "") > 0.9999);
    assert!(cosine("?", "") < 0.5);
    assert!(cosine("\u{1F600}", "film") < 0.5);
    assert!(cosine("ꙮꙮ", "ꙮꙮ") > 0.9999);
    assert!(cosine("ꙮꙮ", "ꙮ") < 0.5);
}

#[test]
fn a_text_is_the_sum_of_its_tokens() {
    let embedder = StaticEmbedder::builtin();
    let mut sum = vec![0.0; embedder.dims()];
    for token in embedder.tokens("the heir of the throne") {
        for (total, value) in sum.iter_mut().zip(embedder.token_vector(token)) {
            *total += value;
        }
    }
    assert_eq!(sum, embedder.word("the heir of the throne"));
}

#[test]
fn bytes_that_are_no_table_are_refused() {
    assert!(StaticEmbedder::from_bytes(vec![1, 2, 3]).is_err());
}

proptest! {
    #[test]
    fn any_text_has_a_vector_of_unit_length(text in "\\PC{0,60}") {
        let embedder = StaticEmbedder::builtin();
        let vectors = embedder.embed(&[&text, &text]).unwrap();
        prop_assert_eq!(vectors[0].dims(), embedder.dims());
        prop_assert!(vectors[0].cosine(&vectors[1]) > 0.9999);
        prop_assert!(embedder.weight(&text) > 0.0 && embedder.weight(&text) <= 1.0);
    }
}
