//! Prints the passages of files and folders: `cargo run --release -p documents --example passages -- PATH…`.
//!
//! Without a path, those of this crate's README.

#![expect(clippy::print_stderr, reason = "a program for people to read")]

use std::io::Write as _;
use std::path::PathBuf;

use documents::{Change, Chunker, Ingest, Limits};

fn main() -> std::io::Result<()> {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/README.md"
        )));
    }
    let mut ingest = Ingest::new(paths, Limits::default());
    let mut out = std::io::stdout().lock();
    let chunker = Chunker::default();
    for change in ingest.by_ref() {
        let (Change::Added(document) | Change::Changed(document)) = change else {
            continue;
        };
        writeln!(
            out,
            "== {} ({}): {}",
            document.source,
            document.kind.name(),
            document.title
        )?;
        for passage in chunker.passages(&document) {
            writeln!(
                out,
                "-- {} {:?} [{}]\n{}",
                passage.ordinal, passage.span, passage.heading, passage.text
            )?;
        }
    }
    for skipped in &ingest.report().entries {
        eprintln!("skipped: {skipped}");
    }
    Ok(())
}
