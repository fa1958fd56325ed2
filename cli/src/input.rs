//! What does a file or standard input that a command was given say?
//!
//! Only regular files, and `-` for standard input; bounded, as devices and pipes may never end.

use std::io::Read;
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// Bytes that are read, at most.
const MAX_BYTES: u64 = 1 << 30;

/// What messages call a file, or standard input for `-`.
pub(crate) fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn text_of(path: &Path) -> Outcome<String> {
    if path.as_os_str() == "-" {
        return bounded(std::io::stdin().lock(), &name_of(path), MAX_BYTES);
    }
    if !fs_err::metadata(path)?.is_file() {
        let message = format!(
            "{} is no file (a folder, pipe, device or socket)",
            path.display()
        );
        return Err(Failure::new(message)
            .hint("save what it gives to a file, or hand it over on standard input with `-`"));
    }
    bounded(fs_err::File::open(path)?, &name_of(path), MAX_BYTES)
}

fn bounded(reader: impl Read, name: &str, limit: u64) -> Outcome<String> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::new(format!("{name} has more than {limit} bytes")).hint("split it"));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(format!("{name} is not UTF-8 text")).hint("convert it to UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_read_to_the_limit_only() {
        assert_eq!(bounded("four".as_bytes(), "it", 4).unwrap(), "four");
        let failure = bounded(std::io::repeat(b'x'), "it", 4).unwrap_err();
        assert_eq!(failure.message, "it has more than 4 bytes");
        assert!(
            bounded(&b"\xff"[..], "it", 4)
                .unwrap_err()
                .message
                .contains("UTF-8")
        );
    }
}
