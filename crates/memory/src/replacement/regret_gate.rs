//! When may a newcomer enter? Not before the cost of doing without gathered to a threshold. (SOLAR §4.2, Algorithm 1)
//!
//! The paper's cost is that of outcomes, 1 − quality; the reference code's synthetic runner takes the newcomer's information
//! gain instead, and looks at no outcome at all.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::threshold::{Dispersion, Tau, Threshold};
use super::{AdmissionPolicy, Offer, Room, Step};
use crate::ExperienceId;

/// What adds to the regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cost {
    /// 1 − quality of each answer whose quality is known.
    Outcome,
    /// How new a newcomer is to the store and how thinly its surroundings are filled (reference code).
    InformationGain,
}

/// Whom the gate lets through before the cache is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Filling {
    /// The gate holds from the first item (Algorithm 1).
    Gated,
    /// The first so many enter freely (reference code).
    Bootstrap(usize),
    /// Whoever finds room enters.
    Free,
}

/// The regret-gated admission of SOLAR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegretGate {
    cost: Cost,
    filling: Filling,
    regret: f64,
    tau: Tau,
    admissions: u64,
}

/// λ of the reference code.
const SWITCHING_COST: f64 = 5.0;
/// √(2λ/L) with the reference code's λ = 5 and L = 2; the paper leaves τ₀ open.
const INITIAL: f64 = 2.236_067_977_499_79;

impl RegretGate {
    /// A gate of these parts.
    #[must_use]
    pub fn new(cost: Cost, filling: Filling, threshold: Threshold) -> Self {
        Self {
            cost,
            filling,
            regret: 0.0,
            tau: Tau::new(threshold),
            admissions: 0,
        }
    }

    /// The reference code's: information gain, dispersion, half the cache (5 to 25) free.
    #[must_use]
    pub fn reference(capacity: usize) -> Self {
        Self::new(
            Cost::InformationGain,
            Filling::Bootstrap(bootstrap(capacity)),
            Threshold::Dispersion(Dispersion::default()),
        )
    }

    /// Algorithm 1 to the letter.
    #[must_use]
    pub fn paper() -> Self {
        let threshold = Threshold::Ema {
            rate: 0.1,
            initial: INITIAL,
            floor: 0.0,
        };
        Self::new(Cost::Outcome, Filling::Gated, threshold)
    }

    /// Theorem 5.4: τ = 2λ.
    #[must_use]
    pub fn fixed(switching_cost: f64) -> Self {
        Self::new(
            Cost::Outcome,
            Filling::Gated,
            Threshold::Fixed(2.0 * switching_cost),
        )
    }

    /// Theorem 5.4 with the reference code's λ.
    #[must_use]
    pub fn fixed_by_default() -> Self {
        Self::fixed(SWITCHING_COST)
    }

    /// Outcomes, free until full, a threshold that cannot fall below 1: what a product can use.
    #[must_use]
    pub fn useful() -> Self {
        let threshold = Threshold::Ema {
            rate: 0.1,
            initial: INITIAL,
            floor: 1.0,
        };
        Self::new(Cost::Outcome, Filling::Free, threshold)
    }

    /// How many it let through.
    #[must_use]
    pub const fn admissions(&self) -> u64 {
        self.admissions
    }

    /// The least threshold so far: τ_min of Theorem 5.2.
    #[must_use]
    pub const fn lowest_threshold(&self) -> f64 {
        self.tau.lowest()
    }

    /// The threshold now.
    #[must_use]
    pub const fn threshold(&self) -> f64 {
        self.tau.value()
    }

    fn add(&mut self, cost: f64) {
        self.regret += cost;
        self.tau.observe(cost);
    }
}

impl AdmissionPolicy for RegretGate {
    fn observe(&mut self, step: &Step<'_>) {
        match self.cost {
            Cost::Outcome => {
                if let Some(quality) = step.quality {
                    self.add(1.0 - quality.clamp(0.0, 1.0));
                }
            }
            Cost::InformationGain => {}
        }
    }

    fn judged(&mut self, step: &Step<'_>, before: Option<f64>) {
        match (self.cost, before, step.quality) {
            (Cost::Outcome, Some(before), Some(quality)) => {
                let more = before.clamp(0.0, 1.0) - quality.clamp(0.0, 1.0);
                self.regret = (self.regret + more).max(0.0);
            }
            (Cost::Outcome | Cost::InformationGain, _, _) => self.observe(step),
        }
    }

    fn resized(&mut self, capacity: usize) {
        if let Filling::Bootstrap(size) = &mut self.filling {
            *size = bootstrap(capacity);
        }
    }

    fn admits(&mut self, _: &Step<'_>, offer: &Offer<'_>, _: &mut dyn RngCore) -> bool {
        let free = match self.filling {
            Filling::Gated => false,
            Filling::Bootstrap(size) => offer.stored < size,
            Filling::Free => matches!(offer.room, Room::Free),
        };
        let reached = match self.cost {
            Cost::Outcome => self.regret >= self.tau.value(),
            Cost::InformationGain => {
                self.add(information_gain(offer.nearest));
                self.regret > self.tau.value()
            }
        };
        if !free && !reached {
            return false;
        }
        self.regret = 0.0;
        if reached {
            self.tau.admitted();
        }
        self.admissions += 1;
        true
    }
}

/// Half the cache, 5 to 25 (reference code).
fn bootstrap(capacity: usize) -> usize {
    (capacity / 2).clamp(5, 25)
}

/// Novelty less density, in [0, 1]; 1 in an empty cache (reference code).
#[expect(clippy::cast_precision_loss, reason = "at most five")]
fn information_gain(nearest: &[(ExperienceId, f32)]) -> f64 {
    const NEIGHBOURS: usize = 5;
    const NOVELTY_WEIGHT: f64 = 0.6;
    const DENSITY_WEIGHT: f64 = 0.4;
    let Some((_, closest)) = nearest.first() else {
        return 1.0;
    };
    let near = &nearest[..nearest.len().min(NEIGHBOURS)];
    let mean = near.iter().map(|(_, s)| f64::from(*s)).sum::<f64>() / near.len() as f64;
    let novelty = (1.0 - f64::from(*closest)).clamp(0.0, 1.0);
    (NOVELTY_WEIGHT * novelty - DENSITY_WEIGHT * mean.clamp(0.0, 1.0)).max(0.0)
}
