//! `/v1/embeddings`: texts as vectors of the engine's own embedder.

use std::sync::Arc;

use axum::extract::State;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use language_model::estimate_tokens;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;
use crate::extract::Json;

/// Texts embedded at once, as OpenAI bounds them.
const MAX_INPUTS: usize = 2_048;

/// The body of a request. Unknown fields are passed over.
#[derive(Debug, Deserialize)]
pub(crate) struct EmbeddingRequest {
    input: Input,
    #[serde(default)]
    encoding_format: Encoding,
    dimensions: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Input {
    One(String),
    Many(Vec<String>),
    /// Ids of somebody's tokeniser.
    Tokens(serde::de::IgnoredAny),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    #[default]
    Float,
    Base64,
}

impl EmbeddingRequest {
    fn texts(&mut self) -> Result<Vec<String>, ApiError> {
        let texts = match std::mem::replace(&mut self.input, Input::Many(Vec::new())) {
            Input::One(text) => vec![text],
            Input::Many(texts) => texts,
            Input::Tokens(_) => {
                return Err(ApiError::bad("the input is no text")
                    .param("input")
                    .remedy("send texts, not token ids: for LangChain, OpenAIEmbeddings(check_embedding_ctx_length=False)"));
            }
        };
        if texts.is_empty() || texts.len() > MAX_INPUTS {
            return Err(ApiError::bad(format!(
                "there are {} texts; send 1 to {MAX_INPUTS}",
                texts.len()
            ))
            .param("input"));
        }
        if let Some(place) = texts.iter().position(|text| text.trim().is_empty()) {
            return Err(ApiError::bad(format!("text {place} is empty")).param("input"));
        }
        Ok(texts)
    }
}

/// `POST /v1/embeddings`
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Json(mut request): Json<EmbeddingRequest>,
) -> Result<axum::Json<Value>, ApiError> {
    let dims = app.engine.embedder_dims();
    if request.dimensions.is_some_and(|asked| asked != dims) {
        return Err(ApiError::bad(format!("vectors have {dims} numbers"))
            .param("dimensions")
            .remedy("leave it away"));
    }
    let texts = request.texts()?;
    let tokens: u64 = texts.iter().map(|text| estimate_tokens(text)).sum();
    let vectors = app
        .with_engine(move |engine| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            engine.embed(&texts)
        })
        .await?;
    let data: Vec<Value> = vectors
        .into_iter()
        .enumerate()
        .map(|(index, vector)| {
            json!({ "object": "embedding", "index": index, "embedding": encoded(&vector, request.encoding_format) })
        })
        .collect();
    Ok(axum::Json(json!({
        "object": "list",
        "data": data,
        "model": app.engine.embedder_fingerprint(),
        "usage": { "prompt_tokens": tokens, "total_tokens": tokens },
    })))
}

/// A vector as numbers, or as base64 of its little-endian 32-bit floats.
fn encoded(vector: &[f32], encoding: Encoding) -> Value {
    match encoding {
        Encoding::Float => json!(vector),
        Encoding::Base64 => {
            let bytes: Vec<u8> = vector
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            json!(STANDARD.encode(bytes))
        }
    }
}
