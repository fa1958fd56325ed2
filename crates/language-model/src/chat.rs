//! What is asked of a language model, and what does it give? Chat completion, whatever model does it.
//!
//! A reply is untrusted text: whoever asks parses it, checks it and bounds it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod error;
mod scripted;

pub use error::ModelError;
pub use scripted::Scripted;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions.
    System,
    /// What is asked.
    User,
    /// What the model said before.
    Assistant,
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
    /// Instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self {
            role: Role::System,
            content: content.into(),
        }
    }

    /// What is asked.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: content.into(),
        }
    }

    /// What the model said before.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// What form the reply must have.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// Any text.
    #[default]
    None,
    /// JSON that fits a schema: the subset `type`, `properties`, `required`, `additionalProperties`, `enum`, `items`,
    /// `minItems`, `maxItems`, `minimum`, `maximum`, `maxLength`.
    Json {
        /// What the schema is called: letters, digits, `_` and `-`, at most 64.
        name: String,
        /// The schema.
        schema: Value,
    },
    /// Exactly one of these texts.
    OneOf(Vec<String>),
}

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// What form the reply must have.
    pub constraint: Constraint,
    /// Which stage asks ("compile", "summarize"): calls are metered by it.
    pub stage: String,
    /// The tenant for whom is asked: calls are metered by it, too.
    pub namespace: String,
    /// Name and version of the prompt, as in "compile/1".
    pub prompt: String,
    /// How far the model strays from the likeliest word, in [0, 2].
    pub temperature: f32,
    /// The seed of its draws, where the model has one.
    pub seed: Option<u64>,
    /// Texts at which the reply ends.
    pub stop: Vec<String>,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// The longest that the call may take, all attempts together.
    pub timeout: Duration,
}

impl ChatRequest {
    /// A call at temperature 0 with seed 0, at most 512 tokens long, of the default namespace, within 60 seconds.
    #[must_use]
    pub fn new(stage: &str, prompt: &str, messages: Vec<Message>) -> Self {
        Self {
            messages,
            constraint: Constraint::None,
            stage: stage.to_owned(),
            namespace: "default".to_owned(),
            prompt: prompt.to_owned(),
            temperature: 0.0,
            seed: Some(0),
            stop: Vec::new(),
            max_tokens: 512,
            timeout: Duration::from_secs(60),
        }
    }

    /// The same with a constraint on the reply.
    #[must_use]
    pub fn constrained(mut self, constraint: Constraint) -> Self {
        self.constraint = constraint;
        self
    }

    /// Characters of all messages.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.messages
            .iter()
            .map(|m| m.content.chars().count())
            .sum()
    }
}

/// Why the reply ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done, or came to a stop text.
    Stop,
    /// It reached the most tokens.
    Length,
}

/// How many tokens a call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub completion_tokens: u64,
    /// Whether they were counted here, and not by the provider.
    pub estimated: bool,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.prompt_tokens + self.completion_tokens
    }
}

/// What a model gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The reply. Under [`Constraint::OneOf`] one of the texts; under [`Constraint::Json`] JSON that fits the schema.
    pub text: String,
    /// Why it ends.
    pub finish: Finish,
    /// What it took.
    pub usage: Usage,
    /// The model, as the provider calls it.
    pub model: String,
}

/// Completes conversations.
pub trait LanguageModel: Send + Sync {
    /// Completes one; `streamed` is given each piece of the reply as it comes, at least once if the reply is not empty.
    ///
    /// # Errors
    /// [`ModelError`]: what failed, and what helps.
    fn complete(
        &self,
        request: &ChatRequest,
        streamed: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError>;

    /// What it is called: "gpt-4o-mini", "SmolLM2-135M-Instruct.Q4_1.gguf".
    fn name(&self) -> &str;
}
