//! Which constants does the policy go by?

use serde::{Deserialize, Serialize};

/// The constants of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurvivalConfig {
    /// Ghosts for each place in the cache.
    pub ghosts_per_place: f64,
    /// How many times the weakest value a newcomer must be worth.
    pub margin: f64,
    /// Own gaps after which an overdue item's chance of being alive is down to 1/e.
    pub patience: f64,
    /// Weight of the newest gap in the mean of log gaps.
    pub gap_rate: f64,
    /// An item's own gap is at most so many times the common one.
    pub gap_limit: f64,
    /// Assumed gap, in capacities, before a return was seen.
    pub first_gap: f64,
}

impl Default for SurvivalConfig {
    fn default() -> Self {
        Self {
            ghosts_per_place: 6.0,
            margin: 3.0,
            patience: 2.0,
            gap_rate: 0.1,
            gap_limit: 4.0,
            first_gap: 100.0,
        }
    }
}

impl SurvivalConfig {
    /// Ghosts of a cache of `capacity`.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "capacities are far below 2^52"
    )]
    pub(super) fn ghosts(self, capacity: usize) -> usize {
        (self.ghosts_per_place * capacity as f64).round() as usize
    }
}
