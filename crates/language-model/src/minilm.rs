//! How does all-MiniLM-L6-v2 embed texts, run in this process?
//!
//! Sentence vectors as sentence-transformers makes them: BERT, mean of all token vectors, unit
//! length (Reimers and Gurevych 2019). Pure Rust on candle, on the CPU. It does not download
//! anything: [`search_directories`] says where weights are looked for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use sha2::{Digest, Sha256};
use similarity::Embedding;
use thiserror::Error;
use tokenizers::{Tokenizer, TruncationParams};

use crate::embedder::excerpt;
use crate::weights::models_directory;
use crate::{EmbedError, Embedder};

mod bert;

use bert::{Bert, BertConfig};

/// Files that a directory of the model must have.
const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// Texts that go through the model at once.
const BATCH: usize = 32;

/// Tokens of a text that are read, special tokens included; the rest is cut, as in the reference.
const MAX_TOKENS: usize = 256;

/// Why the model could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file is missing or unreadable.
    #[error("cannot read a file of the model")]
    File(#[source] std::io::Error),
    /// The configuration is not that of a BERT.
    #[error("{path} is not the configuration of a BERT")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The tokeniser cannot be read.
    #[error("{path} is not a tokeniser")]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The weights do not fit the configuration.
    #[error("{path} does not hold the weights that its configuration asks for")]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: candle_core::Error,
    },
}

/// all-MiniLM-L6-v2, or another BERT whose sentence vector is the mean of its token vectors.
pub struct MiniLm {
    tokenizer: Tokenizer,
    bert: Bert,
    dims: usize,
    fingerprint: String,
}

impl std::fmt::Debug for MiniLm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MiniLm")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl MiniLm {
    /// Loads the model from a directory with `config.json`, `tokenizer.json` and `model.safetensors`.
    ///
    /// Padding and truncation of the tokeniser's file are overridden: no padding, 256 tokens.
    ///
    /// # Errors
    ///
    /// [`LoadError`] naming the file that is missing or wrong.
    pub fn from_dir(directory: impl AsRef<Path>) -> Result<Self, LoadError> {
        let [config, tokenizer, weights] = FILES.map(|name| directory.as_ref().join(name));
        let text = fs_err::read(&config).map_err(LoadError::File)?;
        let config: BertConfig =
            serde_json::from_slice(&text).map_err(|source| LoadError::Config {
                path: config,
                source,
            })?;
        let bytes = fs_err::read(&tokenizer).map_err(LoadError::File)?;
        let tokenizer =
            read_tokenizer(&bytes, config.max_position_embeddings).map_err(|source| {
                LoadError::Tokenizer {
                    path: tokenizer,
                    source,
                }
            })?;
        let bytes = fs_err::read(&weights).map_err(LoadError::File)?;
        let hash = Sha256::digest(&bytes);
        let hex: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let wrong = |source| LoadError::Weights {
            path: weights.clone(),
            source,
        };
        let builder = VarBuilder::from_buffered_safetensors(bytes, DType::F32, &Device::Cpu)
            .map_err(wrong)?;
        let bert = Bert::load(&config, &builder).map_err(wrong)?;
        Ok(Self {
            tokenizer,
            bert,
            dims: config.hidden_size,
            fingerprint: format!("minilm-{hex}"),
        })
    }

    /// Token ids of a text, with the special ones.
    fn token_ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let encoding = self.tokenizer.encode_fast(text, true);
        let encoding = encoding.map_err(|source| EmbedError::Model {
            text: excerpt(text),
            source,
        })?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Mean token vectors of sequences that all have the same length.
    fn forward(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>, candle_core::Error> {
        let length = sequences.first().map_or(0, |first| first.len());
        let ids = Tensor::from_vec(sequences.concat(), (sequences.len(), length), &Device::Cpu)?;
        self.bert.forward(&ids)?.mean(1)?.to_vec2()
    }
}

impl Embedder for MiniLm {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let ids = texts
            .iter()
            .map(|text| self.token_ids(text))
            .collect::<Result<Vec<_>, _>>()?;
        // Only sequences of one length go together, so no padding touches the numbers.
        let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, sequence) in ids.iter().enumerate() {
            by_length.entry(sequence.len()).or_default().push(index);
        }
        let mut out = vec![None; texts.len()];
        for batch in by_length.values().flat_map(|indices| indices.chunks(BATCH)) {
            let sequences: Vec<&[u32]> = batch.iter().map(|&index| ids[index].as_slice()).collect();
            let failed = |source: candle_core::Error| EmbedError::Model {
                text: excerpt(texts[batch[0]]),
                source: Box::new(source),
            };
            for (&index, vector) in batch.iter().zip(self.forward(&sequences).map_err(failed)?) {
                let text = || excerpt(texts[index]);
                let unit = Embedding::new(vector);
                out[index] = Some(unit.map_err(|source| EmbedError::Vector {
                    text: text(),
                    source,
                })?);
            }
        }
        Ok(out.into_iter().flatten().collect())
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// Directories in which weights are looked for, in order: `explicit` alone where it is given, else
/// `$REFRAIN_MODEL_DIR`, then `refrain/models/all-MiniLM-L6-v2` in the user's cache directory
/// (`$XDG_CACHE_HOME` or `$HOME/.cache`). `variable` reads the environment.
///
/// ```
/// use language_model::minilm::search_directories;
///
/// let home = |name: &str| (name == "HOME").then(|| "/home/ada".into());
/// let cached = "/home/ada/.cache/refrain/models/all-MiniLM-L6-v2";
/// assert_eq!(search_directories(None, home), [std::path::PathBuf::from(cached)]);
/// ```
pub fn search_directories(
    explicit: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Vec<PathBuf> {
    if let Some(directory) = explicit {
        return vec![directory.to_owned()];
    }
    let named = variable("REFRAIN_MODEL_DIR").filter(|value| !value.is_empty());
    let cached = models_directory(variable).map(|models| models.join("all-MiniLM-L6-v2"));
    named.map(PathBuf::from).into_iter().chain(cached).collect()
}

/// The first of `directories` that has all files of the model.
#[must_use]
pub fn find_directory(directories: &[PathBuf]) -> Option<&Path> {
    let complete = |directory: &&PathBuf| FILES.iter().all(|name| directory.join(name).is_file());
    directories.iter().find(complete).map(PathBuf::as_path)
}

fn read_tokenizer(bytes: &[u8], positions: usize) -> Result<Tokenizer, tokenizers::Error> {
    let mut tokenizer = Tokenizer::from_bytes(bytes)?;
    tokenizer.with_padding(None);
    let max_length = MAX_TOKENS.min(positions);
    tokenizer.with_truncation(Some(TruncationParams {
        max_length,
        ..TruncationParams::default()
    }))?;
    Ok(tokenizer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_named_is_the_only_one_searched() {
        let everything = |_: &str| Some(OsString::from("/somewhere"));
        assert_eq!(
            search_directories(Some(Path::new("/here")), everything),
            [PathBuf::from("/here")]
        );
        let found = search_directories(None, everything);
        assert_eq!(found[0], PathBuf::from("/somewhere"));
        assert_eq!(
            found[1],
            PathBuf::from("/somewhere/refrain/models/all-MiniLM-L6-v2")
        );
        assert!(search_directories(None, |_| None).is_empty());
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = MiniLm::from_dir("/no/such/directory").unwrap_err();
        let LoadError::File(source) = error else {
            panic!("{error}")
        };
        assert!(source.to_string().contains("config.json"), "{source}");
        assert!(find_directory(&[PathBuf::from("/no/such/directory")]).is_none());
    }
}
