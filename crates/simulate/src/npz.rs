//! What does NumPy's archive of arrays hold? Only what the published datasets need: ids and single-precision matrices.

use std::collections::BTreeMap;
use std::io::Read;

use thiserror::Error;

/// An archive is not what it should be.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpzError {
    /// It is no zip archive, or it is cut.
    #[error("it is no complete zip archive (at byte {at})")]
    Zip {
        /// Where reading ended.
        at: usize,
    },
    /// A member is packed in another way than stored or deflated, or is larger than it says.
    #[error("its member `{name}` cannot be unpacked")]
    Packed {
        /// The member.
        name: String,
    },
    /// A member is missing.
    #[error("it has no member `{name}`")]
    Missing {
        /// The member.
        name: String,
    },
    /// A member is no array of the expected kind.
    #[error("its member `{name}` is no {expected}")]
    Array {
        /// The member.
        name: String,
        /// What was expected.
        expected: &'static str,
    },
}

/// Most bytes of an unpacked member.
const MOST_BYTES: u64 = 64 << 20;

/// The members of an archive, unpacked.
#[derive(Debug)]
pub(crate) struct Npz {
    members: BTreeMap<String, Vec<u8>>,
}

fn number(bytes: &[u8], at: usize, width: usize) -> Result<usize, NpzError> {
    let field = bytes.get(at..at + width).ok_or(NpzError::Zip { at })?;
    Ok(field
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | usize::from(*byte)))
}

impl Npz {
    /// Reads the central directory and unpacks every member.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, NpzError> {
        const END: &[u8] = b"PK\x05\x06";
        let end = bytes
            .windows(END.len())
            .rposition(|window| window == END)
            .ok_or(NpzError::Zip { at: bytes.len() })?;
        let mut members = BTreeMap::new();
        let mut at = number(bytes, end + 16, 4)?;
        for _ in 0..number(bytes, end + 10, 2)? {
            let packed = number(bytes, at + 20, 4)?;
            let lengths = [28, 30, 32].map(|field| number(bytes, at + field, 2));
            let [name_length, extra, comment] = lengths;
            let (name_length, rest) = (name_length?, extra? + comment?);
            let name = bytes
                .get(at + 46..at + 46 + name_length)
                .ok_or(NpzError::Zip { at })?;
            let name = String::from_utf8_lossy(name).into_owned();
            let local = number(bytes, at + 42, 4)?;
            let start = local + 30 + number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
            let data = bytes
                .get(start..start + packed)
                .ok_or(NpzError::Zip { at: start })?;
            let unpacked = unpack(data, number(bytes, at + 10, 2)?)
                .ok_or_else(|| NpzError::Packed { name: name.clone() })?;
            members.insert(name, unpacked);
            at += 46 + name_length + rest;
        }
        Ok(Self { members })
    }

    /// The rows of a matrix of `width` single-precision numbers.
    pub(crate) fn vectors(&self, name: &str, width: usize) -> Result<Vec<Vec<f32>>, NpzError> {
        let wrong = || NpzError::Array {
            name: name.to_owned(),
            expected: "matrix of little-endian f32 with 128 columns",
        };
        let (header, data) = self.array(name)?;
        let fits = header.contains("'<f4'")
            && header.contains("'fortran_order': False")
            && header.contains(&format!(", {width})"));
        if !fits {
            return Err(wrong());
        }
        let numbers: Vec<f32> = data
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        Ok(numbers.chunks_exact(width).map(<[f32]>::to_vec).collect())
    }

    /// The texts of a list, of which each has the same number of UTF-32 places.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, NpzError> {
        let wrong = || NpzError::Array {
            name: name.to_owned(),
            expected: "list of texts",
        };
        let (header, data) = self.array(name)?;
        let letters = header
            .split("'<U")
            .nth(1)
            .and_then(|rest| rest.split('\'').next());
        let letters: usize = letters.and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
        let text = |bytes: &[u8]| -> String {
            bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .take_while(|code| *code != 0)
                .filter_map(char::from_u32)
                .collect()
        };
        Ok(data.chunks_exact(4 * letters.max(1)).map(text).collect())
    }

    /// Header and data of an array in NumPy's format, version 1.
    fn array(&self, name: &str) -> Result<(String, &[u8]), NpzError> {
        let bytes = self.members.get(name).ok_or_else(|| NpzError::Missing {
            name: name.to_owned(),
        })?;
        let wrong = || NpzError::Array {
            name: name.to_owned(),
            expected: "array of NumPy's format, version 1",
        };
        if !bytes.starts_with(b"\x93NUMPY\x01") {
            return Err(wrong());
        }
        let length = number(bytes, 8, 2)?;
        let (header, data) = bytes
            .get(10..)
            .and_then(|rest| rest.split_at_checked(length))
            .ok_or_else(wrong)?;
        Ok((String::from_utf8_lossy(header).into_owned(), data))
    }
}

fn unpack(data: &[u8], method: usize) -> Option<Vec<u8>> {
    match method {
        0 => Some(data.to_vec()),
        8 => {
            let mut out = Vec::new();
            let mut reader = flate2::read::DeflateDecoder::new(data).take(MOST_BYTES + 1);
            reader.read_to_end(&mut out).ok()?;
            (out.len() as u64 <= MOST_BYTES).then_some(out)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(matches!(Npz::read(b"nothing"), Err(NpzError::Zip { .. })));
        let mut end = b"PK\x05\x06".to_vec();
        end.extend([0; 4]);
        end.extend([1, 0, 1, 0]);
        end.extend([9; 10]);
        assert!(matches!(Npz::read(&end), Err(NpzError::Zip { .. })));
    }
}
