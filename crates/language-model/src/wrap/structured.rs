//! Does a reply obey its constraint?
//!
//! Thoughts before a reply are left out. A JSON reply is read leniently and held against its schema; a choice must be one of the
//! enumeration. A reply that fails is asked for once more, with what was wrong; a second one that fails
//! is an error. Whoever gets a completion under a constraint from here can rely on it.

use serde_json::Value;

use crate::json::{candidates, schema, without_thoughts};
use crate::{
    ChatRequest, Completion, Constraint, FinishReason, LanguageModel, Message, ModelError, Usage,
};

/// The request to try again; `{wrong}` and `{form}` are filled in.
const REPAIR: &str = include_str!("../../prompts/repair.txt");
/// Characters of a failed reply that are shown to the model again.
const MAX_SHOWN_CHARS: usize = 4000;

/// Holds replies to the constraints of their requests.
#[derive(Debug)]
pub struct Structured<M> {
    inner: M,
}

impl<M> Structured<M> {
    /// Checks what `inner` replies.
    pub fn new(inner: M) -> Self {
        Self { inner }
    }
}

impl<M: LanguageModel> LanguageModel for Structured<M> {
    /// Under a schema, the text is the value as compact JSON; under an enumeration, the member itself. The
    /// usage is that of both calls where there were two.
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let mut first = self.inner.complete(request, stream)?;
        let wrong = match obey(&first.text, first.finish, &request.constraint) {
            Ok(text) => {
                first.text = text;
                return Ok(first);
            }
            Err(wrong) => wrong,
        };
        let again = repair_request(request, &first.text, &wrong);
        if again.check().is_err() {
            return Err(ModelError::bad_reply(
                &first.model,
                wrong,
                &first.text,
                first.usage,
            ));
        }
        let mut second = self.inner.complete(&again, stream)?;
        second.usage = sum(first.usage, second.usage);
        match obey(&second.text, second.finish, &request.constraint) {
            Ok(text) => {
                second.text = text;
                Ok(second)
            }
            Err(wrong) => Err(ModelError::bad_reply(
                &second.model,
                wrong,
                &second.text,
                second.usage,
            )),
        }
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

fn sum(a: Usage, b: Usage) -> Usage {
    Usage {
        prompt_tokens: a.prompt_tokens + b.prompt_tokens,
        completion_tokens: a.completion_tokens + b.completion_tokens,
        estimated: a.estimated || b.estimated,
    }
}

fn repair_request(request: &ChatRequest, reply: &str, wrong: &str) -> ChatRequest {
    let form = match &request.constraint {
        Constraint::None => "text".to_owned(),
        Constraint::JsonSchema { .. } => "one JSON value that obeys the schema".to_owned(),
        Constraint::OneOf(_) => "exactly one of the choices, as it is written".to_owned(),
    };
    let shown: String = reply.chars().take(MAX_SHOWN_CHARS).collect();
    let ask = REPAIR
        .trim_end()
        .replace("{form}", &form)
        .replace("{wrong}", wrong);
    let mut again = request.clone();
    again.messages.push(Message::assistant(shown));
    again.messages.push(Message::user(ask));
    again
}

/// The text of a reply as its constraint wants it.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(crate) fn obey(
    text: &str,
    finish: FinishReason,
    constraint: &Constraint,
) -> Result<String, String> {
    let text = without_thoughts(text).ok_or("its thoughts do not end")?;
    match constraint {
        Constraint::None => Ok(text.to_owned()),
        Constraint::OneOf(choices) => choose(text, choices)
            .map(str::to_owned)
            .ok_or_else(|| "it is not one of the choices".to_owned()),
        Constraint::JsonSchema { schema, .. } => accepted(text, finish, schema),
    }
}

fn accepted(text: &str, finish: FinishReason, schema: &Value) -> Result<String, String> {
    let mut wrong = None;
    for candidate in candidates(text) {
        if finish == FinishReason::Length && !candidate.complete {
            // It may lack half of a name, and a part of it is not what was asked for.
            return Err("it was cut at the limit of tokens".to_owned());
        }
        match schema::check(&candidate.value, schema) {
            Ok(()) => return Ok(candidate.value.to_string()),
            Err(reason) => {
                wrong.get_or_insert(reason);
            }
        }
    }
    Err(wrong.unwrap_or_else(|| "it has no JSON".to_owned()))
}

/// The choice that a reply means: itself, or itself in quotes, in a fence, with a full stop, in JSON as
/// a string or as the only value of an object, in other case if only one choice is so written.
fn choose<'a>(text: &str, choices: &'a [String]) -> Option<&'a str> {
    let exact = |text: &str| choices.iter().find(|choice| *choice == text);
    let trimmed = text.trim();
    if let Some(choice) = exact(text).or_else(|| exact(trimmed)) {
        return Some(choice);
    }
    if let Some(candidate) = candidates(trimmed).into_iter().next() {
        let meant = match &candidate.value {
            Value::String(text) => Some(text.clone()),
            Value::Object(map) if map.len() == 1 => {
                map.values().next()?.as_str().map(str::to_owned)
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        };
        if let Some(choice) = meant.as_deref().and_then(exact) {
            return Some(choice);
        }
    }
    let bare = trimmed.trim_matches(|c: char| c.is_whitespace() || "`'\".*".contains(c));
    exact(bare)
        .or_else(|| {
            let lower = bare.to_lowercase();
            let mut alike = choices.iter().filter(|c| c.to_lowercase() == lower);
            alike.next().filter(|_| alike.next().is_none())
        })
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scripted, no_stream};
    use serde_json::json;

    fn asked(constraint: Constraint) -> ChatRequest {
        let mut request = ChatRequest::new("s", vec![Message::user("q")]);
        request.constraint = constraint;
        request
    }

    fn schema() -> Constraint {
        Constraint::JsonSchema {
            name: "plan".into(),
            schema: json!({"type": "object", "properties": {"p": {"enum": ["a", "b"]}}, "required": ["p"]}),
        }
    }

    fn one_of() -> Constraint {
        Constraint::OneOf(vec![
            "born in".into(),
            "Born On".into(),
            "x".into(),
            "X".into(),
        ])
    }

    #[test]
    fn a_reply_that_obeys_comes_back_compact() {
        let model = Structured::new(Scripted::replies(["```json\n{\"p\": \"a\",}\n```"]));
        let reply = model.complete(&asked(schema()), &mut no_stream).unwrap();
        assert_eq!(reply.text, "{\"p\":\"a\"}");
        assert_eq!(model.inner.calls(), 1);
    }

    #[test]
    fn a_reply_that_fails_is_asked_for_once_more_with_the_reason() {
        let model = Structured::new(Scripted::replies(["{\"p\": \"c\"}", "{\"p\": \"b\"}"]));
        let reply = model.complete(&asked(schema()), &mut no_stream).unwrap();
        assert_eq!(reply.text, "{\"p\":\"b\"}");
        let requests = model.inner.requests();
        assert_eq!(
            requests[1].messages[2].content,
            "That reply cannot be used: $.p is not one of the allowed values. Answer the same again. \
             Reply with one JSON value that obeys the schema and nothing else: no explanation, no code fence."
        );
        let both: u64 = ["{\"p\": \"c\"}", "{\"p\": \"b\"}"]
            .iter()
            .zip(&requests)
            .map(|(text, request)| Usage::estimate(request, text).total())
            .sum();
        assert_eq!(reply.usage.total(), both);
    }

    #[test]
    fn two_failures_are_an_error_that_shows_the_reply() {
        let model = Structured::new(Scripted::replies(["no", "still no", "{\"p\":\"a\"}"]));
        let error = model
            .complete(&asked(schema()), &mut no_stream)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "scripted gave a reply that cannot be used: it has no JSON: \"still no\""
        );
        assert_eq!(model.inner.calls(), 2);
    }

    #[test]
    fn a_choice_is_read_however_it_is_dressed_and_never_guessed() {
        for text in [
            "born in",
            " born in\n",
            "\"born in\"",
            "`born in`.",
            "{\"choice\": \"born in\"}",
            "Born In",
        ] {
            assert_eq!(
                obey(text, FinishReason::Stop, &one_of()).unwrap(),
                "born in",
                "{text}"
            );
        }
        assert_eq!(obey("x", FinishReason::Stop, &one_of()).unwrap(), "x");
        for text in [
            "",
            "born",
            "I think born in",
            "born in born on",
            "[\"born in\"]",
        ] {
            assert!(obey(text, FinishReason::Stop, &one_of()).is_err(), "{text}");
        }
    }

    /// The first JSON of a reply of DeepSeek-R1 was a draft within its thoughts.
    #[test]
    fn drafts_within_thoughts_are_not_the_reply() {
        let text = "<think>Maybe {\"p\": \"a\"}? No.</think>\n{\"p\": \"b\"}";
        let obeys = |text, constraint: &Constraint| obey(text, FinishReason::Stop, constraint);
        assert_eq!(obeys(text, &schema()).unwrap(), "{\"p\":\"b\"}");
        let text = "<think>x or born in?</think>\n\nborn in";
        assert_eq!(obeys(text, &one_of()).unwrap(), "born in");
        assert_eq!(obeys(text, &Constraint::None).unwrap(), "born in");
        for constraint in [schema(), one_of(), Constraint::None] {
            let wrong = obeys("<think>{\"p\": \"a\"}", &constraint).unwrap_err();
            assert_eq!(wrong, "its thoughts do not end");
        }
    }

    #[test]
    fn what_was_cut_at_the_limit_is_not_closed_by_guess() {
        let cut = "{\"p\": \"a\"";
        assert!(obey(cut, FinishReason::Length, &schema()).is_err());
        let part = "{\"q\": {\"p\": \"a\"}, ";
        assert!(obey(part, FinishReason::Length, &schema()).is_err());
        assert!(obey(cut, FinishReason::Stop, &schema()).is_ok());
    }
}
