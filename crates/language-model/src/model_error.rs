//! Why did a chat model not answer, and what can be done about it?

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Usage;

/// Which limit of a budget is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Calls.
    Calls,
    /// Tokens of prompts and replies.
    Tokens,
    /// Money, in millionths of a dollar.
    MicroDollars,
}

impl std::fmt::Display for BudgetKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::MicroDollars => "millionths of a dollar",
        })
    }
}

/// Why there is no completion. Never holds a key.
#[derive(Debug, Clone, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelError {
    /// The server could not be reached.
    #[error(
        "cannot reach {endpoint}: {reason}; check the base URL, the network and the proxy settings"
    )]
    Unreachable {
        /// The server.
        endpoint: String,
        /// What happened, in words.
        reason: String,
        /// What happened.
        #[source]
        #[serde(skip)]
        source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    },
    /// The key is missing or wrong (HTTP 401, 403).
    #[error(
        "{endpoint} refuses the key (HTTP {status}); check that the key is set and may use {model}"
    )]
    Unauthorized {
        /// The server.
        endpoint: String,
        /// The model asked for.
        model: String,
        /// HTTP status.
        status: u16,
    },
    /// Too many requests (HTTP 429), or a wait that would outlast the deadline.
    #[error("{endpoint} is asked too often; ask again later or lower the rate limit")]
    RateLimited {
        /// The server.
        endpoint: String,
        /// When to ask again, where it is said.
        retry_after: Option<Duration>,
    },
    /// The server failed (HTTP 5xx).
    #[error("{endpoint} failed (HTTP {status}): {message}")]
    Server {
        /// The server.
        endpoint: String,
        /// HTTP status.
        status: u16,
        /// The start of what it says.
        message: String,
        /// When to ask again, where it is said.
        retry_after: Option<Duration>,
    },
    /// The server does not take the request (HTTP 4xx).
    #[error(
        "{endpoint} does not take the request for {model} (HTTP {status}): {message}; check the model's name and the base URL"
    )]
    Rejected {
        /// The server.
        endpoint: String,
        /// The model asked for.
        model: String,
        /// HTTP status.
        status: u16,
        /// The start of what it says.
        message: String,
    },
    /// The server does not take a part of the request that can be said in another way. The model has
    /// taken note, so the same request may be sent again at once.
    #[error("{endpoint} does not take {what}; ask again, it is then left out")]
    Unsupported {
        /// The server.
        endpoint: String,
        /// The part, such as `response_format`.
        what: String,
    },
    /// No reply in time.
    #[error("{endpoint} took longer than {limit:?}; raise the time-out or ask a faster model")]
    Timeout {
        /// The server or model.
        endpoint: String,
        /// How long was waited.
        limit: Duration,
        /// What had been received by then; an estimate.
        usage: Usage,
    },
    /// The connection ended within a reply.
    #[error("{endpoint} cut its reply after {received} bytes")]
    CutStream {
        /// The server.
        endpoint: String,
        /// Bytes of text that came.
        received: usize,
        /// What they took; an estimate.
        usage: Usage,
    },
    /// The prompt is longer than the request allows.
    #[error(
        "the prompt of stage {stage} has {bytes} bytes, more than {limit}; shorten it or raise the limit"
    )]
    TooLong {
        /// The stage.
        stage: String,
        /// Bytes of the prompt.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The request makes no sense.
    #[error("the request of stage {stage} cannot be answered: {wrong}")]
    BadRequest {
        /// The stage.
        stage: String,
        /// What is wrong.
        #[serde(skip)]
        wrong: &'static str,
    },
    /// The reply is no reply, or does not obey the constraint.
    #[error("{model} gave a reply that cannot be used: {wrong}: {excerpt:?}")]
    BadReply {
        /// The model.
        model: String,
        /// What is wrong.
        wrong: String,
        /// The first 200 characters.
        excerpt: String,
        /// What it took.
        usage: Usage,
    },
    /// A limit of the budget is reached; nothing was sent.
    #[error("the budget of {limit} {which} is used up; raise it or wait for the next period")]
    BudgetExhausted {
        /// Which limit.
        which: BudgetKind,
        /// The limit.
        limit: u64,
    },
    /// The model cannot obey such a constraint.
    #[error("{model} cannot be held to the constraint: {reason}")]
    ConstraintRefused {
        /// The model.
        model: String,
        /// Why not.
        reason: String,
    },
    /// A model in this process failed.
    #[error("{model} failed: {reason}")]
    Local {
        /// The model.
        model: String,
        /// What happened, in words.
        reason: String,
        /// What happened.
        #[source]
        #[serde(skip)]
        source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    },
    /// A cassette has no such exchange.
    #[error(
        "the cassette has no reply for stage {stage} ({fingerprint}); record it with the model, or undo the change of its prompt"
    )]
    NotRecorded {
        /// The stage.
        stage: String,
        /// [`ChatRequest::fingerprint`](crate::ChatRequest::fingerprint), its start.
        fingerprint: String,
    },
    /// A cassette cannot be written.
    #[error("the exchange of stage {stage} could not be recorded")]
    NotWritten {
        /// The stage.
        stage: String,
        /// What happened.
        #[source]
        #[serde(skip)]
        source: Option<Arc<dyn std::error::Error + Send + Sync>>,
    },
    /// A script has no reply left.
    #[error("the script of {model} is at its end, and stage {stage} asks for more")]
    ScriptEnded {
        /// The scripted model.
        model: String,
        /// The stage.
        stage: String,
    },
}

/// Whether to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAdvice {
    /// It will fail again.
    Never,
    /// Again now: the model has changed how it asks.
    AtOnce,
    /// Again after a pause; after this long, where the server says so.
    AfterPause(Option<Duration>),
}

impl ModelError {
    /// Whether the same request may succeed when it is sent again.
    #[must_use]
    pub fn retry(&self) -> RetryAdvice {
        match self {
            Self::Unsupported { .. } => RetryAdvice::AtOnce,
            Self::RateLimited { retry_after, .. } | Self::Server { retry_after, .. } => {
                RetryAdvice::AfterPause(*retry_after)
            }
            Self::Unreachable { .. } | Self::Timeout { .. } | Self::CutStream { .. } => {
                RetryAdvice::AfterPause(None)
            }
            Self::Unauthorized { .. }
            | Self::Rejected { .. }
            | Self::TooLong { .. }
            | Self::BadRequest { .. }
            | Self::BadReply { .. }
            | Self::BudgetExhausted { .. }
            | Self::ConstraintRefused { .. }
            | Self::Local { .. }
            | Self::NotRecorded { .. }
            | Self::NotWritten { .. }
            | Self::ScriptEnded { .. } => RetryAdvice::Never,
        }
    }

    /// What the failed call took, where something came back before it failed.
    #[must_use]
    pub fn usage(&self) -> Usage {
        match self {
            Self::Timeout { usage, .. }
            | Self::CutStream { usage, .. }
            | Self::BadReply { usage, .. } => *usage,
            Self::Unreachable { .. }
            | Self::Unauthorized { .. }
            | Self::RateLimited { .. }
            | Self::Server { .. }
            | Self::Rejected { .. }
            | Self::Unsupported { .. }
            | Self::TooLong { .. }
            | Self::BadRequest { .. }
            | Self::BudgetExhausted { .. }
            | Self::ConstraintRefused { .. }
            | Self::Local { .. }
            | Self::NotRecorded { .. }
            | Self::NotWritten { .. }
            | Self::ScriptEnded { .. } => Usage::default(),
        }
    }

    /// A reply that cannot be used.
    #[must_use]
    pub fn bad_reply(model: &str, wrong: impl Into<String>, reply: &str, usage: Usage) -> Self {
        Self::BadReply {
            model: model.to_owned(),
            wrong: wrong.into(),
            excerpt: reply.chars().take(200).collect(),
            usage,
        }
    }
}
