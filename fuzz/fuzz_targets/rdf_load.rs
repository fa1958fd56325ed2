//! Any bytes in any format load or give an error; the store stays sound and answers afterwards.
#![no_main]

use std::cell::RefCell;

use graph_store::{Format, GraphStore, LoadOptions, Options, QueryLimits, Source, normalise};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// A store that has taken so many inputs is replaced, so that each input meets a store with something in it.
const INPUTS_PER_STORE: u32 = 200;

struct Used {
    store: GraphStore,
    _directory: TempDir,
    inputs: u32,
}

thread_local! {
    static USED: RefCell<Option<Used>> = const { RefCell::new(None) };
}

fn fresh() -> Used {
    let shared_memory = std::path::Path::new("/dev/shm");
    let directory = if shared_memory.is_dir() { tempfile::tempdir_in(shared_memory) } else { tempfile::tempdir() };
    let directory = directory.expect("a temporary directory");
    let options = Options { page_cache_bytes: 4 << 20, ..Options::default() };
    let store = GraphStore::open_or_create(directory.path(), options).expect("a new store");
    Used { store, _directory: directory, inputs: 0 }
}

const FORMATS: [Option<Format>; 9] = [
    Some(Format::NTriples),
    Some(Format::NQuads),
    Some(Format::Turtle),
    Some(Format::TriG),
    Some(Format::RdfXml),
    Some(Format::JsonLd),
    Some(Format::Csv),
    Some(Format::Tsv),
    None,
];

fuzz_target!(|data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    USED.with_borrow_mut(|used| {
        let used = used.get_or_insert_with(fresh);
        let options = LoadOptions {
            format: FORMATS[usize::from(first & 15) % FORMATS.len()],
            lenient: first & 16 != 0,
            base_iri: (first & 32 != 0).then(|| "http://example.org/".to_owned()),
            max_decompressed_bytes: 1 << 20,
            max_term_bytes: 4 << 10,
            memory_bytes: 1 << 20,
            ..LoadOptions::default()
        };
        let before = used.store.snapshot().expect("a snapshot").len();
        let loaded = used.store.load(vec![Source::text("input", text)], &options);
        let graph = used.store.snapshot().expect("a snapshot");
        match loaded {
            Ok(report) => assert_eq!(graph.len(), before + report.statements_added),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(graph.len(), before, "a failed load left something behind: {error}");
            }
        }
        assert_eq!(graph.verify(), vec![]);
        for quad in graph.quads().expect("quads").take(50) {
            let [s, p, o, _] = quad.expect("a quad");
            assert!(graph.contains(s, p, o).expect("read"));
            let term = graph.term(o).expect("a term");
            assert_eq!(graph.id(&term).expect("read"), Some(o));
            let label = normalise(&graph.label(s).expect("a label"));
            let _ = graph.labels().fuzzy(&label, 3).expect("read");
            let _ = graph.labels().prefix(&label, 3).expect("read");
        }
        let text = String::from_utf8_lossy(text);
        let _ = graph.query(&text, &QueryLimits { timeout: Some(std::time::Duration::from_millis(50)), ..QueryLimits::default() });
        used.inputs += 1;
        if used.inputs >= INPUTS_PER_STORE {
            *used = fresh();
        }
    });
});
