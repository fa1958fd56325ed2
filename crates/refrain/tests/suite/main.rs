//! The engine, through its front door.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod bounds;
mod reuse;
mod staleness;
mod support;
mod tenants;
