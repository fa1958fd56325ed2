//! Least frequently used, without ageing (SOLAR §6.1.2).

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::ranked::Ranked;
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// What was retrieved least often leaves first; of equals, what entered first. A newcomer starts at 0, and so does who
/// comes back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lfu {
    /// By retrievals.
    counts: Ranked,
}

impl EvictionPolicy for Lfu {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            self.counts.change(*id, |count| count + 1);
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.counts.insert(arrival.id, 0);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.counts.remove(id);
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        self.counts.lowest(among)
    }
}
