//! May this web page talk to the server?
//!
//! A browser carries requests of any page to this machine. So a page of another origin is refused unless it was allowed by name, and a
//! server on this machine that needs no key answers only to this machine's names: a name of a stranger's that points here is
//! DNS rebinding.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HOST, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};

use crate::error::ApiError;

/// Which origins may call.
#[derive(Debug, Clone)]
pub(crate) struct Origins {
    allowed: Vec<String>,
    /// Only this machine's names are the server's.
    local_names_only: bool,
}

/// What the answer tells a page of another origin.
#[derive(Debug, Clone)]
pub(crate) struct Cors(HeaderValue);

impl Origins {
    pub(crate) fn new(allowed: Vec<String>, local_names_only: bool) -> Self {
        Self {
            allowed,
            local_names_only,
        }
    }

    /// What to tell the page that sent a request; nothing, where none of another origin did.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<Option<Cors>, ApiError> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(HOST).unwrap_or_default();
        if self.local_names_only && !host.is_empty() && !is_local(host) {
            return Err(refused(format!("this server is not called \"{host}\""))
                .param("host")
                .remedy(
                    "call it localhost or 127.0.0.1, or make a key with `refrain keys create NAME`",
                ));
        }
        let Some(origin) = headers.get(ORIGIN) else {
            return Ok(None);
        };
        let said = origin.to_str().unwrap_or_default();
        if self.allowed.iter().any(|one| one == said) {
            return Ok(Some(Cors(origin.clone())));
        }
        let authority = said.split_once("://").map(|(_, authority)| authority);
        if !host.is_empty() && authority == Some(host) {
            return Ok(None);
        }
        Err(refused(format!("pages of \"{said}\" may not call"))
            .param("origin")
            .remedy("start the server with --cors-origin and that origin"))
    }
}

impl Cors {
    /// Adds what a page of another origin needs to read the answer.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        headers.append(VARY, HeaderValue::from_static("origin"));
        let exposed = "x-request-id, retry-after, x-refrain-answer, x-refrain-hit-kind, x-refrain-confidence, \
                       x-refrain-experience, x-refrain-similarity, x-refrain-age, x-refrain-refused, x-refrain-cut, x-refrain-cursor";
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(exposed),
        );
    }

    /// The answer to a browser's question whether it may send what the page wants to send.
    pub(crate) fn preflight(&self, headers: &mut HeaderMap) {
        let methods = "GET, POST, DELETE, OPTIONS";
        headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(methods),
        );
        let sent = "authorization, content-type, cache-control, accept, x-api-key, x-request-id, x-refrain-namespace, \
                    mcp-session-id, mcp-protocol-version, x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, \
                    x-stainless-retry-count, x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout, openai-organization, openai-project";
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(sent));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
}

fn refused(message: String) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "origin_refused", message)
}

/// Whether an authority names this machine.
fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    #[test]
    fn pages_of_others_are_refused_unless_they_were_allowed() {
        let origins = Origins::new(vec!["https://app.example".to_owned()], true);
        let check = |host, origin| origins.check(&headers(host, origin));
        assert!(check("localhost:7878", None).unwrap().is_none());
        let own = check("localhost:7878", Some("http://localhost:7878"));
        assert!(own.unwrap().is_none());
        let allowed = check("localhost:7878", Some("https://app.example"));
        assert!(allowed.unwrap().is_some());
        for other in [
            "https://evil.example",
            "null",
            "http://localhost:9999",
            "https://app.example.evil",
        ] {
            assert!(check("localhost:7878", Some(other)).is_err(), "{other}");
        }
    }

    #[test]
    fn a_strangers_name_for_this_machine_is_refused() {
        let origins = Origins::new(Vec::new(), true);
        for local in ["127.0.0.1:7878", "[::1]:7878", "LOCALHOST", "127.8.8.8"] {
            assert!(origins.check(&headers(local, None)).is_ok(), "{local}");
        }
        for foreign in ["evil.example:7878", "127.0.0.1.evil.example", "10.0.0.1"] {
            assert!(origins.check(&headers(foreign, None)).is_err(), "{foreign}");
        }
        let keyed = Origins::new(Vec::new(), false);
        assert!(keyed.check(&headers("refrain.example:7878", None)).is_ok());
    }
}
