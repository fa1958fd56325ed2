#![doc = include_str!("../README.md")]

mod block;
mod block_set;
mod cache;
mod clock;
mod dictionary;
mod dump;
mod error;
mod id;
mod label_keys;
mod label_predicates;
mod labels;
mod load;
mod order;
mod query;
mod queryable;
mod signature;
mod snapshot;
mod sorter;
mod store;
mod tables;
mod term_codec;
mod text;
mod update;
mod verify;

pub use dump::Description;
pub use error::{ParseProblem, StoreError};
pub use id::TermId;
pub use labels::{LabelMatch, Labels};
pub use load::{Format, LoadOptions, LoadReport, Progress, Source, TableOptions};
pub use query::{DefaultGraph, QueryLimits, QueryResult, Solutions};
pub use signature::{EXACT_COUNT_LIMIT, MAX_SIGNATURE_ENTRIES, SignatureEntry};
pub use snapshot::{Count, Page, PredicateCount, Snapshot};
pub use store::{GraphStore, Options, quad_refs};
pub use text::{local_name, local_words, normalise};
pub use update::Change;
pub use verify::Problem;
