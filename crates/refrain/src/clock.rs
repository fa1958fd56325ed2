//! What time is it, and who says so?
//!
//! The engine is told the time; only here is the system asked.

use std::time::{SystemTime, UNIX_EPOCH};

use memory::Timestamp;

/// Something that knows the time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that asks the system"
        )]
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let millis = since.map_or(0, |since| since.as_millis());
        Timestamp(u64::try_from(millis).unwrap_or(u64::MAX))
    }
}

/// A clock that stands still, for tests and replays.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}
