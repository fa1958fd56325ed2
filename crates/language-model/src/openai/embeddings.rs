//! How does a server embed texts?
//!
//! `POST {base}/embeddings`, in bounded batches. Vectors are brought to unit length here, whatever the
//! server does.

use std::io::Read;
use std::sync::Arc;

use serde_json::{Value, json};
use similarity::Embedding;

use super::config::OpenAiConfig;
use super::connection::{Connection, is_timeout};
use crate::embedder::excerpt;
use crate::wrap::Attempts;
use crate::{EmbedError, Embedder, ModelError, MonotonicClock, RetryConfig, Usage};

/// Numbers of a vector, at most.
const MAX_DIMS: usize = 65_536;

/// An [`Embedder`] on a server that speaks the OpenAI protocol.
pub struct OpenAiEmbedder {
    config: OpenAiConfig,
    attempts: Attempts,
    connection: Connection,
    dims: usize,
    fingerprint: String,
}

impl std::fmt::Debug for OpenAiEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAiEmbedder")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl OpenAiEmbedder {
    /// Connects, and embeds one word to learn how many numbers a vector has. Failed requests are sent again
    /// as [`Retry`](crate::Retry) does, with the jitter that `draw` gives: numbers from 0 to 1.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a setting cannot be used or the server gives no vector.
    pub fn new(
        config: OpenAiConfig,
        retry: RetryConfig,
        draw: impl Fn() -> f64 + Send + Sync + 'static,
    ) -> Result<Self, ModelError> {
        let connection = Connection::new(&config)?;
        let mut embedder = Self {
            config,
            attempts: Attempts::new(retry, Arc::new(MonotonicClock), draw),
            connection,
            dims: 0,
            fingerprint: String::new(),
        };
        let first = embedder.batch_again(&["word"])?;
        embedder.dims = first.first().map_or(0, Vec::len);
        embedder.fingerprint = format!(
            "openai-{}-{}-{}",
            embedder.config.endpoint(),
            embedder.config.model,
            embedder.dims
        );
        Ok(embedder)
    }

    /// One request, and more where it fails.
    fn batch_again(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.attempts.run(None, || self.batch(texts))
    }

    /// One request.
    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let body = json!({
            "model": self.config.model,
            "input": texts,
            "encoding_format": "float",
        });
        let mut answer = self.connection.post("/embeddings", &body, None)?;
        let mut bytes = Vec::new();
        let most = self.config.max_wire_bytes as u64;
        let read = answer.body.by_ref().take(most + 1).read_to_end(&mut bytes);
        if let Err(error) = read {
            return Err(if is_timeout(&error) {
                ModelError::Timeout {
                    endpoint: answer.endpoint,
                    limit: answer.limit,
                    usage: Usage::default(),
                }
            } else {
                ModelError::CutStream {
                    endpoint: answer.endpoint,
                    received: bytes.len(),
                    usage: Usage::default(),
                }
            });
        }
        let text = String::from_utf8_lossy(&bytes);
        if bytes.len() as u64 > most {
            return Err(self.bad("it is longer than was allowed", &text));
        }
        let value: Value =
            serde_json::from_str(&text).map_err(|_| self.bad("it is not JSON", &text))?;
        self.vectors(&value, texts.len())
            .map_err(|wrong| self.bad(wrong, &text))
    }

    /// The vectors of a reply in the order of their texts: by `index` where it is given.
    fn vectors(&self, reply: &Value, texts: usize) -> Result<Vec<Vec<f32>>, &'static str> {
        let data = reply["data"].as_array().ok_or("it has no data")?;
        if data.len() != texts {
            return Err("it has another number of vectors than was asked for");
        }
        let mut vectors = vec![Vec::new(); texts];
        for (place, entry) in data.iter().enumerate() {
            let index = entry["index"].as_u64().map_or(Ok(place), usize::try_from);
            let slot = index.ok().and_then(|index| vectors.get_mut(index));
            let slot = slot.ok_or("it has a vector for no text")?;
            let numbers = entry["embedding"].as_array();
            let numbers = numbers.ok_or("it has a vector that is no list")?;
            *slot = numbers.iter().filter_map(number).collect();
            let whole = slot.len() == numbers.len() && (1..=MAX_DIMS).contains(&slot.len());
            if !whole || (self.dims != 0 && slot.len() != self.dims) {
                return Err("it has a vector of the wrong size");
            }
        }
        if vectors.iter().any(Vec::is_empty) {
            return Err("it has two vectors for one text and none for another");
        }
        Ok(vectors)
    }

    fn bad(&self, wrong: &str, reply: &str) -> ModelError {
        let shown = self.config.without_key(reply);
        ModelError::bad_reply(&self.config.model, wrong, &shown, Usage::default())
    }

    /// How many of the texts go into the next request.
    fn next_batch(&self, texts: &[&str]) -> usize {
        let mut bytes = 0;
        let fits = texts.iter().take(self.config.max_batch_texts.max(1));
        let count = fits
            .take_while(|text| {
                bytes += text.len();
                bytes <= self.config.max_batch_bytes
            })
            .count();
        count.max(1)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "vectors are kept as 32-bit numbers"
)]
fn number(value: &Value) -> Option<f32> {
    value.as_f64().map(|number| number as f32)
}

impl Embedder for OpenAiEmbedder {
    /// An empty text is sent as one space, as servers refuse empty ones.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let sent: Vec<&str> = texts
            .iter()
            .map(|text| if text.is_empty() { " " } else { text })
            .collect();
        let mut embeddings = Vec::with_capacity(texts.len());
        while embeddings.len() < sent.len() {
            let rest = &sent[embeddings.len()..];
            let batch = &rest[..self.next_batch(rest)];
            let vectors = self
                .batch_again(batch)
                .map_err(|source| EmbedError::Model {
                    text: excerpt(batch[0]),
                    source: Box::new(source),
                })?;
            for (vector, text) in vectors.into_iter().zip(batch) {
                let embedding = Embedding::new(vector).map_err(|source| EmbedError::Vector {
                    text: excerpt(text),
                    source,
                })?;
                embeddings.push(embedding);
            }
        }
        Ok(embeddings)
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}
