//! `/v1/explore`: what does a graph say of one thing?

use std::sync::Arc;

use axum::extract::State;
use refrain::explore::{ExploreRequest, Explored, MAX_STATEMENTS_EXPLORED};
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::extract::Params;

/// Statements of a page, when nothing is said.
const PAGE: usize = 50;

/// Which thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Thing {
    node: String,
    source: Option<String>,
    limit: Option<usize>,
    /// `next` of the page before.
    cursor: Option<usize>,
}

/// `GET /v1/explore?node=…`
pub(crate) async fn explore(
    State(app): State<Arc<App>>,
    Params(thing): Params<Thing>,
) -> Result<axum::Json<Explored>, ApiError> {
    let limit = thing.limit.unwrap_or(PAGE);
    if !(1..=MAX_STATEMENTS_EXPLORED).contains(&limit) {
        return Err(ApiError::bad(format!(
            "a page has 1 to {MAX_STATEMENTS_EXPLORED} statements, not {limit}"
        ))
        .param("limit"));
    }
    let request = ExploreRequest {
        source: thing.source,
        node: thing.node,
        skip: thing.cursor.unwrap_or(0),
        limit,
    };
    let found = app.with_engine(move |engine| engine.explore(&request));
    Ok(axum::Json(found.await?))
}
