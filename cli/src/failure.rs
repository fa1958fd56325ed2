//! How does a command fail?
//!
//! One human sentence that names the input, an optional hint with the remedy, and an exit code: 1 failed, 2 usage. Every error of the
//! libraries becomes one of these here and nowhere else.

use std::io;
use std::process::ExitCode;

/// A command's failure.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What went wrong, in one sentence.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// The process's exit code.
    pub(crate) code: u8,
}

/// What commands return.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// Something failed.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            code: 1,
        }
    }

    /// The command was used wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: 2,
            ..Self::new(message)
        }
    }

    /// Something failed because of what a library tells, with the causes of that.
    pub(crate) fn caused(error: &dyn std::error::Error) -> Self {
        Self::new(with_causes(error))
    }

    /// With a remedy.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// With a remedy, where there is one.
    pub(crate) fn maybe_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// A reader that went away, as in `refrain … | head`: nothing to report.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.message == BROKEN_PIPE
    }
}

const BROKEN_PIPE: &str = "nobody reads the output any more";

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(BROKEN_PIPE);
        }
        Self::new(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        if error.io_error_kind() == Some(io::ErrorKind::BrokenPipe) {
            return Self::new(BROKEN_PIPE);
        }
        Self::new(format!("the output cannot be written as JSON: {error}"))
    }
}

impl From<refrain::ConfigError> for Failure {
    fn from(error: refrain::ConfigError) -> Self {
        let hint = error.remedy();
        let message = error.to_string();
        Self {
            code: 2,
            ..Self::new(message)
        }
        .maybe_hint(hint)
    }
}

impl From<refrain::EngineError> for Failure {
    fn from(error: refrain::EngineError) -> Self {
        Self {
            message: with_causes(&error),
            hint: error.remedy(),
            code: if error.is_usage() { 2 } else { 1 },
        }
    }
}

impl From<server::ServeError> for Failure {
    fn from(error: server::ServeError) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<server::StdioError> for Failure {
    fn from(error: server::StdioError) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<server::KeyError> for Failure {
    fn from(error: server::KeyError) -> Self {
        Self::usage(with_causes(&error))
    }
}

impl From<language_model::ModelError> for Failure {
    fn from(error: language_model::ModelError) -> Self {
        Self::caused(&error)
    }
}

impl From<language_model::cassette::CassetteError> for Failure {
    fn from(error: language_model::cassette::CassetteError) -> Self {
        Self::caused(&error)
    }
}

/// An error with what caused it, on one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = inner.source();
    }
    on_one_line(&message)
}

/// Characters of a message that are shown; parsers list everything that they would have liked better.
const MESSAGE_CHARS: usize = 300;

fn on_one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= MESSAGE_CHARS {
        return line;
    }
    let kept: String = line.chars().take(MESSAGE_CHARS).collect();
    format!("{kept} …")
}
