//! SIEVE (Zhang et al., NSDI 2024): a queue, a hand, and one bit an item.

use std::collections::BTreeSet;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// The hand walks from the oldest to the newest and takes the first that was not used since it last came by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sieve {
    queue: Queue,
    visited: BTreeSet<ExperienceId>,
    /// The turn at which the hand goes on.
    hand: u64,
}

impl EvictionPolicy for Sieve {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            if self.queue.contains(*id) {
                self.visited.insert(*id);
            }
        }
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.visited.remove(&arrival.id);
        self.queue.push(arrival.id);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.queue.remove(id);
        self.visited.remove(&id);
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        // Once to the end, once over all, and once more where every bit was set.
        for start in [self.hand, 0, 0] {
            for (turn, id) in self.queue.behind(start) {
                if among.allows(id) && !self.visited.remove(&id) {
                    self.hand = turn + 1;
                    return Some(id);
                }
            }
        }
        None
    }
}
