//! What kind of file starts like this?
//!
//! The content decides where it can; the name's ending decides between the kinds that look alike (text and Markdown, a
//! fragment of HTML). Text with an unknown ending is text if it is UTF-8 or UTF-16 without control characters.

use std::path::Path;

use serde_json::Value;

use crate::document::MediaKind;
use crate::encoding::utf16_by_zeros;

/// Bytes that are looked at.
pub(crate) const SNIFF_BYTES: usize = 64 << 10;

/// Control characters among this many bytes make a file binary.
const BYTES_PER_CONTROL_CHARACTER: usize = 32;

/// Control characters that any text may have.
const FEW_CONTROL_CHARACTERS: usize = 2;

/// Endings of text, in whatever encoding and with whatever else in it; files without an ending are taken for it too.
const TEXT_ENDINGS: &[&str] = &[
    "", "txt", "text", "log", "rst", "adoc", "asciidoc", "org", "tex", "csv", "tsv", "srt", "vtt",
    "eml",
];

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sniffed {
    /// Something that is read.
    Kind(MediaKind),
    /// Records of JSON in an array, or one behind the other.
    JsonRecords,
    /// Something that is not, in words.
    Other(&'static str),
}

/// Signatures of kinds that are not read.
const SIGNATURES: &[(&[u8], &str)] = &[
    (
        b"PK\x03\x04",
        "a zip archive (or a document made of one: docx, odt, epub)",
    ),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"RIFF", "sound, video or an image"),
    (b"OggS", "sound or video"),
    (b"ID3", "sound"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"{\\rtf", "RTF"),
    (b"SQLite format 3", "a database"),
    (b"PAR1", "a Parquet file"),
    (b"%!PS", "PostScript"),
];

/// The kind of the file `name` whose first bytes, decompressed, are `start`; `whole` when that is all of it.
pub(crate) fn sniff(name: &str, start: &[u8], whole: bool) -> Sniffed {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if start[..start.len().min(1024)]
        .windows(5)
        .any(|five| five == b"%PDF-")
        && !looks_like_text_before_pdf(start)
    {
        return Sniffed::Kind(MediaKind::Pdf);
    }
    let wide = start.starts_with(b"\xff\xfe")
        || start.starts_with(b"\xfe\xff")
        || utf16_by_zeros(start).is_some();
    if !wide {
        if let Some((_, what)) = SIGNATURES
            .iter()
            .find(|(signature, _)| is_signed(start, signature))
        {
            return Sniffed::Other(what);
        }
        if start.get(257..262) == Some(b"ustar") {
            return Sniffed::Other("a tar archive");
        }
        if is_binary(start) {
            return Sniffed::Other("binary data");
        }
    }
    let ending = ending(name);
    let markup = markup(start);
    match (markup, ending.as_str()) {
        (Some(Markup::Html), _) | (_, "html" | "htm" | "xhtml") => Sniffed::Kind(MediaKind::Html),
        (Some(Markup::Xml), _) => Sniffed::Other("XML"),
        (None, _) if starts_with_object(start, whole) => Sniffed::Kind(MediaKind::JsonLines),
        (None, "jsonl" | "ndjson") => Sniffed::Kind(MediaKind::JsonLines),
        (None, "json") if starts_with_record(start) => Sniffed::JsonRecords,
        (None, "json") => Sniffed::Other("JSON without an object or an array of them"),
        (None, "md" | "markdown" | "mdown" | "mkd") => Sniffed::Kind(MediaKind::Markdown),
        (None, known) if TEXT_ENDINGS.contains(&known) => Sniffed::Kind(MediaKind::Text),
        (None, _) if wide || is_plain(start, whole) => Sniffed::Kind(MediaKind::Text),
        (None, _) => Sniffed::Other(
            "of an unknown kind (by its ending, and it is no text in UTF-8 or UTF-16)",
        ),
    }
}

/// UTF-8 without control characters, but for the character that the end of `start` cuts where that is not the `whole`.
fn is_plain(start: &[u8], whole: bool) -> bool {
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && !whole => {
            let valid = start.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}'))
}

/// The name's ending in lower case, without the one of its compression.
fn ending(name: &str) -> String {
    let path = Path::new(name);
    let ending = |path: &Path| {
        path.extension()
            .map(|ending| ending.to_string_lossy().to_lowercase())
    };
    match ending(path) {
        Some(last) if matches!(last.as_str(), "gz" | "zst" | "gzip" | "zstd") => path
            .file_stem()
            .and_then(|stem| ending(Path::new(stem)))
            .unwrap_or_default(),
        last => last.unwrap_or_default(),
    }
}

/// Two-letter signatures are also how a text may begin ("MZ…"): what follows must not be one.
fn is_signed(start: &[u8], signature: &[u8]) -> bool {
    start.starts_with(signature)
        && (signature.len() > 4
            || is_binary(start)
            || !signature.is_ascii()
            || signature[0] == b'%')
}

/// A PDF may have some bytes before its header; a text that mentions it is a text.
fn looks_like_text_before_pdf(start: &[u8]) -> bool {
    !start.starts_with(b"%PDF-") && !is_binary(start)
}

fn is_binary(start: &[u8]) -> bool {
    let control = start
        .iter()
        .filter(|byte| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f))
        .count();
    control > FEW_CONTROL_CHARACTERS && control * BYTES_PER_CONTROL_CHARACTER > start.len()
}

enum Markup {
    Html,
    Xml,
}

/// Markup that says what it is in its first tag.
fn markup(start: &[u8]) -> Option<Markup> {
    let letters = start.iter().filter(|byte| **byte != 0).take(1024).copied();
    let head: Vec<u8> = letters
        .skip_while(|byte| !byte.is_ascii_graphic())
        .collect();
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let mut head = head.trim_start_matches('\u{fffd}').trim_start();
    while let Some(comment) = head.strip_prefix("<!--") {
        head = comment.split_once("-->")?.1.trim_start();
    }
    let xml = head.starts_with("<?xml");
    if xml && head.contains("<html") || head.starts_with("<!doctype html") {
        return Some(Markup::Html);
    }
    if xml {
        return Some(Markup::Xml);
    }
    let tag = head.strip_prefix('<')?;
    let name: String = tag
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    matches!(name.as_str(), "html" | "head" | "body").then_some(Markup::Html)
}

/// Does an object begin, alone or in an array?
fn starts_with_record(start: &[u8]) -> bool {
    let text = start.trim_ascii_start();
    let inside = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    inside.starts_with(b"{") || text.starts_with(b"[") && inside.starts_with(b"]")
}

/// Is the first line a whole JSON object?
fn starts_with_object(start: &[u8], whole: bool) -> bool {
    let text = start.trim_ascii_start();
    if !text.starts_with(b"{") {
        return false;
    }
    let line = match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => &text[..end],
        None if whole => text,
        None => return false,
    };
    serde_json::from_slice::<serde_json::Map<String, Value>>(line).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_first_and_the_ending_second() {
        let kind = Sniffed::Kind;
        for (name, start, expected) in [
            ("a.txt", "plain".as_bytes(), kind(MediaKind::Text)),
            ("a", b"plain", kind(MediaKind::Text)),
            ("a.md", b"# Title", kind(MediaKind::Markdown)),
            ("a.MD.gz", b"# Title", kind(MediaKind::Markdown)),
            (
                "a.txt",
                b" <!-- c -->\n<!DOCTYPE html><p>x",
                kind(MediaKind::Html),
            ),
            ("a.md", b"<p align=center>x", kind(MediaKind::Markdown)),
            ("a.htm", b"<p>x", kind(MediaKind::Html)),
            ("a.txt", b"%PDF-1.4\n", kind(MediaKind::Pdf)),
            (
                "a.txt",
                b"The header of a PDF is %PDF-1.4.",
                kind(MediaKind::Text),
            ),
            ("a.txt", b"{\"text\":\"x\"}\n{", kind(MediaKind::JsonLines)),
            ("a.jsonl", b"oops\n{}", kind(MediaKind::JsonLines)),
            ("a.json", b"{\n \"a\": 1\n}", Sniffed::JsonRecords),
            ("a.json", b" [\n {\"a\": 1}]", Sniffed::JsonRecords),
            (
                "a.json",
                b"[1, 2]",
                Sniffed::Other("JSON without an object or an array of them"),
            ),
            ("a.txt", b"[\n {\"a\": 1}]", kind(MediaKind::Text)),
            (
                "a.svg",
                b"<?xml version='1.0'?><svg/>",
                Sniffed::Other("XML"),
            ),
            (
                "a.txt",
                b"\x00\x01\x02\x03\x04",
                Sniffed::Other("binary data"),
            ),
            ("a.txt", b"MZ is a station code", kind(MediaKind::Text)),
            ("a.txt", b"one NUL\x00 is no harm", kind(MediaKind::Text)),
            ("a.txt", b"p\0l\0a\0i\0n\0", kind(MediaKind::Text)),
            ("a.txt", b"", kind(MediaKind::Text)),
            ("a.xyz", "pl\u{e4}in".as_bytes(), kind(MediaKind::Text)),
            ("a.xyz", b"p\0l\0a\0i\0n\0", kind(MediaKind::Text)),
            ("a.txt", b"pl\xe4in", kind(MediaKind::Text)),
            ("README", b"pl\xe4in", kind(MediaKind::Text)),
        ] {
            assert_eq!(
                sniff(name, start, true),
                expected,
                "{name} {:?}",
                String::from_utf8_lossy(start)
            );
        }
        for (name, start) in [
            ("a.xyz", b"pl\xe4in".as_slice()),
            ("a.dat", b"words, words, words, words and \x01"),
        ] {
            let other = sniff(name, start, true);
            assert!(matches!(other, Sniffed::Other(what) if what.contains("unknown")));
        }
        // What is looked at may end within a character.
        let cut = &"plain \u{e4}".as_bytes()[..7];
        assert_eq!(sniff("a.xyz", cut, false), kind(MediaKind::Text));
        let zip = sniff("a.md", b"PK\x03\x04\x14\x00\x00\x00\x08\x00", true);
        assert!(matches!(zip, Sniffed::Other(what) if what.contains("zip")));
    }
}
