//! What is inside a compressed file, if not too much?
//!
//! gzip and zstd are unpacked as a stream, with a bound on what comes out and on how many times larger than what went in it
//! is. The zstd decoder itself refuses windows over 100 MB. Archives (zip, tar) are not read here.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::limits::Limits;

/// Why reading stopped, carried through [`io::Error`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    #[error("more than {limit} bytes decompressed")]
    TooLarge { limit: u64 },
    #[error("more than {ratio} times its size decompressed")]
    TooCompressed { ratio: u64 },
    #[error("interrupted")]
    Interrupted,
}

impl Stop {
    /// The stop inside `error`, if it is one.
    pub(crate) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<Stop> for io::Error {
    fn from(stop: Stop) -> Self {
        Self::other(stop)
    }
}

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// `raw`, decompressed if its first bytes say that it is compressed.
pub(crate) fn decompressed<'a>(
    raw: impl Read + Send + 'a,
    limits: &Limits,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let bytes_in = Arc::new(AtomicU64::new(0));
    let counted = Counted {
        reader: raw,
        bytes: Arc::clone(&bytes_in),
    };
    let mut raw = BufReader::with_capacity(limits.read_buffer_bytes.max(16), counted);
    let start = raw.fill_buf()?;
    if start.starts_with(GZIP) {
        return Ok(Box::new(Bounded::new(
            MultiGzDecoder::new(raw),
            bytes_in,
            limits,
        )));
    }
    if start.starts_with(ZSTD) {
        let frames = ZstdFrames {
            state: Some(Frame::Between(raw)),
        };
        return Ok(Box::new(Bounded::new(frames, bytes_in, limits)));
    }
    Ok(Box::new(raw))
}

/// Counts what is read.
struct Counted<R> {
    reader: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Refuses to give more than allowed.
struct Bounded<R> {
    reader: R,
    bytes_in: Arc<AtomicU64>,
    bytes_out: u64,
    limits: Limits,
}

impl<R> Bounded<R> {
    fn new(reader: R, bytes_in: Arc<AtomicU64>, limits: &Limits) -> Self {
        Self {
            reader,
            bytes_in,
            bytes_out: 0,
            limits: *limits,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.bytes_out += read as u64;
        let limits = &self.limits;
        if self.bytes_out > limits.max_decompressed_bytes {
            let limit = limits.max_decompressed_bytes;
            return Err(Stop::TooLarge { limit }.into());
        }
        let ratio = limits.max_compression_ratio;
        let most = self
            .bytes_in
            .load(Ordering::Relaxed)
            .saturating_mul(ratio)
            .max(limits.ratio_floor_bytes);
        if self.bytes_out > most {
            return Err(Stop::TooCompressed { ratio }.into());
        }
        Ok(read)
    }
}

/// All frames of a zstd stream, one after the other.
struct ZstdFrames<R: Read> {
    state: Option<Frame<R>>,
}

enum Frame<R: Read> {
    Between(BufReader<R>),
    Inside(Box<StreamingDecoder<BufReader<R>, FrameDecoder>>),
}

fn damaged(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

impl<R: Read> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.state.take() {
                None => return Ok(0),
                Some(Frame::Between(mut raw)) => {
                    if raw.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(raw).map_err(damaged)?;
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
