use super::*;

fn split(text: &str) -> Vec<&str> {
    sentences(text).map(|span| &text[span]).collect()
}

#[test]
fn punctuation_and_what_follows_it_decide() {
    for (text, expected) in [
        ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
        (
            "It cost 3.14 dollars. Nobody paid.",
            vec!["It cost 3.14 dollars.", "Nobody paid."],
        ),
        ("Wait... what? No.", vec!["Wait... what?", "No."]),
        (
            "\"Go!\" he said. She went.",
            vec!["\"Go!\" he said.", "She went."],
        ),
        (
            "He said \"Go.\" \"Why?\" she asked.",
            vec!["He said \"Go.\"", "\"Why?\" she asked."],
        ),
        (
            "In 1990. 12 people came.",
            vec!["In 1990.", "12 people came."],
        ),
        (
            "J. R. R. Tolkien wrote it. He was born in 1892.",
            vec!["J. R. R. Tolkien wrote it.", "He was born in 1892."],
        ),
        (
            "At 5 p.m. Eastern it rained.",
            vec!["At 5 p.m. Eastern it rained."],
        ),
        ("1. Introduction", vec!["1. Introduction"]),
        (
            "Ça va. Être ou ne pas être.",
            vec!["Ça va.", "Être ou ne pas être."],
        ),
        ("Он ушёл. Она осталась.", vec!["Он ушёл.", "Она осталась."]),
        (
            "यह एक वाक्य है। यह दूसरा है।",
            vec!["यह एक वाक्य है।", "यह दूसरा है।"],
        ),
        ("   ", vec![]),
        ("", vec![]),
        ("no punctuation at all", vec!["no punctuation at all"]),
    ] {
        assert_eq!(split(text), expected, "{text}");
    }
}

#[test]
fn cjk_full_stops_need_no_space() {
    assert_eq!(
        split("今日は晴れ。明日は雨！「本当？」と彼。"),
        ["今日は晴れ。", "明日は雨！", "「本当？」", "と彼。"]
    );
}

#[test]
fn brackets_keep_a_sentence_together_unless_they_are_never_closed() {
    assert_eq!(split("A (b. C d. E) f. G h."), ["A (b. C d. E) f.", "G h."]);
    assert_eq!(
        split("They left. (She stayed.) Then it rained."),
        ["They left. (She stayed.)", "Then it rained."]
    );
    let open = format!("A (b is. C {}", "word ".repeat(200));
    assert_eq!(split(&open)[0], "A (b is.");
}

#[test]
fn blank_lines_items_and_rows_end_sentences_and_wrapped_lines_do_not() {
    assert_eq!(
        split("a wrapped\nline here\n\nnew block"),
        ["a wrapped\nline here", "new block"]
    );
    assert_eq!(
        split("list:\n- one\n- two\n1. three"),
        ["list:", "- one", "- two", "1. three"]
    );
    assert_eq!(split("a | b\nc | d\nend"), ["a | b", "c | d", "end"]);
    assert_eq!(split("up to -5\ndegrees"), ["up to -5\ndegrees"]);
}

#[test]
fn a_long_sentence_is_cut_at_white_space_and_else_at_the_limit() {
    let words = "word ".repeat(300);
    for sentence in split(&words) {
        assert!(sentence.chars().count() <= MAX_SENTENCE_CHARS);
        assert!(sentence.starts_with("word") && sentence.ends_with("word"));
    }
    let solid = "é".repeat(1_000);
    assert_eq!(
        split(&solid)
            .iter()
            .map(|s| s.chars().count())
            .collect::<Vec<_>>(),
        [400, 400, 200]
    );
    let stops = ".".repeat(1_000);
    assert!(
        split(&stops)
            .iter()
            .all(|s| s.chars().count() <= MAX_SENTENCE_CHARS)
    );
}
