//! The commands, one file each: arguments in, library call, output.

pub(crate) mod add;
pub(crate) mod answer_view;
pub(crate) mod ask;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod feedback;
pub(crate) mod init;
pub(crate) mod keys;
pub(crate) mod load;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod note;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod source;
pub(crate) mod sparql;
pub(crate) mod triple;
pub(crate) mod warm;
