#![doc = include_str!("../README.md")]

mod embedder;
mod static_embedder;
mod table;
pub mod words;

pub use embedder::{EmbedError, Embedder};
pub use static_embedder::StaticEmbedder;
pub use table::TableError;
