//! Is everything in the directory whole?

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::config::Config;
use crate::corpus::Manifest;
use crate::directory::{Directory, DirectoryLock};
use crate::engine::{Engine, Surroundings};
use crate::error::EngineError;
use crate::journal::{RedbJournal, RedbOptions};
use crate::source::{self, Descriptions, Source, learned};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub what: String,
    /// What there is, in a few words.
    pub found: String,
    /// What is wrong; empty when all is well.
    pub problems: Vec<String>,
}

/// Looks at everything: graphs, journal, memory, embedder.
///
/// # Errors
/// When there is no directory, or another process has it.
pub fn examine(
    root: &Path,
    config: Config,
    surroundings: Surroundings,
) -> Result<Vec<Check>, EngineError> {
    let directory = Directory::existing(root)?;
    let mut checks = Vec::new();
    {
        let _lock = DirectoryLock::take(&directory)?;
        for name in source::names(&directory)? {
            checks.push(graph(&directory, &name));
        }
        checks.extend(missing(&directory)?);
        checks.extend(corpora(&directory)?);
        checks.push(journal(&directory));
    }
    checks.push(whole(root, config, surroundings));
    Ok(checks)
}

/// Files that something says were there: graphs that are described or have a kept schema, and the journal.
fn missing(directory: &Directory) -> Result<Vec<Check>, EngineError> {
    let mut gone: BTreeSet<String> = Descriptions::read(&directory.descriptions())?
        .about
        .into_keys()
        .collect();
    for entry in fs_err::read_dir(directory.graphs()).map_err(EngineError::Files)? {
        let entry = entry.map_err(EngineError::Files)?;
        if entry.path().join(learned::FILE).exists() {
            gone.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    for name in source::names(directory)? {
        gone.remove(&name);
    }
    let mut checks: Vec<Check> = gone
        .into_iter()
        .map(|name| Check {
            problems: vec![format!(
                "its file in {} is missing: restore it from a copy, or load it again",
                directory.graph(&name).display()
            )],
            what: format!("graph {name}"),
            found: String::new(),
        })
        .collect();
    if !RedbJournal::exists(&directory.memory()) && !source::names(directory)?.is_empty() {
        checks.push(Check {
            what: "journal".to_owned(),
            found: String::new(),
            problems: vec![format!(
                "there was none in {}: if it was deleted, what was learned is gone; restore it from a copy, or go on with an empty memory",
                directory.memory().display()
            )],
        });
    }
    Ok(checks)
}

/// Each corpus: its list of documents, and its index.
fn corpora(directory: &Directory) -> Result<Vec<Check>, EngineError> {
    let root = directory.corpora();
    if !root.is_dir() {
        return Ok(Vec::new());
    }
    let mut checks = Vec::new();
    for entry in fs_err::read_dir(&root).map_err(EngineError::Files)? {
        let path = entry.map_err(EngineError::Files)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("corpus {name}");
        if !Manifest::exists(&path) && graph_rag::Index::exists(&path) {
            checks.push(Check {
                what,
                found: "it cannot be asked".to_owned(),
                problems: vec![format!(
                    "the list of its documents is missing from {}: restore documents.json from a copy, or add the documents again",
                    path.display()
                )],
            });
            continue;
        }
        let read = Manifest::read(&path).and_then(|manifest| {
            let passages = if Manifest::exists(&path) {
                let index = graph_rag::Index::open(&path)?;
                index.verify()?;
                index.len()
            } else {
                0
            };
            Ok((manifest.documents.len(), passages))
        });
        checks.push(match read {
            Err(error) => broken(what, &error),
            Ok((documents, passages)) => Check {
                what,
                found: format!("{documents} documents, {passages} passages"),
                problems: Vec::new(),
            },
        });
    }
    Ok(checks)
}

fn graph(directory: &Directory, name: &str) -> Check {
    let what = format!("graph {name}");
    // The store must stay open for as long as its snapshot is read.
    let source = match Source::open(directory, name, String::new()) {
        Ok(source) => source,
        Err(error) => return broken(what, &error),
    };
    match source.snapshot() {
        Err(error) => broken(what, &error),
        Ok(snapshot) => Check {
            what,
            found: if snapshot.generation() == 0 {
                "never loaded: its first load did not end; load it again".to_owned()
            } else {
                format!("{} triples", snapshot.len())
            },
            problems: snapshot.verify().iter().map(ToString::to_string).collect(),
        },
    }
}

fn journal(directory: &Directory) -> Check {
    let what = "journal".to_owned();
    let opened = RedbJournal::open(&directory.memory(), RedbOptions::default());
    match opened.and_then(|(journal, torn)| Ok((journal.check()?, torn))) {
        Err(error) => broken(what, &error),
        Ok((findings, torn)) => Check {
            what,
            found: match torn {
                None => "readable to its end".to_owned(),
                Some(torn) => format!(
                    "a torn end was cut off at event {}, nothing acknowledged was lost",
                    torn.positions.start()
                ),
            },
            problems: findings.iter().map(ToString::to_string).collect(),
        },
    }
}

/// Opens it all, as a question would.
fn whole(root: &Path, config: Config, surroundings: Surroundings) -> Check {
    let what = "memory".to_owned();
    match Engine::open(root, config, surroundings) {
        Err(error) => broken(what, &error),
        Ok(engine) => {
            let knowledge = engine.knowledge();
            let experiences: usize = knowledge
                .namespaces()
                .map(|namespace| knowledge.memory(namespace).len())
                .sum();
            let namespaces = knowledge.namespaces().count();
            let own = engine.embedder_fingerprint();
            let kept = knowledge.embedder();
            let mut problems = Vec::new();
            if !kept.is_empty() && kept != own {
                problems.push(format!(
                    "its vectors come from {kept}, the embedder is {own}"
                ));
            }
            Check {
                what,
                found: format!(
                    "{experiences} {} in {namespaces} {}, embedder {own}",
                    if experiences == 1 {
                        "experience"
                    } else {
                        "experiences"
                    },
                    if namespaces == 1 {
                        "namespace"
                    } else {
                        "namespaces"
                    },
                ),
                problems,
            }
        }
    }
}

fn broken(what: String, error: &dyn std::error::Error) -> Check {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    Check {
        what,
        found: "cannot be opened".to_owned(),
        problems: vec![text],
    }
}
