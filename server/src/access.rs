//! Who is calling, and how often may they?
//!
//! Without keys everybody who reaches the server may do everything, which is why such a server listens on this machine only. With keys a
//! request shows one, and the key says which tenant it is. The file is read again when it changes: a revoked key is refused within a
//! second.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use refrain::DEFAULT_NAMESPACE;

use crate::error::ApiError;
use crate::keys::{Key, KeyError, Keys, Scope};

/// How often the file is looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The header that names a namespace where no key does.
pub(crate) const NAMESPACE_HEADER: &str = "x-refrain-namespace";

/// What a route asks of its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing.
    Nothing,
    /// Any key.
    Key,
    /// A key that is good for this.
    Scope(Scope),
}

/// Who is calling.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The tenant.
    pub(crate) namespace: String,
    /// The key's name.
    pub(crate) key: Option<String>,
    /// What the key is good for; `None`: everything, as no key is needed.
    scopes: Option<Vec<Scope>>,
}

impl Caller {
    /// Somebody who may do everything in a namespace.
    pub(crate) fn owner(namespace: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            key: None,
            scopes: None,
        }
    }

    /// Refuses what the caller may not do.
    ///
    /// # Errors
    /// When the key is not good for it.
    pub(crate) fn needs(&self, scope: Scope) -> Result<(), ApiError> {
        let may = |scopes: &Vec<Scope>| scopes.contains(&scope) || scopes.contains(&Scope::Admin);
        if self.scopes.as_ref().is_none_or(may) {
            return Ok(());
        }
        let (name, scope) = (self.key.as_deref().unwrap_or_default(), name_of(scope));
        Err(forbidden(format!("key \"{name}\" is not for \"{scope}\""))
            .param("authorization")
            .remedy(format!("use a key with the scope {scope}")))
    }
}

fn name_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "read",
        Scope::Ask => "ask",
        Scope::Write => "write",
        Scope::Admin => "admin",
    }
}

/// What a file looked like when it was read.
type Mark = Option<(std::time::SystemTime, u64)>;

#[derive(Debug)]
struct Loaded {
    keys: Arc<Keys>,
    mark: Mark,
    looked: Instant,
}

/// Requests that a key has left.
#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

/// Decides who may call.
#[derive(Debug)]
pub struct Access {
    path: Option<PathBuf>,
    loaded: RwLock<Loaded>,
    /// Whether there were keys at the start: revoking the last one opens nothing.
    needs_key: bool,
    buckets: Mutex<BTreeMap<String, Bucket>>,
}

impl Access {
    /// Everybody may do everything.
    #[must_use]
    pub fn open() -> Self {
        Self::of(None, Keys::default(), None)
    }

    /// As the keys in a file say; without a file, or with an empty one, everybody may do everything.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn keys_in(path: &Path) -> Result<Self, KeyError> {
        let mark = mark(path);
        Ok(Self::of(Some(path.to_owned()), Keys::read(path)?, mark))
    }

    fn of(path: Option<PathBuf>, keys: Keys, mark: Mark) -> Self {
        Self {
            path,
            needs_key: !keys.all().is_empty(),
            loaded: RwLock::new(Loaded {
                keys: Arc::new(keys),
                mark,
                looked: Instant::now(),
            }),
            buckets: Mutex::default(),
        }
    }

    /// Whether requests must show a key.
    #[must_use]
    pub fn needs_key(&self) -> bool {
        self.needs_key
    }

    /// Who sent a request, if that one may do what is needed.
    pub(crate) fn admit(&self, headers: &HeaderMap, need: Need) -> Result<Caller, ApiError> {
        let named = text(headers, NAMESPACE_HEADER)?;
        let everybody = || Caller::owner(named.unwrap_or(DEFAULT_NAMESPACE));
        if !self.needs_key {
            let caller = everybody();
            refrain::error::check_name("namespace", &caller.namespace)?;
            return Ok(caller);
        }
        if need == Need::Nothing {
            return Ok(Caller {
                scopes: Some(Vec::new()),
                ..everybody()
            });
        }
        let keys = self.keys();
        let key = shown(headers)?;
        let key = keys.find(key).ok_or_else(unknown_key)?;
        let caller = Caller {
            namespace: namespace(key, named)?,
            key: Some(key.name.clone()),
            scopes: Some(key.scopes.clone()),
        };
        if let Need::Scope(scope) = need {
            caller.needs(scope)?;
        }
        self.draw(key)?;
        Ok(caller)
    }

    /// The keys as the file has them; those before, while it cannot be read.
    fn keys(&self) -> Arc<Keys> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        let keys = Arc::clone(&loaded.keys);
        let Some(path) = self
            .path
            .as_ref()
            .filter(|_| loaded.looked.elapsed() > LOOK_AGAIN)
        else {
            return keys;
        };
        drop(loaded);
        let now = mark(path);
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        loaded.looked = Instant::now();
        if loaded.mark != now
            && let Ok(keys) = Keys::read(path)
        {
            loaded.keys = Arc::new(keys);
            loaded.mark = now;
        }
        Arc::clone(&loaded.keys)
    }

    /// Takes one of the requests that a key has left; a minute's worth may be used at once.
    fn draw(&self, key: &Key) -> Result<(), ApiError> {
        let Some(most) = key.requests_per_minute.map(f64::from) else {
            return Ok(());
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let bucket = buckets.entry(key.id.clone()).or_insert(Bucket {
            left: most,
            at: now,
        });
        let refill = now.duration_since(bucket.at).as_secs_f64() * most / 60.0;
        bucket.left = (bucket.left + refill).min(most);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most a minute"
        )]
        let seconds = ((1.0 - bucket.left) * 60.0 / most.max(1.0)).ceil() as u32;
        Err(ApiError::new(
            StatusCode::TOO_MANY_REQUESTS,
            "rate_limited",
            format!("key \"{}\" may send {most} requests a minute", key.name),
        )
        .remedy("try again after the time in Retry-After")
        .retry_after(seconds))
    }
}

fn mark(path: &Path) -> Mark {
    let meta = fs_err::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ApiError> {
    let value = headers.get(name).map(|value| value.to_str());
    let bad = |_| ApiError::bad(format!("the header {name} is no plain text")).param(name);
    value.transpose().map_err(bad)
}

/// The key that a request shows.
fn shown(headers: &HeaderMap) -> Result<&str, ApiError> {
    if let Some(key) = text(headers, "x-api-key")? {
        return Ok(key.trim());
    }
    let given = text(headers, AUTHORIZATION.as_str())?;
    let bearer = given.and_then(|given| {
        let (scheme, key) = given.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
    });
    bearer.ok_or_else(|| {
        ApiError::new(
            StatusCode::UNAUTHORIZED,
            "missing_api_key",
            "the request shows no key",
        )
        .remedy("send `Authorization: Bearer KEY`; `refrain keys create NAME` makes one")
    })
}

/// The tenant: the key's own. Only an admin's key may name another.
fn namespace(key: &Key, named: Option<&str>) -> Result<String, ApiError> {
    match named {
        Some(other) if other != key.namespace => {
            if !key.allows(Scope::Admin) {
                return Err(forbidden(format!(
                    "key \"{}\" is not for the namespace \"{other}\"",
                    key.name
                ))
                .param(NAMESPACE_HEADER)
                .remedy(format!("leave the header {NAMESPACE_HEADER} away")));
            }
            refrain::error::check_name("namespace", other)?;
            Ok(other.to_owned())
        }
        Some(_) | None => Ok(key.namespace.clone()),
    }
}

fn unknown_key() -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "invalid_api_key",
        "the key is unknown or was revoked",
    )
    .remedy("`refrain keys list` shows which there are")
}

fn forbidden(message: String) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::NewKey;

    fn with_key(scopes: &[Scope], requests_per_minute: Option<u32>) -> (Access, HeaderMap) {
        let mut keys = Keys::default();
        let new = NewKey {
            name: "ci".to_owned(),
            namespace: "team".to_owned(),
            scopes: scopes.to_vec(),
            requests_per_minute,
        };
        let secret = keys.create(new, [3; 32], 0).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, format!("Bearer {secret}").parse().unwrap());
        (Access::of(None, keys, None), headers)
    }

    #[test]
    fn the_namespace_is_the_keys_whatever_the_request_says() {
        let (access, mut headers) = with_key(&[Scope::Ask], None);
        let caller = access.admit(&headers, Need::Scope(Scope::Ask)).unwrap();
        assert_eq!(caller.namespace, "team");
        headers.insert(NAMESPACE_HEADER, "other".parse().unwrap());
        let refused = access.admit(&headers, Need::Scope(Scope::Ask)).unwrap_err();
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        let (admin, mut headers) = with_key(&[Scope::Admin], None);
        headers.insert(NAMESPACE_HEADER, "other".parse().unwrap());
        let caller = admin.admit(&headers, Need::Scope(Scope::Write)).unwrap();
        assert_eq!(caller.namespace, "other");
    }

    #[test]
    fn a_key_opens_what_its_scopes_say_and_no_key_opens_nothing() {
        let (access, headers) = with_key(&[Scope::Read], None);
        assert!(access.admit(&headers, Need::Key).is_ok());
        let refused = access
            .admit(&headers, Need::Scope(Scope::Write))
            .unwrap_err();
        assert_eq!(refused.status, StatusCode::FORBIDDEN);
        let stranger = access.admit(&HeaderMap::new(), Need::Key).unwrap_err();
        assert_eq!(stranger.status, StatusCode::UNAUTHORIZED);
        assert!(access.admit(&HeaderMap::new(), Need::Nothing).is_ok());
    }

    #[test]
    fn a_key_with_a_rate_is_told_when_to_come_back() {
        let (access, headers) = with_key(&[Scope::Ask], Some(2));
        for _ in 0..2 {
            access.admit(&headers, Need::Key).unwrap();
        }
        let refused = access.admit(&headers, Need::Key).unwrap_err();
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    }
}
