//! The command line, through the binary.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod bounded;
mod config;
mod conversation;
mod demo;
mod documents;
mod help;
mod kill;
mod local_model;
mod messages;
mod models;
mod notes;
mod odd_input;
mod processes;
mod serve;
mod simulate;
mod support;
