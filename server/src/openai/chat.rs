//! `/v1/chat/completions`: the last message of the user is the question.
//!
//! The answer is a chat completion with one object more, `refrain`: what supports the answer, how much came from memory, what it cost. Streams
//! carry the same object in the piece that ends the answer. Tokens are estimated (`language_model::estimate_tokens`): nobody's tokeniser was
//! at work.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use language_model::estimate_tokens;
use refrain::{Answer, AskRequest};
use serde_json::{Value, json};

use super::models::{self, MODEL};
use super::request::ChatRequest;
use super::stream;
use crate::access::Caller;
use crate::app::App;
use crate::ask::answer_headers;
use crate::cache_control;
use crate::error::ApiError;
use crate::extract::Json;

/// Fields of an answer that stand elsewhere in a completion.
const TOLD_ELSEWHERE: [&str; 2] = ["question", "text"];

/// What all pieces of a completion say.
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) created: u64,
    pub(crate) model: String,
}

/// `POST /v1/chat/completions`
pub(crate) async fn completions(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Json(request): Json<ChatRequest>,
) -> Result<Response, ApiError> {
    request.check()?;
    let memory = cache_control::of(&headers)?;
    let source = models::source(&request.model);
    let answer = app
        .ask(AskRequest {
            source: source.map(str::to_owned),
            namespace: caller.namespace,
            memory: memory.usage,
            max_age: memory.max_age,
            ..AskRequest::new(request.question()?)
        })
        .await?;
    let head = Head {
        id: format!("chatcmpl-{}", answer.id),
        created: app.now_seconds(),
        model: source.map_or_else(|| MODEL.to_owned(), |name| format!("{MODEL}/{name}")),
    };
    let text = content(&answer);
    let usage = usage(&request, &text);
    let extra = extra(&answer)?;
    let headers = answer_headers(&answer);
    if request.streams() {
        let usage = request.includes_usage().then_some(usage);
        let events = stream::events(&head, &text, &extra, usage);
        return Ok((headers, events).into_response());
    }
    let body = json!({
        "id": head.id,
        "object": "chat.completion",
        "created": head.created,
        "model": head.model,
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": text, "refusal": null },
            "logprobs": null,
            "finish_reason": "stop",
        }],
        "usage": usage,
        "refrain": extra,
    });
    Ok((headers, axum::Json(body)).into_response())
}

/// What is read: the answer, or that there is none and why.
fn content(answer: &Answer) -> String {
    match &answer.reason {
        Some(reason) if answer.refused && !answer.text.contains(reason.as_str()) => {
            format!("{} {reason}", answer.text).trim().to_owned()
        }
        Some(_) | None => answer.text.clone(),
    }
}

/// The answer as data.
fn extra(answer: &Answer) -> Result<Value, ApiError> {
    let mut value = serde_json::to_value(answer).map_err(|_| ApiError::internal())?;
    if let Some(fields) = value.as_object_mut() {
        for field in TOLD_ELSEWHERE {
            fields.remove(field);
        }
    }
    Ok(value)
}

fn usage(request: &ChatRequest, text: &str) -> Value {
    let prompt: u64 = request.texts().map(|text| estimate_tokens(&text)).sum();
    let completion = estimate_tokens(text);
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    })
}
