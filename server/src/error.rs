//! What does a client read when something went wrong, and with which status?
//!
//! One envelope everywhere, OpenAI's with the remedy beside it:
//! `{"error": {"message", "type", "param", "code", "remedy"}}`. The status of an engine's error is chosen in [`status`] and nowhere else.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use refrain::EngineError;
use refrain::graph_store::StoreError;
use serde_json::json;

/// Seconds after which a client that was refused for lack of room tries again.
const RETRY_SECONDS: u32 = 1;

/// A failed request.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    /// What programs compare.
    code: &'static str,
    message: String,
    param: Option<String>,
    remedy: Option<String>,
    retry_after: Option<u32>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            param: None,
            remedy: None,
            retry_after: None,
        }
    }

    /// The request cannot be understood.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", message)
    }

    pub(crate) fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// The server has no room for the request now.
    pub(crate) fn overloaded() -> Self {
        Self {
            retry_after: Some(RETRY_SECONDS),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "overloaded",
                "too many requests wait already",
            )
        }
        .remedy("try again after the time in Retry-After")
    }

    /// The answer took longer than requests wait.
    pub(crate) fn too_slow(seconds: u64) -> Self {
        Self {
            retry_after: Some(RETRY_SECONDS),
            ..Self::new(
                StatusCode::GATEWAY_TIMEOUT,
                "timed_out",
                format!("there was no answer within {seconds} s"),
            )
        }
        .remedy("ask something smaller, or raise --answer-time")
    }

    /// The body has another media type than those that are taken.
    pub(crate) fn unsupported(kind: &str, takes: &[&str]) -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            format!("the body is \"{kind}\""),
        )
        .param("content-type")
        .remedy(format!(
            "send it with `Content-Type: {}`",
            takes.join("` or `")
        ))
    }

    /// A mistake of ours.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the request was stopped by an internal error",
        )
        .remedy("this is a mistake in refrain: please report it with what the log says")
    }

    /// With the part of the request that is wrong.
    pub(crate) fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// With what to do about it.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// With the seconds after which to try again.
    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The envelope.
    pub(crate) fn body(&self) -> serde_json::Value {
        json!({ "error": {
            "message": self.message,
            "type": kind(self.status),
            "param": self.param,
            "code": self.code,
            "remedy": self.remedy,
        }})
    }

    /// What it says and what to do about it, in one text.
    pub(crate) fn in_words(&self) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}; {remedy}", self.message),
            None => self.message.clone(),
        }
    }
}

/// OpenAI's name for the sort of error, which its clients choose their exceptions by.
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_server_error() => "server_error",
        _ => "invalid_request_error",
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body().to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        let (status, code) = status(&error);
        Self {
            remedy: remedy(&error),
            param: param(&error).map(str::to_owned),
            ..Self::new(status, code, with_causes(&error))
        }
    }
}

/// Which status and code an engine's error has.
fn status(error: &EngineError) -> (StatusCode, &'static str) {
    use EngineError as E;
    let unknown = matches!(
        error,
        E::UnknownSource { .. }
            | E::UnknownAnswer { .. }
            | E::UnknownExperience { .. }
            | E::UnknownNote { .. }
            | E::UnknownDocument { .. }
            | E::UnknownLabel { .. }
    );
    if unknown {
        return (StatusCode::NOT_FOUND, "not_found");
    }
    if matches!(error, E::NoSources) {
        return (StatusCode::CONFLICT, "no_sources");
    }
    let conflicts = matches!(
        error,
        E::EditedRefusal { .. } | E::NameTaken { .. } | E::Feedback(_)
    );
    if conflicts {
        return (StatusCode::CONFLICT, "conflict");
    }
    if matches!(error, E::Store(StoreError::TimedOut { .. })) {
        return (StatusCode::GATEWAY_TIMEOUT, "timed_out");
    }
    let malformed = matches!(
        error,
        E::BadExport { .. }
            | E::Chunks(_)
            | E::Store(
                StoreError::Parse(_)
                    | StoreError::Sparql(_)
                    | StoreError::QueryTooComplex { .. }
                    | StoreError::Evaluation(_)
                    | StoreError::UnknownFormat { .. }
                    | StoreError::TooLarge { .. }
            )
    );
    if malformed || error.is_usage() {
        return (StatusCode::BAD_REQUEST, "invalid_request");
    }
    (StatusCode::INTERNAL_SERVER_ERROR, "engine_failed")
}

/// The part of a request that an engine's error is about.
fn param(error: &EngineError) -> Option<&'static str> {
    use EngineError as E;
    let query = matches!(
        error,
        E::Store(
            StoreError::Sparql(_)
                | StoreError::QueryTooComplex { .. }
                | StoreError::Evaluation(_)
                | StoreError::TimedOut { .. }
        )
    );
    if query {
        return Some("query");
    }
    let body = matches!(
        error,
        E::BadExport { .. } | E::BadNote { .. } | E::Store(StoreError::Parse(_))
    );
    if body {
        return Some("body");
    }
    if matches!(error, E::UnknownSource { .. } | E::SourceNeeded { .. }) {
        return Some("source");
    }
    matches!(error, E::UnknownAnswer { .. } | E::EditedRefusal { .. }).then_some("answer")
}

/// What to do about an engine's error, in terms of requests: the engine's own words speak of the command line.
fn remedy(error: &EngineError) -> Option<String> {
    use EngineError as E;
    if let E::SourceNeeded { known } = error {
        return Some(format!("name one as `source`: {}", known.join(", ")));
    }
    if matches!(error, E::UnknownAnswer { .. }) {
        return Some("the id is the `id` of an answer; \"last\" is the newest. Answers with no-store cannot be judged".to_owned());
    }
    if matches!(error, E::UnknownExperience { .. }) {
        return Some("GET /v1/experiences shows the ids".to_owned());
    }
    if matches!(error, E::Store(StoreError::Parse(_))) {
        return Some("put the line right that is named, and send all of it again".to_owned());
    }
    if matches!(error, E::NoSources) {
        return Some("send RDF to /v1/sources/{name} or a document to /v1/documents".to_owned());
    }
    if matches!(error, E::UnknownDocument { .. }) {
        return Some("GET /v1/documents lists them".to_owned());
    }
    error.remedy()
}

/// An error with what caused it, on one line.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = inner.source();
    }
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_mistakes_are_told_from_the_servers() {
        let unknown = EngineError::UnknownAnswer { id: "x".to_owned() };
        assert_eq!(ApiError::from(unknown).status, StatusCode::NOT_FOUND);
        let several = EngineError::SourceNeeded {
            known: vec!["a".to_owned(), "b".to_owned()],
        };
        let several = ApiError::from(several);
        assert_eq!(several.status, StatusCode::BAD_REQUEST);
        assert_eq!(
            several.body()["error"]["remedy"],
            "name one as `source`: a, b"
        );
        let disk = EngineError::Files(std::io::Error::other("disk"));
        assert_eq!(
            ApiError::from(disk).status,
            StatusCode::INTERNAL_SERVER_ERROR
        );
    }
}
