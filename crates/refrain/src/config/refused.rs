//! Why are settings refused, and what is meant instead?

use std::path::PathBuf;

use super::Origin;

/// Why settings are refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that is not TOML.
    #[error("{} is not valid TOML: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's message, with line and column.
        message: String,
        /// The parser's error.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A key that no setting has.
    #[error("there is no setting \"{key}\" ({origin})")]
    UnknownKey {
        /// The dotted key.
        key: String,
        /// Where it was given.
        origin: Origin,
        /// The setting it probably meant.
        suggestion: Option<String>,
    },
    /// A value of the wrong type.
    #[error("setting \"{key}\" must be {expected}, but {origin} says {found}")]
    WrongType {
        /// The dotted key.
        key: String,
        /// The type wanted, in words.
        expected: &'static str,
        /// The value found.
        found: String,
        /// Where it was given.
        origin: Origin,
    },
    /// A value of the right type that makes no sense.
    #[error("setting \"{key}\" ({origin}): {reason}")]
    Invalid {
        /// The dotted key.
        key: String,
        /// What is wrong.
        reason: String,
        /// Where it was given.
        origin: Origin,
    },
}

impl ConfigError {
    /// What to do about it, where that is known.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::UnknownKey { suggestion, .. } => Some(suggestion.as_ref().map_or_else(
                || "`refrain config show` lists every setting".to_owned(),
                |key| format!("did you mean \"{key}\"?"),
            )),
            Self::Syntax { .. } | Self::WrongType { .. } | Self::Invalid { .. } => None,
        }
    }
}
