//! How often did it turn out right? A Beta posterior (SOLAR §4.2).

use serde::{Deserialize, Serialize};

/// Beta(alpha, beta) over the share of good outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Posterior {
    /// Prior plus successes.
    pub alpha: f64,
    /// Prior plus failures.
    pub beta: f64,
}

impl Default for Posterior {
    /// The uniform prior, Beta(1, 1), as in SOLAR's Algorithm 2.
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 1.0,
        }
    }
}

impl Posterior {
    /// The expected share of good outcomes, in (0, 1).
    #[must_use]
    pub fn mean(self) -> f64 {
        self.alpha / (self.alpha + self.beta)
    }

    /// Counts evidence; weights that are negative or not finite count as nothing.
    #[must_use]
    pub fn with(self, successes: f64, failures: f64) -> Self {
        Self {
            alpha: self.alpha + weight(successes),
            beta: self.beta + weight(failures),
        }
    }

    /// Takes evidence back that was counted by [`with`](Self::with); never below the prior.
    #[must_use]
    pub fn without(self, successes: f64, failures: f64) -> Self {
        Self {
            alpha: (self.alpha - weight(successes)).max(1.0),
            beta: (self.beta - weight(failures)).max(1.0),
        }
    }
}

/// A weight of evidence: finite and not negative, else 0.
pub(crate) fn weight(value: f64) -> f64 {
    if value.is_finite() {
        value.max(0.0)
    } else {
        0.0
    }
}
