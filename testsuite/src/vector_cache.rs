//! How is a slow embedder asked once a text, over many runs?
//!
//! A file of vectors beside it, by hash of the text; what is new is appended. For measurements only.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use graph_rag::ContentHash;
use language_model::{EmbedError, Embedder};
use similarity::Embedding;

/// Texts between two writes: what an interruption may cost.
const BATCH: usize = 1024;

/// An embedder with a file of vectors.
pub struct VectorCache {
    inner: Arc<dyn Embedder>,
    path: PathBuf,
    known: Mutex<HashMap<ContentHash, Embedding>>,
}

impl VectorCache {
    /// Reads the file, which may not exist yet. Another embedder's must not be given.
    ///
    /// # Errors
    /// When the file cannot be read or does not hold vectors of the embedder's size.
    pub fn open(inner: Arc<dyn Embedder>, path: &Path) -> anyhow::Result<Self> {
        let row = 16 + 4 * inner.dims();
        let bytes = if path.exists() {
            fs_err::read(path)?
        } else {
            Vec::new()
        };
        let mut known = HashMap::new();
        // A row that was cut short by an interruption is left out, and cut off.
        for row in bytes.chunks_exact(row) {
            let mut hash = [0; 16];
            hash.copy_from_slice(&row[..16]);
            let values = row[16..]
                .as_chunks::<4>()
                .0
                .iter()
                .map(|b| f32::from_le_bytes(*b))
                .collect();
            known.insert(
                ContentHash(hash),
                Embedding::new(values).context("the cache of vectors is damaged")?,
            );
        }
        if bytes.len() % row != 0 {
            let whole = (bytes.len() / row * row) as u64;
            fs_err::OpenOptions::new()
                .write(true)
                .open(path)?
                .set_len(whole)?;
        }
        Ok(Self {
            inner,
            path: path.to_owned(),
            known: Mutex::new(known),
        })
    }

    fn append(&self, texts: &[&str], vectors: &[Embedding]) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        for (text, vector) in texts.iter().zip(vectors) {
            bytes.extend(ContentHash::of(text).0);
            bytes.extend(vector.as_slice().iter().flat_map(|v| v.to_le_bytes()));
        }
        let mut file = fs_err::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(&bytes)
    }
}

impl Embedder for VectorCache {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new: Vec<&str> = texts
            .iter()
            .copied()
            .filter(|t| !known.contains_key(&ContentHash::of(t)))
            .collect();
        // Texts of one length make the fullest batches.
        new.sort_by_key(|text| (text.len(), *text));
        new.dedup();
        for batch in new.chunks(BATCH) {
            let vectors = self.inner.embed(batch)?;
            self.append(batch, &vectors)
                .map_err(|source| EmbedError::Model {
                    text: self.path.display().to_string(),
                    source: Box::new(source),
                })?;
            known.extend(batch.iter().map(|t| ContentHash::of(t)).zip(vectors));
        }
        Ok(texts
            .iter()
            .filter_map(|t| known.get(&ContentHash::of(t)).cloned())
            .collect())
    }

    fn dims(&self) -> usize {
        self.inner.dims()
    }

    fn fingerprint(&self) -> &str {
        self.inner.fingerprint()
    }
}
