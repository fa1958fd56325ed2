//! What does a client of OpenAI's see? The shapes of its API, answered by the engine.

pub(crate) mod chat;
pub(crate) mod embeddings;
pub(crate) mod models;
mod request;
mod stream;

use crate::error::ApiError;

/// `POST /v1/responses`: there is no such thing here, and clients are told which one to use.
pub(crate) async fn responses() -> ApiError {
    ApiError::not_found(
        "not_supported",
        "the Responses API is not supported: it keeps conversations on the server",
    )
    .remedy("use POST /v1/chat/completions")
}
