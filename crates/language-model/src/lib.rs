#![doc = include_str!("../README.md")]

pub mod cassette;
mod chat;
mod clock;
mod embedder;
pub mod json;
#[cfg(feature = "minilm")]
pub mod minilm;
mod model_error;
#[cfg(feature = "openai")]
pub mod openai;
mod scripted;
mod static_embedder;
mod table;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tokens;
pub mod words;
mod wrap;

pub use chat::{
    ChatRequest, Completion, Constraint, DEFAULT_MAX_PROMPT_BYTES, DEFAULT_MAX_TOKENS,
    FinishReason, LanguageModel, Message, Origin, Role, Usage, no_stream,
};
pub use clock::{Clock, ManualClock, MonotonicClock};
pub use embedder::{EmbedError, Embedder};
#[cfg(feature = "minilm")]
pub use minilm::{LoadError, MiniLm};
pub use model_error::{BudgetKind, ModelError, RetryAdvice};
pub use scripted::Scripted;
pub use static_embedder::StaticEmbedder;
pub use table::TableError;
pub use tokens::{estimate_prompt, estimate_tokens};
pub use wrap::{
    Budget, BudgetConfig, Coalesce, ExactCache, Meter, MeterRow, Price, RateLimit, RateLimitConfig,
    Retry, RetryConfig, Spent, Structured,
};
