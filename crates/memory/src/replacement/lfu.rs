//! Least frequently used, without ageing (SOLAR §6.1.2).

use std::collections::BTreeSet;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::{Arrival, EvictionPolicy, Scope, Step, first_allowed};
use crate::ExperienceId;

/// What was retrieved least often leaves first; of equals, what entered first. A newcomer starts at 0, and so does who
/// comes back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lfu {
    /// Key of each item in `order`: retrievals, then turn of entry.
    counts: Roster<(u64, u64)>,
    order: BTreeSet<(u64, u64, ExperienceId)>,
    entries: u64,
}

impl EvictionPolicy for Lfu {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            if let Some((count, turn)) = self.counts.get_mut(*id) {
                self.order.remove(&(*count, *turn, *id));
                *count += 1;
                self.order.insert((*count, *turn, *id));
            }
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.removed(arrival.id);
        let key = (0, self.entries);
        self.entries += 1;
        self.counts.insert(arrival.id, key);
        self.order.insert((key.0, key.1, arrival.id));
    }

    fn removed(&mut self, id: ExperienceId) {
        if let Some((count, turn)) = self.counts.remove(id) {
            self.order.remove(&(count, turn, id));
        }
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        first_allowed(
            self.order.iter().map(|(_, _, id)| *id),
            self.order.len(),
            among,
            |id| self.counts.get(id).copied(),
        )
    }
}
