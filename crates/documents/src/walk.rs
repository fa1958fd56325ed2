//! Which files are meant by the paths that were given?
//!
//! A file is itself; a folder is all files in it and below, in the order of their names. Hidden names, pipes, devices, and
//! links that lead round in a circle are left out and reported.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::error::SkipReason;
use crate::limits::Limits;

/// A file to be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// The name that it is cited by.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Its size, as stored.
    pub(crate) bytes: u64,
}

/// What was found, in order, and what was left out.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) files: Vec<File>,
    pub(crate) skipped: Vec<(String, SkipReason)>,
    pub(crate) interrupted: bool,
}

/// Finds the files of `paths` until `interrupted` says to stop.
pub(crate) fn walk(paths: &[PathBuf], limits: &Limits, interrupted: &dyn Fn() -> bool) -> Found {
    let mut walk = Walk {
        limits,
        open: paths.iter().rev().map(|path| (path.clone(), 0)).collect(),
        folders: BTreeSet::new(),
        names: BTreeSet::new(),
        found: Found::default(),
    };
    while let Some((path, depth)) = walk.open.pop() {
        if interrupted() {
            walk.found.interrupted = true;
            break;
        }
        let name = display_name(&path);
        if let Err(reason) = walk.visit(&path, depth) {
            let full = matches!(reason, SkipReason::TooManyFiles { .. });
            walk.found.skipped.push((name, reason));
            if full {
                break;
            }
        }
    }
    walk.found
}

struct Walk<'a> {
    limits: &'a Limits,
    open: Vec<(PathBuf, usize)>,
    /// The folders that were entered, by their real paths.
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<String>,
    found: Found,
}

fn unreadable(error: &std::io::Error) -> SkipReason {
    SkipReason::Unreadable {
        message: error.to_string(),
    }
}

impl Walk<'_> {
    fn visit(&mut self, path: &Path, depth: usize) -> Result<(), SkipReason> {
        let name = name_of(path).ok_or(SkipReason::Name)?;
        if depth > 0
            && path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'))
        {
            return Err(SkipReason::Hidden);
        }
        let metadata = fs_err::metadata(path).map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return self.enter(path, depth);
        }
        if !metadata.is_file() {
            return Err(SkipReason::NotRegular);
        }
        if self.names.insert(name.clone()) {
            let limit = self.limits.max_files;
            if self.found.files.len() >= limit {
                return Err(SkipReason::TooManyFiles { limit });
            }
            self.found.files.push(File {
                name,
                path: path.to_owned(),
                bytes: metadata.len(),
            });
        }
        Ok(())
    }

    fn enter(&mut self, path: &Path, depth: usize) -> Result<(), SkipReason> {
        let real = fs_err::canonicalize(path).map_err(|error| unreadable(&error))?;
        if !self.folders.insert(real.clone()) {
            let parent = path
                .parent()
                .and_then(|parent| fs_err::canonicalize(parent).ok());
            let round = depth > 0 && parent.is_some_and(|parent| parent.starts_with(&real));
            return Err(if round {
                SkipReason::LinkLoop
            } else {
                SkipReason::Again
            });
        }
        let limit = self.limits.max_depth;
        if depth >= limit {
            return Err(SkipReason::TooDeep { limit });
        }
        let entries = fs_err::read_dir(path).map_err(|error| unreadable(&error))?;
        let mut inside = Vec::new();
        for entry in entries {
            inside.push(entry.map_err(|error| unreadable(&error))?.path());
        }
        inside.sort_unstable_by(|a, b| b.cmp(a));
        self.open
            .extend(inside.into_iter().map(|path| (path, depth + 1)));
        Ok(())
    }
}

/// The name that `path` is cited by: as given, without steps that lead nowhere; `None` if it is not Unicode.
pub(crate) fn name_of(path: &Path) -> Option<String> {
    let steps: PathBuf = path
        .components()
        .filter(|step| *step != Component::CurDir)
        .collect();
    let name = steps.to_str()?;
    Some(if name.is_empty() { "." } else { name }.to_owned())
}

fn display_name(path: &Path) -> String {
    name_of(path).unwrap_or_else(|| path.to_string_lossy().into_owned())
}
