//! What is where, and what does it need?
//!
//! [`ROUTES`] is the list that the frame around requests, the metrics and `/openapi.json` go by; a test holds the router to it.

use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::access::Need;
use crate::app::App;
use crate::keys::Scope;
use crate::{
    around, ask, documents, explore, health, mcp, memory, openai, openapi, sources, sparql,
};

/// One method of one path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) need: Need,
    /// Whether requests have a line in the log; probes come every few seconds and say nothing.
    pub(crate) is_logged: bool,
}

const fn route(method: &'static str, path: &'static str, need: Need) -> Route {
    Route {
        method,
        path,
        need,
        is_logged: true,
    }
}

const fn probe(path: &'static str, need: Need) -> Route {
    Route {
        is_logged: false,
        ..route("GET", path, need)
    }
}

const READ: Need = Need::Scope(Scope::Read);
const ASK: Need = Need::Scope(Scope::Ask);
const WRITE: Need = Need::Scope(Scope::Write);
const ADMIN: Need = Need::Scope(Scope::Admin);

/// Every method of every path.
pub(crate) const ROUTES: &[Route] = &[
    probe("/healthz", Need::Nothing),
    probe("/readyz", Need::Nothing),
    probe("/metrics", ADMIN),
    route("POST", "/v1/ask", ASK),
    route("POST", "/v1/feedback", WRITE),
    route("GET", "/v1/sources", READ),
    route("POST", "/v1/sources/{name}", WRITE),
    route("GET", "/v1/documents", READ),
    route("POST", "/v1/documents", WRITE),
    route("DELETE", "/v1/documents", WRITE),
    route("POST", "/v1/warm", WRITE),
    route("GET", "/v1/experiences", READ),
    route("GET", "/v1/experiences/{id}", READ),
    route("DELETE", "/v1/experiences/{id}", WRITE),
    route("GET", "/v1/experiences/{id}/why", READ),
    route("GET", "/v1/memory/stats", READ),
    route("GET", "/v1/memory/export", READ),
    route("POST", "/v1/memory/import", WRITE),
    route("POST", "/v1/memory/forget", WRITE),
    route("POST", "/v1/recall", READ),
    route("POST", "/v1/notes", WRITE),
    route("GET", "/v1/explore", READ),
    route("POST", "/mcp", Need::Key),
    probe("/openapi.json", Need::Nothing),
    route("GET", "/sparql", READ),
    route("POST", "/sparql", READ),
    route("POST", "/v1/chat/completions", ASK),
    route("POST", "/v1/embeddings", ASK),
    route("GET", "/v1/models", Need::Key),
    route("GET", "/v1/models/{*model}", Need::Key),
    route("POST", "/v1/responses", Need::Key),
];

/// The place of a route in [`ROUTES`].
pub(crate) fn place(method: &Method, path: &str) -> Option<usize> {
    // Whoever may GET may HEAD.
    let method = if method == Method::HEAD {
        "GET"
    } else {
        method.as_str()
    };
    ROUTES
        .iter()
        .position(|route| route.path == path && route.method == method)
}

/// The whole of it.
pub(crate) fn router(app: Arc<App>) -> Router {
    let frame = from_fn_with_state(Arc::clone(&app), around::around);
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .route("/v1/ask", post(ask::ask))
        .route("/v1/feedback", post(ask::feedback))
        .route("/v1/sources", get(sources::list))
        .route("/v1/sources/{name}", post(documents::load))
        .route(
            "/v1/documents",
            get(documents::list)
                .post(documents::add)
                .delete(documents::remove),
        )
        .route("/v1/warm", post(documents::warm))
        .route("/v1/experiences", get(memory::list))
        .route(
            "/v1/experiences/{id}",
            get(memory::show).delete(memory::delete),
        )
        .route("/v1/experiences/{id}/why", get(memory::why))
        .route("/v1/memory/stats", get(memory::stats))
        .route("/v1/memory/export", get(memory::export))
        .route("/v1/memory/import", post(memory::import))
        .route("/v1/memory/forget", post(memory::forget))
        .route("/v1/recall", post(memory::recall))
        .route("/v1/notes", post(memory::notes))
        .route("/v1/explore", get(explore::explore))
        .route_service("/mcp", mcp::http(&app))
        .route("/openapi.json", get(openapi::document))
        .route("/sparql", get(sparql::endpoint).post(sparql::endpoint))
        .route("/v1/chat/completions", post(openai::chat::completions))
        .route("/v1/embeddings", post(openai::embeddings::create))
        .route("/v1/models", get(openai::models::list))
        .route("/v1/models/{*model}", get(openai::models::one))
        .route("/v1/responses", post(openai::responses))
        .fallback(around::no_route)
        .method_not_allowed_fallback(around::no_method)
        .layer(frame)
        .with_state(app)
}
