//! How is a server asked that speaks the OpenAI protocol?
//!
//! `POST {base}/chat/completions`, streamed, over HTTP/1.1 and TLS: OpenAI, Azure, vLLM, Ollama, llama.cpp,
//! LM Studio, OpenRouter, DeepSeek, and the compatible endpoints of Anthropic and Gemini. One call is one
//! request: repeating is [`Retry`](crate::Retry)'s business, repairing [`Structured`](crate::Structured)'s,
//! and both see every request. What a server does not take is found out once and kept in
//! [`Capabilities`].

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ChatRequest, Completion, Constraint, LanguageModel, ModelError};

mod config;
mod connection;
mod embeddings;
mod reply;
mod request;
mod retry_after;
mod sse;

pub use config::{OpenAiConfig, Secret, shown_url};
pub use embeddings::OpenAiEmbedder;

use connection::Connection;

/// How a reply is held to its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// `response_format` of type `json_schema`.
    JsonSchema,
    /// A tool whose parameters are the schema, and which must be called.
    ToolCall,
    /// The schema is told in the prompt.
    Prompt,
}

/// What a server is known to take for a model. Everything at first; what it refuses is left out from
/// then on. Keep it with the configuration, and nothing need be found out twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// How replies are held to a form.
    pub structured: StructuredOutput,
    /// Whether it takes `stream_options`, and so tells the usage of a stream.
    pub stream_options: bool,
    /// Whether it takes `seed`.
    pub seed: bool,
    /// Whether it takes `temperature`.
    pub temperature: bool,
    /// Whether it takes `max_tokens`; newer models want `max_completion_tokens`.
    pub max_tokens: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            structured: StructuredOutput::JsonSchema,
            stream_options: true,
            seed: true,
            temperature: true,
            max_tokens: true,
        }
    }
}

impl Capabilities {
    /// Takes note of a refusal and says which part of the request was refused; nothing when the refusal
    /// is about something else.
    fn lower(&mut self, refusal: &str, request: &ChatRequest) -> Option<&'static str> {
        let says = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        if says(&["context length", "context size", "context window"]) {
            return None; // a prompt too long, though it may name `max_completion_tokens`
        }
        if self.stream_options && says(&["stream_options"]) {
            self.stream_options = false;
            return Some("stream_options");
        }
        if self.max_tokens && says(&["max_completion_tokens"]) {
            self.max_tokens = false;
            return Some("max_tokens");
        }
        if request.constraint != Constraint::None {
            let form = &["response_format", "json_schema", "structured", "grammar"];
            if self.structured == StructuredOutput::JsonSchema && says(form) {
                self.structured = StructuredOutput::ToolCall;
                return Some("response_format");
            }
            if self.structured == StructuredOutput::ToolCall && says(&["tool", "function"]) {
                self.structured = StructuredOutput::Prompt;
                return Some("tools");
            }
        }
        if self.temperature && says(&["temperature"]) {
            self.temperature = false;
            return Some("temperature");
        }
        if self.seed && request.seed.is_some() && says(&["seed"]) {
            self.seed = false;
            return Some("seed");
        }
        None
    }

    /// What is known now, after a call that was sent by `asked` has learnt `learnt`. Only what the call
    /// has changed is taken over: another may have learnt the same, or more, in the meantime.
    fn learn(&mut self, asked: Self, learnt: Self) {
        if self.structured == asked.structured {
            self.structured = learnt.structured;
        }
        self.stream_options &= learnt.stream_options;
        self.seed &= learnt.seed;
        self.temperature &= learnt.temperature;
        self.max_tokens &= learnt.max_tokens;
    }

    /// Takes note of a reply that shows no sign of having been held to its form.
    fn ignored(&mut self) {
        self.structured = match self.structured {
            StructuredOutput::JsonSchema => StructuredOutput::ToolCall,
            StructuredOutput::ToolCall | StructuredOutput::Prompt => StructuredOutput::Prompt,
        };
    }
}

/// A model behind a server that speaks the OpenAI protocol.
#[derive(Debug)]
pub struct OpenAi {
    config: OpenAiConfig,
    connection: Connection,
    capabilities: Mutex<Capabilities>,
}

impl OpenAi {
    /// A model that is expected to take everything. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ModelError::Unreachable`] when a setting (base URL, proxy, certificates) cannot be used.
    pub fn new(config: OpenAiConfig) -> Result<Self, ModelError> {
        Self::with_capabilities(config, Capabilities::default())
    }

    /// A model of which something is known from before.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_capabilities(
        config: OpenAiConfig,
        capabilities: Capabilities,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            connection: Connection::new(&config)?,
            config,
            capabilities: Mutex::new(capabilities),
        })
    }

    /// What is known of the server by now.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        *self
            .capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, asked: Capabilities, learnt: Capabilities) {
        let mut known = self
            .capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.learn(asked, learnt);
    }

    /// A refusal of the request is, where possible, one of a part of it. It answers what was sent, which
    /// is `asked`, and not what is known by now: of many calls at once, each is told to ask again.
    fn refused(&self, error: ModelError, request: &ChatRequest, asked: Capabilities) -> ModelError {
        let ModelError::Rejected {
            endpoint, message, ..
        } = &error
        else {
            return error;
        };
        let refusal = message.to_lowercase();
        let mut learnt = asked;
        let Some(what) = learnt.lower(&refusal, request) else {
            return error;
        };
        self.learn(asked, learnt);
        ModelError::Unsupported {
            endpoint: endpoint.clone(),
            what: what.to_owned(),
        }
    }
}

impl LanguageModel for OpenAi {
    /// One request. A part that the server refuses gives [`ModelError::Unsupported`]: the next call leaves
    /// it out. Usage is the server's where it gives plausible figures, else estimated and marked so.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        request.check()?;
        let asked = self.capabilities();
        let body = request::body(request, &self.config, asked);
        let answer = self
            .connection
            .post("/chat/completions", &body, request.deadline)
            .map_err(|error| self.refused(error, request, asked))?;
        let completion = reply::read(answer, request, &self.config, stream)?;
        let formless = request.constraint != Constraint::None
            && completion.finish == crate::FinishReason::Stop
            && crate::json::without_thoughts(&completion.text)
                .is_some_and(|reply| crate::json::candidates(reply).is_empty());
        if formless {
            let mut learnt = asked;
            learnt.ignored();
            self.learn(asked, learnt);
        }
        Ok(completion)
    }

    fn model(&self) -> &str {
        &self.config.model
    }
}

/// The time that a call may take: that of the configuration, or what is left until the deadline.
fn time_left(config: Duration, deadline: Option<std::time::Instant>) -> Duration {
    deadline.map_or(config, |deadline| {
        config.min(deadline.saturating_duration_since(std::time::Instant::now()))
    })
}

/// The message within an error's body: `error.message`, `error` or `message`, else the body itself.
fn error_message(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let message = parsed.as_ref().and_then(|value| {
        let error = value.get("error").unwrap_or(value);
        let text = error.get("message").or_else(|| value.get("message"));
        let text = text.unwrap_or(error).as_str()?.to_owned();
        let parameter = error.get("param").and_then(Value::as_str);
        Some(parameter.map_or(text.clone(), |name| format!("{text} ({name})")))
    });
    let message = message.unwrap_or_else(|| body.trim().to_owned());
    message.chars().take(500).collect()
}

#[cfg(test)]
mod tests;
