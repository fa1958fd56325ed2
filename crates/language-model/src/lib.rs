#![doc = include_str!("../README.md")]

mod chat;
mod embedder;
#[cfg(feature = "minilm")]
pub mod minilm;
mod model_error;
mod scripted;
mod static_embedder;
mod table;
pub mod tokens;
pub mod words;

pub use chat::{
    ChatRequest, Completion, Constraint, DEFAULT_MAX_PROMPT_BYTES, DEFAULT_MAX_TOKENS,
    FinishReason, LanguageModel, Message, Origin, Role, Usage, no_stream,
};
pub use embedder::{EmbedError, Embedder};
#[cfg(feature = "minilm")]
pub use minilm::{LoadError, MiniLm};
pub use model_error::{BudgetKind, ModelError, RetryAdvice};
pub use scripted::Scripted;
pub use static_embedder::StaticEmbedder;
pub use table::TableError;
pub use tokens::estimate_tokens;
