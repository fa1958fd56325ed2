//! Can a file break its reader, or what it reads break the cutting? Neither panics, and the passages cover the text.
//!
//! The first byte says what the rest is meant as, and how small the passages are.
#![no_main]

use documents::{ChunkConfig, Chunker, Limits, Source, count_tokens, read, read_json_line, sentences};
use libfuzzer_sys::fuzz_target;

const ENDINGS: [&str; 4] = ["txt", "md", "html", "jsonl"];

fuzz_target!(|data: &[u8]| {
    let Some((how, bytes)) = data.split_first() else { return };
    let limits = Limits::default();
    let ending = ENDINGS[usize::from(how % 4)];
    let document = if ending == "jsonl" {
        read_json_line(Source::line("input.jsonl", 1), bytes, &limits)
    } else {
        read(Source::named(format!("input.{ending}")), bytes.to_vec(), &limits)
    };
    let Ok(document) = document else { return };
    let text = document.text.as_str();
    assert!(!text.contains(['\0', '\r']));
    for heading in &document.headings {
        assert!(text.get(heading.span.clone()).is_some_and(|heading| !heading.trim().is_empty()));
    }
    assert!(sentences(text).all(|span| text[span].chars().count() <= documents::MAX_SENTENCE_CHARS));
    let max_tokens = usize::from(how / 4) + 1;
    let config = ChunkConfig { max_tokens, overlap_tokens: max_tokens / 4, max_sentence_chars: 50 };
    let mut end = 0;
    for passage in Chunker::new(config).expect("a valid configuration").passages(&document) {
        assert_eq!(passage.text, text[passage.span.clone()]);
        assert!(count_tokens(&passage.text) <= max_tokens);
        assert!(passage.span.end > end);
        assert!(passage.span.start <= end || text[end..passage.span.start].trim().is_empty());
        end = passage.span.end;
    }
    assert!(text[end..].trim().is_empty());
});
