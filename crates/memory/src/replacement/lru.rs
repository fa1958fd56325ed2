//! Least recently used, with the clock of SOLAR's synthetic runner (SOLAR §6.1.2).

use std::collections::BTreeSet;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::{Arrival, EvictionPolicy, Scope, Step, first_allowed};
use crate::ExperienceId;

/// What was unused longest leaves first; of what was used in the same step, what entered first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lru {
    step: u64,
    /// Key of each item in `order`: step of last use, then turn of entry.
    used: Roster<(u64, u64)>,
    order: BTreeSet<(u64, u64, ExperienceId)>,
    entries: u64,
}

impl EvictionPolicy for Lru {
    fn observe(&mut self, step: &Step<'_>) {
        self.step += 1;
        for (id, _) in step.retrieved {
            if let Some((last, turn)) = self.used.get_mut(*id) {
                self.order.remove(&(*last, *turn, *id));
                *last = self.step;
                self.order.insert((*last, *turn, *id));
            }
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.removed(arrival.id);
        let key = (self.step, self.entries);
        self.entries += 1;
        self.used.insert(arrival.id, key);
        self.order.insert((key.0, key.1, arrival.id));
    }

    fn removed(&mut self, id: ExperienceId) {
        if let Some((last, turn)) = self.used.remove(id) {
            self.order.remove(&(last, turn, id));
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
            |id| self.used.get(id).copied(),
        )
    }
}
