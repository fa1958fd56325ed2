//! What would the engine do if the model said this? A model whose replies a closure gives.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{ChatRequest, Completion, Finish, LanguageModel, ModelError, Usage};

/// A model for tests and examples: a closure gives its replies, and its calls are counted.
pub struct Scripted<F> {
    reply: F,
    calls: AtomicU64,
}

impl<F> Scripted<F>
where
    F: Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync,
{
    /// A model that replies what `reply` gives.
    pub const fn new(reply: F) -> Self {
        Self {
            reply,
            calls: AtomicU64::new(0),
        }
    }

    /// How often it was called.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

impl<F> LanguageModel for Scripted<F>
where
    F: Fn(&ChatRequest) -> Result<String, ModelError> + Send + Sync,
{
    fn complete(
        &self,
        request: &ChatRequest,
        streamed: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let text = (self.reply)(request)?;
        streamed(&text);
        Ok(Completion {
            usage: Usage {
                prompt_tokens: estimate(request.chars()),
                completion_tokens: estimate(text.chars().count()),
                estimated: true,
            },
            text,
            finish: Finish::Stop,
            model: self.name().to_owned(),
        })
    }

    fn name(&self) -> &str {
        "scripted"
    }
}

/// Four characters a token, rounded up: what English text takes in common tokenizers.
fn estimate(chars: usize) -> u64 {
    chars.div_ceil(4) as u64
}
