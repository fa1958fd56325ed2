//! How does a file become part of the graph?
//!
//! A load is one transaction: all of its sources, or nothing. A thread reads, decompresses, parses and encodes; the
//! calling thread gives terms their ids; in the end the quads are sorted and merged into the indexes. Memory is bounded
//! whatever the input's size.

mod batch;
mod format;
mod input;
mod parse;
mod table;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use oxrdf::NamedNode;
use redb::WriteTransaction;

pub use format::Format;
pub use input::Source;
pub use table::TableOptions;

use crate::error::{ParseProblem, StoreError};
use crate::order::IdQuad;
use crate::store::GraphStore;
use crate::update::{Memory, Update};
use batch::{Batch, DEFAULT_GRAPH, Encoder};
use input::{Input, Shared};
use parse::Sink;

/// Batches that may wait between the parser and the writer.
const WAITING_BATCHES: usize = 8;
/// The stack of the parser's thread. Only what is used of it takes memory.
const PARSER_STACK_BYTES: usize = 64 << 20;

/// How far a load has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read from the sources, as they are stored (compressed bytes of compressed files).
    pub bytes_read: u64,
    /// Bytes of all sources, when every one's size is known.
    pub bytes_total: Option<u64>,
    /// Statements read.
    pub statements: u64,
}

/// How to load.
#[derive(Clone)]
pub struct LoadOptions {
    /// The format of all sources; told by name, then by content, when `None`.
    pub format: Option<Format>,
    /// Skip and count what is broken instead of failing.
    pub lenient: bool,
    /// The base of relative IRIs.
    pub base_iri: Option<String>,
    /// The graph of statements that name none; the default graph when `None`.
    pub graph: Option<NamedNode>,
    /// How the rows of CSV and TSV become statements.
    pub table: TableOptions,
    /// The most bytes that a compressed source may decompress to. Default: 256 GiB.
    pub max_decompressed_bytes: u64,
    /// The longest IRI or literal, in bytes. Default: 1 MiB.
    pub max_term_bytes: usize,
    /// The most messages about skipped statements that are kept. Default: 20.
    pub kept_problems: usize,
    /// Memory for terms and sorting; beyond it, temporary files are used. Default: 768 MiB.
    pub memory_bytes: usize,
    /// Told now and then how far the load is.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Set to `true` to stop the load; the store then stays as it was.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            format: None,
            lenient: false,
            base_iri: None,
            graph: None,
            table: TableOptions::default(),
            max_decompressed_bytes: 256 << 30,
            max_term_bytes: 1 << 20,
            kept_problems: 20,
            memory_bytes: 768 << 20,
            progress: None,
            cancel: None,
        }
    }
}

impl std::fmt::Debug for LoadOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadOptions")
            .field("format", &self.format)
            .field("lenient", &self.lenient)
            .finish_non_exhaustive()
    }
}

/// What a load did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoadReport {
    /// Statements read, those that were there before included.
    pub statements_read: u64,
    /// Statements that were not there before.
    pub statements_added: u64,
    /// Broken statements that were skipped. Zero unless lenient.
    pub skipped: u64,
    /// The first messages about skipped statements.
    pub problems: Vec<ParseProblem>,
    /// Bytes read from the sources, as they are stored.
    pub bytes_read: u64,
    /// The store's generation after the load.
    pub generation: u64,
}

impl GraphStore {
    /// Loads sources: all of them, durably, or, on an error, a cancellation or a crash, nothing.
    ///
    /// Blank nodes of different sources stay different.
    ///
    /// # Errors
    /// When a source cannot be read or parsed (unless lenient, for what is broken in the text), a bound is exceeded, the
    /// load is cancelled, or the store cannot be written. The store is then unchanged.
    pub fn load(
        &self,
        sources: Vec<Source>,
        options: &LoadOptions,
    ) -> Result<LoadReport, StoreError> {
        let transaction = self.begin_write()?;
        let report = load_into(&transaction, self.directory(), sources, options)?;
        self.commit(transaction)?;
        Ok(report)
    }
}

fn load_into(
    transaction: &WriteTransaction,
    directory: &Path,
    sources: Vec<Source>,
    options: &LoadOptions,
) -> Result<LoadReport, StoreError> {
    let shared = Shared {
        cancelled: options.cancel.clone().unwrap_or_default(),
        ..Shared::default()
    };
    let bytes_total = sources.iter().map(Source::stored_bytes).sum();
    let mut update = Update::begin(transaction, directory, Memory::of(options.memory_bytes))?;
    let scopes: Vec<u64> = sources.iter().map(|_| update.new_blank_scope()).collect();
    let mut writer = Writer {
        update,
        report: LoadReport::default(),
        ids: Vec::new(),
        options,
        shared: shared.clone(),
        bytes_total,
    };
    std::thread::scope(|scope| -> Result<(), StoreError> {
        let (send, receive) = sync_channel(WAITING_BATCHES);
        let parser = std::thread::Builder::new()
            .name("graph-store-parser".to_owned())
            .stack_size(PARSER_STACK_BYTES)
            .spawn_scoped(scope, move || {
                parse_all(sources, &scopes, options, &shared, &send)
            })?;
        let written = writer.write_all(receive);
        let parsed = parser
            .join()
            .unwrap_or_else(|_| Err(StoreError::corrupt("the parser gave up on an input")));
        // The writer's failure makes the parser stop, not the other way round.
        written.and(parsed)
    })?;
    let mut report = writer.report;
    let change = writer.update.finish_insert()?;
    if options
        .cancel
        .as_ref()
        .is_some_and(|flag| flag.load(Ordering::Relaxed))
    {
        return Err(StoreError::Cancelled);
    }
    report.statements_added = change.statements;
    report.generation = change.generation;
    Ok(report)
}

fn parse_all(
    sources: Vec<Source>,
    scopes: &[u64],
    options: &LoadOptions,
    shared: &Shared,
    send: &std::sync::mpsc::SyncSender<Batch>,
) -> Result<(), StoreError> {
    let graph = options
        .graph
        .as_ref()
        .map(|graph| graph.as_str().to_owned());
    // A literal may be written as escapes of six bytes a character, and the line has two more terms.
    let max_line_bytes = options
        .max_term_bytes
        .saturating_mul(8)
        .saturating_add(64 * 1024);
    let mut kept_problems = options.kept_problems;
    for (source, scope) in sources.into_iter().zip(scopes) {
        let input = Input::open(
            source,
            options.format,
            options.max_decompressed_bytes,
            shared,
        )?;
        let mut sink = Sink {
            batch: Batch::default(),
            send,
            encoder: Encoder::new(*scope, options.max_term_bytes, graph.clone()),
            lenient: options.lenient,
            kept_problems,
        };
        parse::run(
            input,
            options.base_iri.as_deref(),
            &options.table,
            max_line_bytes,
            &mut sink,
        )?;
        kept_problems = sink.kept_problems;
    }
    Ok(())
}

struct Writer<'a, 'txn> {
    update: Update<'txn>,
    report: LoadReport,
    ids: Vec<u32>,
    options: &'a LoadOptions,
    shared: Shared,
    bytes_total: Option<u64>,
}

impl Writer<'_, '_> {
    fn write_all(&mut self, batches: Receiver<Batch>) -> Result<(), StoreError> {
        for batch in batches {
            if self.shared.cancelled.load(Ordering::Relaxed) {
                return Err(StoreError::Cancelled);
            }
            self.write(batch)?;
            self.report.bytes_read = self.shared.bytes_read.load(Ordering::Relaxed);
            if let Some(progress) = &self.options.progress {
                progress(Progress {
                    bytes_read: self.report.bytes_read,
                    bytes_total: self.bytes_total,
                    statements: self.report.statements_read,
                });
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: Batch) -> Result<(), StoreError> {
        self.ids.clear();
        for (bytes, hash) in batch.terms() {
            self.ids.push(self.update.term(bytes, hash)?);
        }
        for slots in &batch.quads {
            let quad: IdQuad = slots.map(|slot| {
                if slot == DEFAULT_GRAPH {
                    0
                } else {
                    self.ids[slot as usize]
                }
            });
            self.update.insert(quad)?;
        }
        self.report.statements_read += batch.quads.len() as u64;
        self.report.skipped += batch.skipped;
        self.report.problems.extend(batch.problems);
        Ok(())
    }
}
