//! What document do these bytes make?

use std::path::Path;

use crate::document::{ContentHash, Document, DocumentId, MediaKind, Place, Source};
use crate::encoding::{clean, decode};
use crate::error::SkipReason;
use crate::limits::Limits;
use crate::sniff::{SNIFF_BYTES, Sniffed, sniff};
use crate::text::{Extracted, one_line};
use crate::{html, json_lines, markdown, pdf};

/// Characters of a title at most.
const MAX_TITLE_CHARS: usize = 300;

/// Reads one document from `bytes`, which are not compressed; its kind is told by them and by the name of `source`.
///
/// ```
/// use documents::{Limits, MediaKind, Source, read};
///
/// let bytes = b"# Owls\n\nThey *hunt* at night.".to_vec();
/// let document = read(Source::named("birds/owls.md"), bytes, &Limits::default())?;
/// assert_eq!(document.kind, MediaKind::Markdown);
/// assert_eq!(document.title, "Owls");
/// assert_eq!(document.text, "Owls\n\nThey hunt at night.");
/// # Ok::<(), documents::SkipReason>(())
/// ```
///
/// # Errors
/// When the kind is not read (JSON lines are many documents: see [`crate::read_json_line`]), the bytes exceed a limit, a PDF
/// is damaged, or there is no text.
pub fn read(source: Source, bytes: Vec<u8>, limits: &Limits) -> Result<Document, SkipReason> {
    let start = &bytes[..bytes.len().min(SNIFF_BYTES)];
    match sniff(&source.name, start, start.len() == bytes.len()) {
        Sniffed::Other(what) => Err(SkipReason::Kind { what }),
        Sniffed::Kind(MediaKind::JsonLines) | Sniffed::JsonRecords => Err(SkipReason::Kind {
            what: "a file of many JSON records, where one document was expected",
        }),
        Sniffed::Kind(kind) => {
            let content_hash = ContentHash::of_document(&bytes);
            read_as(kind, source, bytes, content_hash, limits).map(|read| read.document)
        }
    }
}

/// Reads one document from a line of JSON lines, or a record of a JSON array: an object with a string `text` and perhaps a string `title`.
///
/// # Errors
/// When the line is not such an object, is too long, or its text is empty.
pub fn read_json_line(
    source: Source,
    line: &[u8],
    limits: &Limits,
) -> Result<Document, SkipReason> {
    if line.len() > limits.max_line_bytes {
        return Err(SkipReason::TooLarge {
            limit: limits.max_line_bytes as u64,
        });
    }
    let content_hash = ContentHash::of_document(line);
    let line = json_lines::parse(line)?;
    let extracted = Extracted {
        title: Some(line.title),
        ..Extracted::plain(line.text)
    };
    document(MediaKind::JsonLines, source, extracted, content_hash)
}

/// A document, and whether some of its bytes stood for no character.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) document: Document,
    pub(crate) replaced: bool,
    /// Characters that the file has but does not show.
    pub(crate) hidden_chars: usize,
}

/// Reads one document of a known kind.
pub(crate) fn read_as(
    kind: MediaKind,
    source: Source,
    bytes: Vec<u8>,
    content_hash: ContentHash,
    limits: &Limits,
) -> Result<Read, SkipReason> {
    let limit = most_bytes(kind, limits);
    if bytes.len() as u64 > limit {
        return Err(SkipReason::TooLarge { limit });
    }
    let mut replaced = false;
    let extracted = match kind {
        MediaKind::Pdf => pdf::read(bytes, limits)?,
        MediaKind::Text | MediaKind::Markdown | MediaKind::Html | MediaKind::JsonLines => {
            let declared = (kind == MediaKind::Html)
                .then(|| html::declared_encoding(&bytes))
                .flatten();
            let decoded = decode(bytes, declared);
            replaced = decoded.replaced;
            match kind {
                MediaKind::Html => html::read(&decoded.text),
                MediaKind::Markdown => markdown::read(&decoded.text),
                MediaKind::Text | MediaKind::JsonLines | MediaKind::Pdf => {
                    Extracted::plain(decoded.text)
                }
            }
        }
    };
    let hidden_chars = extracted.hidden_chars;
    let document = document(kind, source, extracted, content_hash)?;
    Ok(Read {
        document,
        replaced,
        hidden_chars,
    })
}

/// Bytes that a file of this kind may have.
pub(crate) fn most_bytes(kind: MediaKind, limits: &Limits) -> u64 {
    match kind {
        MediaKind::Pdf => limits.max_pdf_bytes,
        MediaKind::Text | MediaKind::Markdown | MediaKind::Html => limits.max_file_bytes,
        MediaKind::JsonLines => u64::MAX,
    }
}

fn document(
    kind: MediaKind,
    source: Source,
    extracted: Extracted,
    content_hash: ContentHash,
) -> Result<Document, SkipReason> {
    if extracted.text.trim().is_empty() {
        return Err(SkipReason::NoText);
    }
    let title = extracted
        .title
        .map(|title| clean(one_line(&title)))
        .filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| title_by_name(&source));
    Ok(Document {
        id: DocumentId::of(&source),
        title: title.chars().take(MAX_TITLE_CHARS).collect(),
        text: extracted.text,
        headings: extracted.headings,
        kind,
        content_hash,
        source,
    })
}

/// The file's name without its endings; of a line, the source itself.
fn title_by_name(source: &Source) -> String {
    let stem = |name: &str| {
        Path::new(name)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
    };
    let Some(first) = stem(&source.name) else {
        return source.to_string();
    };
    let compressed = [".gz", ".zst"]
        .iter()
        .any(|ending| source.name.ends_with(ending));
    let name = if compressed {
        stem(&first).unwrap_or(first)
    } else {
        first
    };
    match source.place {
        Some(Place::Line(number) | Place::Record(number)) => format!("{name} {number}"),
        None => name,
    }
}
