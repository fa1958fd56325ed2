//! What lies where in a Refrain directory, and who may touch it?
//!
//! ```text
//! DIR/refrain.toml      settings
//! DIR/sources.toml      what each source is about
//! DIR/graphs/NAME/      one graph a source
//! DIR/memory/           the journal of experiences
//! DIR/warm/             how far a warm start got
//! DIR/lock              held by the one process that has the directory open
//! ```

use std::fs::TryLockError;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::EngineError;

/// The paths inside a Refrain directory.
#[derive(Debug, Clone)]
pub struct Directory {
    root: PathBuf,
}

impl Directory {
    /// A directory that exists.
    ///
    /// # Errors
    /// When there is none, or it holds something else.
    pub fn existing(root: &Path) -> Result<Self, EngineError> {
        let directory = Self {
            root: root.to_owned(),
        };
        if directory.graphs().is_dir() {
            return Ok(directory);
        }
        Err(EngineError::NoDirectory {
            path: root.to_owned(),
        })
    }

    /// A directory that is made unless it exists.
    ///
    /// # Errors
    /// When it cannot be made, or the path holds files that are not Refrain's.
    pub fn create(root: &Path) -> Result<Self, EngineError> {
        let directory = Self {
            root: root.to_owned(),
        };
        if directory.graphs().is_dir() {
            return Ok(directory);
        }
        if root.is_file() {
            return Err(EngineError::NotADirectory {
                path: root.to_owned(),
            });
        }
        let foreign = root.is_dir() && {
            let known = [
                "keys.toml",
                "refrain.toml",
                "sources.toml",
                "lock",
                "memory",
                "corpora",
                "warm",
                "uploads",
            ];
            let entries = fs_err::read_dir(root).map_err(EngineError::Files)?;
            entries
                .filter_map(Result::ok)
                .any(|entry| !known.iter().any(|name| entry.file_name() == *name))
        };
        if foreign {
            return Err(EngineError::ForeignDirectory {
                path: root.to_owned(),
            });
        }
        fs_err::create_dir_all(directory.memory()).map_err(EngineError::Files)?;
        keep_private(&directory.memory())?;
        fs_err::create_dir_all(directory.graphs()).map_err(EngineError::Files)?;
        Ok(directory)
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the graphs lie.
    pub fn graphs(&self) -> PathBuf {
        self.root.join("graphs")
    }

    /// Where one source's graph lies.
    pub fn graph(&self, source: &str) -> PathBuf {
        self.graphs().join(source)
    }

    /// Where the corpora lie.
    pub fn corpora(&self) -> PathBuf {
        self.root.join("corpora")
    }

    /// Where the memory lies.
    pub fn memory(&self) -> PathBuf {
        self.root.join("memory")
    }

    /// Where warm starts keep how far they got.
    pub fn warm(&self) -> PathBuf {
        self.root.join("warm")
    }

    /// What the sources are about.
    pub fn descriptions(&self) -> PathBuf {
        self.root.join("sources.toml")
    }

    /// The settings.
    pub fn settings(&self) -> PathBuf {
        self.root.join("refrain.toml")
    }
}

/// What people asked is nobody else's: only the owner may enter the memory's directory, where the system knows owners.
fn keep_private(path: &Path) -> Result<(), EngineError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o700))
            .map_err(EngineError::Files)?;
    }
    let _ = path;
    Ok(())
}

/// The right to use a directory; given back when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: std::fs::File,
}

/// Longest lock file that is read back, in bytes.
const MAX_LOCK_BYTES: u64 = 64;

impl DirectoryLock {
    /// Takes the directory.
    ///
    /// # Errors
    /// When another process has it.
    pub fn take(directory: &Directory) -> Result<Self, EngineError> {
        let path = directory.root.join("lock");
        let mut options = fs_err::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(EngineError::Files)?;
        let (mut file, path) = file.into_parts();
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it is only told to be helpful: an unreadable file changes nothing.
                let _ = Read::by_ref(&mut file)
                    .take(MAX_LOCK_BYTES)
                    .read_to_string(&mut holder);
                return Err(EngineError::Locked {
                    path: directory.root.clone(),
                    process: holder.trim().parse().ok(),
                });
            }
            Err(TryLockError::Error(source)) => {
                return Err(EngineError::CannotLock { path, source });
            }
        }
        let note = |file: &mut std::fs::File| -> std::io::Result<()> {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        note(&mut file).map_err(|source| EngineError::CannotLock { path, source })?;
        Ok(Self { _file: file })
    }
}

/// Replaces a file's content so that a crash leaves the old or the new, never half.
///
/// # Errors
/// When the file system fails.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> Result<(), EngineError> {
    let draft = path.with_extension("draft");
    let mut file = fs_err::File::create(&draft).map_err(EngineError::Files)?;
    file.write_all(content).map_err(EngineError::Files)?;
    file.sync_all().map_err(EngineError::Files)?;
    drop(file);
    fs_err::rename(&draft, path).map_err(EngineError::Files)?;
    if let Some(parent) = path.parent() {
        let parent = fs_err::File::open(parent).map_err(EngineError::Files)?;
        parent.sync_all().map_err(EngineError::Files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_holder_is_refused_and_told_who_has_it() {
        let temporary = tempfile::tempdir().unwrap();
        let directory = Directory::create(&temporary.path().join("d")).unwrap();
        let held = DirectoryLock::take(&directory).unwrap();
        let refused = DirectoryLock::take(&directory).unwrap_err();
        let EngineError::Locked { process, .. } = refused else {
            panic!("{refused}")
        };
        assert_eq!(process, Some(std::process::id()));
        drop(held);
        DirectoryLock::take(&directory).unwrap();
    }

    #[test]
    fn a_directory_of_someone_elses_files_is_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        std::fs::write(temporary.path().join("thesis.tex"), "…").unwrap();
        let refused = Directory::create(temporary.path()).unwrap_err();
        assert!(matches!(refused, EngineError::ForeignDirectory { .. }));
        assert!(matches!(
            Directory::existing(temporary.path()).unwrap_err(),
            EngineError::NoDirectory { .. }
        ));
    }
}
