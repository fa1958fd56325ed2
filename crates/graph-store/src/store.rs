//! Where does a graph live on disk, and who may change it?
//!
//! A [`GraphStore`] is one directory with one database file. One process has it open at a time; inside it, any number
//! of [`Snapshot`]s read while one update at a time writes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use fs_err as fs;
use oxrdf::{Quad, QuadRef, TermRef};
use redb::{Database, ReadableDatabase, WriteTransaction};

use crate::dictionary;
use crate::error::StoreError;
use crate::order::IdQuad;
use crate::snapshot::Snapshot;
use crate::tables::{self, FORMAT, Meta, Tables, meta};
use crate::term_codec;
use crate::update::{Change, Memory, Update};

/// The database file in a store's directory.
const FILE: &str = "graph.redb";
/// What the name of a database file that is still being made starts with.
const UNFINISHED: &str = ".graph-unfinished-";

/// How a store uses the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Bytes of database pages kept in memory. Default: 256 MiB.
    pub page_cache_bytes: usize,
    /// Signatures, labels and short lists of neighbours that are kept in memory for a generation, so many of each.
    /// Default: 65,536.
    pub cached_nodes: usize,
    /// Languages for labels, best first; `""` stands for literals without a language. Default: `en`, then none.
    pub languages: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            page_cache_bytes: 256 << 20,
            cached_nodes: 65_536,
            languages: vec!["en".to_owned(), String::new()],
        }
    }
}

/// A graph on disk.
///
/// ```
/// use graph_store::{GraphStore, LoadOptions, Options, Source};
///
/// let directory = tempfile::tempdir()?;
/// let store = GraphStore::open_or_create(directory.path(), Options::default())?;
/// let turtle = "<urn:a> <urn:knows> <urn:b> . <urn:a> <http://xmlns.com/foaf/0.1/name> 'Ada' .";
/// store.load(vec![Source::text("people.ttl", turtle)], &LoadOptions::default())?;
///
/// let graph = store.snapshot()?;
/// let ada = graph.labels().exact("ada", 10)?[0];
/// assert_eq!(graph.label(ada)?, "Ada");
/// assert_eq!(graph.signature(ada)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphStore {
    directory: PathBuf,
    options: Options,
    languages: Arc<[String]>,
    database: Arc<RwLock<Database>>,
    current: Mutex<Option<Snapshot>>,
}

impl std::fmt::Debug for GraphStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphStore")
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

impl GraphStore {
    /// Whether a directory holds a store.
    #[must_use]
    pub fn exists(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// Opens the store in a directory.
    ///
    /// # Errors
    /// When there is none, another process has it open, its format is another version's, or it cannot be read.
    pub fn open(directory: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        let directory = directory.as_ref();
        if !Self::exists(directory) {
            return Err(StoreError::NotFound {
                path: directory.to_owned(),
            });
        }
        Self::open_or_create(directory, options)
    }

    /// Opens the store in a directory, after making the directory and an empty store as needed.
    ///
    /// # Errors
    /// When another process has the store open, its format is another version's, or it cannot be read or made.
    pub fn open_or_create(
        directory: impl AsRef<Path>,
        options: Options,
    ) -> Result<Self, StoreError> {
        let directory = directory.as_ref();
        fs::create_dir_all(directory)?;
        if !Self::exists(directory) {
            create(directory)?;
        }
        let opened = Database::builder()
            .set_cache_size(options.page_cache_bytes)
            .open(directory.join(FILE));
        let database = match opened {
            Err(redb::DatabaseError::DatabaseAlreadyOpen) => {
                return Err(StoreError::InUse {
                    path: directory.to_owned(),
                });
            }
            other => other?,
        };
        let store = Self {
            languages: Arc::from(options.languages.clone()),
            directory: directory.to_owned(),
            options,
            database: Arc::new(RwLock::new(database)),
            current: Mutex::new(None),
        };
        store.check_format()?;
        Ok(store)
    }

    fn check_format(&self) -> Result<(), StoreError> {
        let found = {
            let transaction = self.read(|database| Ok(database.begin_read()?))?;
            match transaction.open_table(tables::META) {
                Ok(table) => table.get(meta::FORMAT)?.map(|format| format.value()),
                Err(redb::TableError::TableDoesNotExist(_)) => None,
                Err(error) => return Err(error.into()),
            }
        };
        match found {
            Some(FORMAT) => Ok(()),
            found => Err(StoreError::Format {
                path: self.directory.clone(),
                found: found.unwrap_or(0),
                supported: FORMAT,
            }),
        }
    }

    /// The store's directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn read<T>(&self, f: impl FnOnce(&Database) -> Result<T, StoreError>) -> Result<T, StoreError> {
        f(&self.database.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts the one write transaction; waits for the one before to end.
    pub(crate) fn begin_write(&self) -> Result<WriteTransaction, StoreError> {
        let mut transaction = self.read(|database| Ok(database.begin_write()?))?;
        // Saves what a start after a crash needs with each commit, so that start takes milliseconds, not a walk over
        // the whole file.
        transaction.set_quick_repair(true);
        Ok(transaction)
    }

    /// The graph as it is now. Cheap: until something changes, all callers share one. A snapshot that outlives its store
    /// keeps the directory in use.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = current.as_ref() {
            return Ok(snapshot.clone());
        }
        let transaction = self.read(|database| Ok(database.begin_read()?))?;
        let meta = Meta::read(&transaction.open_table(tables::META)?)?;
        let snapshot = Snapshot::open(
            Tables::open(&transaction)?,
            meta,
            Some(Arc::clone(&self.database)),
            Arc::clone(&self.languages),
            self.options.cached_nodes,
        )?;
        *current = Some(snapshot.clone());
        Ok(snapshot)
    }

    /// Commits, and lets later callers of [`Self::snapshot`] see the new state.
    pub(crate) fn commit(&self, transaction: WriteTransaction) -> Result<(), StoreError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = None;
        transaction.commit()?;
        Ok(())
    }

    /// Adds quads: all of them, durably, or none.
    ///
    /// Blank nodes are taken by their labels: the same label is the same node as in the store.
    ///
    /// # Errors
    /// When the store cannot be written; it is then unchanged.
    pub fn insert<'a>(
        &self,
        quads: impl IntoIterator<Item = QuadRef<'a>>,
    ) -> Result<Change, StoreError> {
        let transaction = self.begin_write()?;
        let mut update = Update::begin(&transaction, &self.directory, Memory::of(64 << 20))?;
        let mut buffer = Vec::new();
        for quad in quads {
            let mut ids = [0; 4];
            for (id, term) in ids.iter_mut().zip(terms_of(quad)) {
                if let Some(term) = term {
                    buffer.clear();
                    term_codec::encode(term, &mut buffer);
                    *id = update.term(&buffer, dictionary::hash(&buffer))?;
                }
            }
            update.insert(ids)?;
        }
        let change = update.finish_insert()?;
        self.commit(transaction)?;
        Ok(change)
    }

    /// Removes quads: all of those that are there, durably, or none. Their terms stay in the dictionary.
    ///
    /// # Errors
    /// When the store cannot be written; it is then unchanged.
    pub fn remove<'a>(
        &self,
        quads: impl IntoIterator<Item = QuadRef<'a>>,
    ) -> Result<Change, StoreError> {
        let transaction = self.begin_write()?;
        let mut update = Update::begin(&transaction, &self.directory, Memory::of(64 << 20))?;
        let mut known: Vec<IdQuad> = Vec::new();
        for quad in quads {
            known.extend(known_ids(&mut update, quad)?);
        }
        let change = update.finish_remove(&known)?;
        self.commit(transaction)?;
        Ok(change)
    }

    /// Gives free pages at the end of the file back to the operating system.
    ///
    /// # Errors
    /// When a snapshot is still in use, or the store cannot be written.
    pub fn compact(&self) -> Result<(), StoreError> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = current.take() {
            let users = Arc::strong_count(&snapshot.inner) - 1;
            if users > 0 {
                return Err(StoreError::SnapshotsInUse { snapshots: users });
            }
        }
        let mut database = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        database.compact()?;
        Ok(())
    }

    /// Bytes of the database file.
    ///
    /// # Errors
    /// When the file cannot be looked at.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(fs::metadata(self.directory.join(FILE))?.len())
    }
}

/// Makes an empty store under another name and renames it, so that a process killed on the way leaves no half of one.
fn create(directory: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy());
        if name.is_some_and(|name| name.starts_with(UNFINISHED)) {
            fs::remove_file(path)?;
        }
    }
    let file = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(directory)?;
    let database = Database::create(file.path())?;
    let transaction = database.begin_write()?;
    tables::create(&transaction)?;
    transaction.commit()?;
    database.close()?;
    match file.persist_noclobber(directory.join(FILE)) {
        Ok(_) => Ok(()),
        // Another process was faster; opening its store says whether it is still in use.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error.into()),
    }
}

fn terms_of(quad: QuadRef<'_>) -> [Option<TermRef<'_>>; 4] {
    [
        Some(quad.subject.into()),
        Some(quad.predicate.into()),
        Some(quad.object),
        match quad.graph_name {
            oxrdf::GraphNameRef::DefaultGraph => None,
            oxrdf::GraphNameRef::NamedNode(node) => Some(node.into()),
            oxrdf::GraphNameRef::BlankNode(node) => Some(node.into()),
        },
    ]
}

fn known_ids(update: &mut Update<'_>, quad: QuadRef<'_>) -> Result<Option<IdQuad>, StoreError> {
    let mut ids = [0; 4];
    let mut buffer = Vec::new();
    for (id, term) in ids.iter_mut().zip(terms_of(quad)) {
        if let Some(term) = term {
            buffer.clear();
            term_codec::encode(term, &mut buffer);
            match update.known_term(&buffer, dictionary::hash(&buffer))? {
                Some(known) => *id = known,
                None => return Ok(None),
            }
        }
    }
    Ok(Some(ids))
}

/// Owned quads as references, for [`GraphStore::insert`] and [`GraphStore::remove`].
pub fn quad_refs<'a>(quads: &'a [Quad]) -> impl Iterator<Item = QuadRef<'a>> {
    quads.iter().map(Quad::as_ref)
}
