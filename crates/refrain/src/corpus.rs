//! Which documents can be asked? A corpus: an index over their passages, and what it was made of.
//!
//! A corpus is opened when it is first asked, and read as far as questions need it. A change makes a new index, writes it beside the old one and renames it;
//! then the list of documents follows. A crash between the two costs reading some documents again, which changes
//! nothing.

mod manifest;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use graph_rag::{DocumentId, Index, IndexConfig, Passage};
use language_model::Embedder;
use serde::Serialize;

use crate::directory::Directory;
use crate::documents::ReadyExperiences;
use crate::error::{EngineError, check_name};

pub(crate) use manifest::{Entry, Manifest, PassagePlace};

/// The corpus that documents go to when none is named.
pub const DEFAULT_CORPUS: &str = "documents";

/// All corpora of a directory.
#[derive(Debug)]
pub(crate) struct Corpora {
    root: PathBuf,
    all: RwLock<BTreeMap<String, Arc<Corpus>>>,
}

impl Corpora {
    /// The corpora that there are; none of them is read yet.
    pub(crate) fn open(directory: &Directory) -> Result<Self, EngineError> {
        let root = directory.corpora();
        let mut all = BTreeMap::new();
        if root.is_dir() {
            for entry in fs_err::read_dir(&root).map_err(EngineError::Files)? {
                let entry = entry.map_err(EngineError::Files)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if Manifest::exists(&entry.path()) && check_name("source", &name).is_ok() {
                    let corpus = Corpus::at(&name, entry.path());
                    all.insert(name, Arc::new(corpus));
                }
            }
        }
        Ok(Self {
            root,
            all: RwLock::new(all),
        })
    }

    pub(crate) fn all(&self) -> Vec<Arc<Corpus>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.values().map(Arc::clone).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Corpus>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.get(name).map(Arc::clone)
    }

    /// The corpus of that name, made empty where there is none.
    pub(crate) fn get_or_new(&self, name: &str) -> Result<Arc<Corpus>, EngineError> {
        check_name("source", name)?;
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(corpus) = all.get(name) {
            return Ok(Arc::clone(corpus));
        }
        let corpus = Arc::new(Corpus::at(name, self.root.join(name)));
        all.insert(name.to_owned(), Arc::clone(&corpus));
        Ok(corpus)
    }

    /// Takes a corpus out of use; an empty one that was never written leaves nothing.
    pub(crate) fn detach(&self, name: &str) -> Option<Arc<Corpus>> {
        let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
        all.remove(name)
    }
}

/// Documents that can be asked.
#[derive(Debug)]
pub struct Corpus {
    name: String,
    directory: PathBuf,
    held: RwLock<Option<Arc<Held>>>,
    /// One writer at a time.
    writing: Mutex<()>,
}

/// A corpus at one moment.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) index: Index,
    pub(crate) manifest: Manifest,
    /// What earlier answers from it left, bound to this index.
    pub(crate) experiences: ReadyExperiences,
}

impl Held {
    pub(crate) fn new(index: Index, manifest: Manifest) -> Self {
        Self {
            index,
            manifest,
            experiences: ReadyExperiences::default(),
        }
    }
}

/// What there is of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CorpusSummary {
    /// Its name.
    pub name: String,
    /// Documents in it.
    pub documents: usize,
    /// Passages that they were cut into.
    pub passages: usize,
    /// Names of things that they mention.
    pub entities: usize,
    /// Bytes on disk.
    pub bytes: u64,
}

/// One document of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentSummary {
    /// Where it was read from.
    pub source: String,
    /// Its title.
    pub title: String,
    /// What it was read from: text, Markdown, HTML, PDF or JSON lines.
    pub kind: String,
    /// Passages that it was cut into.
    pub passages: usize,
}

impl Held {
    /// Where a passage lies in its document.
    pub(crate) fn place(&self, document: &str, ordinal: u32) -> Option<PassagePlace> {
        let named = |source: &::documents::Source| source.to_string() == document;
        // A name with a sign and a number may be a part of a file or a file of that very name.
        let part = |sign, of: fn(&str, u64) -> ::documents::Source| {
            let (name, number) = document.rsplit_once(sign)?;
            Some(of(name, number.parse().ok()?))
        };
        let line = part(':', |name, line| ::documents::Source::line(name, line));
        let record = part('#', |name, record| {
            ::documents::Source::record(name, record)
        });
        let candidates = [Some(::documents::Source::named(document)), line, record];
        let mut found = candidates.into_iter().flatten().filter(named);
        let entry = found.find_map(|source| self.manifest.documents.get(&source))?;
        entry.passages.get(usize::try_from(ordinal).ok()?).copied()
    }
}

impl Corpus {
    fn at(name: &str, directory: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            directory,
            held: RwLock::new(None),
            writing: Mutex::new(()),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The corpus as it is now, opened the first time; embedded anew when another embedder made it.
    pub(crate) fn held(&self, embedder: &dyn Embedder) -> Result<Arc<Held>, EngineError> {
        if let Some(held) = &*self.held.read().unwrap_or_else(PoisonError::into_inner) {
            return Ok(Arc::clone(held));
        }
        let mut slot = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = &*slot {
            return Ok(Arc::clone(held));
        }
        let held = Arc::new(self.read(embedder)?);
        *slot = Some(Arc::clone(&held));
        Ok(held)
    }

    fn read(&self, embedder: &dyn Embedder) -> Result<Held, EngineError> {
        let manifest = Manifest::read(&self.directory)?;
        let none = || Index::build([], [], IndexConfig::default(), embedder);
        if manifest.documents.is_empty() {
            return Ok(Held::new(none()?, manifest));
        }
        let index = Index::open(&self.directory)?;
        if index.embedder() == embedder.fingerprint() {
            return Ok(Held::new(index, manifest));
        }
        tracing::info!(
            corpus = self.name,
            passages = index.len(),
            "the corpus was made by another embedder and is embedded anew"
        );
        index.verify()?;
        let count = u32::try_from(index.len()).unwrap_or(u32::MAX);
        let passages: Vec<Passage> = (0..count)
            .filter_map(|place| index.passage(place).cloned())
            .collect();
        let index = Index::build(passages, [], *index.config(), embedder)?;
        index.save(&self.directory)?;
        Ok(Held::new(index, manifest))
    }

    /// Whether nothing of it has ever been written.
    pub(crate) fn is_unwritten(&self) -> bool {
        !Manifest::exists(&self.directory)
    }

    /// Keeps everybody else from changing the corpus.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a new state durable, then visible.
    pub(crate) fn replace(&self, held: Held) -> Result<(), EngineError> {
        fs_err::create_dir_all(&self.directory).map_err(EngineError::Files)?;
        held.index.save(&self.directory)?;
        held.manifest.write(&self.directory)?;
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(held));
        Ok(())
    }

    /// Removes its files.
    pub(crate) fn delete(&self) -> Result<(), EngineError> {
        if self.directory.exists() {
            fs_err::remove_dir_all(&self.directory).map_err(EngineError::Files)?;
        }
        Ok(())
    }

    pub(crate) fn summary(&self, embedder: &dyn Embedder) -> Result<CorpusSummary, EngineError> {
        let held = self.held(embedder)?;
        let mut bytes = 0;
        for entry in fs_err::read_dir(&self.directory).map_err(EngineError::Files)? {
            let entry = entry.map_err(EngineError::Files)?;
            bytes += entry.metadata().map_err(EngineError::Files)?.len();
        }
        Ok(CorpusSummary {
            name: self.name.clone(),
            documents: held.manifest.documents.len(),
            passages: held.index.len(),
            entities: held.index.graph().entities().len(),
            bytes,
        })
    }

    pub(crate) fn documents(
        &self,
        embedder: &dyn Embedder,
    ) -> Result<Vec<DocumentSummary>, EngineError> {
        let held = self.held(embedder)?;
        let documents = held.manifest.documents.iter();
        Ok(documents
            .map(|(source, entry)| DocumentSummary {
                source: source.to_string(),
                title: entry.title.clone(),
                kind: entry.kind.name().to_owned(),
                passages: entry.passages.len(),
            })
            .collect())
    }
}

/// The name under which a document lies in the index.
pub(crate) fn id_of(source: &::documents::Source) -> DocumentId {
    DocumentId(source.to_string())
}
