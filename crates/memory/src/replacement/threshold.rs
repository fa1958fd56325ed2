//! How much regret must have gathered before something may enter? (SOLAR §4.2, §5.2 and its reference code)

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// How the threshold τ follows the costs. Costs lie in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Threshold {
    /// Eq. 7: τ ← (1 − rate)·τ + rate·cost at each admission, never below `floor`. The paper gives no floor; without one
    /// τ falls to the mean cost.
    Ema {
        /// α, 0.1 in the paper.
        rate: f64,
        /// τ₀.
        initial: f64,
        /// Least τ.
        floor: f64,
    },
    /// Eq. 6: τ = √(2λ/L) with L the mean cost so far.
    EconomicOrder {
        /// λ, the cost of a change.
        switching_cost: f64,
    },
    /// Always the same; 2λ in Theorem 5.4.
    Fixed(f64),
    /// The reference code: τ = √(2λ/L̂), L̂ twice the standard deviation of the last costs, smoothed.
    Dispersion(Dispersion),
}

/// The constants of the reference code's threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Dispersion {
    /// λ.
    pub switching_cost: f64,
    /// L before the window is full.
    pub initial_rate: f64,
    /// Costs looked back on.
    pub window: usize,
    /// Least L̂.
    pub rate_floor: f64,
    /// Weight of the newest L̂.
    pub smoothing: f64,
    /// Least and most τ.
    pub range: (f64, f64),
}

impl Default for Dispersion {
    fn default() -> Self {
        Self {
            switching_cost: 5.0,
            initial_rate: 2.0,
            window: 30,
            rate_floor: 0.1,
            smoothing: 0.3,
            range: (0.1, 5.0),
        }
    }
}

/// τ and what it was computed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Tau {
    rule: Threshold,
    value: f64,
    lowest: f64,
    last: f64,
    costs: u64,
    total: f64,
    window: VecDeque<f64>,
    smoothed: Option<f64>,
}

impl Tau {
    pub(super) fn new(rule: Threshold) -> Self {
        let value = match rule {
            Threshold::Ema { initial, .. } => initial,
            // Every cost is at most 1, so this is the least it can be.
            Threshold::EconomicOrder { switching_cost } => (2.0 * switching_cost).sqrt(),
            Threshold::Fixed(value) => value,
            Threshold::Dispersion(d) => (2.0 * d.switching_cost / d.initial_rate).sqrt(),
        };
        Self {
            rule,
            value,
            lowest: value,
            last: 0.0,
            costs: 0,
            total: 0.0,
            window: VecDeque::new(),
            smoothed: None,
        }
    }

    pub(super) const fn value(&self) -> f64 {
        self.value
    }

    /// τ_min of Theorem 5.2.
    pub(super) const fn lowest(&self) -> f64 {
        self.lowest
    }

    fn set(&mut self, value: f64) {
        self.value = value;
        self.lowest = self.lowest.min(value);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub(super) fn observe(&mut self, cost: f64) {
        self.last = cost;
        self.costs += 1;
        self.total += cost;
        match self.rule {
            Threshold::Ema { .. } | Threshold::Fixed(_) => {}
            Threshold::EconomicOrder { switching_cost } => {
                let mean = self.total / self.costs as f64;
                if mean > 0.0 {
                    self.set((2.0 * switching_cost / mean).sqrt());
                }
            }
            Threshold::Dispersion(d) => {
                self.window.push_back(cost);
                if self.window.len() > d.window {
                    self.window.pop_front();
                }
                if self.window.len() == d.window {
                    let rate = (2.0 * deviation(&self.window)).max(d.rate_floor);
                    let smoothed = self
                        .smoothed
                        .map_or(rate, |old| (1.0 - d.smoothing) * old + d.smoothing * rate);
                    self.smoothed = Some(smoothed);
                    let value = (2.0 * d.switching_cost / smoothed).sqrt();
                    self.set(value.clamp(d.range.0, d.range.1));
                }
            }
        }
    }

    pub(super) fn admitted(&mut self) {
        match self.rule {
            Threshold::Ema { rate, floor, .. } => {
                let value = (1.0 - rate) * self.value + rate * self.last;
                self.set(value.max(floor));
            }
            Threshold::EconomicOrder { .. } | Threshold::Fixed(_) | Threshold::Dispersion(_) => {}
        }
    }
}

/// Population standard deviation.
#[expect(clippy::cast_precision_loss, reason = "a window is short")]
fn deviation(values: &VecDeque<f64>) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (squares / count).sqrt()
}
