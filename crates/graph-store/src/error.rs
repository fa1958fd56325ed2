//! What can go wrong in the store, and with which input?

use std::path::PathBuf;

/// An error of the graph store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process, or another handle of this one, has the store open.
    #[error(
        "the graph store {} is in use by another process; stop it, or ask it instead of opening the store twice",
        path.display()
    )]
    InUse {
        /// The store's directory.
        path: PathBuf,
    },
    /// The directory does not hold a graph store.
    #[error("there is no graph store in {}", path.display())]
    NotFound {
        /// The directory that was looked in.
        path: PathBuf,
    },
    /// The store was written by a version that this one cannot read.
    #[error(
        "the graph store {} has format {found}, this version reads format {supported}; load the graph anew",
        path.display()
    )]
    Format {
        /// The store's directory.
        path: PathBuf,
        /// The format number in the store.
        found: u64,
        /// The format number of this version.
        supported: u64,
    },
    /// A file or directory could not be read or written. The message names it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The database file could not be opened, read or written.
    #[error("the graph store's database failed")]
    Database(#[source] Box<redb::Error>),
    /// What is stored is not what this crate writes.
    #[error("the graph store is damaged: {what}; run `refrain doctor`, then load the graph anew")]
    Corrupt {
        /// Where, in words.
        what: String,
    },
    /// An input could not be read as RDF.
    #[error("{0}")]
    Parse(#[from] ParseProblem),
    /// An input's format is neither given nor recognisable.
    #[error(
        "cannot tell the format of {input}; name it: turtle, n-triples, n-quads, trig, rdf-xml, json-ld, csv or tsv"
    )]
    UnknownFormat {
        /// The input's name.
        input: String,
    },
    /// A compressed input is larger than allowed once decompressed.
    #[error("{input} decompresses to more than {limit} bytes; raise the limit if that is meant")]
    TooLarge {
        /// The input's name.
        input: String,
        /// The configured bound.
        limit: u64,
    },
    /// The load was cancelled; the store is as it was.
    #[error("the load was cancelled; the store is unchanged")]
    Cancelled,
    /// The dictionary has no more ids.
    #[error("a store holds at most {} distinct terms", u32::MAX - 1)]
    Full,
    /// The SPARQL text is not a query.
    #[error("not a SPARQL query: {0}")]
    Sparql(#[source] spargebra::SparqlSyntaxError),
    /// The SPARQL text is longer, more deeply nested or more branched than allowed.
    #[error("the query is too {what}: {found}, and at most {limit} is allowed")]
    QueryTooComplex {
        /// "long", "deeply nested" or "branched".
        what: &'static str,
        /// Bytes, levels or joints found.
        found: usize,
        /// Bytes, levels or joints allowed.
        limit: usize,
    },
    /// The query ran longer than its limit.
    #[error("the query was stopped after {millis} ms")]
    TimedOut {
        /// The limit.
        millis: u128,
    },
    /// The query failed while it was evaluated.
    #[error("the query failed: {0}")]
    Evaluation(#[source] spareval::QueryEvaluationError),
    /// The operation needs the store to itself, but a snapshot is still in use.
    #[error("the store cannot be compacted while {snapshots} snapshots are in use")]
    SnapshotsInUse {
        /// Snapshots that are alive.
        snapshots: usize,
    },
}

impl StoreError {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }
}

macro_rules! from_redb {
    ($($error:ty),*) => {
        $(impl From<$error> for StoreError {
            fn from(error: $error) -> Self {
                Self::Database(Box::new(error.into()))
            }
        })*
    };
}

from_redb!(
    redb::DatabaseError,
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError,
    redb::CompactionError,
    redb::SetDurabilityError
);

/// A place in an input that is not what its format asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{input}{}: {reason}", position(*line, *column))]
pub struct ParseProblem {
    /// The input's name, mostly a path.
    pub input: String,
    /// Line, from 1; 0 when the parser does not say.
    pub line: u64,
    /// Column in characters, from 1; 0 when the parser does not say.
    pub column: u64,
    /// What was found and what was expected.
    pub reason: String,
}

fn position(line: u64, column: u64) -> String {
    match (line, column) {
        (0, _) => String::new(),
        (line, 0) => format!(":{line}"),
        (line, column) => format!(":{line}:{column}"),
    }
}
