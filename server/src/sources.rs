//! `/v1/sources`: what can be asked?

use std::sync::Arc;

use axum::extract::State;
use refrain::source::SourceSummary;
use refrain::{CorpusSummary, EngineError};
use serde::Serialize;

use crate::app::App;
use crate::error::ApiError;

/// All sources.
#[derive(Debug, Serialize)]
pub(crate) struct Sources {
    pub(crate) graphs: Vec<SourceSummary>,
    pub(crate) corpora: Vec<CorpusSummary>,
}

/// What there is.
pub(crate) fn all(engine: &refrain::Engine) -> Result<Sources, EngineError> {
    let graphs = engine.sources();
    Ok(Sources {
        graphs: graphs
            .iter()
            .map(|source| source.summary())
            .collect::<Result<_, _>>()?,
        corpora: engine.corpora()?,
    })
}

/// `GET /v1/sources`
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<axum::Json<Sources>, ApiError> {
    Ok(axum::Json(app.with_engine(all).await?))
}
