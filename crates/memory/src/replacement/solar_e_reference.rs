//! Who leaves in SOLAR-E and SOLAR, as the reference code's synthetic runner computes it: a draw from the posterior, and a
//! bonus for what lies far from the rest.
//!
//! The paper's bonus goes by age ([`super::SolarPaper`]); no part of the reference code has one that does.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::neighbourhood::Neighbourhood;
use super::roster::Roster;
use super::thompson::{Chance, least_draw};
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

const PRIOR: (f64, f64) = (2.0, 1.0);
const DECAY: f64 = 0.05;
const DECAY_EVERY: u64 = 5;
const NOVELTY_WEIGHT: f64 = 0.3;
const NOVELTY_ALONE: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Belief {
    alpha: f64,
    /// Decays that passed before it entered, or that it was spared.
    spared: u64,
    /// In the neighbourhood.
    place: usize,
}

/// The least of a draw from Beta(2 + retrievals, 1 + 0.05·decays) and 0.3·novelty leaves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolarEReference {
    retrievals: u64,
    decays: u64,
    beliefs: Roster<Belief>,
    neighbours: Neighbourhood,
}

impl SolarEReference {
    fn novelty(&self, place: usize) -> f64 {
        self.neighbours
            .mean(place)
            .map_or(NOVELTY_ALONE, |mean| (1.0 - mean).clamp(0.0, 1.0))
    }
}

impl EvictionPolicy for SolarEReference {
    fn observe(&mut self, step: &Step<'_>) {
        self.retrievals += 1;
        let decays = self.retrievals.is_multiple_of(DECAY_EVERY);
        self.decays += u64::from(decays);
        for (id, _) in step.retrieved {
            if let Some(belief) = self.beliefs.get_mut(*id) {
                belief.alpha += 1.0;
                belief.spared += u64::from(decays);
            }
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        let belief = Belief {
            alpha: PRIOR.0,
            spared: self.decays,
            place: self.neighbours.insert(arrival.id, arrival.nearest),
        };
        self.beliefs.insert(arrival.id, belief);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.beliefs.remove(id);
        self.neighbours.remove(id);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        rng: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let chances =
            self.beliefs
                .iter()
                .filter(|(id, _)| among.allows(*id))
                .map(|(id, belief)| {
                    let decays = self.decays.saturating_sub(belief.spared) as f64;
                    let chance = Chance {
                        alpha: belief.alpha,
                        beta: PRIOR.1 + DECAY * decays,
                        bonus: NOVELTY_WEIGHT * self.novelty(belief.place),
                    };
                    (id, chance)
                });
        least_draw(chances, self.beliefs.len(), rng)
    }
}
