//! `/v1/ask` and `/v1/feedback`: a question in, an answer out; was it right?

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use refrain::{Answer, AskRequest, BlastRadius, HitKind, MemoryUse, ModelUse, Verdict};
use serde::Deserialize;

use crate::access::Caller;
use crate::app::App;
use crate::cache_control;
use crate::error::ApiError;
use crate::extract::Json;

/// How much of an answer came from memory: `none`, `plan` or `exact`.
pub(crate) const HIT_KIND: HeaderName = HeaderName::from_static("x-refrain-hit-kind");

/// A question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    question: String,
    source: Option<String>,
    /// Before what the header `Cache-Control` says.
    memory: Option<MemoryUse>,
    max_age_seconds: Option<u64>,
    model: Option<ModelUse>,
    #[serde(default)]
    explain: bool,
}

/// `POST /v1/ask`
pub(crate) async fn ask(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    Json(question): Json<Question>,
) -> Result<Response, ApiError> {
    let memory = cache_control::of(&headers)?;
    let request = AskRequest {
        question: question.question,
        namespace: caller.namespace,
        source: question.source,
        memory: question.memory.unwrap_or(memory.usage),
        max_age: question
            .max_age_seconds
            .map(Duration::from_secs)
            .or(memory.max_age),
        model: question.model.unwrap_or(ModelUse::Allowed),
        explain: question.explain,
    };
    let answer = app.ask(request).await?;
    Ok((answer_headers(&answer), axum::Json(answer)).into_response())
}

/// What of an answer stands in headers, for clients that see only text.
pub(crate) fn answer_headers(answer: &Answer) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    put("x-refrain-answer", &answer.id);
    put(HIT_KIND_NAME, hit_kind(answer.hit_kind));
    put("x-refrain-confidence", &format!("{:.3}", answer.confidence));
    if answer.refused {
        put("x-refrain-refused", "true");
    }
    if let Some(experience) = &answer.experience {
        put("x-refrain-experience", experience);
    }
    if let Some(similarity) = answer.similarity {
        put("x-refrain-similarity", &format!("{similarity:.3}"));
    }
    if let Some(age) = answer.age_seconds {
        put("x-refrain-age", &age.to_string());
    }
    headers
}

const HIT_KIND_NAME: &str = "x-refrain-hit-kind";

/// The name of a hit kind, as it stands in JSON.
pub(crate) fn hit_kind(kind: HitKind) -> &'static str {
    match kind {
        HitKind::None => "none",
        HitKind::Plan => "plan",
        HitKind::Exact => "exact",
    }
}

/// A verdict.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judgement {
    answer: String,
    verdict: Said,
    /// The right answer, with `edit`.
    text: Option<String>,
}

/// What a person says of an answer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Said {
    Good,
    Bad,
    Edit,
}

/// A verdict and its text as the engine takes them.
///
/// # Errors
/// When an edit has no text, or another verdict has one.
pub(crate) fn verdict(said: Said, text: Option<String>) -> Result<Verdict, ApiError> {
    match (said, text.filter(|text| !text.trim().is_empty())) {
        (Said::Good, None) => Ok(Verdict::Good),
        (Said::Bad, None) => Ok(Verdict::Bad),
        (Said::Edit, Some(text)) => Ok(Verdict::Edit(text)),
        (Said::Edit, None) => Err(ApiError::bad("an edit needs the right answer")
            .param("text")
            .remedy("send it as `text`; several values are set apart by semicolons")),
        (Said::Good | Said::Bad, Some(_)) => Err(ApiError::bad("only an edit has a text")
            .param("text")
            .remedy("leave it away, or send the verdict \"edit\"")),
    }
}

/// `POST /v1/feedback`: durable when it is answered.
pub(crate) async fn feedback(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(judgement): Json<Judgement>,
) -> Result<axum::Json<BlastRadius>, ApiError> {
    let verdict = verdict(judgement.verdict, judgement.text)?;
    let judged = app
        .with_engine(move |engine| engine.feedback(&caller.namespace, &judgement.answer, verdict));
    Ok(axum::Json(judged.await?))
}
