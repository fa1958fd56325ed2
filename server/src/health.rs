//! Is the server alive, does it take requests, and how does it fare?

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::ApiError;
use crate::metrics::Gauges;

/// `GET /healthz`: the process runs.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: requests are taken.
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Result<&'static str, ApiError> {
    if app.is_stopping() {
        return Err(ApiError::new(
            axum::http::StatusCode::SERVICE_UNAVAILABLE,
            "stopping",
            "the server is stopping",
        )
        .retry_after(1));
    }
    Ok("ready\n")
}

/// `GET /metrics`
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let gauges = Gauges {
        waiting: app.pool.waiting() as u64,
        unlearned: app.engine.unlearned(),
        log_dropped: app.log.dropped(),
        ready: !app.is_stopping(),
    };
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], app.metrics.render(&gauges))
}
