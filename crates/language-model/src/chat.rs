//! What is asked of a chat model, and what comes back?
//!
//! One blocking trait, [`LanguageModel`], for servers, models in this process, cassettes and scripts;
//! retries, budgets, meters and caches wrap it and are models themselves. Replies are untrusted text:
//! what they must look like is said by [`Constraint`] and checked by [`Structured`](crate::Structured).

use std::time::Instant;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ModelError;

/// Bytes of a prompt that are sent unless a request says otherwise: 256 KiB, about 64,000 tokens.
pub const DEFAULT_MAX_PROMPT_BYTES: usize = 256 * 1024;
/// Tokens of a reply unless a request says otherwise.
pub const DEFAULT_MAX_TOKENS: u32 = 1024;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The rules of the conversation.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The name that servers know: `system`, `user` or `assistant`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message of the system.
    #[must_use]
    pub fn system(content: impl Into<String>) -> Self {
        Self {
            role: Role::System,
            content: content.into(),
        }
    }

    /// A message of the user.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: content.into(),
        }
    }

    /// A message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// What a reply must look like.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// Any text.
    #[default]
    None,
    /// A JSON value that a schema accepts; see [`crate::json::schema`] for the part of JSON Schema
    /// that is checked.
    JsonSchema {
        /// The schema's name: letters, digits, `_` and `-`.
        name: String,
        /// The schema.
        schema: serde_json::Value,
    },
    /// Exactly one of these texts.
    OneOf(Vec<String>),
}

/// A call of a chat model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChatRequest {
    /// The stage that asks, such as `parse`: meters count by it.
    pub stage: String,
    /// On whose behalf it is asked; replies are never shared between namespaces.
    pub namespace: String,
    /// Which version of which prompt this is, such as `parse/3`; empty when it has none.
    pub prompt_version: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// What the reply must look like.
    pub constraint: Constraint,
    /// 0 for the likeliest reply; at most 2.
    pub temperature: f64,
    /// The seed of the sampling, where the model takes one.
    pub seed: Option<u64>,
    /// Texts that end a reply; they are not part of it.
    pub stop: Vec<String>,
    /// Tokens of the reply, at most.
    pub max_tokens: u32,
    /// Bytes of all messages, at most; longer ones are refused, not cut.
    pub max_prompt_bytes: usize,
    /// When the reply is of no use any more. Models and wrappers end by then, in an error if need be.
    #[serde(skip)]
    pub deadline: Option<Instant>,
}

impl ChatRequest {
    /// A request of a stage with temperature 0, no constraint and the default bounds.
    #[must_use]
    pub fn new(stage: impl Into<String>, messages: Vec<Message>) -> Self {
        Self {
            stage: stage.into(),
            namespace: String::new(),
            prompt_version: String::new(),
            messages,
            constraint: Constraint::None,
            temperature: 0.0,
            seed: None,
            stop: Vec::new(),
            max_tokens: DEFAULT_MAX_TOKENS,
            max_prompt_bytes: DEFAULT_MAX_PROMPT_BYTES,
            deadline: None,
        }
    }

    /// Bytes of all messages.
    #[must_use]
    pub fn prompt_bytes(&self) -> usize {
        self.messages.iter().map(|m| m.content.len()).sum()
    }

    /// Checks the bounds of the request. Every model calls this before anything else.
    ///
    /// # Errors
    ///
    /// [`ModelError::TooLong`] for a prompt above its limit, [`ModelError::BadRequest`] for one that no
    /// model can answer: no message, an empty enumeration, a temperature outside 0 to 2.
    pub fn check(&self) -> Result<(), ModelError> {
        let bytes = self.prompt_bytes();
        if bytes > self.max_prompt_bytes {
            return Err(ModelError::TooLong {
                stage: self.stage.clone(),
                bytes,
                limit: self.max_prompt_bytes,
            });
        }
        let empty_enumeration =
            matches!(&self.constraint, Constraint::OneOf(texts) if texts.is_empty());
        let wrong = if self.messages.is_empty() {
            "it has no message"
        } else if empty_enumeration {
            "its enumeration is empty"
        } else if !(0.0..=2.0).contains(&self.temperature) {
            "its temperature is not between 0 and 2"
        } else if self.max_tokens == 0 {
            "it allows no token of reply"
        } else {
            return Ok(());
        };
        Err(ModelError::BadRequest {
            stage: self.stage.clone(),
            wrong,
        })
    }

    /// What identifies the call: SHA-256, in hexadecimal, of the model's name and everything of the
    /// request but its deadline.
    #[must_use]
    pub fn fingerprint(&self, model: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(model.as_bytes());
        hash.update([0]);
        // Writing to memory fails only for maps whose keys are no strings, which requests do not have.
        hash.update(serde_json::to_vec(self).unwrap_or_default());
        hash.finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done, or came to a stop text.
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// The provider's filter cut it.
    ContentFilter,
}

/// Tokens of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub completion_tokens: u64,
    /// True when the model did not say and [`estimate_tokens`](crate::estimate_tokens) counted.
    pub estimated: bool,
}

impl Usage {
    /// Tokens of prompt and reply.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    /// The estimate of a call from its request and the text that came back.
    #[must_use]
    pub fn estimate(request: &ChatRequest, reply: &str) -> Self {
        Self {
            prompt_tokens: crate::tokens::estimate_prompt(request),
            completion_tokens: crate::tokens::estimate_tokens(reply),
            estimated: true,
        }
    }
}

/// Where a reply comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From the model, now.
    Model,
    /// From the model, for an identical call in flight at the same time; it has no usage of its own.
    Coalesced,
    /// From the cache of earlier replies; it has no usage.
    Cached,
    /// From a cassette.
    Replayed,
}

/// The reply of a chat model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The text. Under a constraint that was passed to [`Structured`](crate::Structured), one that obeys it.
    pub text: String,
    /// Why it ended.
    pub finish: FinishReason,
    /// What it took.
    pub usage: Usage,
    /// The model's name, as the model gives it.
    pub model: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// A chat model: messages in, text out. Blocking; may be called from many threads at once.
pub trait LanguageModel: Send + Sync {
    /// Completes a conversation. `stream` is told each piece of the text as it comes, in order; after an
    /// error it may have been told a part. Retries and repairs tell their pieces anew, so who shows a
    /// stream shows the completion's text at the end.
    ///
    /// # Errors
    ///
    /// [`ModelError`], which names the endpoint or the stage and the remedy.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError>;

    /// The model's name, for prices, fingerprints and reports.
    fn model(&self) -> &str;
}

impl<M: LanguageModel + ?Sized> LanguageModel for std::sync::Arc<M> {
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        (**self).complete(request, stream)
    }

    fn model(&self) -> &str {
        (**self).model()
    }
}

/// A sink for who does not want the pieces of a reply.
pub fn no_stream(_piece: &str) {}
