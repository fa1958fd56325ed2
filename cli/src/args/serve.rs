//! What can be typed after `refrain serve` and `refrain keys`?

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::NamespaceArg;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port; other addresses than this machine's own need a key
    #[arg(
        long,
        env = "REFRAIN_LISTEN",
        default_value = "127.0.0.1:7878",
        value_name = "ADDRESS:PORT",
        hide_env_values = true
    )]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) keys: KeysFile,
    /// An origin whose web pages may call, as https://app.example; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) cors_origin: Vec<String>,
    /// Seconds that a request waits for its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(crate) answer_time: u64,
    /// Seconds that requests under way may go on after the server is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) drain_time: u64,
}

#[derive(Debug, Args)]
pub(crate) struct KeysFile {
    /// File with the keys' hashes [default: keys.toml in the directory]
    #[arg(
        long = "keys",
        env = "REFRAIN_KEYS",
        value_name = "FILE",
        hide_env_values = true
    )]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key and print it, this once
    Create {
        /// What people call it
        name: String,
        /// What it is good for, separated by commas: read, ask, write, admin
        #[arg(
            long,
            value_enum,
            value_delimiter = ',',
            default_value = "read,ask",
            value_name = "SCOPES",
            hide_possible_values = true
        )]
        scopes: Vec<ScopeArg>,
        /// Requests a minute [default: no bound]
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        rate: Option<u32>,
        #[command(flatten)]
        namespace: NamespaceArg,
        #[command(flatten)]
        keys: KeysFile,
    },
    /// List the keys
    List {
        #[command(flatten)]
        keys: KeysFile,
    },
    /// Revoke a key; a running server refuses it within a second
    Revoke {
        /// Its name or id
        name: String,
        #[command(flatten)]
        keys: KeysFile,
    },
}

/// What a key is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Look
    Read,
    /// Ask
    Ask,
    /// Change what is known
    Write,
    /// Everything
    Admin,
}
