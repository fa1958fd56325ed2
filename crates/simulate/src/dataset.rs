//! What do the published datasets hold? Read from a folder of SOLAR's `synthetic_workloads/datasets`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::npz::{Npz, NpzError};
use crate::workload::{DIMENSIONS, Query, StreamStep, Workload};

/// A dataset cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// A file is missing or cannot be read.
    #[error(
        "cannot read {path}; a dataset is a folder with items, queries, stream and embeddings.npz"
    )]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("line {line} of {path} does not have the fields of the published datasets")]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The vectors are not what they should be.
    #[error("cannot use {path}")]
    Vectors {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: NpzError,
    },
    /// An id is named that is not there.
    #[error("{path} names `{id}`, which has no vector")]
    UnknownId {
        /// Which file.
        path: PathBuf,
        /// Which id.
        id: String,
    },
}

#[derive(Deserialize)]
struct RawQuery {
    id: String,
    topic_id: u32,
    timestep: u32,
    relevant_item_ids: Vec<String>,
}

#[derive(Deserialize)]
struct RawStep {
    streamed_item_id: Option<String>,
}

#[derive(Deserialize)]
struct RawPrefill {
    id: String,
}

/// Reads a dataset: `items`, `queries`, `stream` and, where there is one, `prefill`, as `.jsonl` or `.jsonl.gz`, and
/// `embeddings.npz`.
///
/// # Errors
/// When a file is missing, broken, or names an id without a vector.
pub fn load(folder: &Path, name: &str, variant: &str) -> Result<Workload, DatasetError> {
    let path = folder.join("embeddings.npz");
    let vectors = |source| DatasetError::Vectors {
        path: path.clone(),
        source,
    };
    let npz = Npz::read(&bytes(&path)?).map_err(vectors)?;
    let places = |list: &str| -> Result<BTreeMap<String, u32>, DatasetError> {
        Ok(npz
            .texts(list)
            .map_err(vectors)?
            .into_iter()
            .zip(0..)
            .collect())
    };
    let items = places("item_ids.npy")?;
    let asked = places("query_ids.npy")?;
    let asked_vectors = npz.vectors("query_embs.npy", DIMENSIONS).map_err(vectors)?;
    let known = |ids: &BTreeMap<String, u32>, id: &str, file: &str| {
        ids.get(id).copied().ok_or_else(|| DatasetError::UnknownId {
            path: folder.join(file),
            id: id.to_owned(),
        })
    };
    let raw: Vec<RawQuery> = lines(folder, "queries")?;
    let due: BTreeMap<u32, u32> = raw.iter().map(|query| query.timestep).zip(0..).collect();
    let query = |query: RawQuery| -> Result<Query, DatasetError> {
        let ids = query.relevant_item_ids.iter();
        let mut relevant = ids
            .map(|id| known(&items, id, "queries.jsonl"))
            .collect::<Result<Vec<u32>, _>>()?;
        relevant.sort_unstable();
        let at = known(&asked, &query.id, "queries.jsonl")?;
        Ok(Query {
            vector: asked_vectors.get(at as usize).cloned().unwrap_or_default(),
            relevant,
            topic: query.topic_id,
        })
    };
    let queries = raw.into_iter().map(query).collect::<Result<Vec<_>, _>>()?;
    let mut stream = Vec::new();
    for (step, at) in lines::<RawStep>(folder, "stream")?.into_iter().zip(0..) {
        let item = step.streamed_item_id;
        stream.push(StreamStep {
            query: due.get(&at).copied(),
            item: item
                .map(|id| known(&items, &id, "stream.jsonl"))
                .transpose()?,
        });
    }
    let item_vectors = npz.vectors("item_embs.npy", DIMENSIONS).map_err(vectors)?;
    let mut workload = Workload::new(name, variant.to_owned(), item_vectors, queries, stream);
    if folder.join("prefill.jsonl").exists() {
        let pool: Vec<RawPrefill> = lines(folder, "prefill")?;
        let pool = pool
            .iter()
            .map(|item| known(&items, &item.id, "prefill.jsonl"));
        workload.prefill = pool.collect::<Result<_, _>>()?;
    }
    Ok(workload)
}

fn bytes(path: &Path) -> Result<Vec<u8>, DatasetError> {
    fs_err::read(path).map_err(|source| DatasetError::Read {
        path: path.to_owned(),
        source,
    })
}

fn lines<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Vec<T>, DatasetError> {
    let packed = folder.join(format!("{name}.jsonl.gz"));
    let is_packed = packed.exists();
    let path = if is_packed {
        packed
    } else {
        folder.join(format!("{name}.jsonl"))
    };
    let mut text = String::new();
    let read = fs_err::File::open(&path).and_then(|mut file| {
        if is_packed {
            flate2::read::GzDecoder::new(file).read_to_string(&mut text)
        } else {
            file.read_to_string(&mut text)
        }
    });
    read.map_err(|source| DatasetError::Read {
        path: path.clone(),
        source,
    })?;
    text.lines()
        .zip(1..)
        .map(|(line, number)| {
            serde_json::from_str(line).map_err(|source| DatasetError::Line {
                path: path.clone(),
                line: number,
                source,
            })
        })
        .collect()
}
