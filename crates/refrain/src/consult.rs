//! When is a language model asked, and what may it cost? The built-in stages first; a model only where they are unsure.
//!
//! Every call that leaves, repeated and repairing ones too, is drawn from the question's budget. A model that fails, or whose
//! reply does not hold, changes nothing: the built-in outcome stands, and what happened is reported.

pub(crate) mod passages;
pub(crate) mod plan;
mod summary;

use std::time::{Duration, Instant};

use language_model::{
    ChatRequest, Completion, LanguageModel, ModelError, Retry, RetryConfig, Structured,
    estimate_prompt,
};

use crate::attempt::Frame;
use crate::budget::Budget;
use crate::config::When;

/// A model whose calls are drawn from one question's budget.
pub(crate) struct Drawn<'a> {
    model: &'a dyn LanguageModel,
    budget: &'a Budget,
}

impl LanguageModel for Drawn<'_> {
    fn complete(
        &self,
        request: &ChatRequest,
        streamed: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        self.budget.draw_call(estimate_prompt(request))?;
        let completion = self.model.complete(request, streamed)?;
        self.budget.spend_tokens(completion.usage.total());
        Ok(completion)
    }

    fn model(&self) -> &str {
        self.model.model()
    }
}

/// A model whose replies obey their constraints, and which is asked again where that may help.
pub(crate) type Asked<'a> = Structured<Retry<Drawn<'a>>>;

impl Frame<'_> {
    /// The model as this question may ask it, if there is one.
    pub(crate) fn model(&self) -> Option<Asked<'_>> {
        let model = self.engine.model.as_deref()?;
        let drawn = Drawn {
            model,
            budget: self.budget,
        };
        // Pauses before a repeated call differ from question to question.
        let millis = u32::try_from(self.now.0 % 1_000).unwrap_or(0);
        let draw = move || f64::from(millis) / 1_000.0;
        Some(Structured::new(Retry::new(
            drawn,
            RetryConfig::default(),
            draw,
        )))
    }

    /// When a call that begins now is of no use any more.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let seconds = self.engine.config.model.timeout_s;
        Some(Instant::now() + Duration::from_secs(seconds))
    }
}

impl When {
    /// Whether a stage asks a model when its built-in form is or is not sure.
    pub(crate) const fn asks(self, is_unsure: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Unsure => is_unsure,
        }
    }
}

/// What is said of a model that failed.
pub(crate) fn unheard(error: &impl std::fmt::Display) -> String {
    format!("the language model was not heard: {error}")
}
