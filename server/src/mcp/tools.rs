//! Which tools are there, and what does each do?
//!
//! Names have a prefix, so that they collide with nobody's. None of them destroys anything: forgetting is not for agents.

use std::sync::Arc;

use refrain::explore::ExploreRequest;
use refrain::{AskRequest, EngineError};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::bounded::{LEAST_TOKENS, TOKENS, fit};
use crate::access::Caller;
use crate::app::App;
use crate::ask::{Said, verdict};
use crate::error::ApiError;
use crate::keys::Scope;
use crate::memory::{MAX_TOP_K, recollect};

/// What is recalled, when nothing is said.
const TOP_K: usize = 5;
/// Statements of a page of exploring.
const PAGE: usize = 50;

const ASK: &str = "refrain_ask";
const RECALL: &str = "refrain_recall";
const FEEDBACK: &str = "refrain_feedback";
const EXPLORE: &str = "refrain_explore";

/// Why a call gave no result.
pub(crate) enum CallError {
    /// No tool is called so.
    NoSuchTool,
    /// It was called, and failed.
    Failed(ApiError),
}

impl From<ApiError> for CallError {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

/// All tools, always in the same order.
pub(crate) fn all() -> Vec<Tool> {
    let tokens = json!({
        "type": "integer", "minimum": LEAST_TOKENS, "default": TOKENS,
        "description": "Tokens that the result may take; what does not fit is left away and `truncated` says so.",
    });
    let source = json!({ "type": "string", "description": "Ask only this source; leave it away to ask what fits." });
    vec![
        tool(
            (ASK, "Ask a question"),
            "Answers a question in plain language from knowledge graphs and documents, with the evidence, or refuses with the reason. \
             The answer is learned from.",
            (
                json!({
                    "question": { "type": "string", "description": "One whole question, as to a person." },
                    "source": source,
                    "max_tokens": tokens,
                }),
                &["question"],
            ),
            json!({
                "answer": { "type": "string" }, "refused": { "type": "boolean" },
                "reason": { "type": ["string", "null"] }, "id": { "type": "string", "description": "For refrain_feedback." },
                "hit_kind": { "type": "string" }, "confidence": { "type": "number" },
                "source": { "type": ["string", "null"] }, "values": { "type": "array" },
                "evidence": { "type": "array", "items": { "type": "string" } },
                "cut": { "type": "array", "items": { "type": "string" } },
                "truncated": { "type": "boolean" },
            }),
            ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        ),
        tool(
            (RECALL, "Recall"),
            "Finds remembered answers and notes that are most like a text. Nothing is answered anew: an old answer may be outdated, so ask \
             with refrain_ask before relying on it.",
            (
                json!({
                    "query": { "type": "string" },
                    "top_k": { "type": "integer", "minimum": 1, "maximum": MAX_TOP_K, "default": TOP_K },
                    "max_tokens": tokens,
                }),
                &["query"],
            ),
            json!({
                "experiences": { "type": "array" }, "notes": { "type": "array" }, "truncated": { "type": "boolean" },
            }),
            ToolAnnotations::new().read_only(true).open_world(false),
        ),
        tool(
            (FEEDBACK, "Judge an answer"),
            "Says whether an answer of refrain_ask was right. A bad one is taken back with what came from it.",
            (
                json!({
                    "answer": { "type": "string", "description": "The answer's id." },
                    "verdict": { "type": "string", "enum": ["good", "bad", "edit"] },
                    "text": { "type": "string", "description": "The right answer, with `edit`; several values are set apart by semicolons." },
                }),
                &["answer", "verdict"],
            ),
            json!({
                "answer": { "type": "string" }, "verdict": { "type": "string" },
                "retracted": { "type": "array" }, "raised": { "type": "array" }, "lowered": { "type": "array" },
                "truncated": { "type": "boolean" },
            }),
            ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        ),
        tool(
            (EXPLORE, "Explore a thing"),
            "Lists the statements of a graph about one thing, by its label or IRI, page by page: for looking around before asking.",
            (
                json!({
                    "node": { "type": "string", "description": "The thing's label or IRI." },
                    "source": source,
                    "cursor": { "type": "integer", "minimum": 0, "description": "`next` of the page before." },
                    "max_tokens": tokens,
                }),
                &["node"],
            ),
            json!({
                "source": { "type": "string" }, "node": { "type": "string" }, "label": { "type": "string" },
                "others": { "type": "integer" }, "statements": { "type": "array", "items": { "type": "string" } },
                "next": { "type": ["integer", "null"] }, "truncated": { "type": "boolean" },
            }),
            ToolAnnotations::new().read_only(true).open_world(false),
        ),
    ]
}

fn tool(
    (name, title): (&'static str, &str),
    description: &'static str,
    (properties, required): (Value, &[&str]),
    output: Value,
    annotations: ToolAnnotations,
) -> Tool {
    let input = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    let output = json!({ "type": "object", "properties": output });
    Tool::new(name, description, object(input))
        .with_title(title)
        .with_raw_output_schema(Arc::new(object(output)))
        .with_annotations(annotations)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}

/// Calls a tool.
///
/// # Errors
/// When there is none of that name, the caller may not use it, its arguments are wrong, or the engine fails.
///
/// # Cancel safety
/// That of the pool.
pub(crate) async fn call(
    app: &App,
    caller: Caller,
    name: &str,
    arguments: JsonObject,
) -> Result<Value, CallError> {
    let needs = |scope| caller.needs(scope);
    Ok(match name {
        ASK => {
            needs(Scope::Ask)?;
            ask(app, caller, read(arguments)?).await?
        }
        RECALL => {
            needs(Scope::Read)?;
            recall(app, caller, read(arguments)?).await?
        }
        FEEDBACK => {
            needs(Scope::Write)?;
            feedback(app, caller, read(arguments)?).await?
        }
        EXPLORE => {
            needs(Scope::Read)?;
            explore(app, read(arguments)?).await?
        }
        _ => return Err(CallError::NoSuchTool),
    })
}

fn read<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ApiError::bad(format!("the arguments cannot be read: {error}")))
}

fn most(asked: Option<u64>) -> Result<u64, ApiError> {
    let most = asked.unwrap_or(TOKENS);
    if most < LEAST_TOKENS {
        return Err(ApiError::bad(format!(
            "max_tokens is {most}; a result takes at least {LEAST_TOKENS}"
        )));
    }
    Ok(most)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    question: String,
    source: Option<String>,
    max_tokens: Option<u64>,
}

async fn ask(app: &App, caller: Caller, ask: Ask) -> Result<Value, ApiError> {
    let most = most(ask.max_tokens)?;
    let answer = app
        .ask(AskRequest {
            source: ask.source,
            namespace: caller.namespace,
            ..AskRequest::new(ask.question)
        })
        .await?;
    let triples = answer.citations.iter().map(|one| one.text.clone());
    let sentences = answer
        .passages
        .iter()
        .map(|one| format!("{} ({})", one.text, one.document));
    let evidence: Vec<String> = triples.chain(sentences).collect();
    let value = json!({
        "answer": answer.text,
        "refused": answer.refused,
        "reason": answer.reason,
        "id": answer.id,
        "hit_kind": answer.hit_kind,
        "confidence": answer.confidence,
        "source": answer.source,
        "values": answer.values,
        "evidence": evidence,
        "cut": answer.cut,
        "truncated": false,
    });
    Ok(fit(value, &["evidence", "values", "cut"], most).0)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recall {
    query: String,
    top_k: Option<usize>,
    max_tokens: Option<u64>,
}

async fn recall(app: &App, caller: Caller, recall: Recall) -> Result<Value, ApiError> {
    let most = most(recall.max_tokens)?;
    let top_k = recall.top_k.unwrap_or(TOP_K).clamp(1, MAX_TOP_K);
    let found = recollect(app, caller.namespace, recall.query, top_k).await?;
    let value = json!({
        "experiences": found.experiences,
        "notes": found.notes,
        "truncated": false,
    });
    Ok(fit(value, &["notes", "experiences"], most).0)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Feedback {
    answer: String,
    verdict: Said,
    text: Option<String>,
}

async fn feedback(app: &App, caller: Caller, feedback: Feedback) -> Result<Value, ApiError> {
    let verdict = verdict(feedback.verdict, feedback.text)?;
    let report = app
        .with_engine(move |engine| engine.feedback(&caller.namespace, &feedback.answer, verdict))
        .await?;
    let mut value = serde_json::to_value(report).map_err(|_| ApiError::internal())?;
    value["truncated"] = json!(false);
    Ok(fit(
        value,
        &["dropped", "lowered", "raised", "retracted"],
        TOKENS,
    )
    .0)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explore {
    node: String,
    source: Option<String>,
    cursor: Option<usize>,
    max_tokens: Option<u64>,
}

async fn explore(app: &App, explore: Explore) -> Result<Value, ApiError> {
    let most = most(explore.max_tokens)?;
    let skip = explore.cursor.unwrap_or(0);
    let request = ExploreRequest {
        source: explore.source,
        node: explore.node,
        skip,
        limit: PAGE,
    };
    let found =
        app.with_engine(move |engine| -> Result<_, EngineError> { engine.explore(&request) });
    let found = found.await?;
    let texts: Vec<&str> = found
        .statements
        .iter()
        .map(|one| one.text.as_str())
        .collect();
    let value = json!({
        "source": found.source,
        "node": found.node,
        "label": found.label,
        "others": found.others,
        "statements": texts,
        "next": found.next,
        "truncated": false,
    });
    let (mut value, cut) = fit(value, &["statements"], most);
    if cut {
        // What was left away begins the next page.
        let kept = value["statements"].as_array().map_or(0, Vec::len);
        value["next"] = json!(skip + kept.max(1));
    }
    Ok(value)
}
