//! Is everything in the directory whole?

use std::path::Path;

use serde::Serialize;

use crate::config::Config;
use crate::directory::{Directory, DirectoryLock};
use crate::engine::{Engine, Surroundings};
use crate::error::EngineError;
use crate::journal::{RedbJournal, RedbOptions};
use crate::source::{self, Source};

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
        checks.push(journal(&directory));
    }
    checks.push(whole(root, config, surroundings));
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
            found: format!("{} triples", snapshot.len()),
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
                    "{experiences} experiences in {} namespaces, embedder {own}",
                    knowledge.namespaces().count()
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
