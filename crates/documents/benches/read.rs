//! Megabytes a second from bytes to passages, on made-up documents of 4 MB: text, Markdown, HTML and JSON lines, and of its
//! parts: sentences, and reading without cutting.
//!
//! `cargo bench -p documents`. One thread; the bytes are in memory.

use std::fmt::Write as _;

use divan::{Bencher, black_box, counter::BytesCount};
use documents::{Chunker, Limits, Source, read, read_json_line, sentences};

const BYTES: usize = 4 << 20;

fn main() {
    divan::main();
}

/// Paragraphs of made-up sentences; `begin` and `end` go around each.
fn paragraphs(begin: &str, end: &str) -> String {
    const WORDS: [&str; 16] = [
        "amber", "Brook", "cedar", "delta", "of", "the", "Haven", "in", "and", "U.S.", "jade",
        "(kite)", "a", "1990,", "owl's", "river",
    ];
    let mut text = String::new();
    let mut n = 0x9e37_79b9_u32;
    while text.len() < BYTES {
        text.push_str(begin);
        for sentence in 0..5 {
            for word in 0..14 {
                n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let word_is = WORDS[(n >> 28) as usize];
                let _ = write!(
                    text,
                    "{}{word_is}",
                    if word > 0 || sentence > 0 { " " } else { "" }
                );
            }
            text.push('.');
        }
        text.push_str(end);
    }
    text
}

fn bench_read(bencher: Bencher<'_, '_>, name: &str, text: &str) {
    let chunker = Chunker::default();
    let limits = Limits::default();
    bencher
        .counter(BytesCount::new(text.len()))
        .with_inputs(|| text.as_bytes().to_vec())
        .bench_values(|bytes| {
            let document = read(Source::named(name), bytes, &limits).expect("a document");
            black_box(chunker.passages(&document).count())
        });
}

#[divan::bench]
fn text(bencher: Bencher<'_, '_>) {
    bench_read(bencher, "a.txt", &paragraphs("", "\n\n"));
}

#[divan::bench]
fn text_in_one_line(bencher: Bencher<'_, '_>) {
    bench_read(bencher, "a.txt", &paragraphs("", " "));
}

#[divan::bench]
fn markdown(bencher: Bencher<'_, '_>) {
    bench_read(
        bencher,
        "a.md",
        &paragraphs(
            "## One\n\nSome *text* and [a link](http://x.y).\n\n",
            "\n\n",
        ),
    );
}

#[divan::bench]
fn html(bencher: Bencher<'_, '_>) {
    bench_read(
        bencher,
        "a.html",
        &paragraphs(
            "<div class=\"x\"><p>Some <b>text</b> &amp; ",
            "</p></div>\n",
        ),
    );
}

#[divan::bench]
fn json_lines(bencher: Bencher<'_, '_>) {
    let text = paragraphs("{\"title\": \"One\", \"text\": \"", "\"}\n");
    let chunker = Chunker::default();
    let limits = Limits::default();
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| {
            let mut passages = 0;
            for (line, number) in text.lines().zip(1..) {
                let source = Source::line("a.jsonl", number);
                let document =
                    read_json_line(source, line.as_bytes(), &limits).expect("a document");
                passages += chunker.passages(&document).count();
            }
            black_box(passages)
        });
}

#[divan::bench]
fn only_sentences(bencher: Bencher<'_, '_>) {
    let text = paragraphs("", "\n\n");
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| black_box(sentences(&text).count()));
}

#[divan::bench]
fn only_html_without_passages(bencher: Bencher<'_, '_>) {
    let text = paragraphs(
        "<div class=\"x\"><p>Some <b>text</b> &amp; ",
        "</p></div>\n",
    );
    let limits = Limits::default();
    bencher
        .counter(BytesCount::new(text.len()))
        .with_inputs(|| text.clone().into_bytes())
        .bench_values(|bytes| {
            black_box(read(Source::named("a.html"), bytes, &limits).expect("a document"))
        });
}
