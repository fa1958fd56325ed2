//! How is a stream of server-sent events read?
//!
//! Line by line, with a bound for a line and one for the whole. Only `data` fields matter to the
//! protocol, each is one event.

use std::io::{self, Read};

/// Why a stream ended without an end.
#[derive(Debug)]
pub(super) enum StreamError {
    /// The connection failed or was out of time.
    Read(io::Error),
    /// A line or the whole is longer than allowed.
    TooLong,
}

/// The events of a stream.
pub(super) struct Events<R> {
    body: R,
    buffer: Vec<u8>,
    start: usize,
    max_line: usize,
    left: usize,
    ended: bool,
}

impl<R: Read> Events<R> {
    pub(super) fn new(body: R, max_line: usize, max_bytes: usize) -> Self {
        Self {
            body,
            buffer: Vec::new(),
            start: 0,
            max_line,
            left: max_bytes,
            ended: false,
        }
    }

    /// Whether everything is read.
    pub(super) fn at_end(&self) -> bool {
        self.ended && self.start == self.buffer.len()
    }

    /// The data of the next event; nothing at the end of the stream.
    pub(super) fn next(&mut self) -> Result<Option<String>, StreamError> {
        while let Some(line) = self.line()? {
            if let Some(data) = line.strip_prefix("data:") {
                return Ok(Some(data.strip_prefix(' ').unwrap_or(data).to_owned()));
            }
        }
        Ok(None)
    }

    fn line(&mut self) -> Result<Option<String>, StreamError> {
        let mut searched = 0;
        loop {
            let pending = &self.buffer[self.start..];
            let end = pending[searched..].iter().position(|byte| *byte == b'\n');
            if let Some(end) = end.map(|end| end + searched) {
                let line = String::from_utf8_lossy(&pending[..end]);
                let line = line.trim_end_matches('\r').to_owned();
                self.start += end + 1;
                return Ok(Some(line));
            }
            if self.ended {
                let rest = String::from_utf8_lossy(pending).trim_end().to_owned();
                self.start = self.buffer.len();
                return Ok((!rest.is_empty()).then_some(rest));
            }
            searched = pending.len();
            if searched > self.max_line {
                return Err(StreamError::TooLong);
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<(), StreamError> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let mut chunk = [0; 8192];
        let count = self.body.read(&mut chunk).map_err(StreamError::Read)?;
        self.ended = count == 0;
        self.left = self.left.checked_sub(count).ok_or(StreamError::TooLong)?;
        self.buffer.extend_from_slice(&chunk[..count]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives its bytes in pieces.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(into.len());
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn all(text: &[u8], step: usize) -> Vec<String> {
        let mut events = Events::new(Drip(text, step), 1000, 100_000);
        let mut found = Vec::new();
        while let Some(data) = events.next().unwrap() {
            found.push(data);
        }
        found
    }

    #[test]
    fn only_data_matters_with_or_without_a_space() {
        let text = ": keep-alive\r\nevent: x\r\ndata: {\"a\":1}\r\n\r\ndata:b\n\ndata: \u{e9}";
        assert_eq!(all(text.as_bytes(), 3), ["{\"a\":1}", "b", "\u{e9}"]);
    }

    #[test]
    fn lines_and_streams_are_bounded() {
        let long = format!("data: {}\n", "x".repeat(2000));
        let mut events = Events::new(Drip(long.as_bytes(), 100), 1000, 100_000);
        assert!(matches!(events.next(), Err(StreamError::TooLong)));
        let many = "data: x\n".repeat(1000);
        let mut events = Events::new(Drip(many.as_bytes(), 100), 1000, 500);
        let end = std::iter::from_fn(|| match events.next() {
            Ok(Some(_)) => Some(None),
            Ok(None) => None,
            Err(error) => Some(Some(error)),
        })
        .find_map(|error| error);
        assert!(matches!(end, Some(StreamError::TooLong)));
    }

    proptest! {
        #[test]
        fn the_pieces_do_not_matter(lines in prop::collection::vec("[a-zé:]{0,12}", 0..20), step in 1_usize..40) {
            let text: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
            prop_assert_eq!(all(text.as_bytes(), step), lines);
        }
    }
}
