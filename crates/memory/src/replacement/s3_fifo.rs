//! S3-FIFO (Yang et al., SOSP 2023): three queues, and most items leave through the small one.

use std::collections::BTreeMap;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// Uses that are counted at most: two bits.
const MOST_USES: u8 = 3;

/// A newcomer waits in a small queue; who is used twice there, or comes back while remembered, moves to the main one.
///
/// One leaves for one newcomer. The paper's loop may evict a second when a move fills the main queue; here the next
/// newcomer takes that place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct S3Fifo {
    small: Queue,
    main: Queue,
    ghosts: Queue,
    uses: BTreeMap<ExperienceId, u8>,
    /// A tenth of the capacity, at least 1.
    small_target: usize,
    ghost_capacity: usize,
}

impl S3Fifo {
    /// For a cache of `capacity`.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let small_target = (capacity / 10).max(1);
        Self {
            small: Queue::default(),
            main: Queue::default(),
            ghosts: Queue::default(),
            uses: BTreeMap::new(),
            small_target,
            ghost_capacity: capacity.saturating_sub(small_target),
        }
    }

    fn of_small(&mut self, among: Scope<'_>) -> Option<ExperienceId> {
        while let Some(id) = self.small.oldest(among) {
            if self.uses.get(&id).is_none_or(|uses| *uses <= 1) {
                return Some(id);
            }
            self.small.remove(id);
            self.main.push(id);
        }
        None
    }

    fn of_main(&mut self, among: Scope<'_>) -> Option<ExperienceId> {
        while let Some(id) = self.main.oldest(among) {
            match self.uses.get_mut(&id).filter(|uses| **uses > 0) {
                Some(uses) => *uses -= 1,
                None => return Some(id),
            }
            self.main.push(id);
        }
        None
    }
}

impl EvictionPolicy for S3Fifo {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            if let Some(uses) = self.uses.get_mut(id) {
                *uses = (*uses + 1).min(MOST_USES);
            }
        }
    }

    fn resized(&mut self, capacity: usize) {
        let fresh = Self::new(capacity);
        self.small_target = fresh.small_target;
        self.ghost_capacity = fresh.ghost_capacity;
        self.ghosts.trim(self.ghost_capacity);
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.uses.insert(arrival.id, 0);
        if self.ghosts.remove(arrival.id) {
            self.main.push(arrival.id);
        } else {
            self.small.push(arrival.id);
        }
    }

    fn evicted(&mut self, id: ExperienceId) {
        if self.small.contains(id) {
            self.ghosts.push(id);
            self.ghosts.trim(self.ghost_capacity);
        }
        self.uses.remove(&id);
        self.small.remove(id);
        self.main.remove(id);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.uses.remove(&id);
        for queue in [&mut self.small, &mut self.main, &mut self.ghosts] {
            queue.remove(id);
        }
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let found = if self.small.len() >= self.small_target {
            self.of_small(among)
        } else {
            None
        };
        found
            .or_else(|| self.of_main(among))
            .or_else(|| self.of_small(among))
            .or_else(|| self.of_main(among))
    }
}
