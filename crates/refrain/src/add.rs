//! How do documents get in, and out again?
//!
//! Files are read one by one and go in by batches, each durable before the next; an interrupted run keeps what went in,
//! and the next one goes on from there, since unchanged documents are known by their hashes. What rests on a passage that
//! changed or went becomes suspect.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::documents::{Change, Chunker, Document, Ingest, Limits, Progress, Source};
use graph_rag::Passage;
use memory::EvidenceKey;
use serde::Serialize;

use crate::corpus::{
    Corpus, CorpusSummary, DocumentSummary, Entry, Held, Manifest, PassagePlace, id_of,
};
use crate::engine::Engine;
use crate::error::EngineError;

/// Passages that go in at once, at least: making an index anew costs as much as it holds, so a batch grows with it.
const BATCH_PASSAGES: usize = 4_096;

/// What to add, and how.
pub struct AddRequest {
    /// The corpus that receives it.
    pub corpus: String,
    /// Files, and folders with all that is in and below them.
    pub paths: Vec<PathBuf>,
    /// The bounds of reading.
    pub limits: Limits,
    /// Told now and then how far it is.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Set to stop; what went in stays.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl AddRequest {
    /// Paths for a corpus, without progress.
    pub fn new(corpus: impl Into<String>, paths: Vec<PathBuf>) -> Self {
        Self {
            corpus: corpus.into(),
            paths,
            limits: Limits::default(),
            progress: None,
            cancel: None,
        }
    }
}

impl std::fmt::Debug for AddRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AddRequest")
            .field("corpus", &self.corpus)
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

/// What became of the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddReport {
    /// The corpus.
    pub corpus: String,
    /// Documents that are new.
    pub added: u64,
    /// Documents that say something else than before.
    pub changed: u64,
    /// Documents that say what they said; they were not read further.
    pub unchanged: u64,
    /// Documents that are there no more, and went.
    pub gone: u64,
    /// Files, folders and lines that were skipped.
    pub skipped: u64,
    /// The first of them, with the reason.
    pub problems: Vec<String>,
    /// Documents with bytes that stood for no character.
    pub undecodable: u64,
    /// Web pages with text that they do not show, which was left out.
    pub hidden: u64,
    /// The run was stopped; what had gone in stays.
    pub interrupted: bool,
    /// Passages in the corpus now.
    pub passages: usize,
    /// Experiences that became suspect.
    pub suspects: u64,
}

/// What goes in next.
#[derive(Default)]
struct Batch {
    changes: Vec<graph_rag::Change>,
    put: Vec<(Source, Entry)>,
    removed: Vec<Source>,
    passages: usize,
}

impl Batch {
    fn put(&mut self, document: Document, chunker: &Chunker) {
        let name = id_of(&document.source);
        let mut passages = Vec::new();
        let mut places = Vec::new();
        for passage in chunker.passages(&document) {
            let heading = heading_before(&passage);
            places.push(PassagePlace {
                start: passage.span.start,
                heading: heading.len(),
            });
            passages.push(Passage {
                document: name.clone(),
                ordinal: passage.ordinal,
                text: format!("{heading}{}", passage.text),
                title: passage.title,
            });
        }
        self.passages += passages.len();
        self.changes.push(graph_rag::Change::Put {
            document: name,
            passages,
        });
        let entry = Entry {
            hash: document.content_hash,
            title: document.title,
            kind: document.kind,
            passages: places,
        };
        self.put.push((document.source, entry));
    }

    fn remove(&mut self, source: Source) {
        self.changes.push(graph_rag::Change::Remove {
            document: id_of(&source),
        });
        self.removed.push(source);
    }
}

/// The heading that a passage stands under, with a line break, unless it begins with it anyway.
fn heading_before(passage: &::documents::Passage) -> String {
    if passage.heading.is_empty() || passage.text.starts_with(&passage.heading) {
        String::new()
    } else {
        format!("{}\n", passage.heading)
    }
}

impl Engine {
    /// Adds documents to a corpus, which is made where there is none: new and changed ones go in, and those that are gone
    /// go.
    ///
    /// # Errors
    /// When the corpus cannot be read or written, or its name is a graph's. A file that cannot be read is no error: it
    /// is reported, and the rest goes in.
    pub fn add(&self, request: AddRequest) -> Result<AddReport, EngineError> {
        if self.source(&request.corpus).is_ok() {
            return Err(EngineError::NameTaken {
                name: request.corpus,
            });
        }
        let corpus = self.corpora.get_or_new(&request.corpus)?;
        let added = self.add_to(&corpus, request);
        if corpus.is_unwritten() {
            self.corpora.detach(corpus.name());
        }
        added
    }

    fn add_to(&self, corpus: &Corpus, request: AddRequest) -> Result<AddReport, EngineError> {
        let _writer = corpus.lock();
        let embedder = self.embedder.as_ref();
        let held = corpus.held(embedder)?;
        let chunker = Chunker::new(held.manifest.chunks).map_err(EngineError::Chunks)?;
        let cancel = request.cancel.unwrap_or_default();
        let mut ingest = Ingest::new(request.paths, request.limits)
            .known(held.manifest.known())
            .interrupt(Arc::clone(&cancel));
        if let Some(progress) = request.progress {
            ingest = ingest.progress(move |at| progress(at));
        }
        drop(held);
        let mut suspects = 0;
        let mut batch = Batch::default();
        for change in ingest.by_ref() {
            match change {
                Change::Added(document) | Change::Changed(document) => {
                    batch.put(document, &chunker)
                }
                Change::Gone(source) => batch.remove(source),
                Change::Unchanged(_) => {}
            }
            let enough = corpus.held(embedder)?.index.len().max(BATCH_PASSAGES);
            if batch.passages >= enough {
                suspects += self.put_in(corpus, std::mem::take(&mut batch))?;
            }
        }
        suspects += self.put_in(corpus, batch)?;
        let report = ingest.report();
        Ok(AddReport {
            corpus: corpus.name().to_owned(),
            added: report.added,
            changed: report.changed,
            unchanged: report.unchanged,
            gone: report.gone,
            skipped: report.skipped_count(),
            problems: report.entries.iter().map(ToString::to_string).collect(),
            undecodable: report.undecodable,
            hidden: report.hidden,
            interrupted: report.interrupted || cancel.load(Ordering::Relaxed),
            passages: corpus.held(embedder)?.index.len(),
            suspects,
        })
    }

    /// Makes a batch durable and visible; gives the number of experiences that became suspect.
    fn put_in(&self, corpus: &Corpus, batch: Batch) -> Result<u64, EngineError> {
        if batch.changes.is_empty() {
            return Ok(0);
        }
        let held = corpus.held(self.embedder.as_ref())?;
        let (index, report) = held.index.changed(batch.changes, self.embedder.as_ref())?;
        let mut documents = held.manifest.documents.clone();
        for source in &batch.removed {
            documents.remove(source);
        }
        documents.extend(batch.put);
        let manifest = Manifest {
            chunks: held.manifest.chunks,
            documents,
        };
        corpus.replace(Held::new(index, manifest))?;
        let touched = report.changed.iter().chain(&report.removed);
        let keys = touched
            .map(|(document, ordinal)| passage_key(corpus.name(), &document.0, *ordinal))
            .collect();
        self.evidence_changed(corpus.name(), keys)
    }

    /// Takes one document out of a corpus, by the name that `documents` lists it under.
    ///
    /// # Errors
    /// When there is no such corpus or document, or the corpus cannot be written.
    pub fn remove_document(&self, corpus: &str, document: &str) -> Result<u64, EngineError> {
        let corpus = self.corpus(corpus)?;
        let _writer = corpus.lock();
        let held = corpus.held(self.embedder.as_ref())?;
        let mut sources = held.manifest.documents.keys();
        let found = sources.find(|source| source.to_string() == document);
        let Some(source) = found.cloned() else {
            return Err(EngineError::UnknownDocument {
                corpus: corpus.name().to_owned(),
                document: document.to_owned(),
            });
        };
        drop(held);
        let mut batch = Batch::default();
        batch.remove(source);
        self.put_in(&corpus, batch)
    }

    /// Removes a corpus and all that it holds; gives the number of experiences that became suspect.
    ///
    /// # Errors
    /// When there is no such corpus, or its files cannot be removed.
    pub fn remove_corpus(&self, name: &str) -> Result<u64, EngineError> {
        let corpus = self.corpus(name)?;
        let _writer = corpus.lock();
        self.corpora.detach(name);
        corpus.delete()?;
        self.everything_changed(name)
    }

    /// One corpus.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn corpus(&self, name: &str) -> Result<Arc<Corpus>, EngineError> {
        self.corpora
            .get(name)
            .ok_or_else(|| EngineError::UnknownSource {
                name: name.to_owned(),
                suggestion: None,
                known: self
                    .corpora
                    .all()
                    .iter()
                    .map(|c| c.name().to_owned())
                    .collect(),
            })
    }

    /// The corpora's names, ascending.
    pub fn corpus_names(&self) -> Vec<String> {
        let all = self.corpora.all();
        all.iter().map(|corpus| corpus.name().to_owned()).collect()
    }

    /// What there is of each corpus, by name.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn corpora(&self) -> Result<Vec<CorpusSummary>, EngineError> {
        let all = self.corpora.all();
        all.iter()
            .map(|corpus| corpus.summary(self.embedder.as_ref()))
            .collect()
    }

    /// The documents of a corpus, by source.
    ///
    /// # Errors
    /// When there is no such corpus, or it cannot be read.
    pub fn documents(&self, corpus: &str) -> Result<Vec<DocumentSummary>, EngineError> {
        self.corpus(corpus)?.documents(self.embedder.as_ref())
    }
}

/// What stands for a passage in an experience's evidence.
pub(crate) fn passage_key(corpus: &str, document: &str, ordinal: u32) -> EvidenceKey {
    EvidenceKey::passage(corpus, &format!("{document}#{ordinal}"))
}
