//! `/v1/models`: whom can be asked under which name?
//!
//! `refrain` asks what fits; `refrain/NAME` asks one source. Chat takes every other name as `refrain`, so that a client needs no
//! other setting than its base URL. What embeds is listed by its fingerprint.

use std::sync::Arc;

use axum::extract::{Path, State};
use refrain::Engine;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::ApiError;

/// The model that asks what fits.
pub(crate) const MODEL: &str = "refrain";

/// The source that a model's name names.
pub(crate) fn source(model: &str) -> Option<&str> {
    model.strip_prefix(MODEL)?.strip_prefix('/')
}

fn names(engine: &Engine) -> Vec<String> {
    let sources = engine.sources();
    let graphs = sources.iter().map(|source| source.name().to_owned());
    let mut names = vec![MODEL.to_owned()];
    names.extend(
        graphs
            .chain(engine.corpus_names())
            .map(|name| format!("{MODEL}/{name}")),
    );
    names.push(engine.embedder_fingerprint().to_owned());
    names
}

fn model(app: &App, id: &str) -> Value {
    json!({ "id": id, "object": "model", "created": app.now_seconds(), "owned_by": MODEL })
}

/// `GET /v1/models`
pub(crate) async fn list(State(app): State<Arc<App>>) -> axum::Json<Value> {
    let all: Vec<Value> = names(&app.engine)
        .iter()
        .map(|id| model(&app, id))
        .collect();
    axum::Json(json!({ "object": "list", "data": all }))
}

/// `GET /v1/models/{model}`
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, ApiError> {
    let known = names(&app.engine);
    if known.contains(&id) {
        return Ok(axum::Json(model(&app, &id)));
    }
    Err(
        ApiError::not_found("model_not_found", format!("there is no model \"{id}\""))
            .param("model")
            .remedy(format!("there is {}", known.join(", "))),
    )
}
