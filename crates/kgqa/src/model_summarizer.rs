//! How does a language model say an answer in words, and which of its words are believed? (CacheRAG, stage "summarize")
//!
//! The values are the plan's; the model only words them. Each sentence must carry the numbers of its facts, every value must
//! be said, and no name or number may be said that neither the question nor the facts have.

use std::time::Instant;

use language_model::words::words;
use language_model::{ChatRequest, Constraint, LanguageModel, Message, ModelError, no_stream};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Name and version of the prompt.
pub const SUMMARIZE_PROMPT: &str = "summarize/1";

/// Values and facts that are worded, at most; longer answers keep their built-in wording.
const MAX_VALUES: usize = 12;
const MAX_FACTS: usize = 24;
/// Characters of a text in the prompt.
const MAX_TEXT_CHARS: usize = 300;
/// Bytes of a reply.
const MAX_REPLY_BYTES: usize = 8 << 10;
/// Characters of the wording.
const MAX_SUMMARY_CHARS: usize = 800;

/// An answer that is to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'a> {
    /// What was asked.
    pub question: &'a str,
    /// The values, as shown.
    pub values: Vec<&'a str>,
    /// What proves it, in words, each with its number.
    pub facts: Vec<(usize, &'a str)>,
}

/// Whose call it is, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SummaryConfig {
    /// The tenant for whom is asked.
    pub namespace: String,
    /// When the reply is of no use any more.
    pub deadline: Option<Instant>,
}

/// Why a wording is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NotTaken {
    /// There is too much to be said, or nothing that proves it.
    #[error("answers of {values} values and {facts} facts are not worded by a model")]
    Bounds {
        /// Values.
        values: usize,
        /// Facts.
        facts: usize,
    },
    /// It is not what was asked for.
    #[error("the language model's wording cannot be used: {0}")]
    Form(String),
    /// A value is missing.
    #[error("the language model's wording leaves out {0:?}")]
    LeftOut(String),
    /// A fact is cited that was not shown.
    #[error("the language model cites fact {0}, which it was not shown")]
    UnknownFact(String),
    /// A sentence has no fact.
    #[error("the language model says {0:?} without a fact")]
    Uncited(String),
    /// A word is neither the question's nor the facts'.
    #[error("the language model says {0:?}, which no fact says")]
    Added(String),
}

/// The answer in a model's words, with the numbers of its facts in brackets; what does not hold is a value.
///
/// # Errors
///
/// [`ModelError`] when the model fails.
pub fn summarize(
    model: &dyn LanguageModel,
    finding: &Finding<'_>,
    config: &SummaryConfig,
) -> Result<Result<String, NotTaken>, ModelError> {
    let (values, facts) = (finding.values.len(), finding.facts.len());
    if values == 0 || values > MAX_VALUES || facts == 0 || facts > MAX_FACTS {
        return Ok(Err(NotTaken::Bounds { values, facts }));
    }
    let request = ChatRequest {
        namespace: config.namespace.clone(),
        prompt_version: SUMMARIZE_PROMPT.to_owned(),
        seed: Some(0),
        deadline: config.deadline,
        max_tokens: 400,
        constraint: Constraint::JsonSchema {
            name: "summary".to_owned(),
            schema: json!({
                "type": "object",
                "properties": { "text": { "type": "string", "maxLength": MAX_SUMMARY_CHARS } },
                "required": ["text"],
                "additionalProperties": false,
            }),
        },
        ..ChatRequest::new(
            "summarize",
            vec![
                Message::system(include_str!("../prompts/summarize.txt")),
                Message::user(message(finding)),
            ],
        )
    };
    let completion = model.complete(&request, &mut no_stream)?;
    Ok(believed(finding, &completion.text))
}

fn message(finding: &Finding<'_>) -> String {
    let facts: Vec<Value> = finding
        .facts
        .iter()
        .map(|(n, text)| json!({ "n": n, "text": line(text) }))
        .collect();
    let values: Vec<String> = finding.values.iter().map(|value| line(value)).collect();
    json!({ "question": line(finding.question), "values": values, "facts": facts }).to_string()
}

#[derive(Deserialize)]
struct Reply {
    text: String,
}

fn believed(finding: &Finding<'_>, reply: &str) -> Result<String, NotTaken> {
    if reply.len() > MAX_REPLY_BYTES {
        return Err(NotTaken::Form(format!(
            "it is longer than {MAX_REPLY_BYTES} bytes"
        )));
    }
    let reply: Reply =
        serde_json::from_str(reply).map_err(|error| NotTaken::Form(error.to_string()))?;
    let text = plain(&reply.text);
    let folded = text.to_lowercase();
    let left_out = |value: &&&str| !folded.contains(&line(value).to_lowercase());
    if let Some(value) = finding.values.iter().find(left_out) {
        return Err(NotTaken::LeftOut((*value).to_owned()));
    }
    let said = uncited_rest(finding, &text)?;
    let mut known = words(finding.question);
    known.extend(finding.values.iter().flat_map(|value| words(value)));
    known.extend(finding.facts.iter().flat_map(|(_, fact)| words(fact)));
    let is_known = |word: &str| known.iter().any(|k| same_stem(k, word));
    let added = named_or_number(&said).find(|word| !is_known(&word.to_lowercase()));
    match added {
        Some(word) => Err(NotTaken::Added(word)),
        None => Ok(text),
    }
}

/// The text without its citations, each of which must be of a shown fact; every sentence must have one.
fn uncited_rest(finding: &Finding<'_>, text: &str) -> Result<String, NotTaken> {
    let mut rest = String::with_capacity(text.len());
    let mut pieces = text.split('[');
    let mut open = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((number, after)) = piece.split_once(']') else {
            return Err(NotTaken::Form("a bracket is not closed".to_owned()));
        };
        let cites = number
            .split(',')
            .all(|n| finding.facts.iter().any(|(f, _)| f.to_string() == n.trim()));
        if !cites {
            return Err(NotTaken::UnknownFact(number.to_owned()));
        }
        rest.push_str(&open);
        rest.push(' ');
        after.clone_into(&mut open);
    }
    if words(&open).is_empty() {
        Ok(rest)
    } else {
        Err(NotTaken::Uncited(open.trim().to_owned()))
    }
}

/// Words that name something: with a capital inside of a sentence, or with a digit.
fn named_or_number(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut begins = true;
    text.split_whitespace().filter_map(move |word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let named = bare.chars().next().is_some_and(char::is_uppercase) && !begins;
        begins = word.ends_with(['.', '!', '?', ':']);
        let number = bare.chars().any(|c| c.is_ascii_digit());
        (named || number).then(|| words(bare).join(" "))
    })
}

fn same_stem(known: &str, word: &str) -> bool {
    word.split(' ').all(|w| {
        known == w || known.strip_suffix('s') == Some(w) || w.strip_suffix('s') == Some(known)
    })
}

fn line(text: &str) -> String {
    plain(text).chars().take(MAX_TEXT_CHARS).collect()
}

fn plain(text: &str) -> String {
    let spaced: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use language_model::Scripted;

    use super::*;

    fn finding() -> Finding<'static> {
        Finding {
            question: "who directed Inception?",
            values: vec!["Christopher Nolan"],
            facts: vec![(1, "Inception — directed by → Christopher Nolan")],
        }
    }

    fn said(text: &str) -> Result<String, NotTaken> {
        let reply = json!({ "text": text }).to_string();
        let model = Scripted::function(move |_| Ok(reply.clone()));
        summarize(&model, &finding(), &SummaryConfig::default()).unwrap()
    }

    #[test]
    fn a_wording_that_its_facts_hold_is_taken() {
        let text = "Inception was directed by Christopher Nolan [1].";
        assert_eq!(said(text).unwrap(), text);
    }

    #[test]
    fn what_is_left_out_added_or_uncited_is_not_taken() {
        let cases = [
            (
                "Nolan directed it [1].",
                NotTaken::LeftOut("Christopher Nolan".to_owned()),
            ),
            (
                "Christopher Nolan directed it [2].",
                NotTaken::UnknownFact("2".to_owned()),
            ),
            (
                "Christopher Nolan [1]. He is British.",
                NotTaken::Uncited(". He is British.".to_owned()),
            ),
            (
                "Christopher Nolan directed it in 2010 [1].",
                NotTaken::Added("2010".to_owned()),
            ),
            (
                "It was Christopher Nolan of London [1].",
                NotTaken::Added("london".to_owned()),
            ),
        ];
        for (text, why) in cases {
            assert_eq!(said(text).unwrap_err(), why, "{text}");
        }
        assert!(matches!(
            said("Christopher Nolan [1").unwrap_err(),
            NotTaken::Form(_)
        ));
    }

    #[test]
    fn the_prompt_is_what_it_was() {
        let expected = r#"{"facts":[{"n":1,"text":"Inception — directed by → Christopher Nolan"}],"question":"who directed Inception?","values":["Christopher Nolan"]}"#;
        assert_eq!(message(&finding()), expected);
    }

    #[test]
    fn long_answers_are_not_worded() {
        let model = Scripted::replies(["never asked"]);
        let long = Finding {
            values: vec!["x"; MAX_VALUES + 1],
            ..finding()
        };
        let outcome = summarize(&model, &long, &SummaryConfig::default()).unwrap();
        assert!(matches!(outcome, Err(NotTaken::Bounds { .. })));
        assert_eq!(model.calls(), 0);
    }
}
