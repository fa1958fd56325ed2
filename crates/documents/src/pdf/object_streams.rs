//! How far would the compressed objects of a PDF expand?
//!
//! The parser expands all object and cross-reference streams when it loads a file, each within a bound, but not all of them
//! together. So they are expanded here first, without keeping anything, until the bound for all is met.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::ZlibDecoder;

/// Bytes expanded at a time.
const BUFFER_BYTES: usize = 64 << 10;

/// Is `wanted` in `bytes`?
pub(super) fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    find(bytes, 0, wanted).is_some()
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = from;
    while let Some(next) = bytes.get(at..)?.iter().position(|byte| *byte == first) {
        at += next;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// True when the object streams in `bytes` expand to at most `most` bytes together. A stream in an encoding that is not
/// expanded here counts as a quarter of `most`.
pub(super) fn expand_within(bytes: &[u8], most: usize, stop: &AtomicBool) -> bool {
    let mut left = most;
    let mut dictionary_start = 0;
    let mut at = 0;
    while let Some(keyword) = find(bytes, at, b"stream") {
        at = keyword + b"stream".len();
        let dictionary = &bytes[dictionary_start..keyword];
        dictionary_start = at;
        if dictionary.ends_with(b"end") || !holds_objects(dictionary) {
            continue;
        }
        let data = &bytes[at..];
        let data = data
            .strip_prefix(b"\r\n")
            .or_else(|| data.strip_prefix(b"\n"))
            .unwrap_or(data);
        let spent = if contains(dictionary, b"Filter") {
            if !is_plain_zlib(dictionary) {
                most / 4
            } else if let Some(expanded) = expanded_bytes(data, left, stop) {
                expanded
            } else {
                return false;
            }
        } else {
            0
        };
        let Some(rest) = left.checked_sub(spent) else {
            return false;
        };
        left = rest;
    }
    true
}

/// Is this the dictionary of a stream that is expanded when the file is loaded? A name may be written with escapes.
fn holds_objects(dictionary: &[u8]) -> bool {
    let marked = |bytes: &[u8]| contains(bytes, b"ObjStm") || contains(bytes, b"XRef");
    marked(dictionary) || (contains(dictionary, b"#") && marked(&unescaped(dictionary)))
}

/// `bytes` with `#41` for `A` and the like undone.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'#', [high, low, after @ ..]) => match (digit(high), digit(low)) {
                (Some(high), Some(low)) => {
                    plain.push(high * 16 + low);
                    rest = after;
                }
                _ => plain.push(b'#'),
            },
            _ => plain.push(*first),
        }
    }
    plain
}

fn is_plain_zlib(dictionary: &[u8]) -> bool {
    let filters = dictionary
        .windows(6)
        .filter(|six| *six == b"Decode")
        .count();
    contains(dictionary, b"/FlateDecode")
        && filters
            - dictionary
                .windows(11)
                .filter(|eleven| *eleven == b"DecodeParms")
                .count()
            == 1
}

/// The bytes that zlib `data` expands to; `None` when they are more than `most`.
fn expanded_bytes(data: &[u8], most: usize, stop: &AtomicBool) -> Option<usize> {
    let mut decoder = ZlibDecoder::new(data);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut total = 0usize;
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return Some(total),
            Ok(read) => total += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The parser keeps what it could expand of a damaged stream, and so no more than this.
            Err(_) => return Some(total),
        }
        if total > most || stop.load(Ordering::Relaxed) {
            return None;
        }
    }
}
