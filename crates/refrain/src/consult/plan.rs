//! When does a language model plan, in the place of the built-in planner? (CacheRAG §4.3, stage 2)

use kgqa::answer::Outcome;
use kgqa::model_compiler::{
    ConsultError, Consulted, Example, ModelConfig, Verdict, may_be_consulted,
};
use language_model::LanguageModel;
use memory::Recalled;

use crate::attempt::{Frame, confidence};
use crate::config::ModelSettings;
use crate::error::EngineError;
use crate::router::Route;

/// What a model did for one question, or why it did nothing.
#[derive(Debug, Clone, serde::Serialize)]
pub(crate) struct Consultation {
    pub(crate) model: String,
    pub(crate) consulted: Option<Consulted>,
    pub(crate) error: Option<String>,
}

impl Consultation {
    /// The model, where its plan was taken.
    pub(crate) fn planned_by(&self) -> Option<String> {
        let verdict = self.consulted.as_ref().map(|consulted| &consulted.verdict);
        matches!(verdict, Some(Verdict::Used { .. })).then(|| self.model.clone())
    }
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
        let Some(model) = self.model() else {
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
            deadline: self.deadline(),
            ..ModelConfig::default()
        };
        let schema = &route.view.schema;
        let asked = self
            .engine
            .planner
            .consult(&model, &config, graph, schema, &examples, outcome);
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
    let confidence = confidence(outcome.margin, outcome.told);
    settings
        .plans
        .asks(outcome.refusal.is_some() || confidence < settings.below)
}
