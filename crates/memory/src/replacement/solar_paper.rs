//! Who leaves in SOLAR as published? (SOLAR §4.3, Algorithm 2)
//!
//! Δ and Δ_nov have no value in the paper. Δ is the reference code's 5 steps, Δ_nov is 20 steps, γ the reference code's 0.3.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::thompson::{Chance, least_draw};
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

const DECAY: f64 = 0.05;
const DECAY_STEPS: u64 = 5;
const BONUS: f64 = 0.3;
const BONUS_STEPS: f64 = 20.0;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Belief {
    alpha: f64,
    beta: f64,
    entered: u64,
    /// Step of the last retrieval, or of entry.
    last: u64,
}

impl Belief {
    /// β with the decays of the idle time so far.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn beta_at(&self, step: u64) -> f64 {
        let decays = step.saturating_sub(self.last) / DECAY_STEPS;
        self.beta + DECAY * decays as f64
    }
}

/// A draw from Beta(1 + retrievals, 1 + 0.05 for each five idle steps) and γ/(1 + age/Δ_nov): the least leaves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolarPaper {
    step: u64,
    beliefs: Roster<Belief>,
}

impl EvictionPolicy for SolarPaper {
    fn observe(&mut self, step: &Step<'_>) {
        self.step += 1;
        for (id, _) in step.retrieved {
            if let Some(belief) = self.beliefs.get_mut(*id) {
                belief.beta = belief.beta_at(self.step);
                belief.alpha += 1.0;
                belief.last = self.step;
            }
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        let belief = Belief {
            alpha: 1.0,
            beta: 1.0,
            entered: self.step,
            last: self.step,
        };
        self.beliefs.insert(arrival.id, belief);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.beliefs.remove(id);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        rng: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let step = self.step;
        let chances =
            self.beliefs
                .iter()
                .filter(|(id, _)| among.allows(*id))
                .map(|(id, belief)| {
                    let age = step.saturating_sub(belief.entered) as f64;
                    let chance = Chance {
                        alpha: belief.alpha,
                        beta: belief.beta_at(step),
                        bonus: BONUS / (1.0 + age / BONUS_STEPS),
                    };
                    (id, chance)
                });
        least_draw(chances, self.beliefs.len(), rng)
    }
}
