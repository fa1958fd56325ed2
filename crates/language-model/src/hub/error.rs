//! Why is a model's file not there, and what helps?

use std::path::PathBuf;

use thiserror::Error;

/// Why a model was not brought.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HubError {
    /// A file here cannot be read or written.
    #[error("cannot read or write a model's file")]
    File(#[source] std::io::Error),
    /// The hub cannot be reached.
    #[error("cannot reach {url}: check the network, the proxy and the hub's address")]
    Unreachable {
        /// The file's address.
        url: String,
        /// Why.
        #[source]
        source: Box<ureq::Error>,
    },
    /// The hub does not give the file.
    #[error(
        "{url} is not given (HTTP {status}): check the hub's address, or take the files from a place"
    )]
    Status {
        /// The file's address.
        url: String,
        /// HTTP status.
        status: u16,
    },
    /// The file came in part.
    #[error("{url} ended after {bytes} of {total} bytes: pull again, it goes on from there")]
    Cut {
        /// The file's address.
        url: String,
        /// Bytes that are kept.
        bytes: u64,
        /// Bytes of the whole.
        total: u64,
    },
    /// It is another file.
    #[error(
        "{file} of {from} is another file than the known one (SHA-256 {found} instead of {expected}): take it from elsewhere"
    )]
    Other {
        /// Where it comes from.
        from: String,
        /// The file.
        file: &'static str,
        /// Its SHA-256.
        expected: &'static str,
        /// What came instead.
        found: String,
    },
    /// A file of a place cannot be read to its end.
    #[error("{file} of {place} cannot be read to its end: is the place damaged? fetch it again")]
    Damaged {
        /// The place.
        place: PathBuf,
        /// The file.
        file: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A place has no such file.
    #[error(
        "{place} holds no {file} of {bytes} bytes: name a directory, file or wheel that has it"
    )]
    NotThere {
        /// The place.
        place: PathBuf,
        /// The file.
        file: &'static str,
        /// Its size.
        bytes: u64,
    },
    /// There is too much to look through.
    #[error("{place} holds too many entries: name a directory nearer to the files")]
    TooMany {
        /// The place.
        place: PathBuf,
    },
    /// A wheel cannot be read.
    #[error("{wheel} is no wheel, or is damaged: a wheel is a zip, fetch it again")]
    Wheel {
        /// The wheel.
        wheel: PathBuf,
        /// Why.
        #[source]
        source: Box<zip::result::ZipError>,
    },
}
