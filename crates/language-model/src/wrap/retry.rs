//! When is a failed call sent again?
//!
//! After a pause that doubles, is drawn between half of itself and itself (so that many clients do not
//! come back together), and is never shorter than the server's `Retry-After`. Attempts, pauses and
//! the whole time are bounded; a pause that would outlast the deadline is not begun.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{
    ChatRequest, Clock, Completion, LanguageModel, ModelError, MonotonicClock, RetryAdvice,
};

/// Times in one call that a model may say that it asks differently now.
const MAX_CHANGES: u32 = 6;

/// The bounds of [`Retry`].
#[derive(Debug, Clone, PartialEq)]
pub struct RetryConfig {
    /// Calls, the first included; at least 1.
    pub max_attempts: u32,
    /// The pause after the first failure, before the draw.
    pub first_pause: Duration,
    /// The longest pause. A server that asks for a longer one is not asked again.
    pub max_pause: Duration,
    /// Time from the first call to the beginning of the last, at most.
    pub max_total: Duration,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            first_pause: Duration::from_millis(500),
            max_pause: Duration::from_secs(60),
            max_total: Duration::from_secs(180),
        }
    }
}

/// A draw from 0 (inclusive) to 1 (exclusive).
type Draw = dyn Fn() -> f64 + Send + Sync;

/// Bounds, clock and jitter: what is needed to try anything again.
pub(crate) struct Attempts {
    config: RetryConfig,
    clock: Arc<dyn Clock>,
    draw: Box<Draw>,
}

impl Attempts {
    pub(crate) fn new(
        config: RetryConfig,
        clock: Arc<dyn Clock>,
        draw: impl Fn() -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            config,
            clock,
            draw: Box::new(draw),
        }
    }

    /// The pause before attempt `attempt + 1`; nothing when the server wants a longer one than allowed.
    fn pause(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        let doubled = self
            .config
            .first_pause
            .saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)))
            .min(self.config.max_pause);
        let drawn = doubled.mul_f64(0.5 + 0.5 * (self.draw)().clamp(0.0, 1.0));
        let asked = asked.unwrap_or_default();
        (asked <= self.config.max_pause).then(|| drawn.max(asked))
    }

    /// Calls until it succeeds, fails for good, or a bound is reached.
    pub(crate) fn run<T>(
        &self,
        deadline: Option<Instant>,
        mut call: impl FnMut() -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        let start = self.clock.now();
        let (mut attempt, mut changes) = (1, 0);
        loop {
            let error = match call() {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let asked = match error.retry() {
                RetryAdvice::Never => return Err(error),
                RetryAdvice::AtOnce if changes < MAX_CHANGES => {
                    changes += 1;
                    continue;
                }
                RetryAdvice::AtOnce => return Err(error),
                RetryAdvice::AfterPause(asked) => asked,
            };
            let Some(pause) = self.pause(attempt, asked) else {
                return Err(error);
            };
            let next = self.clock.now() + pause;
            let late = next.duration_since(start) > self.config.max_total
                || deadline.is_some_and(|deadline| next >= deadline);
            if attempt >= self.config.max_attempts || late {
                return Err(error);
            }
            self.clock.sleep(pause);
            attempt += 1;
        }
    }
}

/// Sends a failed call again where that may help.
pub struct Retry<M> {
    inner: M,
    attempts: Attempts,
}

impl<M: std::fmt::Debug> std::fmt::Debug for Retry<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retry")
            .field("inner", &self.inner)
            .field("config", &self.attempts.config)
            .finish_non_exhaustive()
    }
}

impl<M> Retry<M> {
    /// Waits by the machine's clock, with the jitter that `draw` gives: numbers from 0 to 1.
    pub fn new(
        inner: M,
        config: RetryConfig,
        draw: impl Fn() -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::with_clock(inner, config, Arc::new(MonotonicClock), draw)
    }

    /// As [`new`](Self::new), by another clock.
    pub fn with_clock(
        inner: M,
        config: RetryConfig,
        clock: Arc<dyn Clock>,
        draw: impl Fn() -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner,
            attempts: Attempts::new(config, clock, draw),
        }
    }
}

impl<M: LanguageModel> LanguageModel for Retry<M> {
    fn complete(
        &self,
        request: &ChatRequest,
        stream: &mut dyn FnMut(&str),
    ) -> Result<Completion, ModelError> {
        self.attempts
            .run(request.deadline, || self.inner.complete(request, stream))
    }

    fn model(&self) -> &str {
        self.inner.model()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManualClock, Message, Scripted, no_stream};

    fn busy(retry_after: Option<u64>) -> Result<String, ModelError> {
        Err(ModelError::RateLimited {
            endpoint: "e".into(),
            retry_after: retry_after.map(Duration::from_secs),
        })
    }

    fn run(
        script: Vec<Result<String, ModelError>>,
        deadline: Option<Duration>,
    ) -> (Result<Completion, ModelError>, usize, Duration) {
        let clock = Arc::new(ManualClock::default());
        let model = Arc::new(Scripted::queue(script));
        let dynamic: Arc<dyn Clock> = Arc::<ManualClock>::clone(&clock);
        let retry = Retry::with_clock(Arc::clone(&model), RetryConfig::default(), dynamic, || 0.0);
        let mut request = ChatRequest::new("s", vec![Message::user("q")]);
        request.deadline = deadline.map(|time| clock.now() + time);
        let reply = retry.complete(&request, &mut no_stream);
        (reply, model.calls(), clock.passed())
    }

    #[test]
    fn pauses_double_until_it_succeeds() {
        let (reply, calls, passed) = run(vec![busy(None), busy(None), Ok("yes".into())], None);
        assert_eq!(reply.unwrap().text, "yes");
        assert_eq!((calls, passed), (3, Duration::from_millis(250 + 500)));
    }

    #[test]
    fn the_servers_pause_is_kept_and_one_that_is_too_long_ends_it() {
        let (reply, calls, passed) = run(vec![busy(Some(7)), Ok("yes".into())], None);
        assert!(reply.is_ok());
        assert_eq!((calls, passed), (2, Duration::from_secs(7)));
        let (reply, calls, passed) = run(vec![busy(Some(3600)), Ok("yes".into())], None);
        assert!(matches!(reply, Err(ModelError::RateLimited { .. })));
        assert_eq!((calls, passed), (1, Duration::ZERO));
    }

    #[test]
    fn attempts_and_deadline_bound_it() {
        let (reply, calls, _) = run((0..9).map(|_| busy(None)).collect(), None);
        assert!(reply.is_err());
        assert_eq!(calls, 4);
        let script = vec![busy(Some(7)), Ok("yes".into())];
        let (reply, calls, passed) = run(script, Some(Duration::from_secs(5)));
        assert!(reply.is_err());
        assert_eq!((calls, passed), (1, Duration::ZERO));
    }

    #[test]
    fn what_will_fail_again_is_not_sent_again() {
        let refused = Err(ModelError::Unauthorized {
            endpoint: "e".into(),
            model: "m".into(),
            status: 401,
        });
        let (reply, calls, _) = run(vec![refused, Ok("yes".into())], None);
        assert!(matches!(reply, Err(ModelError::Unauthorized { .. })));
        assert_eq!(calls, 1);
    }

    #[test]
    fn a_change_of_how_it_asks_costs_no_attempt_but_has_a_bound() {
        let changed = || {
            Err(ModelError::Unsupported {
                endpoint: "e".into(),
                what: "stream_options".into(),
            })
        };
        let (reply, calls, passed) = run((0..20).map(|_| changed()).collect(), None);
        assert!(reply.is_err());
        assert_eq!((calls, passed), (7, Duration::ZERO));
    }
}
