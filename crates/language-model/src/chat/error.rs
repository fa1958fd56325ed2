//! What can go wrong with a call of a model, and what helps? No error ever holds a key.

use std::time::Duration;

use thiserror::Error;

/// Why a model gave no reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The key is wrong or missing.
    #[error("{endpoint} refuses the key ({status}): set OPENAI_API_KEY to a valid key")]
    Unauthorized {
        /// The server.
        endpoint: String,
        /// Its status.
        status: u16,
    },
    /// Too many requests.
    #[error("{endpoint} is rate limited: try again later, or lower the rate")]
    RateLimited {
        /// The server.
        endpoint: String,
        /// When it may be asked again.
        retry_after: Option<Duration>,
    },
    /// The server failed.
    #[error("{endpoint} failed with status {status}: {message}")]
    Server {
        /// The server.
        endpoint: String,
        /// Its status.
        status: u16,
        /// What it says, cut.
        message: String,
        /// When it may be asked again.
        retry_after: Option<Duration>,
    },
    /// The server does not take the request.
    #[error("{endpoint} does not take the request (status {status}): {message}")]
    Rejected {
        /// The server.
        endpoint: String,
        /// Its status.
        status: u16,
        /// What it says, cut.
        message: String,
    },
    /// It cannot be reached.
    #[error(
        "{endpoint} cannot be reached: {message}; is OPENAI_BASE_URL right, and the server running?"
    )]
    Unreachable {
        /// The server.
        endpoint: String,
        /// How.
        message: String,
    },
    /// It took too long.
    #[error("{model} gave no whole reply within {} s", limit.as_secs_f32())]
    Timeout {
        /// The model.
        model: String,
        /// How long it had.
        limit: Duration,
    },
    /// The reply broke off.
    #[error("the reply of {model} broke off")]
    CutStream {
        /// The model.
        model: String,
    },
    /// The reply or the request is longer than is allowed.
    #[error("{what} is longer than {limit} characters")]
    TooLong {
        /// Which text.
        what: String,
        /// The bound.
        limit: usize,
    },
    /// The reply is not what was asked for.
    #[error("{model} gave no usable reply ({why}): \"{excerpt}\"")]
    BadReply {
        /// The model.
        model: String,
        /// What is wrong with it.
        why: String,
        /// Its start, at most 200 characters.
        excerpt: String,
    },
    /// A budget is used up.
    #[error("the budget of {limit} {what} is used up")]
    BudgetExhausted {
        /// Calls, tokens or money.
        what: String,
        /// The budget.
        limit: String,
    },
    /// A recording holds no such exchange.
    #[error(
        "the recording holds no reply for this call of stage \"{stage}\": record it with the same model, prompts and graph"
    )]
    NotRecorded {
        /// The stage.
        stage: String,
    },
    /// The model itself failed.
    #[error("{model} failed: {message}")]
    Model {
        /// The model.
        model: String,
        /// How.
        message: String,
    },
}

impl ModelError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. }
                | Self::Server { .. }
                | Self::Unreachable { .. }
                | Self::CutStream { .. }
        )
    }

    /// How long the server asks to wait.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => {
                *retry_after
            }
            Self::Unauthorized { .. }
            | Self::Rejected { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::CutStream { .. }
            | Self::TooLong { .. }
            | Self::BadReply { .. }
            | Self::BudgetExhausted { .. }
            | Self::NotRecorded { .. }
            | Self::Model { .. } => None,
        }
    }
}
