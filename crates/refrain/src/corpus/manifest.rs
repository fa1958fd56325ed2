//! What was a corpus made of? Its documents with their hashes, and where their passages lie in them.

use std::collections::BTreeMap;
use std::path::Path;

use ::documents::{ChunkConfig, ContentHash, MediaKind, Source};
use serde::{Deserialize, Serialize};

use crate::directory::replace_file;
use crate::error::EngineError;

const FILE: &str = "documents.json";
const FORMAT: u32 = 1;

/// The documents of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Manifest {
    pub(crate) chunks: ChunkConfig,
    pub(crate) documents: BTreeMap<Source, Entry>,
}

/// One document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) hash: ContentHash,
    pub(crate) title: String,
    pub(crate) kind: MediaKind,
    /// For each passage, in order: where its text starts in the document's, and how many bytes of a heading were put
    /// before it.
    pub(crate) passages: Vec<PassagePlace>,
}

/// Where a passage lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PassagePlace {
    /// Its first byte in the document's text.
    pub(crate) start: usize,
    /// Bytes of the heading, and of the line break after it, that stand before it in the index.
    pub(crate) heading: usize,
}

/// The file as it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    format: u32,
    chunks: ChunkConfig,
    documents: Vec<WrittenEntry>,
}

#[derive(Serialize, Deserialize)]
struct WrittenEntry {
    source: Source,
    hash: String,
    title: String,
    kind: MediaKind,
    passages: Vec<PassagePlace>,
}

impl Manifest {
    pub(crate) fn exists(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// The manifest in a corpus' directory; an empty one when there is none.
    pub(crate) fn read(directory: &Path) -> Result<Self, EngineError> {
        let path = directory.join(FILE);
        let text = match fs_err::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(EngineError::Files(error)),
        };
        let bad = |message: String| EngineError::BadCorpus {
            path: path.clone(),
            message,
        };
        let written: Written =
            serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        if written.format != FORMAT {
            return Err(bad(format!(
                "it has format {}, this version reads format {FORMAT}",
                written.format
            )));
        }
        let mut documents = BTreeMap::new();
        for entry in written.documents {
            let hash = hash_of(&entry.hash)
                .ok_or_else(|| bad(format!("\"{}\" is no hash", entry.hash)))?;
            documents.insert(
                entry.source,
                Entry {
                    hash,
                    title: entry.title,
                    kind: entry.kind,
                    passages: entry.passages,
                },
            );
        }
        Ok(Self {
            chunks: written.chunks,
            documents,
        })
    }

    pub(crate) fn write(&self, directory: &Path) -> Result<(), EngineError> {
        let path = directory.join(FILE);
        let documents = self.documents.iter().map(|(source, entry)| WrittenEntry {
            source: source.clone(),
            hash: entry.hash.to_string(),
            title: entry.title.clone(),
            kind: entry.kind,
            passages: entry.passages.clone(),
        });
        let written = Written {
            format: FORMAT,
            chunks: self.chunks,
            documents: documents.collect(),
        };
        let text = serde_json::to_vec(&written).map_err(|error| EngineError::BadCorpus {
            path: path.clone(),
            message: error.to_string(),
        })?;
        replace_file(&path, &text)
    }

    /// What is stored already, for [`::documents::Ingest::known`].
    pub(crate) fn known(&self) -> BTreeMap<Source, ContentHash> {
        let documents = self.documents.iter();
        documents
            .map(|(source, entry)| (source.clone(), entry.hash))
            .collect()
    }
}

/// A hash as its 64 hexadecimal digits say.
fn hash_of(digits: &str) -> Option<ContentHash> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(ContentHash::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(
            Manifest::read(directory.path()).unwrap(),
            Manifest::default()
        );
        let entry = Entry {
            hash: ContentHash::of_document(b"words"),
            title: "A \"title\"".to_owned(),
            kind: MediaKind::Markdown,
            passages: vec![PassagePlace {
                start: 7,
                heading: 0,
            }],
        };
        let mut manifest = Manifest::default();
        for source in [
            Source::named("a.md"),
            Source::line("a.jsonl", 3),
            Source::record("a.json", 3),
        ] {
            manifest.documents.insert(source, entry.clone());
        }
        manifest.write(directory.path()).unwrap();
        assert_eq!(Manifest::read(directory.path()).unwrap(), manifest);
    }

    #[test]
    fn lists_from_before_records_had_names_of_their_own_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let entry = |source: &str| {
            let hash = "0".repeat(64);
            format!(
                "{{\"source\": {source}, \"hash\": \"{hash}\", \"title\": \"\", \"kind\": \"Text\", \"passages\": []}}"
            )
        };
        let mut manifest = Manifest::default();
        manifest.write(directory.path()).unwrap();
        let path = directory.path().join(FILE);
        let empty = fs_err::read_to_string(&path).unwrap();
        let entries = [
            entry("{\"name\": \"a.md\", \"line\": null}"),
            entry("{\"name\": \"a.jsonl\", \"line\": 3}"),
        ];
        let old = empty.replace("[]}", &format!("[{}]}}", entries.join(", ")));
        fs_err::write(&path, old).unwrap();
        manifest = Manifest::read(directory.path()).unwrap();
        let sources: Vec<&Source> = manifest.documents.keys().collect();
        assert_eq!(
            sources,
            [&Source::line("a.jsonl", 3), &Source::named("a.md")]
        );
    }

    #[test]
    fn a_damaged_manifest_is_named() {
        let directory = tempfile::tempdir().unwrap();
        fs_err::write(directory.path().join(FILE), "{\"format\": 9").unwrap();
        let error = Manifest::read(directory.path()).unwrap_err();
        assert!(error.to_string().contains(FILE), "{error}");
    }
}
