//! The command line, through the binary.

mod config;
mod conversation;
mod demo;
mod help;
mod kill;
mod messages;
mod odd_input;
mod processes;
mod support;
