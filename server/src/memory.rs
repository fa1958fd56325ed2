//! `/v1/experiences`, `/v1/memory`, `/v1/recall`, `/v1/notes`: what is remembered?

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use memory::{ExperienceId, Namespace, Receipt, Stats};
use refrain::exchange::ImportReport;
use refrain::notes::{NoteReport, RecalledNote};
use refrain::remembered::{Forget, Listed, Similar, Why};
use refrain::{Engine, EngineError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::access::Caller;
use crate::app::{App, SLOW_TIME};
use crate::error::ApiError;
use crate::extract::{Json, Params, media_type, read};

/// Experiences of a page, when nothing is said.
const PAGE: usize = 50;
/// Experiences of a page at most.
const MAX_PAGE: usize = 500;
/// What is recalled, when nothing is said.
const TOP_K: usize = 5;
/// What is recalled at most.
pub(crate) const MAX_TOP_K: usize = 100;
/// Notes put down by one request.
const MAX_NOTES: usize = 1_000;

/// Which page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// A page of experiences, newest first.
#[derive(Debug, Serialize)]
pub(crate) struct Experiences {
    experiences: Vec<Listed>,
    /// The cursor of the next page; none: this was the last.
    next: Option<String>,
}

/// `GET /v1/experiences`
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(page): Params<Page>,
) -> Result<axum::Json<Experiences>, ApiError> {
    let limit = page.limit.unwrap_or(PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(ApiError::bad(format!(
            "a page has 1 to {MAX_PAGE} experiences, not {limit}"
        ))
        .param("limit"));
    }
    let found = app.with_engine(move |engine| {
        // One more than asked for tells whether there is a next page.
        engine.experiences_before(&caller.namespace, page.cursor.as_deref(), limit + 1)
    });
    let mut experiences = found.await?;
    let more = experiences.len() > limit;
    experiences.truncate(limit);
    let next = experiences.last().filter(|_| more);
    Ok(axum::Json(Experiences {
        next: next.map(|last| last.id.clone()),
        experiences,
    }))
}

/// `GET /v1/experiences/{id}`
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, ApiError> {
    let found = app.with_engine(move |engine| engine.experience(&caller.namespace, &id));
    let stored = found.await?;
    let mut value = json!({ "experience": stored.experience.as_ref(), "usage": stored.usage });
    if let Some(fields) = value["experience"].as_object_mut() {
        // Numbers of the embedder's that say nothing to a reader.
        fields.remove("vector");
        fields.remove("masked_vector");
    }
    Ok(axum::Json(value))
}

/// `DELETE /v1/experiences/{id}`: gone from memory and journal when it is answered.
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<Receipt>, ApiError> {
    let gone = app.with_engine(move |engine| engine.forget(&caller.namespace, Forget::Id(id)));
    Ok(axum::Json(gone.await?))
}

/// `GET /v1/experiences/{id}/why`: why it is remembered. The id of an answer asks why that one was remembered, or was not.
pub(crate) async fn why(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<Why>, ApiError> {
    let found = app.with_engine(move |engine| {
        let answer = made_by(engine, &caller.namespace, &id)?;
        engine.why(&caller.namespace, &answer.unwrap_or(id))
    });
    Ok(axum::Json(found.await?))
}

/// The answer that an experience was made by.
fn made_by(engine: &Engine, namespace: &str, id: &str) -> Result<Option<String>, EngineError> {
    engine.settle()?;
    let Ok(id) = id.parse::<ExperienceId>() else {
        return Ok(None);
    };
    let knowledge = engine.knowledge();
    let stored = knowledge.memory(&Namespace::new(namespace)).stored(id);
    Ok(stored
        .and_then(|stored| stored.experience.answer_id)
        .map(|answer| answer.to_string()))
}

/// `GET /v1/memory/stats`
pub(crate) async fn stats(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<axum::Json<Stats>, ApiError> {
    let found = app.with_engine(move |engine| engine.stats(&caller.namespace));
    Ok(axum::Json(found.await?))
}

/// What is to be forgotten: one of the three.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Forgotten {
    /// Every answer to this question.
    Question(String),
    /// What rests on a triple.
    Evidence {
        source: Option<String>,
        triple: [String; 3],
    },
    /// Everything of the namespace.
    All(bool),
}

/// `POST /v1/memory/forget`: gone from memory and journal when it is answered.
pub(crate) async fn forget(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(what): Json<Forgotten>,
) -> Result<axum::Json<Receipt>, ApiError> {
    let what = match what {
        Forgotten::Question(question) => Forget::Question(question),
        Forgotten::Evidence { source, triple } => Forget::Evidence { source, triple },
        Forgotten::All(true) => Forget::All,
        Forgotten::All(false) => {
            return Err(ApiError::bad("\"all\" is false, so nothing is named").param("all"));
        }
    };
    let gone = app.with_engine(move |engine| engine.forget(&caller.namespace, what));
    Ok(axum::Json(gone.await?))
}

/// `GET /v1/memory/export`: JSON Lines, as the command `refrain memory export` writes them.
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Response, ApiError> {
    let written = app.with_engine(move |engine| {
        let mut out = Vec::new();
        engine.export(&caller.namespace, &mut out)?;
        Ok(out)
    });
    let kind = HeaderValue::from_static("application/jsonl");
    Ok(([(CONTENT_TYPE, kind)], written.await?).into_response())
}

/// `POST /v1/memory/import`: JSON Lines of an export; durable when it is answered.
pub(crate) async fn import(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Request,
) -> Result<axum::Json<ImportReport>, ApiError> {
    let kind = media_type(&request);
    let takes = ["application/jsonl", "application/x-ndjson"];
    if !takes.contains(&kind.as_str()) {
        return Err(ApiError::unsupported(&kind, &takes));
    }
    let bytes = read(request, &app, app.limits.upload_bytes).await?;
    let text = String::from_utf8(bytes.into())
        .map_err(|error| ApiError::bad(format!("the body is no text: {error}")).param("body"))?;
    let engine = Arc::clone(&app.engine);
    let report = app.slow.run(SLOW_TIME, move || {
        engine.import(&caller.namespace, "the body", &text)
    });
    Ok(axum::Json(report.await?))
}

/// What to look for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    query: String,
    top_k: Option<usize>,
}

/// What was found, most alike first.
#[derive(Debug, Serialize)]
pub(crate) struct Recollections {
    pub(crate) experiences: Vec<Similar>,
    pub(crate) notes: Vec<RecalledNote>,
}

/// `POST /v1/recall`: what is remembered that is most like a text? Nothing is answered by it.
pub(crate) async fn recall(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(query): Json<Query>,
) -> Result<axum::Json<Recollections>, ApiError> {
    let top_k = query.top_k.unwrap_or(TOP_K);
    if !(1..=MAX_TOP_K).contains(&top_k) {
        return Err(
            ApiError::bad(format!("1 to {MAX_TOP_K} are recalled, not {top_k}")).param("top_k"),
        );
    }
    Ok(axum::Json(
        recollect(&app, caller.namespace, query.query, top_k).await?,
    ))
}

/// What a namespace remembers that is most like a text.
///
/// # Errors
/// When the text is empty, or the engine fails.
///
/// # Cancel safety
/// That of the pool.
pub(crate) async fn recollect(
    app: &App,
    namespace: String,
    query: String,
    top_k: usize,
) -> Result<Recollections, ApiError> {
    if query.trim().is_empty() {
        return Err(ApiError::bad("there is nothing to look for").param("query"));
    }
    app.with_engine(move |engine| {
        Ok(Recollections {
            experiences: engine.similar_experiences(&namespace, &query, top_k)?,
            notes: engine.recall_notes(&namespace, &query, top_k)?,
        })
    })
    .await
}

/// Notes to put down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Notes {
    notes: Vec<String>,
}

/// `POST /v1/notes`: durable when it is answered.
pub(crate) async fn notes(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(Notes { notes }): Json<Notes>,
) -> Result<axum::Json<Vec<NoteReport>>, ApiError> {
    if !(1..=MAX_NOTES).contains(&notes.len()) {
        return Err(ApiError::bad(format!(
            "1 to {MAX_NOTES} notes are put down at once, not {}",
            notes.len()
        ))
        .param("notes"));
    }
    let put = app.with_engine(move |engine| engine.add_notes(&caller.namespace, &notes));
    Ok(axum::Json(put.await?))
}
