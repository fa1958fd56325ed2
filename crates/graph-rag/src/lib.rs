#![doc = include_str!("../README.md")]

pub mod activation;
mod csr;
mod error;
mod extraction;
pub mod index;
pub mod linear_rag;
mod passage;
mod passage_weight;
pub mod ppr;
pub mod recogniser;
pub mod sentence;
mod token;
pub mod tri_graph;
mod vectors;

pub use error::GraphRagError;
pub use index::{Change, ChangeReport, Index, IndexConfig};
pub use linear_rag::{LinearRagConfig, Retrieval};
pub use passage::{ContentHash, DocumentId, Passage};
pub use recogniser::Label;
