//! What happens around every request? Its id, who may send it, its count and its line in the log.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONNECTION;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::Need;
use crate::app::App;
use crate::ask::HIT_KIND;
use crate::error::ApiError;
use crate::log::Line;
use crate::origin::Cors;
use crate::routes::{self, ROUTES};

/// The header with a request's id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is taken from a client, in bytes.
const MAX_ID_BYTES: usize = 128;

/// The frame of a request.
///
/// # Cancel safety
/// Dropped with its connection: the request is then neither counted nor logged, and what it had begun runs to its end.
pub(crate) async fn around(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let _under_way = app.metrics.under_way();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>();
    let route = path.and_then(|path| routes::place(&method, path.as_str()));
    let id = request_id(&app, request.headers());
    let mut key = None;
    let mut cors = None;
    let mut response = match enter(&app, &mut request, route, &mut cors, &mut key) {
        Ok(Some(answered)) => answered,
        Ok(None) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    if let Some(cors) = cors {
        cors.apply(response.headers_mut());
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    if app.is_stopping() {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    let (status, took) = (response.status(), started.elapsed());
    app.metrics.count(route, status, took);
    if route.is_none_or(|route| ROUTES[route].is_logged) {
        app.log.request(|| Line {
            time_ms: app.clock.now().0,
            request: id,
            method: method.to_string(),
            route: route.map_or("unmatched", |route| ROUTES[route].path),
            status: status.as_u16(),
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            key,
            hit: hit(response.headers()),
        });
    }
    response
}

/// Lets a request in, or answers it at once where it only asks whether it may come in.
fn enter(
    app: &App,
    request: &mut Request,
    route: Option<usize>,
    cors: &mut Option<Cors>,
    key: &mut Option<String>,
) -> Result<Option<Response>, ApiError> {
    *cors = app.origins.check(request.headers())?;
    if let Some(cors) = cors
        && request.method() == Method::OPTIONS
    {
        let mut response = StatusCode::NO_CONTENT.into_response();
        cors.preflight(response.headers_mut());
        return Ok(Some(response));
    }
    // What has no route is refused by whoever comes, after showing a key where keys are needed.
    let need = route.map_or(Need::Key, |route| ROUTES[route].need);
    let caller = app.access.admit(request.headers(), need)?;
    key.clone_from(&caller.key);
    request.extensions_mut().insert(caller);
    Ok(None)
}

/// The client's own id where it has a sensible one, else a new one.
fn request_id(app: &App, headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let good = |id: &&str| {
        !id.is_empty() && id.len() <= MAX_ID_BYTES && id.bytes().all(|byte| byte.is_ascii_graphic())
    };
    given
        .filter(good)
        .map_or_else(|| app.fresh_request_id(), str::to_owned)
}

fn hit(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(HIT_KIND)?;
    value.to_str().ok().map(str::to_owned)
}

/// There is no such path.
pub(crate) async fn no_route(request: Request) -> ApiError {
    ApiError::not_found(
        "no_such_path",
        format!("there is nothing at {}", request.uri().path()),
    )
    .param("path")
    .remedy("GET /openapi.json says what there is")
}

/// There is such a path, with other methods.
pub(crate) async fn no_method(request: Request) -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        format!(
            "{} does not take {}",
            request.uri().path(),
            request.method()
        ),
    )
    .param("method")
    .remedy("the header Allow has the methods it takes")
}
