//! What would a model that always plans right make of the engine? Its replies are the sets' own gold paths.
//!
//! Every answer that is still wrong is then the engine's: its linking, its steps, its execution.

use std::collections::HashMap;

use language_model::{
    ChatRequest, Completion, FinishReason, LanguageModel, ModelError, Origin, Usage,
};
use serde_json::{Value, json};

use crate::dataset::{Question, normalise_label};

/// A model that replies to a planning call with the question's gold path, and with no plan to anything else.
#[derive(Debug)]
pub(crate) struct GoldModel {
    paths: HashMap<String, Vec<GoldPath>>,
}

/// A name and the steps from it; a step against a predicate's direction starts with `^`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldPath {
    /// The label of the name it starts from.
    pub from: String,
    /// The predicates' local names.
    pub steps: Vec<String>,
}

impl GoldModel {
    pub(crate) fn of(questions: &[Question]) -> Self {
        Self {
            paths: questions
                .iter()
                .map(|q| (q.text.clone(), q.paths.clone()))
                .collect(),
        }
    }

    fn reply(&self, prompt: &str) -> Option<Value> {
        let data: Value = serde_json::from_str(prompt).ok()?;
        let question = data["question"].as_str()?;
        let paths = self.paths.get(question).filter(|paths| !paths.is_empty())?;
        let names = data["names"].as_array()?;
        let steps: Vec<&str> = data["steps"]
            .as_array()?
            .iter()
            .filter_map(|step| step["step"].as_str())
            .collect();
        let mut out = Vec::new();
        for path in paths {
            let is_it = |name: &&Value| {
                ["text", "means"].iter().any(|key| {
                    name[*key]
                        .as_str()
                        .is_some_and(|text| normalise_label(text) == normalise_label(&path.from))
                })
            };
            let from = names.iter().find(is_it).or_else(|| names.first())?;
            let named: Option<Vec<&str>> = path.steps.iter().map(|s| named(&steps, s)).collect();
            out.push(json!({ "from": from["number"], "steps": named? }));
        }
        Some(json!({
            "thought": "the gold path", "paths": out, "then": "values",
            "attribute": "", "operator": "=", "value": -1,
        }))
    }
}

/// The step's name in the prompt.
fn named<'s>(steps: &[&'s str], gold: &str) -> Option<&'s str> {
    let (inverse, local) = match gold.strip_prefix('^') {
        Some(local) => (true, local),
        None => (false, gold),
    };
    let label = normalise_label(local);
    let wanted = if inverse {
        format!("inverse of {label}")
    } else {
        label
    };
    steps
        .iter()
        .copied()
        .find(|step| normalise_label(step) == wanted)
}

impl LanguageModel for GoldModel {
    fn complete(
        &self,
        request: &ChatRequest,
        streamed: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let prompt = request.messages.last().map_or("", |m| m.content.as_str());
        let reply = self.reply(prompt).unwrap_or_else(|| {
            json!({
                "thought": "", "paths": [], "then": "values", "attribute": "", "operator": "=", "value": -1,
            })
        });
        let text = reply.to_string();
        streamed(&text);
        Ok(Completion {
            usage: Usage {
                prompt_tokens: prompt.len().div_ceil(4) as u64,
                completion_tokens: text.len().div_ceil(4) as u64,
                estimated: true,
            },
            text,
            finish: FinishReason::Stop,
            model: self.model().to_owned(),
            origin: Origin::Model,
        })
    }

    fn model(&self) -> &str {
        "gold"
    }
}
