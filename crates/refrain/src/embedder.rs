//! Which embedder do the settings name, and where are its weights?
//!
//! Weights are read from a directory and never downloaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use language_model::{Embedder, StaticEmbedder};

use crate::config::{EmbedderConfig, EmbedderKind};
use crate::error::EngineError;

/// The embedder that the settings name.
///
/// # Errors
/// When this build does not have it, or its weights are not found or cannot be read.
pub(crate) fn open(config: &EmbedderConfig) -> Result<Arc<dyn Embedder>, EngineError> {
    match config.kind {
        EmbedderKind::Builtin => Ok(StaticEmbedder::builtin()),
        EmbedderKind::Minilm => minilm(&config.model_dir),
    }
}

#[cfg(not(feature = "minilm"))]
fn minilm(_: &Path) -> Result<Arc<dyn Embedder>, EngineError> {
    Err(EngineError::EmbedderMissing {
        kind: "minilm".to_owned(),
    })
}

/// The weights in `given`, else in the first of the usual directories that has them.
#[cfg(feature = "minilm")]
fn minilm(given: &Path) -> Result<Arc<dyn Embedder>, EngineError> {
    use language_model::{MiniLm, minilm};

    let explicit = (!given.as_os_str().is_empty()).then_some(given);
    let searched = minilm::search_directories(explicit, |name| std::env::var_os(name));
    let directory = match (explicit, minilm::find_directory(&searched)) {
        (_, Some(found)) => found,
        // Opened all the same, so that the error names the file that is missing.
        (Some(directory), None) => directory,
        (None, None) => return Err(EngineError::NoWeights { searched }),
    };
    let model = MiniLm::from_dir(directory).map_err(|source| EngineError::BadWeights {
        directory: directory.to_owned(),
        source: Box::new(source),
    })?;
    Ok(Arc::new(model))
}

/// The directories in words, for an error message.
pub(crate) fn listed(directories: &[PathBuf]) -> String {
    let all: Vec<String> = directories
        .iter()
        .map(|directory| directory.display().to_string())
        .collect();
    if all.is_empty() {
        return "nowhere: neither a home nor a cache directory is set".to_owned();
    }
    all.join(", ")
}

#[cfg(test)]
mod tests;
