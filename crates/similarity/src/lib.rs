#![doc = include_str!("../README.md")]

pub mod bm25;
mod embedding;
pub mod mmr;
pub mod sparse;
mod top_k;

pub use embedding::{Embedding, EmbeddingError, dot};
pub use top_k::top_k;
