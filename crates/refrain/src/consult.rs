//! When is a language model asked, and what may it cost? The built-in stages first; a model only where they are unsure.
//!
//! Every call is drawn from the question's budget: 1 for the plan and 1 for the wording are the most that a question can
//! take, whatever the settings say. A model that fails, or whose reply is no plan, changes nothing: the built-in outcome
//! stands, and what happened is reported.

use std::time::{Duration, Instant};

use kgqa::answer::Outcome;
use kgqa::model_compiler::{ConsultError, Consulted, Example, ModelConfig, may_be_consulted};
use language_model::{ChatRequest, Completion, LanguageModel, ModelError};
use memory::Recalled;

use crate::attempt::{Frame, confidence};
use crate::budget::Budget;
use crate::config::{ModelSettings, When};
use crate::error::EngineError;
use crate::router::Route;

/// A model whose calls are drawn from one question's budget.
pub(crate) struct Drawn<'a> {
    pub(crate) model: &'a dyn LanguageModel,
    pub(crate) budget: &'a Budget,
}

impl LanguageModel for Drawn<'_> {
    fn complete(
        &self,
        request: &ChatRequest,
        streamed: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        self.budget.draw_call()?;
        let completion = self.model.complete(request, streamed)?;
        self.budget.spend_tokens(completion.usage.total());
        Ok(completion)
    }

    fn model(&self) -> &str {
        self.model.model()
    }
}

/// What a model did for one question, or why it did nothing.
#[derive(Debug, Clone, serde::Serialize)]
pub(crate) struct Consultation {
    pub(crate) model: String,
    pub(crate) consulted: Option<Consulted>,
    pub(crate) error: Option<String>,
}

impl Frame<'_> {
    /// Asks the model for a plan, where the settings say so and there is one.
    pub(crate) fn consult(
        &self,
        route: &Route,
        graph: &dyn kgqa::graph::Graph,
        recalled: &[Recalled],
        outcome: &mut Outcome,
    ) -> Result<Option<Consultation>, EngineError> {
        let settings = &self.engine.config.model;
        let Some(model) = self.engine.model.as_deref() else {
            return Ok(None);
        };
        if !is_wanted(settings, outcome) {
            return Ok(None);
        }
        let examples: Vec<Example> = recalled
            .iter()
            .map(|found| Example {
                question: found.stored.experience.question.clone(),
                template: found.stored.experience.template().to_owned(),
            })
            .collect();
        let config = ModelConfig {
            task: settings.task,
            namespace: self.request.namespace.clone(),
            deadline: Some(Instant::now() + Duration::from_secs(settings.timeout_s)),
            ..ModelConfig::default()
        };
        let drawn = Drawn {
            model,
            budget: self.budget,
        };
        let schema = &route.view.schema;
        let asked = self
            .engine
            .planner
            .consult(&drawn, &config, graph, schema, &examples, outcome);
        let (consulted, error) = match asked {
            Ok(consulted) => (consulted, None),
            Err(ConsultError::Model(error)) => (None, Some(error.to_string())),
            Err(ConsultError::Answer(error)) => return Err(error.into()),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(Some(Consultation {
            model: model.model().to_owned(),
            consulted,
            error,
        }))
    }
}

/// Whether the built-in outcome leaves something to ask.
fn is_wanted(settings: &ModelSettings, outcome: &Outcome) -> bool {
    if let Some(refusal) = &outcome.refusal
        && !may_be_consulted(refusal)
    {
        return false;
    }
    match settings.plans {
        When::Never => false,
        When::Always => true,
        When::Unsure => {
            outcome.refusal.is_some() || confidence(outcome.margin, outcome.told) < settings.below
        }
    }
}
