//! Which sets can be asked, where do their files lie, and which graph does each use?
//!
//! The folder is laid out as `kg/<set>/`, `corpus/<set>/`, `dev/<set>/`; each file may be plain or
//! gzipped. No data set is shipped with the project.

mod gold;
mod load;
mod pairs;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use flate2::read::MultiGzDecoder;
use serde::{Serialize, Serializer};

pub use gold::{Expected, Gold, normalise_label};
pub use load::{Question, load_questions};
pub use pairs::{Pair, load_pairs};

/// A set that `refrain eval` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the sets' own; see `as_str`")]
pub enum DatasetName {
    Pq2h,
    Pq3h,
    Pql2h,
    Pql3h,
    WcP1,
    WcP2,
    WcC,
    Metaqa1hop,
    Metaqa2hop,
    Metaqa3hop,
    Filmqa,
    Ck25,
    Bestiary,
    CacheKg,
    FilmqaTraps,
}

impl DatasetName {
    /// Every set, in the order in which reports list them.
    pub const ALL: [Self; 15] = [
        Self::Pq2h,
        Self::Pq3h,
        Self::Pql2h,
        Self::Pql3h,
        Self::WcP1,
        Self::WcP2,
        Self::WcC,
        Self::Metaqa1hop,
        Self::Metaqa2hop,
        Self::Metaqa3hop,
        Self::Filmqa,
        Self::Ck25,
        Self::Bestiary,
        Self::CacheKg,
        Self::FilmqaTraps,
    ];

    /// The name on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pq2h => "pq-2h",
            Self::Pq3h => "pq-3h",
            Self::Pql2h => "pql-2h",
            Self::Pql3h => "pql-3h",
            Self::WcP1 => "wc-p1",
            Self::WcP2 => "wc-p2",
            Self::WcC => "wc-c",
            Self::Metaqa1hop => "metaqa-1hop",
            Self::Metaqa2hop => "metaqa-2hop",
            Self::Metaqa3hop => "metaqa-3hop",
            Self::Filmqa => "filmqa",
            Self::Ck25 => "ck25",
            Self::Bestiary => "bestiary",
            Self::CacheKg => "cache-kg",
            Self::FilmqaTraps => "filmqa-traps",
        }
    }

    /// True for sets of question pairs, which measure reuse instead of accuracy.
    pub fn is_pairs(self) -> bool {
        matches!(self, Self::CacheKg | Self::FilmqaTraps)
    }

    /// The graphs the set is asked on; pair sets may use several, question sets use one.
    pub fn graphs(self) -> &'static [GraphName] {
        match self {
            Self::Pq2h => &[GraphName::Pq2h],
            Self::Pq3h => &[GraphName::Pq3h],
            Self::Pql2h => &[GraphName::Pql2h],
            Self::Pql3h => &[GraphName::Pql3h],
            Self::WcP1 | Self::WcP2 | Self::WcC => &[GraphName::Wc2014],
            Self::Metaqa1hop
            | Self::Metaqa2hop
            | Self::Metaqa3hop
            | Self::Filmqa
            | Self::FilmqaTraps => &[GraphName::Metaqa],
            Self::Ck25 => &[GraphName::Ck25],
            Self::Bestiary => &[GraphName::Bestiary],
            Self::CacheKg => &[GraphName::Metaqa, GraphName::Pq2h, GraphName::Pq3h],
        }
    }

    /// The file of questions or pairs, relative to the data folder and without `.gz`.
    fn file(self) -> &'static str {
        match self {
            Self::Pq2h => "dev/pathquestion/PQ-2H.jsonl",
            Self::Pq3h => "dev/pathquestion/PQ-3H.jsonl",
            Self::Pql2h => "dev/pathquestion/PQL-2H.jsonl",
            Self::Pql3h => "dev/pathquestion/PQL-3H.jsonl",
            Self::WcP1 => "dev/wc2014/WC-P1.jsonl",
            Self::WcP2 => "dev/wc2014/WC-P2.jsonl",
            Self::WcC => "dev/wc2014/WC-C.jsonl",
            Self::Metaqa1hop => "dev/metaqa/metaqa-1hop.jsonl",
            Self::Metaqa2hop => "dev/metaqa/metaqa-2hop.jsonl",
            Self::Metaqa3hop => "dev/metaqa/metaqa-3hop.jsonl",
            Self::Filmqa => "dev/filmqa/questions.jsonl",
            Self::Ck25 => "dev/ck25/ck25.jsonl",
            Self::Bestiary => "dev/bestiary/bestiary.jsonl",
            Self::CacheKg => "dev/cache_kg/kg_cache_pairs.jsonl",
            Self::FilmqaTraps => "dev/filmqa/trap_pairs.jsonl",
        }
    }
}

impl FromStr for DatasetName {
    type Err = DatasetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|name| name.as_str() == text)
            .ok_or_else(|| DatasetError::UnknownSet {
                name: text.to_owned(),
                known: Self::ALL.map(Self::as_str).join(", "),
            })
    }
}

impl std::fmt::Display for DatasetName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for DatasetName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A knowledge graph of the data folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the graphs' own; see `as_str`")]
pub enum GraphName {
    Pq2h,
    Pq3h,
    Pql2h,
    Pql3h,
    Wc2014,
    Metaqa,
    Ck25,
    Bestiary,
}

impl GraphName {
    /// The name of the source a run loads the graph into.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pq2h => "pq-2h",
            Self::Pq3h => "pq-3h",
            Self::Pql2h => "pql-2h",
            Self::Pql3h => "pql-3h",
            Self::Wc2014 => "wc2014",
            Self::Metaqa => "metaqa",
            Self::Ck25 => "ck25",
            Self::Bestiary => "bestiary",
        }
    }

    /// Where the graph lies under `data`, plain or gzipped.
    ///
    /// # Errors
    /// When neither file exists.
    pub fn locate(self, data: &Path) -> Result<PathBuf, DatasetError> {
        locate(
            data,
            match self {
                Self::Pq2h => "kg/pathquestion/pq-2h.nt",
                Self::Pq3h => "kg/pathquestion/pq-3h.nt",
                Self::Pql2h => "kg/pathquestion/pql-2h.nt",
                Self::Pql3h => "kg/pathquestion/pql-3h.nt",
                Self::Wc2014 => "kg/wc2014/wc2014.nt",
                Self::Metaqa => "kg/metaqa/metaqa.nt",
                Self::Ck25 => "kg/ck25/ck25.nt",
                Self::Bestiary => "kg/bestiary/bestiary.ttl",
            },
        )
    }

    /// The namespace of the graph's entities where a label alone gives the IRI.
    fn entity_namespace(self) -> Option<&'static str> {
        match self {
            Self::Pq2h | Self::Pq3h => Some("http://example.org/pq/entity/"),
            Self::Pql2h | Self::Pql3h => Some("http://example.org/pql/entity/"),
            Self::Wc2014 => Some("http://example.org/wc2014/entity/"),
            Self::Metaqa => Some("http://example.org/metaqa/entity/"),
            Self::Ck25 | Self::Bestiary => None,
        }
    }

    /// The IRI of the entity called `label`, in graphs whose IRIs are made from names:
    /// blanks become `_`, every byte outside `[A-Za-z0-9._~-]` is percent-encoded.
    pub fn entity_iri(self, label: &str) -> Option<String> {
        let mut iri = self.entity_namespace()?.to_owned();
        for byte in label.bytes() {
            match byte {
                b' ' => iri.push('_'),
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'~' | b'-' => {
                    iri.push(char::from(byte));
                }
                other => iri.push_str(&format!("%{other:02X}")),
            }
        }
        Some(iri)
    }
}

/// What can be wrong with the data folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The command line named a set that does not exist.
    #[error("there is no data set {name:?}; known: {known}")]
    UnknownSet {
        /// What was asked for.
        name: String,
        /// The sets there are.
        known: String,
    },
    /// A file of the set is not there.
    #[error("{} not found, nor {}.gz (the data folder holds kg/, corpus/ and dev/)", path.display(), path.display())]
    Missing {
        /// The plain file's path.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line is not the JSON that was expected.
    #[error("{}:{line}: not a row of this set", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// `relative` under `data`, or the same with `.gz`.
fn locate(data: &Path, relative: &str) -> Result<PathBuf, DatasetError> {
    let plain = data.join(relative);
    if plain.is_file() {
        return Ok(plain);
    }
    let zipped = data.join(format!("{relative}.gz"));
    if zipped.is_file() {
        return Ok(zipped);
    }
    Err(DatasetError::Missing { path: plain })
}

/// The rows of a JSON-lines file, plain or gzipped; blank lines are skipped.
fn rows<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>, DatasetError> {
    let read_error = |source| DatasetError::Read {
        path: path.to_owned(),
        source,
    };
    let file = fs_err::File::open(path).map_err(read_error)?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut rows = Vec::new();
    for (index, line) in BufReader::new(reader).lines().enumerate() {
        let line = line.map_err(read_error)?;
        if line.trim().is_empty() {
            continue;
        }
        rows.push(
            serde_json::from_str(&line).map_err(|source| DatasetError::Row {
                path: path.to_owned(),
                line: index + 1,
                source,
            })?,
        );
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_back_to_itself_and_an_unknown_one_lists_the_rest() {
        for name in DatasetName::ALL {
            assert_eq!(name.as_str().parse::<DatasetName>().unwrap(), name);
        }
        let error = "pq-4h".parse::<DatasetName>().unwrap_err().to_string();
        assert!(
            error.contains("pq-4h") && error.contains("metaqa-3hop"),
            "{error}"
        );
    }

    #[test]
    fn an_entity_iri_is_made_from_its_name() {
        assert_eq!(
            GraphName::Metaqa.entity_iri("Satan's Little Helper"),
            Some("http://example.org/metaqa/entity/Satan%27s_Little_Helper".to_owned())
        );
        assert_eq!(
            GraphName::Pq2h.entity_iri("enno ö"),
            Some("http://example.org/pq/entity/enno_%C3%B6".to_owned())
        );
        assert_eq!(GraphName::Ck25.entity_iri("x"), None);
    }

    #[test]
    fn a_gzipped_file_serves_as_well_as_a_plain_one_and_neither_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(
            locate(folder.path(), "a.jsonl"),
            Err(DatasetError::Missing { .. })
        ));
        let zipped = folder.path().join("a.jsonl.gz");
        let mut encoder = flate2::write::GzEncoder::new(
            fs_err::File::create(&zipped).unwrap(),
            flate2::Compression::fast(),
        );
        std::io::Write::write_all(&mut encoder, b"1\n\n2\n").unwrap();
        encoder.finish().unwrap();
        let path = locate(folder.path(), "a.jsonl").unwrap();
        assert_eq!(rows::<u32>(&path).unwrap(), vec![1, 2]);
    }

    #[test]
    fn a_broken_row_is_named_with_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs_err::write(&path, "1\nx\n").unwrap();
        let error = rows::<u32>(&path).unwrap_err().to_string();
        assert!(error.contains("a.jsonl:2"), "{error}");
    }
}
