//! How may the memory take part, by a request's `Cache-Control`?
//!
//! The memory is the cache that the header speaks of. `no-cache`: answer as if nothing were remembered. `no-store`: learn nothing.
//! `max-age=SECONDS`: reuse nothing older. What else HTTP knows says nothing to a memory and is passed over.

use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::header::CACHE_CONTROL;
use refrain::MemoryUse;

use crate::error::ApiError;

/// What a request says of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) usage: MemoryUse,
    pub(crate) max_age: Option<Duration>,
}

/// Reads the header.
///
/// # Errors
/// When `max-age` is no number of seconds.
pub(crate) fn of(headers: &HeaderMap) -> Result<Memory, ApiError> {
    let (mut reads, mut writes, mut max_age) = (true, true, None);
    for value in headers.get_all(CACHE_CONTROL) {
        let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
        for directive in text.split(',').map(str::trim) {
            match directive.split_once('=') {
                Some(("max-age", seconds)) => {
                    let seconds = seconds.trim_matches('"').parse().map_err(|_| {
                        ApiError::bad(format!("max-age={seconds} is no number of seconds"))
                            .param("cache-control")
                    })?;
                    max_age = Some(Duration::from_secs(seconds));
                }
                None if directive == "no-cache" => reads = false,
                None if directive == "no-store" => writes = false,
                Some(_) | None => {}
            }
        }
    }
    Ok(Memory {
        usage: match (reads, writes) {
            (true, true) => MemoryUse::On,
            (true, false) => MemoryUse::ReadOnly,
            (false, true) => MemoryUse::WriteOnly,
            (false, false) => MemoryUse::Off,
        },
        max_age,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &'static str) -> Result<Memory, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, value.parse().unwrap());
        of(&headers)
    }

    #[test]
    fn the_directives_say_what_is_read_and_what_is_learned() {
        for (value, usage) in [
            ("", MemoryUse::On),
            ("no-cache", MemoryUse::WriteOnly),
            ("No-Store", MemoryUse::ReadOnly),
            ("no-store, no-cache", MemoryUse::Off),
            ("no-transform, stale=1", MemoryUse::On),
        ] {
            assert_eq!(read(value).unwrap().usage, usage, "{value}");
        }
        let aged = read("max-age=60").unwrap();
        assert_eq!(aged.max_age, Some(Duration::from_secs(60)));
        assert!(read("max-age=soon").is_err());
    }
}
