//! When does a language model answer from documents, in the place of an extract? (LivingRAG §3.4: generation)

use graph_rag::generation::{GenerateConfig, Generated, NotBelieved};
use graph_rag::grounding::claims;
use serde::Serialize;

use super::unheard;
use crate::answer::Answer;
use crate::attempt::Frame;
use crate::documents::{Attempt, Given, READ, Verdicts};
use crate::error::EngineError;

/// An answer in a model's words is this sure where none of its steps is found in the passages; all of them double it.
const UNGROUNDED: f64 = 0.4;

/// What a model made of passages.
pub(crate) struct Reading {
    /// Its answer, where it holds.
    pub(crate) given: Option<Given>,
    pub(crate) report: Report,
    pub(crate) cut: Vec<String>,
}

/// What became of the call, for the explanation.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thought: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_believed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Frame<'_> {
    /// Asks the model, where the settings say so and there is one.
    pub(crate) fn read(
        &self,
        attempt: &Attempt<'_>,
        answer: &Answer,
        verdicts: &Verdicts<'_>,
    ) -> Result<Option<Reading>, EngineError> {
        let settings = &self.engine.config.model;
        let unsure = answer.refused || answer.confidence < settings.below;
        let is_found = !attempt.retrieval.found.passages.is_empty();
        if !is_found || attempt.is_negated() || !settings.documents.asks(unsure) {
            return Ok(None);
        }
        let Some(model) = self.model() else {
            return Ok(None);
        };
        let config = GenerateConfig {
            passages: READ,
            namespace: self.request.namespace.clone(),
            deadline: self.deadline(),
            ..GenerateConfig::default()
        };
        let (index, retrieval) = (&attempt.held.index, &attempt.retrieval);
        let asked = index.generate(
            &model,
            &retrieval.query,
            &retrieval.found.passages,
            retrieval.scaffold.as_ref(),
            &config,
        );
        let mut reading = Reading {
            given: None,
            report: Report {
                model: language_model::LanguageModel::model(&model).to_owned(),
                thought: None,
                not_believed: None,
                error: None,
            },
            cut: Vec::new(),
        };
        match asked {
            Err(error) => {
                reading.cut.push(unheard(&error));
                reading.report.error = Some(error.to_string());
            }
            Ok(Err(why)) => {
                if why != NotBelieved::Declined {
                    reading.cut.push(format!("{why}; the sentences stand"));
                }
                reading.report.not_believed = Some(why.to_string());
            }
            Ok(Ok(generated)) => {
                reading.report.thought = Some(generated.explanation.clone());
                if generated.sentences_cut > 0 {
                    reading.cut.push(format!(
                        "passages: {} sentences did not fit into the prompt",
                        generated.sentences_cut
                    ));
                }
                let confidence = grounded(attempt, &generated);
                let given = Given::worded(index, generated, attempt.read(), confidence);
                if given.is_vetoed(index, verdicts) {
                    reading.report.not_believed = Some("a person called it wrong".to_owned());
                } else {
                    reading.given = Some(given);
                }
            }
        }
        Ok(Some(reading))
    }
}

/// How sure an answer in a model's words is: by the share of its steps that what it cites supports. (Eq. 18)
fn grounded(attempt: &Attempt<'_>, generated: &Generated) -> f32 {
    let config = attempt.grounding();
    let question = &attempt.retrieval.query.text;
    let claims = claims(question, &generated.explanation, &generated.answer, &config);
    let places: Vec<u32> = generated.citations.iter().map(|c| c.passage).collect();
    let titles: Vec<&str> = places
        .iter()
        .filter_map(|place| attempt.held.index.passage(*place))
        .map(|passage| passage.title.as_str())
        .collect();
    // Other words than the question's may be meant, and may not: that is for a person to say.
    let score = if generated.is_literal(question, &titles) {
        attempt.held.index.ground(&claims, &places, &config).score
    } else {
        0.0
    };
    #[expect(clippy::cast_possible_truncation, reason = "a share in [0, 1]")]
    let confidence = (UNGROUNDED * (1.0 + score)) as f32;
    confidence
}
