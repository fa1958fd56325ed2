#![doc = include_str!("../README.md")]

mod embedder;
#[cfg(feature = "minilm")]
pub mod minilm;
mod static_embedder;
mod table;
pub mod words;

pub use embedder::{EmbedError, Embedder};
#[cfg(feature = "minilm")]
pub use minilm::{LoadError, MiniLm};
pub use static_embedder::StaticEmbedder;
pub use table::TableError;
