//! How would people ask the questions that a star gives? (CacheRAG §4.4, with a language model)
//!
//! The model words what the templates made; the plan stays theirs, so what the wording means is known and the second look
//! can tell whether it is understood. A wording must keep names and numbers letter for letter.

use std::collections::BTreeMap;
use std::time::Instant;

use language_model::{ChatRequest, Constraint, LanguageModel, Message, ModelError, no_stream};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Generated, GenerationError};
use crate::execute::Bound;
use crate::graph::Graph;

/// Name and version of the prompt.
pub const REPHRASE_PROMPT: &str = "rephrase/1";

/// Wordings of one question.
const MAX_WORDINGS: usize = 2;
/// Characters of a wording.
const MAX_WORDING_CHARS: usize = 200;
/// Bytes of a reply.
const MAX_REPLY_BYTES: usize = 32 << 10;

/// Whose call it is, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RephraseConfig {
    /// The tenant for whom is asked.
    pub namespace: String,
    /// When the reply is of no use any more.
    pub deadline: Option<Instant>,
}

/// What a model made of a star's questions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rephrased {
    /// The wordings, each with the plan of the question that it words.
    pub questions: Vec<Generated>,
    /// Wordings left out, by reason.
    pub left_out: BTreeMap<&'static str, usize>,
}

/// Why nothing could be worded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RephraseError {
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The graph failed.
    #[error(transparent)]
    Generation(#[from] GenerationError),
}

#[derive(Deserialize)]
struct Reply {
    wordings: Vec<Wording>,
}

#[derive(Deserialize)]
struct Wording {
    n: usize,
    text: String,
}

/// Other wordings of a star's questions: one call for all of them, none where there are none.
///
/// # Errors
/// [`RephraseError`] when the model or the graph fails.
pub fn rephrase(
    model: &dyn LanguageModel,
    graph: &dyn Graph,
    questions: &[Generated],
    config: &RephraseConfig,
) -> Result<Rephrased, RephraseError> {
    if questions.is_empty() {
        return Ok(Rephrased::default());
    }
    let mut named = Vec::new();
    for question in questions {
        named.push(names(graph, question)?);
    }
    let shown: Vec<Value> = (1..)
        .zip(questions)
        .zip(&named)
        .map(|((n, question), names)| json!({ "n": n, "text": question.question, "names": names }))
        .collect();
    let request = ChatRequest {
        namespace: config.namespace.clone(),
        prompt_version: REPHRASE_PROMPT.to_owned(),
        seed: Some(0),
        deadline: config.deadline,
        max_tokens: 800,
        constraint: Constraint::JsonSchema {
            name: "wordings".to_owned(),
            schema: schema(questions.len()),
        },
        ..ChatRequest::new(
            "warm",
            vec![
                Message::system(include_str!("../../prompts/rephrase.txt")),
                Message::user(json!({ "questions": shown }).to_string()),
            ],
        )
    };
    let completion = model.complete(&request, &mut no_stream)?;
    Ok(kept(questions, &named, &completion.text))
}

fn schema(questions: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "wordings": {
                "type": "array",
                "maxItems": questions * MAX_WORDINGS,
                "items": {
                    "type": "object",
                    "properties": {
                        "n": { "type": "integer", "minimum": 1, "maximum": questions },
                        "text": { "type": "string", "maxLength": MAX_WORDING_CHARS },
                    },
                    "required": ["n", "text"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["wordings"],
        "additionalProperties": false,
    })
}

/// The labels that a question names, as they stand in it.
fn names(graph: &dyn Graph, question: &Generated) -> Result<Vec<String>, GenerationError> {
    let mut names = Vec::new();
    for binding in &question.bindings {
        if let Bound::Entities(ids) = &binding.bound
            && let Some(id) = ids.first()
        {
            names.push(graph.label(*id)?);
        }
    }
    Ok(names)
}

fn kept(questions: &[Generated], named: &[Vec<String>], reply: &str) -> Rephrased {
    let mut out = Rephrased::default();
    let parsed = Some(reply)
        .filter(|reply| reply.len() <= MAX_REPLY_BYTES)
        .and_then(|reply| serde_json::from_str::<Reply>(reply).ok());
    let Some(reply) = parsed else {
        out.left_out.insert("a reply that cannot be used", 1);
        return out;
    };
    let mut of_question: BTreeMap<usize, usize> = BTreeMap::new();
    for wording in reply.wordings {
        let at = wording.n.checked_sub(1);
        let original = at.and_then(|at| questions.get(at).zip(named.get(at)));
        let text = wording
            .text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let why = match original {
            None => Some("a wording of no question"),
            Some((original, names)) => {
                let count = of_question.entry(wording.n).or_default();
                *count += 1;
                unfit(&text, original, names, *count)
            }
        };
        match (why, original) {
            (None, Some((original, _))) => out.questions.push(Generated {
                question: text,
                why: format!("{}, in a language model's words", original.why),
                ..original.clone()
            }),
            (Some(why), _) => *out.left_out.entry(why).or_default() += 1,
            (None, None) => {}
        }
    }
    out
}

/// Why a wording cannot be one of this question.
fn unfit(text: &str, original: &Generated, names: &[String], count: usize) -> Option<&'static str> {
    let digits = |text: &str| -> Vec<String> {
        let runs = text.split(|c: char| !c.is_ascii_digit());
        let mut runs: Vec<String> = runs.filter(|r| !r.is_empty()).map(str::to_owned).collect();
        runs.sort_unstable();
        runs
    };
    if count > MAX_WORDINGS {
        Some("more wordings than were asked for")
    } else if text.chars().count() > MAX_WORDING_CHARS || !text.ends_with('?') {
        Some("a wording that is no question")
    } else if text.eq_ignore_ascii_case(&original.question) {
        Some("the wording that it had")
    } else if !names.iter().all(|name| text.contains(name.as_str())) {
        Some("a wording without its names")
    } else if digits(text) != digits(&original.question) {
        Some("a wording with another number")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto_generation::Kind;
    use crate::execute::Given;
    use crate::plan::{Path, Plan, Slot};

    fn question() -> Generated {
        Generated {
            question: "what is the director of Jaws 2?".to_owned(),
            plan: Plan::Path(Path {
                anchor: Slot(0),
                hops: Vec::new(),
            }),
            bindings: Vec::new(),
            given: Given::Number(1.0),
            kind: Kind::Fact,
            why: "the star of Jaws 2".to_owned(),
        }
    }

    fn kept_of(wordings: &Value) -> Rephrased {
        let names = [vec!["Jaws 2".to_owned()]];
        kept(
            &[question()],
            &names,
            &json!({ "wordings": wordings }).to_string(),
        )
    }

    #[test]
    fn a_wording_keeps_its_question_s_plan() {
        let out = kept_of(&json!([{ "n": 1, "text": "who  made Jaws 2?" }]));
        assert_eq!(out.questions[0].question, "who made Jaws 2?");
        assert_eq!(out.questions[0].plan, question().plan);
        assert!(out.left_out.is_empty());
    }

    #[test]
    fn what_changes_names_or_numbers_is_left_out_and_counted() {
        let cases = [
            ("who made it?", "a wording without its names"),
            ("who made Jaws 2 in 1978?", "a wording with another number"),
            ("Jaws 2 was made by", "a wording that is no question"),
            ("What is the director of Jaws 2?", "the wording that it had"),
        ];
        for (text, why) in cases {
            let out = kept_of(&json!([{ "n": 1, "text": text }]));
            assert!(out.questions.is_empty(), "{text}");
            assert_eq!(
                out.left_out.get(why),
                Some(&1),
                "{text}: {:?}",
                out.left_out
            );
        }
        let other = kept_of(&json!([{ "n": 7, "text": "who made Jaws 2?" }]));
        assert_eq!(other.left_out.get("a wording of no question"), Some(&1));
        let names = [Vec::new()];
        let broken = kept(&[question()], &names, "no JSON");
        assert_eq!(broken.left_out.get("a reply that cannot be used"), Some(&1));
    }
}
