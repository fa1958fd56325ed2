//! How is a piece of a large file read when it is needed, and how is damage noticed?
//!
//! What is written is cut into blocks of 64 KiB with a hash each (XXH3, for accidents: it withstands no forger). The
//! hashes and where each section ends stand behind the last block, with a hash of their own. A read verifies the blocks
//! that it touches. It knows nothing of what the bytes mean.

use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

use crate::GraphRagError;

/// Bytes that are verified at once.
pub(crate) const BLOCK: usize = 1 << 16;

/// Magic bytes and the format's version.
const HEAD: usize = 12;

/// Where the list of hashes starts, how long it is, and its hash.
const TAIL: usize = 24;

const MAGIC: &[u8; 8] = b"RFRNDOCS";

/// Grows whenever bytes of before cannot be read any more.
const FORMAT: u32 = 2;

pub(super) const fn damaged(reason: &'static str) -> GraphRagError {
    GraphRagError::Damaged { reason }
}

/// Writes sections one after the other.
pub(super) struct BlockWriter<W> {
    writer: W,
    block: Vec<u8>,
    written: u64,
    hashes: Vec<u64>,
    ends: Vec<u64>,
}

impl<W: Write> BlockWriter<W> {
    pub(super) fn new(mut writer: W) -> std::io::Result<Self> {
        writer.write_all(MAGIC)?;
        writer.write_all(&FORMAT.to_le_bytes())?;
        Ok(Self {
            writer,
            block: Vec::with_capacity(BLOCK),
            written: 0,
            hashes: Vec::new(),
            ends: Vec::new(),
        })
    }

    fn position(&self) -> u64 {
        self.written + self.block.len() as u64
    }

    fn flush_block(&mut self) -> std::io::Result<()> {
        self.hashes.push(xxh3_64(&self.block));
        self.writer.write_all(&self.block)?;
        self.written += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Adds bytes to the section.
    pub(super) fn put(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == BLOCK {
                self.flush_block()?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Ends the section. The next one begins with a block.
    pub(super) fn end_section(&mut self) -> std::io::Result<()> {
        self.ends.push(self.position());
        if !self.block.is_empty() {
            self.block.resize(BLOCK, 0);
            self.flush_block()?;
        }
        Ok(())
    }

    /// Writes the hashes.
    pub(super) fn finish(mut self) -> std::io::Result<()> {
        let mut list = (self.ends.len() as u64).to_le_bytes().to_vec();
        list.extend(
            self.ends
                .iter()
                .chain(&self.hashes)
                .flat_map(|n| n.to_le_bytes()),
        );
        let mut tail = self.written.to_le_bytes().to_vec();
        tail.extend((list.len() as u64).to_le_bytes());
        tail.extend(xxh3_64(&[list.as_slice(), tail.as_slice()].concat()).to_le_bytes());
        self.writer.write_all(&list)?;
        self.writer.write_all(&tail)?;
        self.writer.flush()
    }
}

#[derive(Debug)]
enum Source {
    File(Mutex<fs_err::File>),
    Memory(Vec<u8>),
}

impl Source {
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, GraphRagError> {
        let too_long = |_| damaged("a part is too long");
        let length = usize::try_from(range.end - range.start).map_err(too_long)?;
        match self {
            Self::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let mut bytes = vec![0; length];
                file.seek(SeekFrom::Start(range.start))?;
                file.read_exact(&mut bytes)?;
                Ok(bytes)
            }
            Self::Memory(bytes) => {
                let start = usize::try_from(range.start).map_err(too_long)?;
                let end = start
                    .checked_add(length)
                    .ok_or(damaged("a part is too long"))?;
                bytes
                    .get(start..end)
                    .map(<[u8]>::to_vec)
                    .ok_or(damaged("it is cut short"))
            }
        }
    }
}

/// Sections as they were written.
#[derive(Debug)]
pub(crate) struct Blocks {
    source: Source,
    ends: Vec<u64>,
    hashes: Vec<u64>,
    /// What went wrong first.
    fault: OnceLock<GraphRagError>,
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

impl Blocks {
    pub(super) fn of_file(mut file: fs_err::File) -> Result<Self, GraphRagError> {
        let length = file.seek(SeekFrom::End(0))?;
        Self::new(Source::File(Mutex::new(file)), length)
    }

    pub(super) fn of_bytes(bytes: Vec<u8>) -> Result<Self, GraphRagError> {
        let length = bytes.len() as u64;
        Self::new(Source::Memory(bytes), length)
    }

    fn new(source: Source, length: u64) -> Result<Self, GraphRagError> {
        let (head, tail) = (HEAD as u64, TAIL as u64);
        if length < head {
            return Err(damaged("it is cut short"));
        }
        let start = source.read(0..head)?;
        if start[..MAGIC.len()] != *MAGIC {
            return Err(damaged("it is no document index"));
        }
        let found = u32::try_from(number(&start[MAGIC.len()..])).unwrap_or(u32::MAX);
        if found != FORMAT {
            return Err(GraphRagError::Format {
                found,
                known: FORMAT,
            });
        }
        if length < head + tail {
            return Err(damaged("it is cut short"));
        }
        let tail = source.read(length - tail..length)?;
        let (written, listed) = (number(&tail[..8]), number(&tail[8..16]));
        let whole = (HEAD as u64)
            .checked_add(written)
            .and_then(|n| n.checked_add(listed));
        if whole.and_then(|n| n.checked_add(TAIL as u64)) != Some(length) {
            return Err(damaged("it is cut short"));
        }
        let list = source.read(HEAD as u64 + written..length - TAIL as u64)?;
        if xxh3_64(&[list.as_slice(), &tail[..16]].concat()) != number(&tail[16..]) {
            return Err(damaged("a checksum does not fit"));
        }
        let numbers: Vec<u64> = list
            .as_chunks::<8>()
            .0
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect();
        let sections = numbers
            .first()
            .and_then(|count| usize::try_from(*count).ok())
            .unwrap_or(usize::MAX);
        let (ends, hashes) = numbers
            .get(1..)
            .and_then(|rest| rest.split_at_checked(sections))
            .ok_or(damaged("its list of parts is broken"))?;
        let fits = ends.is_sorted()
            && ends.last().is_none_or(|end| *end <= written)
            && hashes.len() as u64 == written.div_ceil(BLOCK as u64)
            && written % BLOCK as u64 == 0;
        if !fits {
            return Err(damaged("its list of parts is broken"));
        }
        Ok(Self {
            source,
            ends: ends.to_vec(),
            hashes: hashes.to_vec(),
            fault: OnceLock::new(),
        })
    }

    /// Where a section lies.
    fn section(&self, section: usize) -> Result<Range<u64>, GraphRagError> {
        let end = *self.ends.get(section).ok_or(damaged("a part is missing"))?;
        let before = section.checked_sub(1).map_or(0, |before| self.ends[before]);
        let start = before.div_ceil(BLOCK as u64) * BLOCK as u64;
        if start > end {
            return Err(damaged("its list of parts is broken"));
        }
        Ok(start..end)
    }

    /// How many bytes a section has.
    pub(super) fn len_of(&self, section: usize) -> Result<u64, GraphRagError> {
        self.section(section).map(|range| range.end - range.start)
    }

    /// A whole section.
    pub(super) fn section_bytes(&self, section: usize) -> Result<Vec<u8>, GraphRagError> {
        self.read(section, 0..self.len_of(section)?)
    }

    /// A piece of a section, verified.
    pub(crate) fn read(&self, section: usize, piece: Range<u64>) -> Result<Vec<u8>, GraphRagError> {
        let place = self.section(section)?;
        if piece.start > piece.end || piece.end > place.end - place.start {
            return Err(damaged("a part is too short"));
        }
        let (start, end) = (place.start + piece.start, place.start + piece.end);
        let block = BLOCK as u64;
        let (first, last) = (start / block, end.div_ceil(block));
        let mut bytes = self
            .source
            .read(HEAD as u64 + first * block..HEAD as u64 + last * block)?;
        let hashes = usize::try_from(first)
            .ok()
            .and_then(|first| self.hashes.get(first..));
        for (part, hash) in bytes.chunks(BLOCK).zip(hashes.unwrap_or_default()) {
            if xxh3_64(part) != *hash {
                return Err(damaged("a checksum does not fit"));
            }
        }
        let skipped =
            usize::try_from(start - first * block).map_err(|_| damaged("a part is too long"))?;
        bytes.truncate(
            skipped + usize::try_from(end - start).map_err(|_| damaged("a part is too long"))?,
        );
        bytes.drain(..skipped);
        Ok(bytes)
    }

    /// Reads all blocks.
    pub(super) fn verify(&self) -> Result<(), GraphRagError> {
        let block = BLOCK as u64;
        for (n, hash) in (0_u64..).zip(&self.hashes) {
            let start = HEAD as u64 + n * block;
            if xxh3_64(&self.source.read(start..start + block)?) != *hash {
                return Err(damaged("a checksum does not fit"));
            }
        }
        Ok(())
    }

    /// Keeps a fault where nothing can be returned: what could not be read counts as empty until somebody asks.
    pub(crate) fn note(&self, fault: GraphRagError) {
        // A later fault says no more than the first.
        let _ = self.fault.set(fault);
    }

    /// The first fault that was noted.
    pub(super) fn fault(&self) -> Option<&GraphRagError> {
        self.fault.get()
    }
}
