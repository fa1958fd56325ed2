//! What time is it, for who waits?
//!
//! Passed in, so that tests of waiting do not wait.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A clock that can be waited by.
pub trait Clock: Send + Sync {
    /// Now. Never goes back.
    fn now(&self) -> Instant;

    /// Returns once so much time has passed.
    fn sleep(&self, time: Duration);
}

/// The machine's monotonic clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// A clock that moves only by [`sleep`](Clock::sleep) and [`advance`](Self::advance), for tests.
#[derive(Debug)]
pub struct ManualClock {
    start: Instant,
    passed: Mutex<Duration>,
}

impl Default for ManualClock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            passed: Mutex::new(Duration::ZERO),
        }
    }
}

impl ManualClock {
    /// Time since the clock was made.
    #[must_use]
    pub fn passed(&self) -> Duration {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the clock on.
    pub fn advance(&self, time: Duration) {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        self.start + self.passed()
    }

    fn sleep(&self, time: Duration) {
        self.advance(time);
    }
}
