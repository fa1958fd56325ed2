//! What does a request look like on the wire?

use serde_json::{Map, Value, json};

use super::config::OpenAiConfig;
use super::{Capabilities, StructuredOutput};
use crate::{ChatRequest, Constraint, Message};

const PLAIN_JSON: &str = include_str!("../../prompts/plain_json.txt");
const ONE_OF: &str = include_str!("../../prompts/one_of.txt");
/// The name of the schema of an enumeration, and of its only property.
const CHOICE: &str = "choice";

/// The body of a request for a chat completion.
pub(super) fn body(request: &ChatRequest, config: &OpenAiConfig, known: Capabilities) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(config.model));
    let mut messages = request.messages.clone();
    let limit = if known.max_tokens {
        "max_tokens"
    } else {
        "max_completion_tokens"
    };
    put(limit, json!(request.max_tokens));
    put("stream", json!(config.stream));
    if config.stream && known.stream_options {
        put("stream_options", json!({"include_usage": true}));
    }
    if known.temperature {
        put("temperature", json!(request.temperature));
    }
    if let Some(seed) = request.seed.filter(|_| known.seed) {
        put("seed", json!(seed));
    }
    if !request.stop.is_empty() {
        put("stop", json!(request.stop));
    }
    if let Some((name, schema)) = form(&request.constraint) {
        match known.structured {
            StructuredOutput::JsonSchema => {
                let strict = is_strict(&schema);
                let form = json!({"name": name, "schema": schema, "strict": strict});
                put(
                    "response_format",
                    json!({"type": "json_schema", "json_schema": form}),
                );
            }
            StructuredOutput::ToolCall => {
                let function = json!({"name": name, "parameters": schema});
                put("tools", json!([{"type": "function", "function": function}]));
                let chosen = json!({"type": "function", "function": {"name": name}});
                put("tool_choice", chosen);
            }
            StructuredOutput::Prompt => instruct(&mut messages, &request.constraint),
        }
    }
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| json!({"role": message.role.as_str(), "content": message.content}))
        .collect();
    put("messages", Value::Array(messages));
    Value::Object(body)
}

/// Name and schema of what a constraint allows.
fn form(constraint: &Constraint) -> Option<(&str, Value)> {
    match constraint {
        Constraint::None => None,
        Constraint::JsonSchema { name, schema } => Some((name, schema.clone())),
        Constraint::OneOf(choices) => Some((
            CHOICE,
            json!({
                "type": "object",
                "properties": {CHOICE: {"type": "string", "enum": choices}},
                "required": [CHOICE],
                "additionalProperties": false,
            }),
        )),
    }
}

/// Tells the form in the first message if that is the system's, else in a new one before all others.
fn instruct(messages: &mut Vec<Message>, constraint: &Constraint) {
    let text = match constraint {
        Constraint::None => return,
        Constraint::JsonSchema { schema, .. } => PLAIN_JSON
            .trim_end()
            .replace("{schema}", &schema.to_string()),
        Constraint::OneOf(choices) => ONE_OF
            .trim_end()
            .replace("{choices}", &json!(choices).to_string()),
    };
    match messages.first_mut() {
        Some(first) if first.role == crate::Role::System => {
            first.content = format!("{}\n\n{text}", first.content);
        }
        _ => messages.insert(0, Message::system(text)),
    }
}

/// Whether a schema is one that OpenAI's strict mode takes: every object lists all its properties as
/// required and allows no others.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(rules) => {
            let own = match rules.get("properties").and_then(Value::as_object) {
                Some(properties) => {
                    let required = rules.get("required").and_then(Value::as_array);
                    rules.get("additionalProperties") == Some(&Value::Bool(false))
                        && required.is_some_and(|required| {
                            properties
                                .keys()
                                .all(|name| required.contains(&json!(name)))
                        })
                }
                None => rules.get("type") != Some(&json!("object")),
            };
            own && rules.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_strict_when_every_object_is_closed() {
        let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(is_strict(&closed));
        assert!(is_strict(&json!({"type": "array", "items": closed})));
        assert!(!is_strict(&json!({"type": "object"})));
        assert!(!is_strict(
            &json!({"type": "array", "items": {"type": "object", "properties": {"a": {}}}})
        ));
    }

    #[test]
    fn the_form_is_told_where_nothing_else_is_taken() {
        let mut request =
            ChatRequest::new("s", vec![Message::system("Be brief."), Message::user("q")]);
        request.constraint = Constraint::OneOf(vec!["a \"b\"".into(), "c".into()]);
        let known = Capabilities {
            structured: StructuredOutput::Prompt,
            ..Capabilities::default()
        };
        let body = body(&request, &OpenAiConfig::new("http://x", "m"), known);
        let expected = "Be brief.\n\nReply with exactly one of these JSON strings and nothing else: [\"a \\\"b\\\"\",\"c\"]";
        assert_eq!(body["messages"][0]["content"], expected);
        assert!(body.get("response_format").is_none() && body.get("tools").is_none());
    }
}
