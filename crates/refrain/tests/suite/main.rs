//! The engine, through its front door.

mod bounds;
mod reuse;
mod staleness;
mod support;
mod tenants;
