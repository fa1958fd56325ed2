//! Who leaves in SOLAR made fit for use: the posterior counts what helped, and forgets with time.
//!
//! Algorithm 2 counts every retrieval as a success, even of a wrong answer, so posteriors drift to 1 and the useless stay.
//! Here only the item that the answer rested on, the first retrieved, is judged, by the answer's quality; both counts fade
//! with the steps that pass, so that the prior comes back; and a newcomer's bonus goes by age, as in the paper.

use std::sync::LazyLock;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::thompson::{Chance, least_draw};
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// Steps after which a count is worth half.
const HALF_LIFE: usize = 50;
/// Failures that an idle step is worth.
const IDLE_FAILURE: f64 = 0.05;
const BONUS: f64 = 0.3;
const BONUS_STEPS: f64 = 20.0;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Belief {
    successes: f64,
    failures: f64,
    entered: u64,
    /// The step that the counts are as of.
    at: u64,
}

impl Belief {
    /// Successes and failures as of `step`.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn counts(&self, step: u64) -> (f64, f64) {
        let idle = step.saturating_sub(self.at);
        let kept = kept_after(idle);
        (
            self.successes * kept,
            self.failures * kept + IDLE_FAILURE * idle as f64,
        )
    }
}

/// What is left of a count of 1 after so many steps: 2^(−steps/half-life).
fn kept_after(steps: u64) -> f64 {
    /// Within one half-life: an exponential for each item that is weighed would take most of the time.
    static WITHIN: LazyLock<[f64; HALF_LIFE]> = LazyLock::new(|| {
        #[expect(clippy::cast_precision_loss, reason = "at most a half-life")]
        std::array::from_fn(|step| (-(step as f64) / HALF_LIFE as f64).exp2())
    });
    const EXPONENT_BITS: u32 = 52;
    const ONE: u64 = 1023;
    let halvings = (steps / HALF_LIFE as u64).min(ONE - 1);
    #[expect(clippy::cast_possible_truncation, reason = "less than a half-life")]
    let within = WITHIN[(steps % HALF_LIFE as u64) as usize];
    within * f64::from_bits((ONE - halvings) << EXPONENT_BITS)
}

/// A draw from the posterior of usefulness, and a bonus for the young: the least leaves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Solar {
    step: u64,
    beliefs: Roster<Belief>,
}

impl Solar {
    /// Credits a step, in place of the credit for the quality `before` if that was given.
    fn credit(&mut self, step: &Step<'_>, before: Option<f64>) {
        let (Some(quality), Some((id, _))) = (step.quality, step.retrieved.first()) else {
            return;
        };
        if let Some(belief) = self.beliefs.get_mut(*id) {
            let (successes, failures) = belief.counts(self.step);
            let quality = quality.clamp(0.0, 1.0);
            (belief.successes, belief.failures) = match before {
                None => (
                    successes + quality,
                    failures * (1.0 - quality) + (1.0 - quality),
                ),
                Some(before) => {
                    let more = quality - before.clamp(0.0, 1.0);
                    ((successes + more).max(0.0), (failures - more).max(0.0))
                }
            };
            belief.at = self.step;
        }
    }
}

impl EvictionPolicy for Solar {
    fn observe(&mut self, step: &Step<'_>) {
        self.step += 1;
        self.credit(step, None);
    }

    fn judged(&mut self, step: &Step<'_>, before: Option<f64>) {
        self.credit(step, before);
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        let belief = Belief {
            successes: 0.0,
            failures: 0.0,
            entered: self.step,
            at: self.step,
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
                    let (successes, failures) = belief.counts(step);
                    let age = step.saturating_sub(belief.entered) as f64;
                    let chance = Chance {
                        alpha: 1.0 + successes,
                        beta: 1.0 + failures,
                        bonus: BONUS / (1.0 + age / BONUS_STEPS),
                    };
                    (id, chance)
                });
        least_draw(chances, self.beliefs.len(), rng)
    }
}
