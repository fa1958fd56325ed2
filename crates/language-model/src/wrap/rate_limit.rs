//! How are a provider's limits kept without running into them?
//!
//! Two buckets, requests and tokens, that fill evenly over a minute and hold a minute's worth at
//! most. A call takes one request and its estimated tokens, waits until both are there, and settles
//! the difference when the reply says what it took. Whose wait would outlast the deadline, or ten minutes,
//! is told so.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{ChatRequest, Clock, Completion, LanguageModel, ModelError, MonotonicClock, tokens};

/// The longest wait; who would have to wait longer is told so instead.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// The limits of [`RateLimit`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateLimitConfig {
    /// Requests in a minute; no limit when absent, and at least 1.
    pub requests_per_minute: Option<u32>,
    /// Tokens of prompts and replies in a minute; no limit when absent, and at least 1.
    pub tokens_per_minute: Option<u32>,
}

/// A bucket that may go below zero: who takes more than there is waits until it is at zero again.
#[derive(Debug)]
struct Bucket {
    per_minute: f64,
    level: f64,
    at: Instant,
}

impl Bucket {
    fn new(per_minute: u32, at: Instant) -> Self {
        let per_minute = f64::from(per_minute.max(1));
        Self {
            per_minute,
            level: per_minute,
            at,
        }
    }

    /// Takes an amount and says how long to wait for it.
    fn take(&mut self, amount: f64, now: Instant) -> Duration {
        let minutes = now.saturating_duration_since(self.at).as_secs_f64() / 60.0;
        self.level = (self.level + minutes * self.per_minute).min(self.per_minute);
        self.at = now;
        self.level -= amount;
        Duration::try_from_secs_f64((-self.level / self.per_minute * 60.0).max(0.0))
            .unwrap_or(Duration::MAX)
    }

    fn give_back(&mut self, amount: f64) {
        self.level += amount;
    }
}

#[derive(Debug)]
struct Buckets {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

/// Keeps calls below a rate of requests and of tokens.
pub struct RateLimit<M> {
    inner: M,
    buckets: Mutex<Buckets>,
    clock: Arc<dyn Clock>,
}

impl<M: std::fmt::Debug> std::fmt::Debug for RateLimit<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RateLimit")
            .field("inner", &self.inner)
            .field("buckets", &self.buckets)
            .finish_non_exhaustive()
    }
}

impl<M> RateLimit<M> {
    /// Waits by the machine's clock.
    pub fn new(inner: M, config: RateLimitConfig) -> Self {
        Self::with_clock(inner, config, Arc::new(MonotonicClock))
    }

    /// Waits by another clock.
    pub fn with_clock(inner: M, config: RateLimitConfig, clock: Arc<dyn Clock>) -> Self {
        let now = clock.now();
        let bucket = |limit: Option<u32>| limit.map(|limit| Bucket::new(limit, now));
        Self {
            inner,
            buckets: Mutex::new(Buckets {
                requests: bucket(config.requests_per_minute),
                tokens: bucket(config.tokens_per_minute),
            }),
            clock,
        }
    }

    fn give_back(&self, requests: f64, tokens: f64) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = &mut buckets.requests {
            bucket.give_back(requests);
        }
        if let Some(bucket) = &mut buckets.tokens {
            bucket.give_back(tokens);
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "tokens of a call are far below 2^52"
)]
fn number(tokens: u64) -> f64 {
    tokens as f64
}

impl<M: LanguageModel> LanguageModel for RateLimit<M> {
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        let taken = tokens::estimate_prompt(request) + u64::from(request.max_tokens);
        let now = self.clock.now();
        let wait = {
            let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
            let requests = buckets.requests.as_mut().map(|b| b.take(1.0, now));
            let tokens = buckets.tokens.as_mut().map(|b| b.take(number(taken), now));
            requests.max(tokens).unwrap_or_default()
        };
        let beyond = |deadline| now.checked_add(wait).is_none_or(|begin| begin >= deadline);
        let late = wait > MAX_WAIT || request.deadline.is_some_and(beyond);
        if late {
            self.give_back(1.0, number(taken));
            return Err(ModelError::RateLimited {
                endpoint: self.inner.model().to_owned(),
                retry_after: Some(wait),
            });
        }
        if wait > Duration::ZERO {
            self.clock.sleep(wait);
        }
        let reply = self.inner.complete(request, stream);
        let used = match &reply {
            Ok(completion) => completion.usage,
            Err(error) => error.usage(),
        };
        self.give_back(0.0, number(taken) - number(used.total()));
        reply
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManualClock, Message, Scripted, no_stream};

    fn limited(config: RateLimitConfig) -> (RateLimit<Scripted>, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::default());
        let dynamic: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let model = Scripted::function(|_| Ok("yes".into()));
        (RateLimit::with_clock(model, config, dynamic), clock)
    }

    #[test]
    fn a_minutes_worth_goes_at_once_and_the_rest_evenly() {
        let (model, clock) = limited(RateLimitConfig {
            requests_per_minute: Some(60),
            tokens_per_minute: None,
        });
        let request = ChatRequest::new("s", vec![Message::user("q")]);
        for _ in 0..60 {
            model.complete(&request, &mut no_stream).unwrap();
        }
        assert_eq!(clock.passed(), Duration::ZERO);
        for _ in 0..30 {
            model.complete(&request, &mut no_stream).unwrap();
        }
        let seconds = clock.passed().as_secs_f64();
        assert!((seconds - 30.0).abs() < 0.01, "{seconds}");
    }

    #[test]
    fn tokens_count_as_they_were_used_not_as_they_were_feared() {
        let (model, clock) = limited(RateLimitConfig {
            requests_per_minute: None,
            tokens_per_minute: Some(2000),
        });
        let mut request = ChatRequest::new("s", vec![Message::user("q")]);
        request.max_tokens = 1500;
        for _ in 0..50 {
            model.complete(&request, &mut no_stream).unwrap();
        }
        assert_eq!(clock.passed(), Duration::ZERO); // 50 calls of 6 tokens
    }

    #[test]
    fn a_wait_of_hours_is_refused() {
        let (model, clock) = limited(RateLimitConfig {
            requests_per_minute: None,
            tokens_per_minute: Some(1),
        });
        let request = ChatRequest::new("s", vec![Message::user("q")]);
        let error = model.complete(&request, &mut no_stream).unwrap_err();
        assert!(
            matches!(error, ModelError::RateLimited { retry_after: Some(wait), .. } if wait > MAX_WAIT)
        );
        assert_eq!(clock.passed(), Duration::ZERO);
    }

    #[test]
    fn a_wait_beyond_the_deadline_is_refused_and_takes_nothing() {
        let (model, clock) = limited(RateLimitConfig {
            requests_per_minute: Some(1),
            tokens_per_minute: None,
        });
        let mut request = ChatRequest::new("s", vec![Message::user("q")]);
        model.complete(&request, &mut no_stream).unwrap();
        request.deadline = Some(clock.now() + Duration::from_secs(10));
        for _ in 0..3 {
            let error = model.complete(&request, &mut no_stream).unwrap_err();
            assert!(matches!(error, ModelError::RateLimited { .. }));
        }
        clock.advance(Duration::from_secs(60));
        request.deadline = Some(clock.now() + Duration::from_secs(1));
        assert!(model.complete(&request, &mut no_stream).is_ok());
    }
}
