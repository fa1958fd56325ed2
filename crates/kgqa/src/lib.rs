//! How is a question over a knowledge graph answered? CacheRAG's pipeline with built-in stages.
mod accounted;
pub mod alignment;
pub mod answer;
pub mod auto_generation;
pub mod backend_adapter;
pub mod entity_linker;
pub mod execute;
pub mod graph;
pub mod guidance;
mod heard;
pub mod isr;

mod judge;
mod kinship;
pub mod local_schema;
pub mod logical_parser;
mod measured;
pub mod model_compiler;
pub mod model_summarizer;
pub mod plan;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
mod vocabulary;
mod yes_no;
