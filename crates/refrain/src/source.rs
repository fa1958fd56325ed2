//! What can be asked? A source: a name, what it is about, and a graph.
//!
//! Sources are embedded graphs for now. A [`View`] is what one question sees of one: a snapshot, the planner's schema of it, and the vector
//! of its description. Views are shared until the graph or the description changes.

mod embedded;
pub(crate) mod learned;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use graph_store::{GraphStore, Options, Snapshot};
use kgqa::answer::Planner;
use kgqa::graph::Graph;
use kgqa::local_schema::Schema;
use language_model::Embedder;
use memory::Vector;
use serde::{Deserialize, Serialize};

use crate::directory::{Directory, replace_file};
use crate::error::EngineError;

pub use embedded::EmbeddedGraph;

/// Classes and predicates that a made description names.
const NAMES_IN_DESCRIPTION: usize = 24;

/// A named graph.
pub struct Source {
    name: String,
    store: GraphStore,
    description: Mutex<String>,
    view: Mutex<Option<Arc<View>>>,
    /// Where what was learned of the graph is kept, and how much of it is there.
    learned: PathBuf,
    kept: AtomicUsize,
}

/// What a question sees of a source.
pub struct View {
    /// The source's name.
    pub source: String,
    /// The graph.
    pub graph: EmbeddedGraph,
    /// The planner's schema of it.
    pub schema: Schema,
    /// What the source is about: the given description, else one made of its predicates.
    pub about: String,
    /// The vector of `about`.
    pub about_vector: Vector,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View")
            .field("source", &self.source)
            .field("generation", &self.graph.generation())
            .finish_non_exhaustive()
    }
}

/// A source in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceSummary {
    /// Its name.
    pub name: String,
    /// What it is about, as given by a person; empty when nobody said.
    pub description: String,
    /// Statements.
    pub statements: u64,
    /// Distinct predicates.
    pub predicates: usize,
    /// Bytes on disk.
    pub bytes: u64,
    /// Number of its state.
    pub generation: u64,
}

/// A predicate of a source with its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PredicateSummary {
    /// Its label.
    pub label: String,
    /// Its IRI.
    pub iri: String,
    /// Statements with it.
    pub statements: u64,
}

impl Source {
    /// Opens a source's graph, after making an empty one where need be.
    ///
    /// # Errors
    /// When the graph cannot be opened.
    pub fn open(
        directory: &Directory,
        name: &str,
        description: String,
    ) -> Result<Self, EngineError> {
        let store = GraphStore::open_or_create(directory.graph(name), Options::default())?;
        Ok(Self {
            name: name.to_owned(),
            store,
            description: Mutex::new(description),
            view: Mutex::new(None),
            learned: directory.graph(name).join(learned::FILE),
            kept: AtomicUsize::new(0),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its graph.
    pub fn store(&self) -> &GraphStore {
        &self.store
    }

    /// What it is about, as a person said; empty when nobody did.
    pub fn description(&self) -> String {
        lock(&self.description).clone()
    }

    pub(crate) fn describe(&self, text: &str) {
        text.clone_into(&mut lock(&self.description));
        *lock(&self.view) = None;
    }

    /// Its graph as it is now.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, EngineError> {
        Ok(self.store.snapshot()?)
    }

    /// What a question asked now sees.
    ///
    /// # Errors
    /// When the graph cannot be read or its predicates not be embedded.
    pub fn view(
        &self,
        planner: &Planner,
        embedder: &dyn Embedder,
    ) -> Result<Arc<View>, EngineError> {
        let snapshot = self.store.snapshot()?;
        let mut current = lock(&self.view);
        if let Some(view) = current.as_ref()
            && view.graph.generation() == snapshot.generation()
        {
            return Ok(Arc::clone(view));
        }
        let graph = EmbeddedGraph::new(snapshot)?;
        let schema = planner.schema(&graph)?;
        self.recall_learned(&schema, &graph)?;
        let given = self.description();
        let about = if given.is_empty() {
            made_description(&schema)
        } else {
            given
        };
        let about_vector = embedder.embed(&[about.as_str()])?.into_iter().next();
        let about_vector = about_vector.map(Vector::from).unwrap_or_default();
        let view = Arc::new(View {
            source: self.name.clone(),
            graph,
            schema,
            about,
            about_vector,
        });
        *current = Some(Arc::clone(&view));
        Ok(view)
    }

    /// It in numbers.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn summary(&self) -> Result<SourceSummary, EngineError> {
        let snapshot = self.store.snapshot()?;
        Ok(SourceSummary {
            name: self.name.clone(),
            description: self.description(),
            statements: snapshot.len(),
            predicates: snapshot.predicates()?.len(),
            bytes: self.store.file_bytes()?,
            generation: snapshot.generation(),
        })
    }

    /// Its most used predicates, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn predicates(&self, limit: usize) -> Result<Vec<PredicateSummary>, EngineError> {
        let snapshot = self.store.snapshot()?;
        let all = snapshot.predicates()?;
        all.iter()
            .take(limit)
            .map(|count| {
                Ok(PredicateSummary {
                    label: snapshot.label(count.predicate)?,
                    iri: iri_text(&snapshot.term(count.predicate)?),
                    statements: count.statements,
                })
            })
            .collect()
    }
}

/// The IRI without brackets; other terms in N-Triples form.
pub(crate) fn iri_text(term: &oxrdf::Term) -> String {
    match term {
        oxrdf::Term::NamedNode(node) => node.as_str().to_owned(),
        oxrdf::Term::BlankNode(_) | oxrdf::Term::Literal(_) => term.to_string(),
    }
}

fn made_description(schema: &Schema) -> String {
    let labels: Vec<&str> = schema
        .entries()
        .iter()
        .take(NAMES_IN_DESCRIPTION)
        .map(|entry| entry.label.as_str())
        .collect();
    labels.join(", ")
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What `sources.toml` holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Descriptions {
    /// Source to what it is about.
    #[serde(default)]
    pub(crate) about: BTreeMap<String, String>,
}

impl Descriptions {
    pub(crate) fn read(path: &Path) -> Result<Self, EngineError> {
        let text = match fs_err::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(EngineError::Files(error)),
        };
        toml::from_str(&text).map_err(|error| EngineError::BadDescriptions {
            path: path.to_owned(),
            message: error.to_string().trim().to_owned(),
        })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), EngineError> {
        let text = toml::to_string(self).map_err(|error| EngineError::BadDescriptions {
            path: path.to_owned(),
            message: error.to_string(),
        })?;
        replace_file(path, text.as_bytes())
    }
}

/// The names of the sources in a directory, ascending.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn names(directory: &Directory) -> Result<Vec<String>, EngineError> {
    let mut names = Vec::new();
    for entry in fs_err::read_dir(directory.graphs()).map_err(EngineError::Files)? {
        let entry = entry.map_err(EngineError::Files)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if GraphStore::exists(&entry.path()) && crate::error::check_name("source", &name).is_ok() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
