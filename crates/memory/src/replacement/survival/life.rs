//! How much is one item worth? Its expected uses, from what is known of its life.

use serde::{Deserialize, Serialize};

/// What is known of one item, stored or ghost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Life {
    /// Times it served, or would have.
    pub(super) uses: f64,
    /// Question at which it was first seen.
    pub(super) entered: u64,
    /// Question at which it last served, or entered.
    pub(super) last: u64,
}

impl Life {
    pub(super) const fn new(now: u64, uses: f64) -> Self {
        Self {
            uses,
            entered: now,
            last: now,
        }
    }

    /// Whether it was ever used, or asked for.
    pub(super) fn is_proven(&self) -> bool {
        self.uses > 0.0
    }

    /// Expected uses a question: rate · P(alive).
    #[expect(clippy::cast_precision_loss, reason = "questions are far below 2^52")]
    pub(super) fn value(&self, now: u64, common_gap: f64, limits: (f64, f64)) -> f64 {
        let (gap_limit, patience) = limits;
        let watched = now.saturating_sub(self.entered) as f64 + common_gap;
        let rate = (self.uses + 1.0) / watched;
        let own_gap = (1.0 / rate).min(gap_limit * common_gap);
        let overdue = now.saturating_sub(self.last) as f64 - own_gap;
        if overdue <= 0.0 {
            rate
        } else {
            rate * (-overdue / (patience * own_gap)).exp()
        }
    }
}

/// The least share of the unproven that is taken to be used at all.
const LEAST_EVER_USED: f64 = 0.5;

/// Items that entered unproven, nothing having missed them, and how many of them were used since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Unproven {
    entered: f64,
    used: f64,
}

impl Unproven {
    pub(super) fn entered(&mut self) {
        self.entered += 1.0;
    }

    /// One of them served for the first time, with this chance.
    pub(super) fn used(&mut self, chance: f64) {
        self.used = (self.used + chance).min(self.entered);
    }

    /// The share that is used at all, in [0.5, 1): the rule of succession, but never below a half. Counted, it is too low:
    /// the young had no time yet, and what left early had no chance.
    pub(super) fn ever_used(self) -> f64 {
        ((self.used + 1.0) / (self.entered + 2.0)).max(LEAST_EVER_USED)
    }
}

/// The gap between two uses, over all items: a running mean of logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct CommonGap {
    log: f64,
    seen: bool,
}

impl CommonGap {
    /// Before a return was seen.
    pub(super) fn assumed(questions: f64) -> Self {
        Self {
            log: questions.max(1.0).ln(),
            seen: false,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "questions are far below 2^52")]
    pub(super) fn observe(&mut self, gap: u64, rate: f64) {
        let log = (gap.max(1) as f64).ln();
        let weight = if self.seen { rate } else { 1.0 };
        self.log += weight * (log - self.log);
        self.seen = true;
    }

    pub(super) fn questions(self) -> f64 {
        self.log.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: (f64, f64) = (4.0, 2.0);

    #[test]
    fn an_item_between_two_uses_keeps_its_value_and_an_overdue_one_loses_it() {
        // Used ten times in a hundred questions: every tenth.
        let life = Life {
            uses: 9.0,
            entered: 0,
            last: 90,
        };
        let soon = life.value(95, 10.0, LIMITS);
        let due = life.value(100, 10.0, LIMITS);
        let late = life.value(140, 10.0, LIMITS);
        assert!(
            (soon / due - 110.0 / 105.0).abs() < 1e-9,
            "only the rate moves"
        );
        assert!(late < due / 2.0, "{late} {due}");
    }

    #[test]
    fn of_the_unproven_the_older_is_worth_less() {
        let (older, newer) = (Life::new(3, 0.0), Life::new(4, 0.0));
        assert!(older.value(50, 10.0, LIMITS) < newer.value(50, 10.0, LIMITS));
    }

    #[test]
    fn the_common_gap_starts_at_the_first_return_and_then_moves_slowly() {
        let mut gap = CommonGap::assumed(1000.0);
        gap.observe(50, 0.1);
        assert!((gap.questions() - 50.0).abs() < 1e-9);
        gap.observe(5, 0.1);
        assert!((gap.questions() - 50.0 * 10f64.powf(-0.1)).abs() < 1e-9);
    }
}
