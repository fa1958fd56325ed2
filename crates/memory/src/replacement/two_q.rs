//! 2Q, full version (Johnson and Shasha, VLDB 1994).

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{Arrival, EvictionPolicy, Scope, Step};
use crate::ExperienceId;

/// A newcomer waits in a first-in-first-out queue; who comes back after leaving it earns a place among the recently used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TwoQ {
    /// `A1in`: stored, on trial.
    trial: Queue,
    /// `A1out`: ids that left the trial.
    ghosts: Queue,
    /// `Am`: stored, least recently used in front.
    main: Queue,
    /// `Kin`, a quarter of the capacity.
    trial_target: usize,
    /// `Kout`, half of the capacity.
    ghost_capacity: usize,
}

impl TwoQ {
    /// For a cache of `capacity`, with the sizes that the paper advises.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            trial: Queue::default(),
            ghosts: Queue::default(),
            main: Queue::default(),
            trial_target: (capacity / 4).max(1),
            ghost_capacity: (capacity / 2).max(1),
        }
    }
}

impl EvictionPolicy for TwoQ {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            if self.main.contains(*id) {
                self.main.push(*id);
            }
        }
    }

    fn resized(&mut self, capacity: usize) {
        let fresh = Self::new(capacity);
        self.trial_target = fresh.trial_target;
        self.ghost_capacity = fresh.ghost_capacity;
        self.ghosts.trim(self.ghost_capacity);
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        if self.ghosts.remove(arrival.id) {
            self.main.push(arrival.id);
        } else {
            self.trial.push(arrival.id);
        }
    }

    fn evicted(&mut self, id: ExperienceId) {
        if self.trial.remove(id) {
            self.ghosts.push(id);
            self.ghosts.trim(self.ghost_capacity);
        }
        self.main.remove(id);
    }

    fn removed(&mut self, id: ExperienceId) {
        for queue in [&mut self.trial, &mut self.ghosts, &mut self.main] {
            queue.remove(id);
        }
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let (first, second) = if self.trial.len() > self.trial_target {
            (&self.trial, &self.main)
        } else {
            (&self.main, &self.trial)
        };
        first.oldest(among).or_else(|| second.oldest(among))
    }
}
