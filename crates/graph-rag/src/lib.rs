#![doc = include_str!("../README.md")]

pub mod activation;
pub mod answer;
mod csr;
mod error;
pub mod experience;
mod experience_index;
mod extraction;
pub mod generation;
pub mod grounding;
pub mod index;
mod lexical_entailment;
pub mod linear_rag;
pub mod living_rag;
mod names;
mod parallel;
mod passage;
mod passage_weight;
pub mod ppr;
pub mod recogniser;
pub mod scaffold;
pub mod sentence;
mod token;
pub mod tri_graph;
mod vectors;

pub use error::GraphRagError;
pub use experience_index::ExperienceIndex;
pub use index::{Change, ChangeReport, Index, IndexConfig};
pub use linear_rag::{LinearRagConfig, Retrieval};
pub use living_rag::{LivingRag, LivingRagConfig};
pub use passage::{ContentHash, DocumentId, Passage};
pub use recogniser::Label;
