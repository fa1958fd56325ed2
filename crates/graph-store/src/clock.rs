//! Is the time of a query up, even while it reads nothing?
//!
//! The evaluator asks the dataset for quads, and there the time is checked; but a join of what it has read already, a
//! product of a thousand by a thousand by a thousand rows, asks for nothing. What it does for each row is to copy terms,
//! and the terms are ours: copying one ticks this clock, and when the time is up, the clock unwinds the evaluator's
//! stack to where the query started. Unwinding is not a panic here: no hook runs, nothing is printed, and it is always
//! caught.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// Ticks between two looks at the clock.
const TICKS: u32 = 4_096;

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
    static LEFT: Cell<u32> = const { Cell::new(TICKS) };
}

/// What travels up the stack when the time is up.
struct TimeIsUp;

/// Counts one step of work on this thread.
pub(crate) fn tick() {
    let left = LEFT.get();
    if left > 1 {
        LEFT.set(left - 1);
        return;
    }
    LEFT.set(TICKS);
    if DEADLINE
        .get()
        .is_some_and(|deadline| Instant::now() >= deadline)
    {
        // Once: what runs while the stack unwinds must not unwind again.
        DEADLINE.set(None);
        resume_unwind(Box::new(TimeIsUp));
    }
}

/// Runs `work`; `None` when it ticked past the deadline.
pub(crate) fn until<T>(deadline: Option<Instant>, work: impl FnOnce() -> T) -> Option<T> {
    let before = DEADLINE.replace(deadline);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEADLINE.set(before);
    match done {
        Ok(value) => Some(value),
        Err(cause) if cause.is::<TimeIsUp>() => None,
        Err(cause) => resume_unwind(cause),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn endless_work_that_ticks_is_stopped_and_finished_work_is_not() {
        let soon = Instant::now().checked_add(Duration::from_millis(5));
        assert_eq!(
            until(soon, || {
                loop {
                    tick();
                }
            }),
            None::<()>
        );
        assert_eq!(until(soon, || 7), Some(7));
        tick();
    }
}
