//! How does a language model answer from passages, and what of its reply is believed? (LinearRAG, appendix; LivingRAG §3.4)
//!
//! The model sees the passages found, sentence by sentence and numbered, and a worked example where experience has one. Its
//! reply is untrusted: it must cite sentences that it was shown, and what it answers must stand in them.

mod check;
mod prompt;

use std::time::Instant;

use language_model::{ChatRequest, Constraint, LanguageModel, Message, ModelError, no_stream};
use serde::Serialize;
use thiserror::Error;

use crate::answer::Citation;
use crate::index::Index;
use crate::linear_rag::{Query, Ranked};
use crate::scaffold::Scaffold;

/// Name and version of the prompt; a recording made with another one does not replay.
pub const GENERATE_PROMPT: &str = "generate/1";

/// Bounds of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerateConfig {
    /// Most passages that the model reads.
    pub passages: usize,
    /// Most bytes of sentences that the model reads; whole sentences of the last passages are cut first, and their count is
    /// told.
    pub max_bytes: usize,
    /// Tokens of the reply.
    pub max_tokens: u32,
    /// The tenant for whom is asked.
    pub namespace: String,
    /// When the reply is of no use any more.
    pub deadline: Option<Instant>,
}

impl Default for GenerateConfig {
    fn default() -> Self {
        Self {
            passages: 5,
            max_bytes: 24 << 10,
            max_tokens: 600,
            namespace: "default".to_owned(),
            deadline: None,
        }
    }
}

/// An answer in a model's words that its citations hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// The answer.
    pub answer: String,
    /// The steps to it, as the model gives them.
    pub explanation: String,
    /// The sentences it cites, in its order, each once.
    pub citations: Vec<Citation>,
    /// Sentences that did not fit into the prompt.
    pub sentences_cut: usize,
}

/// Why a reply is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotBelieved {
    /// The model says that the sentences do not tell it.
    #[error("the language model finds no answer in what was found")]
    Declined,
    /// It is not what was asked for.
    #[error("the language model's reply cannot be used: {0}")]
    Form(String),
    /// It cites a sentence that it was not shown.
    #[error("the language model cites sentence {0}, which it was not shown")]
    UnknownSentence(u64),
    /// What it answers does not stand in what it cites.
    #[error(
        "the language model answers {answer:?}, but the sentences that it cites do not say {missing:?}"
    )]
    Unsupported {
        /// The answer.
        answer: String,
        /// The first word of it that no cited sentence has.
        missing: String,
    },
    /// What it cites does not speak of what the question names.
    #[error("the sentences that the language model cites do not speak of {0:?}")]
    Elsewhere(String),
}

impl Index {
    /// Asks a model for the answer, from the passages at these places; what does not hold is a value.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the model fails.
    pub fn generate(
        &self,
        model: &dyn LanguageModel,
        query: &Query,
        passages: &[Ranked],
        example: Option<&Scaffold>,
        config: &GenerateConfig,
    ) -> Result<Result<Generated, NotBelieved>, ModelError> {
        let shown = prompt::Shown::of(self, passages, config);
        if shown.sentences.is_empty() {
            return Ok(Err(NotBelieved::Declined));
        }
        let request = ChatRequest {
            namespace: config.namespace.clone(),
            prompt_version: GENERATE_PROMPT.to_owned(),
            seed: Some(0),
            deadline: config.deadline,
            max_tokens: config.max_tokens,
            constraint: Constraint::JsonSchema {
                name: "answer".to_owned(),
                schema: prompt::schema(shown.sentences.len()),
            },
            ..ChatRequest::new(
                "generate",
                vec![
                    Message::system(include_str!("../prompts/generate.txt")),
                    Message::user(shown.message(self, &query.text, example)),
                ],
            )
        };
        let completion = model.complete(&request, &mut no_stream)?;
        Ok(check::believed(self, query, &shown, &completion.text))
    }
}

#[cfg(test)]
mod tests;
