//! Which records are in a file of JSON that is not one object a line?
//!
//! The values of an array at the top, or values one after the other, each cut out by counting brackets, without reading
//! the rest. What is inside a value is not looked at: a broken one says so when it is read. Memory holds one value.

use std::io::{self, BufRead};

use crate::error::SkipReason;
use crate::json_lines::Line;

/// The values of a reader, numbered from 1.
pub(crate) struct Records<R> {
    reader: R,
    max_bytes: usize,
    number: u64,
    /// The array at the top is open, or was.
    in_array: bool,
}

/// Where a scan is inside a value.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// A bracket or a string was open, so the value ends when none is.
    structured: bool,
}

impl Scan {
    /// Takes one byte of a value; whether the value is whole now.
    fn takes(&mut self, byte: u8) -> bool {
        if self.in_string {
            let escaped = std::mem::take(&mut self.escaped);
            match byte {
                b'\\' => self.escaped = !escaped,
                b'"' if !escaped => self.in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.structured |= self.in_string || self.depth > 0;
        }
        self.structured && self.depth == 0 && !self.in_string
    }

    /// Whether a byte behind a number or word is no more of it.
    fn ends_before(&self, byte: u8) -> bool {
        !self.structured && (byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}'))
    }
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(reader: R, max_bytes: usize) -> Self {
        Self {
            reader,
            max_bytes,
            number: 0,
            in_array: false,
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                buffer => return Ok(buffer?.first().copied()),
            }
        }
    }

    /// Passes what stands between values; whether one follows.
    fn skip_between(&mut self) -> io::Result<bool> {
        while let Some(byte) = self.peek()? {
            let opens = byte == b'[' && !self.in_array;
            self.in_array |= opens;
            let is_between = opens
                || byte.is_ascii_whitespace()
                || matches!(byte, b',' | b']' | 0xef | 0xbb | 0xbf);
            if !is_between {
                return Ok(true);
            }
            self.reader.consume(1);
        }
        Ok(false)
    }

    /// The next value; one that is too long is read past but not kept.
    pub(crate) fn next_record(&mut self) -> io::Result<Option<Line>> {
        if !self.skip_between()? {
            return Ok(None);
        }
        self.number += 1;
        let (mut scan, mut value, mut length) = (Scan::default(), Vec::new(), 0_usize);
        while let Some(byte) = self.peek()? {
            if length > 0 && scan.ends_before(byte) {
                break;
            }
            self.reader.consume(1);
            length += 1;
            if length <= self.max_bytes {
                value.push(byte);
            }
            if scan.takes(byte) {
                break;
            }
        }
        let bytes = if length > self.max_bytes {
            Err(SkipReason::TooLarge {
                limit: self.max_bytes as u64,
            })
        } else {
            Ok(value)
        };
        Ok(Some(Line {
            number: self.number,
            bytes,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn records(text: &str, buffer: usize, max_bytes: usize) -> Vec<String> {
        let mut records =
            Records::new(BufReader::with_capacity(buffer, text.as_bytes()), max_bytes);
        let mut all = Vec::new();
        while let Some(record) = records.next_record().expect("bytes can be read") {
            assert_eq!(record.number, all.len() as u64 + 1);
            all.push(match record.bytes {
                Ok(bytes) => String::from_utf8(bytes).expect("it was text"),
                Err(reason) => reason.label().to_owned(),
            });
        }
        all
    }

    #[test]
    fn values_of_an_array_and_values_in_a_row_are_cut_out_whatever_the_buffer() {
        let text = "\u{feff} [ {\"text\": \"a ] } \\\" [\"},\n{\"x\": [1, {\"y\": \"\\\\\"}]}, 12, \"s\", null ]\n";
        for buffer in 1..20 {
            let found = records(text, buffer, 100);
            assert_eq!(
                found,
                [
                    "{\"text\": \"a ] } \\\" [\"}",
                    "{\"x\": [1, {\"y\": \"\\\\\"}]}",
                    "12",
                    "\"s\"",
                    "null"
                ],
                "{buffer}"
            );
        }
        assert_eq!(
            records("{\"a\":\n 1}\n{\"b\": 2}", 8, 100),
            ["{\"a\":\n 1}", "{\"b\": 2}"]
        );
        assert_eq!(records("[[1], [2]]", 8, 100), ["[1]", "[2]"]);
    }

    #[test]
    fn a_long_value_is_passed_and_a_cut_one_is_left_to_its_reader() {
        let long = format!("[{{\"text\": \"{}\"}}, {{\"text\": 1}}]", "x".repeat(50));
        assert_eq!(records(&long, 8, 20), ["too large", "{\"text\": 1}"]);
        assert_eq!(records("[{\"text\": \"x", 8, 20), ["{\"text\": \"x"]);
        for empty in ["", "[]", " [ , ] "] {
            assert!(records(empty, 8, 20).is_empty(), "{empty}");
        }
    }
}
