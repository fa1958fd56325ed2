//! What is in this file: one document, or lines of them?

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::compression::{Stop, decompressed};
use crate::document::{MediaKind, Source};
use crate::error::SkipReason;
use crate::json_lines::{Line, Lines};
use crate::json_records::Records;
use crate::limits::Limits;
use crate::read::most_bytes;
use crate::sniff::{SNIFF_BYTES, Sniffed, sniff};
use crate::walk::File;

type Reader = BufReader<Box<dyn Read + Send>>;

/// The documents of an open file that has many.
pub(crate) enum JsonDocuments {
    /// One a line.
    Lines(Lines<Reader>),
    /// The records of an array, or one behind the other.
    Records(Records<Reader>),
}

impl JsonDocuments {
    /// The next one.
    pub(crate) fn next_document(&mut self) -> io::Result<Option<Line>> {
        match self {
            Self::Lines(lines) => lines.next_line(),
            Self::Records(records) => records.next_record(),
        }
    }

    /// The name of the one with this number in the file `name`.
    pub(crate) fn source(&self, name: &str, number: u64) -> Source {
        match self {
            Self::Lines(_) => Source::line(name, number),
            Self::Records(_) => Source::record(name, number),
        }
    }
}

/// A file that was opened.
pub(crate) enum Opened {
    /// All its bytes, decompressed.
    Whole(MediaKind, Vec<u8>),
    /// Its documents, still to be read.
    Many(JsonDocuments),
}

impl Opened {
    /// Opens `file` and reads it, or the first of it if it has many documents of JSON. Counts the bytes read, as stored, in `read`, and
    /// stops with an error when `interrupt` is set.
    pub(crate) fn open(
        file: &File,
        limits: &Limits,
        read: &Arc<AtomicU64>,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Self, SkipReason> {
        let raw = fs_err::File::open(&file.path).map_err(|error| reason_of(&error))?;
        let metered = Metered {
            reader: raw,
            read: Arc::clone(read),
            interrupt: Arc::clone(interrupt),
        };
        Self::from_reader(metered, &file.name, limits).map_err(|error| reason_of(&error))?
    }

    fn from_reader(
        raw: impl Read + Send + 'static,
        name: &str,
        limits: &Limits,
    ) -> io::Result<Result<Self, SkipReason>> {
        let mut reader = decompressed(raw, limits)?;
        let mut bytes = Vec::new();
        reader
            .by_ref()
            .take(SNIFF_BYTES as u64)
            .read_to_end(&mut bytes)?;
        let kind = match sniff(name, &bytes, bytes.len() < SNIFF_BYTES) {
            Sniffed::Other(what) => return Ok(Err(SkipReason::Kind { what })),
            Sniffed::Kind(kind) => Some(kind),
            Sniffed::JsonRecords => None,
        };
        let Some(kind) = kind.filter(|kind| *kind != MediaKind::JsonLines) else {
            let reader: Box<dyn Read + Send> = Box::new(io::Cursor::new(bytes).chain(reader));
            let reader = BufReader::with_capacity(limits.read_buffer_bytes.max(1), reader);
            let many = match kind {
                Some(_) => JsonDocuments::Lines(Lines::new(reader, limits.max_line_bytes)),
                None => JsonDocuments::Records(Records::new(reader, limits.max_line_bytes)),
            };
            return Ok(Ok(Self::Many(many)));
        };
        let limit = most_bytes(kind, limits);
        let rest = limit.saturating_add(1).saturating_sub(bytes.len() as u64);
        reader.take(rest).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Ok(Err(SkipReason::TooLarge { limit }));
        }
        Ok(Ok(Self::Whole(kind, bytes)))
    }
}

/// Why reading failed.
pub(crate) fn reason_of(error: &io::Error) -> SkipReason {
    match Stop::of(error) {
        Some(Stop::TooLarge { limit }) => SkipReason::TooLarge { limit: *limit },
        Some(Stop::TooCompressed { ratio }) => SkipReason::TooCompressed { ratio: *ratio },
        Some(Stop::Interrupted) | None => SkipReason::Unreadable {
            message: error.to_string(),
        },
    }
}

/// Counts what is read, and stops when told to.
struct Metered<R> {
    reader: R,
    read: Arc<AtomicU64>,
    interrupt: Arc<AtomicBool>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted.into());
        }
        let read = self.reader.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
