//! W-TinyLFU (Einziger, Friedman and Manes, ACM TOS 2017): the more frequent of two stays.
//!
//! Frequencies are counted exactly, in a sample of ten capacities that is halved when it is full: the paper's sketch saves
//! memory that a few thousand ids do not need.

use std::collections::BTreeMap;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{Arrival, EvictionPolicy, Offer, Scope, Step};
use crate::ExperienceId;

/// A newcomer enters a small window; who is pushed out of it must be more frequent than the main part's next victim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TinyLfu {
    window: Queue,
    probation: Queue,
    protected: Queue,
    counts: BTreeMap<ExperienceId, u32>,
    counted: usize,
    sample: usize,
    window_capacity: usize,
    protected_capacity: usize,
}

impl TinyLfu {
    /// For a cache of `capacity`: a window of 1 %, of the rest 80 % protected, a sample of ten capacities.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let window_capacity = (capacity / 100).max(1);
        Self {
            window: Queue::default(),
            probation: Queue::default(),
            protected: Queue::default(),
            counts: BTreeMap::new(),
            counted: 0,
            sample: capacity.saturating_mul(10).max(1),
            window_capacity,
            protected_capacity: capacity.saturating_sub(window_capacity).saturating_mul(4) / 5,
        }
    }

    fn count(&mut self, id: ExperienceId) {
        *self.counts.entry(id).or_default() += 1;
        self.counted += 1;
        if self.counted >= self.sample {
            self.counted /= 2;
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }

    fn frequency(&self, id: ExperienceId) -> u32 {
        self.counts.get(&id).copied().unwrap_or_default()
    }

    fn used(&mut self, id: ExperienceId) {
        if self.window.contains(id) {
            self.window.push(id);
        } else if self.protected.contains(id) || self.probation.remove(id) {
            self.protected.push(id);
            if self.protected.len() > self.protected_capacity
                && let Some(demoted) = self.protected.pop()
            {
                self.probation.push(demoted);
            }
        }
    }
}

impl EvictionPolicy for TinyLfu {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            self.count(*id);
            self.used(*id);
        }
    }

    fn offered(&mut self, offer: &Offer<'_>) {
        self.count(offer.id);
    }

    fn resized(&mut self, capacity: usize) {
        let fresh = Self::new(capacity);
        self.sample = fresh.sample;
        self.window_capacity = fresh.window_capacity;
        self.protected_capacity = fresh.protected_capacity;
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.window.push(arrival.id);
        while self.window.len() > self.window_capacity
            && let Some(id) = self.window.pop()
        {
            self.probation.push(id);
        }
    }

    fn evicted(&mut self, id: ExperienceId) {
        for queue in [&mut self.window, &mut self.probation, &mut self.protected] {
            queue.remove(id);
        }
    }

    fn removed(&mut self, id: ExperienceId) {
        self.evicted(id);
        self.counts.remove(&id);
    }

    fn victim(
        &mut self,
        _: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let kept = self
            .probation
            .oldest(among)
            .or_else(|| self.protected.oldest(among));
        let candidate = self.window.oldest(among);
        match (candidate, kept) {
            (Some(candidate), Some(kept)) => {
                let wins = self.window.len() < self.window_capacity
                    || self.frequency(candidate) > self.frequency(kept);
                Some(if wins { kept } else { candidate })
            }
            (candidate, kept) => candidate.or(kept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capacity_beyond_all_bounds_overflows_nothing() {
        let policy = TinyLfu::new(usize::MAX);
        assert!(policy.protected_capacity < usize::MAX);
    }
}
