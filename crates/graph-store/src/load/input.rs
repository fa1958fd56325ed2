//! Which bytes does a source give, decompressed and bounded?

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use fs_err::File;
use ruzstd::decoding::StreamingDecoder;

use super::format::Format;
use crate::error::StoreError;

const BUFFER_BYTES: usize = 128 * 1024;
/// Bytes looked at to tell the format.
const SNIFF_BYTES: usize = 4 * 1024;

/// Something to load.
pub struct Source {
    pub(super) name: String,
    kind: Kind,
}

enum Kind {
    Path(PathBuf),
    Reader(Box<dyn Read + Send>),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// A file.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            name: path.display().to_string(),
            kind: Kind::Path(path),
        }
    }

    /// A stream, such as standard input. Its name is used in messages and, by its ending, to tell the format.
    pub fn reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Reader(Box::new(reader)),
        }
    }

    /// A text in memory.
    pub fn text(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        Self::reader(name, io::Cursor::new(text.into()))
    }

    /// Bytes as they are stored, when that is known.
    pub(super) fn stored_bytes(&self) -> Option<u64> {
        match &self.kind {
            Kind::Path(path) => fs_err::metadata(path).ok().map(|data| data.len()),
            Kind::Reader(_) => None,
        }
    }
}

/// What all readers of a load share.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    pub(super) cancelled: Arc<AtomicBool>,
    /// Bytes read from the sources as they are stored.
    pub(super) bytes_read: Arc<AtomicU64>,
}

/// Why reading was stopped by us. Travels inside an [`io::Error`] through the parsers.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    #[error("cancelled")]
    Cancelled,
    #[error("decompresses to more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("nested more than {limit} levels deep")]
    TooDeep { limit: usize },
    #[error("declares an entity that is made of entities or longer than {limit} bytes")]
    Entity { limit: usize },
}

impl From<Stop> for io::Error {
    fn from(stop: Stop) -> Self {
        Self::other(stop)
    }
}

/// An opened source.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) format: Format,
    pub(super) reader: Box<dyn BufRead + Send>,
}

impl Input {
    /// Opens, undoes compression (told by content, not by name) and tells the format.
    pub(super) fn open(
        source: Source,
        format: Option<Format>,
        max_decompressed_bytes: u64,
        shared: &Shared,
    ) -> Result<Self, StoreError> {
        let name = source.name;
        let raw: Box<dyn Read + Send> = match source.kind {
            Kind::Path(path) => Box::new(File::open(path)?),
            Kind::Reader(reader) => reader,
        };
        let counted = BufReader::with_capacity(
            BUFFER_BYTES,
            Counted {
                reader: raw,
                shared: shared.clone(),
            },
        );
        let plain = decompressed(counted, max_decompressed_bytes)?;
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, plain);
        let start = reader
            .fill_buf()
            .map_err(|error| io_problem(&name, error))?;
        let start = &start[..start.len().min(SNIFF_BYTES)];
        let bom = start.starts_with(b"\xEF\xBB\xBF");
        let format = format
            .or_else(|| Format::from_file_name(&name))
            .or_else(|| Format::from_content(start));
        if bom {
            reader.consume(3);
        }
        Ok(Self {
            format: format.ok_or_else(|| StoreError::UnknownFormat {
                input: name.clone(),
            })?,
            name,
            reader: Box::new(reader),
        })
    }
}

/// The error of an input, ours when one of our readers stopped it.
pub(super) fn io_problem(name: &str, error: io::Error) -> StoreError {
    let stop = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Stop>());
    match stop {
        Some(Stop::Cancelled) => StoreError::Cancelled,
        Some(Stop::TooLarge { limit }) => StoreError::TooLarge {
            input: name.to_owned(),
            limit: *limit,
        },
        Some(Stop::TooDeep { .. } | Stop::Entity { .. }) | None => {
            let kind = error.kind();
            StoreError::Io(io::Error::new(kind, format!("cannot read {name}: {error}")))
        }
    }
}

/// Counts what is read and stops when the load is cancelled.
struct Counted {
    reader: Box<dyn Read + Send>,
    shared: Shared,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.shared.cancelled.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled.into());
        }
        let read = self.reader.read(buffer)?;
        self.shared
            .bytes_read
            .fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

fn decompressed(
    mut raw: BufReader<Counted>,
    limit: u64,
) -> Result<Box<dyn Read + Send>, StoreError> {
    let start = raw.fill_buf()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(Limited::new(MultiGzDecoder::new(raw), limit)));
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Ok(Box::new(Limited::new(
            ZstdFrames {
                state: Some(Frame::Between(raw)),
            },
            limit,
        )));
    }
    Ok(Box::new(raw))
}

/// Refuses to give more than `limit` bytes.
struct Limited<R> {
    reader: R,
    limit: u64,
    given: u64,
}

impl<R> Limited<R> {
    fn new(reader: R, limit: u64) -> Self {
        Self {
            reader,
            limit,
            given: 0,
        }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.given += read as u64;
        if self.given > self.limit {
            return Err(Stop::TooLarge { limit: self.limit }.into());
        }
        Ok(read)
    }
}

/// All frames of a zstd stream, one after the other.
struct ZstdFrames {
    state: Option<Frame>,
}

enum Frame {
    Between(BufReader<Counted>),
    Inside(Box<StreamingDecoder<BufReader<Counted>, ruzstd::decoding::FrameDecoder>>),
}

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.state.take() {
                None => return Ok(0),
                Some(Frame::Between(mut raw)) => {
                    if raw.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(raw).map_err(|error| {
                        io::Error::new(io::ErrorKind::InvalidData, error.to_string())
                    })?;
                    self.state = Some(Frame::Inside(Box::new(decoder)));
                }
                Some(Frame::Inside(mut decoder)) => {
                    let read = decoder.read(buffer)?;
                    if read > 0 || buffer.is_empty() {
                        self.state = Some(Frame::Inside(decoder));
                        return Ok(read);
                    }
                    self.state = Some(Frame::Between(decoder.into_inner()));
                }
            }
        }
    }
}

/// Counts the lines that went by, for messages about formats whose parser does not tell.
pub(super) struct LineCounted<R> {
    pub(super) reader: R,
    pub(super) lines: Arc<AtomicU64>,
}

impl<R: Read> Read for LineCounted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let lines = buffer[..read].iter().filter(|byte| **byte == b'\n').count();
        self.lines.fetch_add(lines as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Stops XML whose entities are made of entities, or long: a few hundred bytes of those expand to more than any memory.
pub(super) struct EntityLimited<R> {
    reader: R,
    /// How much of `<!ENTITY` was just seen; at its length, a declaration is open.
    matched: usize,
    /// The quote that is open in a declaration, and the bytes since.
    quoted: Option<(u8, usize)>,
    after_ampersand: bool,
}

const ENTITY: &[u8] = b"<!ENTITY";

/// The most bytes that an entity may stand for: as long as a namespace.
const MAX_ENTITY_BYTES: usize = 256;

impl<R> EntityLimited<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            matched: 0,
            quoted: None,
            after_ampersand: false,
        }
    }

    fn see(&mut self, byte: u8) -> Result<(), Stop> {
        if self.matched < ENTITY.len() {
            self.matched = if byte == ENTITY[self.matched] {
                self.matched + 1
            } else {
                usize::from(byte == ENTITY[0])
            };
            return Ok(());
        }
        match self.quoted {
            Some((quote, _)) if byte == quote => self.quoted = None,
            Some((quote, length)) => {
                if (self.after_ampersand && byte != b'#') || length >= MAX_ENTITY_BYTES {
                    return Err(Stop::Entity {
                        limit: MAX_ENTITY_BYTES,
                    });
                }
                self.quoted = Some((quote, length + 1));
            }
            None if matches!(byte, b'"' | b'\'') => self.quoted = Some((byte, 0)),
            None if byte == b'>' => self.matched = 0,
            None => {}
        }
        self.after_ampersand = byte == b'&';
        Ok(())
    }
}

impl<R: Read> Read for EntityLimited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        for byte in &buffer[..read] {
            self.see(*byte)?;
        }
        Ok(read)
    }
}

/// Stops JSON that is nested too deeply before the parser sees it.
pub(super) struct DepthLimited<R> {
    reader: R,
    limit: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl<R> DepthLimited<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            depth: 0,
            in_string: false,
            escaped: false,
        }
    }

    fn see(&mut self, byte: u8) -> Result<(), Stop> {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => {
                self.depth += 1;
                if self.depth > self.limit {
                    return Err(Stop::TooDeep { limit: self.limit });
                }
            }
            b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }
}

impl<R: Read> Read for DepthLimited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        for byte in &buffer[..read] {
            self.see(*byte)?;
        }
        Ok(read)
    }
}
