//! What does a chat completion ask for, and can it be had?
//!
//! Fields that only steer how a language model samples say nothing to a graph and are passed over. Fields that promise a shape of the answer
//! which it would not have are refused, with their names.

use serde::Deserialize;
use serde_json::Value;

use crate::error::ApiError;

/// The body of a chat completion. Unknown fields are passed over, as OpenAI adds new ones all the time.
#[derive(Debug, Deserialize)]
pub(crate) struct ChatRequest {
    #[serde(default)]
    pub(crate) model: String,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
    #[serde(default)]
    pub(crate) stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    n: Option<u64>,
    logprobs: Option<bool>,
    tool_choice: Option<Value>,
    response_format: Option<Value>,
    modalities: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

/// One message of a conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    role: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

impl ChatRequest {
    /// Whether the answer is to come in pieces.
    pub(crate) fn streams(&self) -> bool {
        self.stream == Some(true)
    }

    /// Whether the last piece is to tell the tokens.
    pub(crate) fn includes_usage(&self) -> bool {
        let options = self.stream_options.as_ref();
        options.is_some_and(|options| options.include_usage == Some(true))
    }

    /// Refuses what the answer could not keep.
    ///
    /// # Errors
    /// When a field promises something that this API does not do.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let not = |field: &str, what: &str, remedy: &str| {
            Err(ApiError::bad(format!("{field}: {what}"))
                .param(field)
                .remedy(remedy))
        };
        if self.n.is_some_and(|n| n != 1) {
            return not(
                "n",
                "there is one answer to a question",
                "leave it away, or send 1",
            );
        }
        if self.logprobs == Some(true) {
            return not(
                "logprobs",
                "answers are not sampled from tokens",
                "leave it away; `refrain.confidence` says how sure the answer is",
            );
        }
        if self.stream_options.is_some() && !self.streams() {
            return not(
                "stream_options",
                "only a stream has options",
                "send \"stream\": true, or leave it away",
            );
        }
        let must_call = self.tool_choice.as_ref().is_some_and(|choice| {
            choice.is_object() || choice.as_str().is_some_and(|choice| choice == "required")
        });
        if must_call {
            return not(
                "tool_choice",
                "no tool is ever called from here",
                "send \"auto\" or \"none\", or leave it away",
            );
        }
        let shape = self.response_format.as_ref().map(|format| &format["type"]);
        if shape.is_some_and(|kind| kind != "text") {
            return not(
                "response_format",
                "the answer is a sentence",
                "leave it away; `refrain.values` has the values as data",
            );
        }
        let speaks = |modalities: &Vec<String>| modalities.iter().any(|kind| kind != "text");
        if self.modalities.as_ref().is_some_and(speaks) {
            return not(
                "modalities",
                "answers are text",
                "leave it away, or send [\"text\"]",
            );
        }
        Ok(())
    }

    /// The question: the last message of the user.
    ///
    /// # Errors
    /// When there is none, or it is not text.
    pub(crate) fn question(&self) -> Result<String, ApiError> {
        let asked = self
            .messages
            .iter()
            .rev()
            .find(|message| message.role == "user");
        let Some(asked) = asked else {
            return Err(ApiError::bad("no message is the user's")
                .param("messages")
                .remedy("send at least {\"role\": \"user\", \"content\": \"the question\"}"));
        };
        let text = asked.text()?;
        if text.trim().is_empty() {
            return Err(ApiError::bad("the last message of the user is empty").param("messages"));
        }
        Ok(text)
    }

    /// All text of all messages, for the count of tokens.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        self.messages
            .iter()
            .map(|message| message.text().unwrap_or_default())
    }
}

impl Message {
    fn text(&self) -> Result<String, ApiError> {
        let parts = match &self.content {
            None => return Ok(String::new()),
            Some(Content::Text(text)) => return Ok(text.clone()),
            Some(Content::Parts(parts)) => parts,
        };
        let mut texts = Vec::new();
        for part in parts {
            match &part.text {
                Some(text) if part.kind == "text" || part.kind == "input_text" => {
                    texts.push(text.as_str());
                }
                Some(_) | None => {
                    return Err(ApiError::bad(format!(
                        "a part of the message is \"{}\", and questions are text",
                        part.kind
                    ))
                    .param("messages"));
                }
            }
        }
        Ok(texts.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ChatRequest {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_question_is_the_last_message_of_the_user() {
        let request = read(
            r#"{"model": "m", "temperature": 0.2, "unheard_of": {}, "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "who?"},
                {"role": "assistant", "content": null},
                {"role": "user", "content": [{"type": "text", "text": "and"}, {"type": "text", "text": "when?"}]}]}"#,
        );
        assert!(request.check().is_ok());
        assert_eq!(request.question().unwrap(), "and\nwhen?");
    }

    #[test]
    fn promises_that_cannot_be_kept_are_refused_by_name() {
        for (field, value) in [
            ("n", "2"),
            ("logprobs", "true"),
            ("tool_choice", "\"required\""),
            ("response_format", r#"{"type": "json_object"}"#),
            ("modalities", r#"["text", "audio"]"#),
            ("stream_options", "{}"),
        ] {
            let request = read(&format!("{{\"{field}\": {value}}}"));
            let error = request.check().unwrap_err();
            assert_eq!(error.body()["error"]["param"], field);
        }
    }

    #[test]
    fn pictures_and_silence_are_no_questions() {
        for messages in [
            "[]",
            r#"[{"role": "user", "content": " "}]"#,
            r#"[{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]"#,
        ] {
            let request = read(&format!("{{\"messages\": {messages}}}"));
            assert!(request.question().is_err(), "{messages}");
        }
    }
}
