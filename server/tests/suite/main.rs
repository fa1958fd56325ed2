//! The server through a socket, as its clients see it.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod asking;
mod bounds;
mod chat;
mod documents;
mod frame;
mod mcp;
mod remembered;
mod sparql;
mod stopping;
mod support;
