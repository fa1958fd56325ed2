//! The crate through its public interface.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot make its files must fail"
)]

mod changes;
mod golden;
mod hostile;
mod hostile_pdf;
mod pdf_file;
mod properties;

use std::path::Path;

use documents::{Change, Document, Ingest, Limits, Report};

/// Writes `files` below a new folder.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, bytes).unwrap();
    }
    folder
}

/// The documents below `path`, and the report.
fn ingest(path: &Path, limits: Limits) -> (Vec<Document>, Report) {
    let mut ingest = Ingest::new([path], limits);
    let documents = ingest
        .by_ref()
        .filter_map(|change| match change {
            Change::Added(document) | Change::Changed(document) => Some(document),
            Change::Unchanged(_) | Change::Gone(_) => None,
        })
        .collect();
    (documents, ingest.report().clone())
}

/// What was skipped, as `name reason` with the name relative to `path`.
fn skipped(report: &Report, path: &Path) -> Vec<String> {
    let prefix = format!("{}/", path.display());
    report
        .entries
        .iter()
        .map(|entry| entry.to_string().replace(&prefix, ""))
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
