//! Which documents are in a file of JSON lines?
//!
//! Each line is an object with `text` and perhaps `title`, both strings; other fields are ignored. A bad line says why, and
//! the next one is read. Memory holds one line.

use std::io::{self, BufRead};

use serde::Deserialize;

use crate::encoding::clean;
use crate::error::SkipReason;
use crate::text::one_line;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineText {
    /// Its title, on one line; empty if it has none.
    pub(crate) title: String,
    pub(crate) text: String,
}

#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    title: Option<String>,
    text: String,
}

/// Reads one line.
pub(crate) fn parse(line: &[u8]) -> Result<LineText, SkipReason> {
    let fields: Fields = serde_json::from_slice(line).map_err(|error| SkipReason::JsonLine {
        reason: error.to_string(),
    })?;
    Ok(LineText {
        title: one_line(&clean(fields.title.unwrap_or_default())),
        text: clean(fields.text),
    })
}

/// The lines of a reader, numbered from 1, without their ends; blank ones are left out.
pub(crate) struct Lines<R> {
    reader: R,
    max_bytes: usize,
    number: u64,
}

/// One line or record, or the reason that it is not given.
pub(crate) struct Line {
    pub(crate) number: u64,
    pub(crate) bytes: Result<Vec<u8>, SkipReason>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R, max_bytes: usize) -> Self {
        Self {
            reader,
            max_bytes,
            number: 0,
        }
    }

    /// The next line that is not blank.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line>> {
        loop {
            let Some(bytes) = self.read_line()? else {
                return Ok(None);
            };
            self.number += 1;
            let number = self.number;
            let bytes = match bytes {
                Ok(bytes) => {
                    let mark = if number == 1 {
                        b"\xef\xbb\xbf".as_slice()
                    } else {
                        b""
                    };
                    let line = bytes.strip_prefix(mark).unwrap_or(&bytes).trim_ascii();
                    if line.is_empty() {
                        continue;
                    }
                    if line.len() == bytes.len() {
                        Ok(bytes)
                    } else {
                        Ok(line.to_vec())
                    }
                }
                Err(reason) => Err(reason),
            };
            return Ok(Some(Line { number, bytes }));
        }
    }

    /// The bytes up to the next line end; a line that is too long is read past but not kept.
    fn read_line(&mut self) -> io::Result<Option<Result<Vec<u8>, SkipReason>>> {
        let mut line = Vec::new();
        let mut length = 0usize;
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                if length == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            length += part.len() + usize::from(end.is_some());
            if length <= self.max_bytes {
                line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        if length > self.max_bytes {
            return Ok(Some(Err(SkipReason::TooLarge {
                limit: self.max_bytes as u64,
            })));
        }
        Ok(Some(Ok(line)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(bytes: &[u8], buffer: usize) -> Vec<(u64, bool)> {
        let mut lines = Lines::new(BufReader::with_capacity(buffer, bytes), 20);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().expect("bytes can be read") {
            all.push((line.number, line.bytes.is_ok()));
        }
        all
    }

    #[test]
    fn lines_are_counted_whatever_the_buffer_and_long_ones_are_not_kept() {
        let text = "\u{feff}{}\r\n\n123456789012345678901234567890\n{}";
        for buffer in 1..40 {
            assert_eq!(
                lines(text.as_bytes(), buffer),
                [(1, true), (3, false), (4, true)],
                "{buffer}"
            );
        }
    }

    #[test]
    fn a_line_without_text_says_what_is_missing() {
        let line =
            parse(br#"{"title": " A \n b", "text": "x\r\ny", "more": [1]}"#).expect("a good line");
        assert_eq!(
            line,
            LineText {
                title: "A b".to_owned(),
                text: "x\ny".to_owned()
            }
        );
        assert!(parse(br#"{"title": null, "text": ""}"#).is_ok());
        for bad in [
            "",
            "{",
            "[]",
            "{\"title\":\"x\"}",
            "{\"text\":1}",
            "\"text\"",
        ] {
            let reason = parse(bad.as_bytes()).expect_err(bad).to_string();
            assert!(reason.contains("JSON"), "{reason}");
        }
    }
}
