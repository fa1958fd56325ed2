//! The store as its users see it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod differential;
mod kill;
mod labels;
mod load;
mod query;
mod store;
mod w3c;

use graph_store::{GraphStore, LoadOptions, LoadReport, Options, Source, StoreError};
use tempfile::TempDir;

fn empty() -> (TempDir, GraphStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = GraphStore::open_or_create(directory.path(), Options::default()).unwrap();
    (directory, store)
}

fn load(
    store: &GraphStore,
    name: &str,
    text: impl Into<Vec<u8>>,
) -> Result<LoadReport, StoreError> {
    store.load(vec![Source::text(name, text)], &LoadOptions::default())
}

fn lines(store: &GraphStore) -> Vec<String> {
    let mut out = Vec::new();
    store.snapshot().unwrap().dump(&mut out).unwrap();
    let mut lines: Vec<String> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}
