//! How does a request reach the server, and what does it mean when it does not?

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

use super::config::OpenAiConfig;
use super::retry_after::retry_after;
use super::{error_message, time_left};
use crate::{ModelError, Usage};

/// Bytes of an error's body that are read.
const MAX_ERROR_BYTES: u64 = 64 << 10;
/// Bytes of the head of a response.
const MAX_HEADER_BYTES: usize = 64 << 10;

/// The way to one server.
pub(super) struct Connection {
    agent: Agent,
    config: OpenAiConfig,
}

impl std::fmt::Debug for Connection {
    /// Without the agent, whose proxy may have a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("endpoint", &self.config.endpoint())
            .finish_non_exhaustive()
    }
}

/// A response with status 200 whose body is still to be read.
pub(super) struct Answer {
    pub(super) body: Box<dyn Read + Send>,
    pub(super) is_stream: bool,
    pub(super) endpoint: String,
    pub(super) limit: Duration,
}

impl Connection {
    pub(super) fn new(config: &OpenAiConfig) -> Result<Self, ModelError> {
        let mut builder = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0) // the key goes to the configured server only
            .max_redirects_will_error(false)
            .max_response_header_size(MAX_HEADER_BYTES)
            .user_agent(concat!("refrain/", env!("CARGO_PKG_VERSION")));
        if let Some(pem) = &config.root_certificates_pem {
            let tls = TlsConfig::builder().root_certs(roots(pem, config)?).build();
            builder = builder.tls_config(tls);
        }
        if let Some(proxy) = &config.proxy {
            // The source may show the proxy's password and is left out.
            let proxy = Proxy::new(proxy.reveal())
                .map_err(|_| unreachable(config, "the proxy's address is not understood", None))?;
            builder = builder.proxy(Some(proxy));
        } else if is_loopback(&config.base_url) {
            // The environment's proxy is meant for the world, and could not reach this machine's servers.
            builder = builder.proxy(None);
        }
        Ok(Self {
            agent: builder.build().new_agent(),
            config: config.clone(),
        })
    }

    /// Sends a body and gives the answer if its status is 200.
    pub(super) fn post(
        &self,
        path: &str,
        body: &Value,
        deadline: Option<Instant>,
    ) -> Result<Answer, ModelError> {
        let limit = time_left(self.config.timeout, deadline);
        if limit.is_zero() {
            return Err(self.timeout(limit));
        }
        let mut request = self.agent.post(self.config.url(path));
        request = request.header("content-type", "application/json");
        if let Some(key) = &self.config.api_key {
            request = match &self.config.azure_api_version {
                Some(_) => request.header("api-key", key.reveal()),
                None => request.header("authorization", format!("Bearer {}", key.reveal())),
            };
        }
        let sent = request
            .config()
            .timeout_global(Some(limit))
            .build()
            .send(body.to_string());
        let mut response = sent.map_err(|error| self.not_sent(error, limit))?;
        if response.status().as_u16() != 200 {
            return Err(self.refusal(&mut response));
        }
        let kind = response.headers().get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        Ok(Answer {
            is_stream: kind.starts_with("text/event-stream"),
            body: Box::new(response.into_body().into_reader()),
            endpoint: self.config.endpoint(),
            limit,
        })
    }

    fn timeout(&self, limit: Duration) -> ModelError {
        ModelError::Timeout {
            endpoint: self.config.endpoint(),
            limit,
            usage: Usage::default(),
        }
    }

    fn not_sent(&self, error: ureq::Error, limit: Duration) -> ModelError {
        if matches!(error, ureq::Error::Timeout(_)) {
            return self.timeout(limit);
        }
        if matches!(error, ureq::Error::LargeResponseHeader(..)) {
            let wrong = "the head of the response is longer than 64 KiB";
            return ModelError::bad_reply(&self.config.model, wrong, "", Usage::default());
        }
        let reason = self.config.without_key(&error.to_string());
        unreachable(&self.config, &reason, Some(Arc::new(error)))
    }

    /// What a status other than 200 means.
    fn refusal(&self, response: &mut ureq::http::Response<ureq::Body>) -> ModelError {
        let status = response.status().as_u16();
        let header = |name: &str| {
            response
                .headers()
                .get(name)?
                .to_str()
                .ok()
                .map(str::to_owned)
        };
        let retry_after =
            header("retry-after").and_then(|value| retry_after(&value, header("date").as_deref()));
        let mut bytes = Vec::new();
        let mut reader = response.body_mut().as_reader().take(MAX_ERROR_BYTES);
        // A body that cannot be read to its end is as good an explanation as its beginning.
        let _ = reader.read_to_end(&mut bytes);
        let body = self.config.without_key(&String::from_utf8_lossy(&bytes));
        let message = error_message(&body);
        let endpoint = self.config.endpoint();
        let model = self.config.model.clone();
        match status {
            401 | 403 => ModelError::Unauthorized {
                endpoint,
                model,
                status,
            },
            // An empty account is no matter of waiting.
            429 if !body.contains("insufficient_quota") => ModelError::RateLimited {
                endpoint,
                retry_after,
            },
            408 | 409 | 500.. if status != 501 => ModelError::Server {
                endpoint,
                status,
                message,
                retry_after,
            },
            _ => ModelError::Rejected {
                endpoint,
                model,
                status,
                message,
            },
        }
    }
}

/// Whether a base URL is that of a server on this machine.
fn is_loopback(base_url: &str) -> bool {
    let rest = base_url
        .split_once("://")
        .map_or(base_url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn unreachable(
    config: &OpenAiConfig,
    reason: &str,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
) -> ModelError {
    ModelError::Unreachable {
        endpoint: config.endpoint(),
        reason: reason.to_owned(),
        source,
    }
}

fn roots(pem: &[u8], config: &OpenAiConfig) -> Result<RootCerts, ModelError> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        let wrong = "the root certificates are not PEM";
        let item = item.map_err(|error| unreachable(config, wrong, Some(Arc::new(error))))?;
        if let PemItem::Certificate(certificate) = item {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(unreachable(
            config,
            "the PEM file of root certificates has none",
            None,
        ));
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

/// Whether a failed read means that time is up.
pub(super) fn is_timeout(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(inner, Some(ureq::Error::Timeout(_)))
        || matches!(
            error.kind(),
            std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_on_this_machine_are_known_by_their_address() {
        for near in [
            "http://localhost:11434/v1",
            "http://127.0.0.1",
            "http://[::1]:8080/v1",
        ] {
            assert!(is_loopback(near), "{near}");
        }
        for far in [
            "https://api.openai.com/v1",
            "http://localhost.example/v1",
            "http://10.0.0.1",
            "",
        ] {
            assert!(!is_loopback(far), "{far}");
        }
    }
}
