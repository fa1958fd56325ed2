//! Who leaves in SOLAR-A, as the reference code's synthetic runner computes it: recency, frequency and diversity.

use std::sync::LazyLock;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::neighbourhood::Neighbourhood;
use super::roster::Roster;
use super::{Arrival, EvictionPolicy, Offer, Scope, Step};
use crate::ExperienceId;

const RECENCY_WEIGHT: f64 = 0.4;
const FREQUENCY_WEIGHT: f64 = 0.3;
const DIVERSITY_WEIGHT: f64 = 0.3;
const RECENCY_STEPS: f64 = 100.0;
/// Idle steps of which the recency is kept at hand.
const AT_HAND: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Use {
    last: u64,
    count: u64,
    /// In the neighbourhood.
    place: usize,
}

/// e^(−idle/100).
#[expect(clippy::cast_precision_loss, reason = "steps are far below 2^52")]
fn recency(idle: u64) -> f64 {
    /// An exponential for each item that is weighed would take most of the time.
    static RECENT: LazyLock<Vec<f64>> =
        LazyLock::new(|| (0..AT_HAND as u64).map(exactly).collect());
    fn exactly(idle: u64) -> f64 {
        (-(idle as f64) / RECENCY_STEPS).exp()
    }
    let at_hand = usize::try_from(idle).ok().and_then(|at| RECENT.get(at));
    at_hand.copied().unwrap_or_else(|| exactly(idle))
}

/// The least of 0.4·e^(−idle/100) + 0.3·uses/candidates + 0.3·diversity leaves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolarAReference {
    step: u64,
    candidates: u64,
    uses: Roster<Use>,
    neighbours: Neighbourhood,
}

impl SolarAReference {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn score(&self, used: Use) -> f64 {
        let closest = self.neighbours.closest(used.place);
        let diversity = closest.map_or(1.0, |closest| (1.0 - closest).clamp(0.0, 1.0));
        let idle = self.step.saturating_sub(used.last);
        let frequency = used.count as f64 / self.candidates.max(1) as f64;
        RECENCY_WEIGHT * recency(idle) + FREQUENCY_WEIGHT * frequency + DIVERSITY_WEIGHT * diversity
    }
}

impl EvictionPolicy for SolarAReference {
    fn observe(&mut self, step: &Step<'_>) {
        self.step += 1;
        for (id, _) in step.retrieved {
            if let Some(used) = self.uses.get_mut(*id) {
                used.last = self.step;
                used.count += 1;
            }
        }
    }

    fn offered(&mut self, _: &Offer<'_>) {
        self.candidates += 1;
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.uses.remove(arrival.id);
        let used = Use {
            last: self.step,
            count: 0,
            place: self.neighbours.insert(arrival.id, arrival.nearest),
        };
        self.uses.insert(arrival.id, used);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.uses.remove(id);
        self.neighbours.remove(id);
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let scores = self
            .uses
            .iter()
            .filter(|(id, _)| among.allows(*id))
            .map(|(id, used)| (self.score(*used), id));
        super::least(scores)
    }
}
