//! First in, first out: the buffer that agents have by default (SOLAR §6.1.2).

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// What entered first leaves first, used or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fifo {
    queue: Queue,
}

impl EvictionPolicy for Fifo {
    fn observe(&mut self, _: &Step<'_>) {}

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.queue.push(arrival.id);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.queue.remove(id);
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        self.queue.oldest(among)
    }
}
