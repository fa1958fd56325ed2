//! Where is the server, and how is it spoken to?

use std::time::Duration;

/// A key, or an address with a password in it. Its `Debug` does not show it, and it has no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret; surrounding white space, as files have it, is dropped.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.trim().to_owned())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// An address as it may be shown: without a user name and password before the host, and without what follows a `?`, where
/// keys stand, too.
#[must_use]
pub fn shown_url(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let url = url.trim_end_matches('/');
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => url.to_owned(),
    }
}

/// The settings of a server and a model on it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenAiConfig {
    /// The part of the address before `/chat/completions`, such as `https://api.openai.com/v1`; for Azure
    /// `https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key; servers on this machine need none.
    pub api_key: Option<Secret>,
    /// Azure's `api-version`. When set, the key goes as `api-key` and not as a bearer token.
    pub azure_api_version: Option<String>,
    /// The longest that a request may take, from connecting to its last byte.
    pub timeout: Duration,
    /// Whether replies come as a stream. Off for servers that cannot.
    pub stream: bool,
    /// Certificates to trust instead of Mozilla's, as PEM.
    pub root_certificates_pem: Option<Vec<u8>>,
    /// A proxy, such as `http://user:password@proxy:3128`. Absent: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`
    /// and `NO_PROXY` of the environment, but never for a server on this machine.
    pub proxy: Option<Secret>,
    /// Bytes of a reply on the wire, at most.
    pub max_wire_bytes: usize,
    /// Bytes of one line of a stream, at most.
    pub max_line_bytes: usize,
    /// Texts in one request for embeddings, at most.
    pub max_batch_texts: usize,
    /// Bytes of the texts in one request for embeddings, unless a single one is longer.
    pub max_batch_bytes: usize,
}

impl OpenAiConfig {
    /// A model of a server, with a time-out of two minutes, without key.
    #[must_use]
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            azure_api_version: None,
            timeout: Duration::from_secs(120),
            stream: true,
            root_certificates_pem: None,
            proxy: None,
            max_wire_bytes: 32 << 20,
            max_line_bytes: 1 << 20,
            max_batch_texts: 64,
            max_batch_bytes: 128 << 10,
        }
    }

    /// The base URL as messages show it.
    pub(super) fn endpoint(&self) -> String {
        shown_url(&self.base_url)
    }

    /// A text without the key: servers tend to quote one that they refuse.
    pub(super) fn without_key(&self, text: &str) -> String {
        match &self.api_key {
            Some(key) if !key.reveal().is_empty() => text.replace(key.reveal(), "…"),
            _ => text.to_owned(),
        }
    }

    /// The address of a path, with Azure's version where there is one.
    pub(super) fn url(&self, path: &str) -> String {
        let (base, query) = match self.base_url.split_once('?') {
            Some((base, query)) => (base, Some(query.to_owned())),
            None => (self.base_url.as_str(), None),
        };
        let base = base.trim_end_matches('/');
        let version = self.azure_api_version.as_ref();
        let version = version.map(|version| format!("api-version={version}"));
        let query: Vec<String> = query.into_iter().chain(version).collect();
        if query.is_empty() {
            format!("{base}{path}")
        } else {
            format!("{base}{path}?{}", query.join("&"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_joined_and_shown_without_passwords() {
        let mut config = OpenAiConfig::new("https://user:secret@host:8443/v1/", "m");
        assert_eq!(config.url("/x"), "https://user:secret@host:8443/v1/x");
        assert_eq!(config.endpoint(), "https://host:8443/v1");
        assert_eq!(
            shown_url("http://u:p@h/v1/?api-key=secret#x"),
            "http://h/v1"
        );
        config.azure_api_version = Some("2024-10-21".into());
        assert!(config.url("/x").ends_with("/v1/x?api-version=2024-10-21"));
        config.base_url = "https://host/v1?key=k".into();
        assert_eq!(
            config.url("/x"),
            "https://host/v1/x?key=k&api-version=2024-10-21"
        );
    }
}
