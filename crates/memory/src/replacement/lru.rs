//! Least recently used.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::fifo::first;
use super::{EvictionPolicy, Scope, Step};
use crate::{ExperienceId, Timestamp};

/// What was unused longest leaves first; what one step retrieved was used in the order given, the most similar last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lru {
    next: u64,
    order: BTreeSet<(u64, ExperienceId)>,
    used: BTreeMap<ExperienceId, u64>,
}

impl Lru {
    fn touch(&mut self, id: ExperienceId) {
        self.removed(id);
        self.order.insert((self.next, id));
        self.used.insert(id, self.next);
        self.next += 1;
    }
}

impl EvictionPolicy for Lru {
    fn observe(&mut self, step: &Step<'_>, _: &mut dyn RngCore) {
        for (id, _) in step.retrieved.iter().rev() {
            if self.used.contains_key(id) {
                self.touch(*id);
            }
        }
    }

    fn inserted(&mut self, id: ExperienceId, _: Timestamp) {
        self.touch(id);
    }

    fn removed(&mut self, id: ExperienceId) {
        if let Some(turn) = self.used.remove(&id) {
            self.order.remove(&(turn, id));
        }
    }

    fn victim(&mut self, among: Scope<'_>, _: &mut dyn RngCore) -> Option<ExperienceId> {
        first(&self.order, &self.used, among)
    }
}
