//! The engine, through its front door.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod both_sources;
mod bounds;
mod changed_documents;
mod document_verdicts;
mod embedder;
mod exchange;
mod expansion;
mod explore;
mod memory_use;
mod model;
mod model_documents;
mod reuse;
mod schema;
mod staleness;
mod support;
mod tenants;
