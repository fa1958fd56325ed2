//! Least recently used, with the clock of SOLAR's synthetic runner (SOLAR §6.1.2).

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::ranked::Ranked;
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// What was unused longest leaves first; of what was used in the same step, what entered first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lru {
    step: u64,
    /// By the step of the last use.
    used: Ranked,
}

impl EvictionPolicy for Lru {
    fn observe(&mut self, step: &Step<'_>) {
        self.step += 1;
        for (id, _) in step.retrieved {
            self.used.change(*id, |_| self.step);
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.used.insert(arrival.id, self.step);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.used.remove(id);
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        self.used.lowest(among)
    }
}
