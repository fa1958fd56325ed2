#![doc = include_str!("../README.md")]

pub mod chat;
mod embedder;
#[cfg(feature = "local")]
pub mod local;
#[cfg(feature = "minilm")]
pub mod minilm;
mod static_embedder;
mod table;
pub mod words;

pub use chat::{
    ChatRequest, Completion, Constraint, Finish, LanguageModel, Message, ModelError, Role,
    Scripted, Usage,
};
pub use embedder::{EmbedError, Embedder};
#[cfg(feature = "minilm")]
pub use minilm::{LoadError, MiniLm};
pub use static_embedder::StaticEmbedder;
pub use table::TableError;
