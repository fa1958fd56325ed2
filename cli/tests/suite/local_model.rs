//! Is a model in this process named by a setting, and is what is wrong with it told with the remedy?

use crate::support::Place;

#[cfg(not(feature = "local"))]
#[test]
fn a_build_without_local_models_says_how_to_make_one_with_them() {
    let place = Place::with_films();
    let set = ["--set", "model.path=a.gguf"];
    let said = place
        .run(&[&set[..], &["ask", "who directed Inception?"]].concat())
        .bad(2);
    assert!(said.err.contains("a.gguf"), "{said:?}");
    assert!(said.err.contains("--features local"), "{said:?}");
}

#[cfg(feature = "local")]
#[test]
fn what_is_no_model_is_named_before_anything_is_asked() {
    let place = Place::with_films();
    place.write("a.gguf", "PK\u{3}\u{4} a zip");
    for (path, told) in [
        ("a.gguf", "is no GGUF file"),
        (".refrain", "holds no .gguf file"),
        ("none.gguf", "none.gguf"),
    ] {
        let set = format!("model.path={path}");
        let said = place
            .run(&["--set", &set, "ask", "who directed Inception?"])
            .bad(1);
        assert!(said.err.contains(told), "{said:?}");
        assert!(said.err.contains("hint: model.path is"), "{said:?}");
    }
}

#[test]
fn a_recording_takes_the_place_of_the_model_which_is_then_not_looked_for() {
    let place = Place::with_films();
    let said = place
        .run(&[
            "--set",
            "model.path=a.gguf",
            "--set",
            "model.replay=none.jsonl",
            "ask",
            "who directed Inception?",
        ])
        .bad(1);
    assert!(said.err.contains("none.jsonl"), "{said:?}");
}
