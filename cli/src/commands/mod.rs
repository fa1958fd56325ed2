//! The commands, one file each: arguments in, library call, output.

pub(crate) mod completions;
pub(crate) mod config;
