//! How is a question over a knowledge graph answered? CacheRAG's pipeline with built-in stages.
pub mod execute;
pub mod graph;
pub mod plan;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
