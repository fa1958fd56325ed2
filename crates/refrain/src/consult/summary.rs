//! When does a language model word an answer from a graph? (CacheRAG, stage "summarize")

use kgqa::model_summarizer::{Finding, NotTaken, SummaryConfig, summarize};

use super::unheard;
use crate::answer::Answer;
use crate::attempt::Frame;

impl Frame<'_> {
    /// Words an answer anew, where the settings say so and there is a model; the values and what proves them stay.
    pub(crate) fn word(&self, answer: &mut Answer) {
        let unsure = answer.confidence < self.engine.config.model.below;
        if answer.refused || !self.engine.config.model.summaries.asks(unsure) {
            return;
        }
        let Some(model) = self.model() else {
            return;
        };
        let finding = Finding {
            question: &self.request.question,
            values: answer.values.iter().map(|v| v.label.as_str()).collect(),
            facts: answer
                .citations
                .iter()
                .map(|c| (c.n, c.text.as_str()))
                .collect(),
        };
        let config = SummaryConfig {
            namespace: self.request.namespace.clone(),
            deadline: self.deadline(),
        };
        match summarize(&model, &finding, &config) {
            Ok(Ok(text)) => {
                answer.text = text;
                answer.model = Some(language_model::LanguageModel::model(&model).to_owned());
            }
            Ok(Err(NotTaken::Bounds { .. })) => {}
            Ok(Err(why)) => answer
                .cut
                .push(format!("{why}; the built-in wording stands")),
            Err(error) => answer.cut.push(unheard(&error)),
        }
    }
}
