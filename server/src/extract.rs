//! What does a request say? Bodies, parameters and callers, refused in the envelope of all errors.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

use crate::access::Caller;
use crate::app::App;
use crate::error::ApiError;

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let kind = media_type(&request);
        // A form or plain text is what any web page can send without being asked first.
        if kind != "application/json" && !kind.ends_with("+json") {
            return Err(ApiError::unsupported(&kind, &["application/json"]));
        }
        let bytes = read(request, app, app.limits.body_bytes).await?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            ApiError::bad(format!("the body cannot be read: {error}")).param("body")
        })
    }
}

/// The media type of a request's body, in small letters, without its parameters.
pub(crate) fn media_type(request: &Request) -> String {
    let value = request.headers().get(CONTENT_TYPE);
    let text = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = text.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// A body of at most `most` bytes.
///
/// # Errors
/// When it is longer, comes too slowly, or breaks off.
///
/// # Cancel safety
/// What was read is lost, with the request.
pub(crate) async fn read(request: Request, app: &App, most: usize) -> Result<Bytes, ApiError> {
    let body = Limited::new(request.into_body(), most).collect();
    let time = app.limits.body_time;
    let Ok(read) = tokio::time::timeout(time, body).await else {
        return Err(ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            format!("the body did not arrive within {} s", time.as_secs()),
        )
        .param("body"));
    };
    match read {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            format!("the body is longer than {most} bytes"),
        )
        .param("body")
        .remedy("send less at once")),
        Err(error) => Err(ApiError::bad(format!("the body broke off: {error}")).param("body")),
    }
}

/// The parameters behind the question mark.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, ApiError> {
        let query: Result<Query<T>, _> = Query::try_from_uri(&parts.uri);
        query.map(|Query(params)| Self(params)).map_err(|error| {
            let text = crate::error::with_causes(&error);
            ApiError::bad(format!("the parameters cannot be read: {text}")).param("query")
        })
    }
}

impl FromRequestParts<Arc<App>> for Caller {
    type Rejection = ApiError;

    /// The caller whom the frame around all requests has let in.
    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Self>();
        caller.cloned().ok_or_else(ApiError::internal)
    }
}
