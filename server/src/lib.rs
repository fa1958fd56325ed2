#![doc = include_str!("../README.md")]

mod access;
mod app;
mod around;
mod ask;
mod cache_control;
mod documents;
mod error;
mod explore;
mod extract;
mod health;
mod keys;
mod limits;
mod log;
mod mcp;
mod memory;
mod metrics;
mod openai;
mod openapi;
mod origin;
mod pool;
mod routes;
mod serve;
mod sources;
mod sparql;
mod stdio;

pub use access::Access;
pub use keys::{Key, KeyError, Keys, NewKey, Scope};
pub use limits::Limits;
pub use log::{Log, LogFormat};
pub use serve::{Options, ServeError, Server, Stopper};
pub use stdio::{StdioError, mcp_on_stdio};
