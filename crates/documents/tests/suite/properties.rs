//! What holds for any text.

use documents::{
    ChunkConfig, Chunker, Document, Limits, Passage, Source, count_tokens, read, read_json_line,
    sentences,
};
use proptest::prelude::*;

use super::{folder, ingest};

/// Text with what the rules look at: stops, brackets, quotes, spaces, line ends, words, CJK, marks.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-z]{1,9}",
        2 => "[A-Z][a-z]{0,5}",
        2 => Just(". ".to_owned()),
        1 => prop_oneof![Just("! "), Just("?\" "), Just("e.g. "), Just("Dr. "), Just("J. ")].prop_map(str::to_owned),
        1 => prop_oneof![Just("("), Just(")"), Just("["), Just("“"), Just("|")].prop_map(str::to_owned),
        3 => Just(" ".to_owned()),
        1 => prop_oneof![Just("\n"), Just("\n\n"), Just("\n- "), Just("\n# H\n"), Just("\t")].prop_map(str::to_owned),
        1 => "[日本語。！é\u{301}🙂0-9]{1,6}",
        1 => "[a-z]{200,500}",
    ];
    prop::collection::vec(part, 0..80).prop_map(|parts| parts.concat())
}

fn configs() -> impl Strategy<Value = ChunkConfig> {
    (1usize..60, 0usize..60, 1usize..120).prop_map(|(max_tokens, overlap, max_sentence_chars)| {
        ChunkConfig {
            max_tokens,
            overlap_tokens: overlap % max_tokens,
            max_sentence_chars,
        }
    })
}

fn passages(document: &Document, config: ChunkConfig) -> Vec<Passage> {
    Chunker::new(config).unwrap().passages(document).collect()
}

/// `text[from..to]` has nothing but white space, as far as it is not negative.
fn blank(text: &str, from: usize, to: usize) -> bool {
    from >= to || text[from..to].trim().is_empty()
}

proptest! {
    #[test]
    fn sentences_cover_the_text_in_order(text in texts()) {
        let mut end = 0;
        for span in sentences(&text) {
            prop_assert!(span.start >= end && blank(&text, end, span.start));
            let sentence = &text[span.clone()];
            prop_assert_eq!(sentence.trim(), sentence);
            prop_assert!(!sentence.is_empty() && sentence.chars().count() <= 400);
            end = span.end;
        }
        prop_assert!(blank(&text, end, text.len()));
    }

    #[test]
    fn passages_cover_the_document_in_order_within_the_budget(text in texts(), config in configs(), name in "a\\.(md|txt|html)") {
        let Ok(document) = read(Source::named(name), text.into_bytes(), &Limits::default()) else { return Ok(()) };
        let text = document.text.as_str();
        let all = passages(&document, config);
        let (mut start, mut end) = (0, 0);
        for (ordinal, passage) in all.iter().enumerate() {
            prop_assert_eq!(&text[passage.span.clone()], passage.text.as_str());
            prop_assert_eq!((passage.ordinal as usize, passage.document), (ordinal, document.id));
            prop_assert!(count_tokens(&passage.text) <= config.max_tokens, "{} tokens", count_tokens(&passage.text));
            prop_assert!(ordinal == 0 || passage.span.start > start, "each starts later");
            prop_assert!(passage.span.end > end, "each ends later");
            prop_assert!(blank(text, end, passage.span.start), "nothing is left out");
            prop_assert!(passage.span.start >= end || count_tokens(&text[passage.span.start..end]) <= config.overlap_tokens);
            (start, end) = (passage.span.start, passage.span.end);
        }
        prop_assert!(blank(text, end, text.len()));
        prop_assert_eq!(all, passages(&document, config), "the same again");
    }

    #[test]
    fn no_passage_goes_past_a_heading_once_it_has_text(parts in prop::collection::vec(("[a-z]{1,8}", "([a-z]{1,8}[. ]){0,30}"), 1..8)) {
        let source: String = parts.iter().map(|(heading, body)| format!("# {heading}\n\n{body}\n\n")).collect();
        let document = read(Source::named("a.md"), source.into_bytes(), &Limits::default()).unwrap();
        for passage in Chunker::default().passages(&document) {
            let inside = document.headings.iter().filter(|h| passage.span.contains(&h.span.start));
            for heading in inside {
                let before = passage.span.start..heading.span.start;
                let only_headings = document.headings.iter().filter(|h| before.contains(&h.span.start)).map(|h| h.span.len()).sum::<usize>();
                let letters = document.text[before].chars().filter(|c| !c.is_whitespace()).count();
                prop_assert!(letters <= only_headings, "text before a heading");
            }
        }
    }

    #[test]
    fn cutting_a_text_never_makes_it_cheaper(text in texts(), at in any::<prop::sample::Index>()) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (left, right) = text.split_at(places[at.index(places.len())]);
        prop_assert!(count_tokens(left) + count_tokens(right) >= count_tokens(&text));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), ending in "txt|md|html|jsonl|json") {
        let _ = read_json_line(Source::line("a", 1), &bytes, &Limits::default());
        if let Ok(document) = read(Source::named(format!("a.{ending}")), bytes, &Limits::default()) {
            prop_assert!(!document.text.contains(['\0', '\r']));
            prop_assert!(Chunker::default().passages(&document).count() > 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_size_of_the_read_buffer_makes_no_difference(texts in prop::collection::vec(texts(), 1..6), buffer in 1usize..100) {
        let lines: Vec<String> = texts.iter().map(|text| serde_json::json!({ "text": text }).to_string()).collect();
        let made = folder(&[("a.jsonl", lines.join("\r\n").as_bytes()), ("b.txt", texts.concat().as_bytes())]);
        let (usual, report) = ingest(made.path(), Limits::default());
        let (small, small_report) = ingest(made.path(), Limits { read_buffer_bytes: buffer, ..Limits::default() });
        prop_assert_eq!(usual, small);
        prop_assert_eq!(report, small_report);
    }
}
