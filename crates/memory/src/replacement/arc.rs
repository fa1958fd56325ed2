//! Adaptive replacement cache as SOLAR's synthetic runner has it.
//!
//! It differs from the published one ([`super::ArcClassic`]): each ghost list holds as many ids as the cache, and
//! nothing bounds the lists together.

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::queue::Queue;
use super::{Arrival, EvictionPolicy, Offer, Room, Scope, Step};
use crate::ExperienceId;

/// The four lists and the target of ARC (Megiddo and Modha, FAST 2003).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lists {
    pub(super) capacity: usize,
    /// Stored, seen once.
    pub(super) t1: Queue,
    /// Stored, seen again.
    pub(super) t2: Queue,
    /// Ids that left `t1`.
    pub(super) b1: Queue,
    /// Ids that left `t2`.
    pub(super) b2: Queue,
    /// How many `t1` should hold.
    pub(super) target: f64,
    /// A newcomer whose ghost was met: it goes to `t2`.
    returning: Option<ExperienceId>,
}

/// Where a newcomer was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    Nowhere,
    B1,
    B2,
}

#[expect(
    clippy::cast_precision_loss,
    reason = "lists are far shorter than 2^52"
)]
fn ratio(a: usize, b: usize) -> f64 {
    (a as f64 / b as f64).max(1.0)
}

impl Lists {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            ..Self::default()
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a capacity is far below 2^52")]
    pub(super) fn resize(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.target = self.target.min(capacity as f64);
        self.b1.trim(capacity);
        self.b2.trim(capacity);
    }

    pub(super) fn access(&mut self, id: ExperienceId) {
        if self.t1.remove(id) || self.t2.contains(id) {
            self.t2.push(id);
        }
    }

    /// Moves the target if the newcomer has a ghost, and takes the ghost away.
    #[expect(clippy::cast_precision_loss, reason = "a capacity is far below 2^52")]
    pub(super) fn meet(&mut self, newcomer: ExperienceId) -> Met {
        let (b1, b2) = (self.b1.len(), self.b2.len());
        if self.b1.remove(newcomer) {
            self.target = (self.target + ratio(b2, b1)).min(self.capacity as f64);
            self.returning = Some(newcomer);
            Met::B1
        } else if self.b2.remove(newcomer) {
            self.target = (self.target - ratio(b1, b2)).max(0.0);
            self.returning = Some(newcomer);
            Met::B2
        } else {
            Met::Nowhere
        }
    }

    /// REPLACE: who leaves, from the list that the target says, or from the other if nobody there may.
    #[expect(
        clippy::cast_precision_loss,
        reason = "lists are far shorter than 2^52"
    )]
    pub(super) fn replace(&self, met: Met, among: Scope<'_>) -> Option<ExperienceId> {
        let held = self.t1.len() as f64;
        let once =
            held > 0.0 && (held > self.target || (met == Met::B2 && held == self.target.floor()));
        let (first, second) = if once {
            (&self.t1, &self.t2)
        } else {
            (&self.t2, &self.t1)
        };
        first.oldest(among).or_else(|| second.oldest(among))
    }

    pub(super) fn enter(&mut self, id: ExperienceId) {
        let met = self.returning == Some(id) || self.meet(id) != Met::Nowhere;
        self.returning = None;
        let list = if met { &mut self.t2 } else { &mut self.t1 };
        list.push(id);
    }

    pub(super) fn leave(&mut self, id: ExperienceId) {
        if self.t1.remove(id) {
            self.b1.push(id);
        } else if self.t2.remove(id) {
            self.b2.push(id);
        }
    }

    pub(super) fn forget(&mut self, id: ExperienceId) {
        for list in [&mut self.t1, &mut self.t2, &mut self.b1, &mut self.b2] {
            list.remove(id);
        }
        self.returning = self.returning.filter(|other| *other != id);
    }
}

/// What was seen once and what was seen again are kept apart; ghosts move the border.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arc {
    lists: Lists,
}

impl Arc {
    /// For a cache of `capacity`.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            lists: Lists::new(capacity),
        }
    }
}

impl EvictionPolicy for Arc {
    fn observe(&mut self, step: &Step<'_>) {
        for (id, _) in step.retrieved {
            self.lists.access(*id);
        }
    }

    fn offered(&mut self, offer: &Offer<'_>) {
        if matches!(offer.room, Room::Present) {
            self.lists.access(offer.id);
        }
    }

    fn resized(&mut self, capacity: usize) {
        self.lists.resize(capacity);
    }

    fn inserted(&mut self, arrival: &Arrival<'_>) {
        self.lists.enter(arrival.id);
    }

    fn evicted(&mut self, id: ExperienceId) {
        self.lists.leave(id);
        self.lists.b1.trim(self.lists.capacity);
        self.lists.b2.trim(self.lists.capacity);
    }

    fn removed(&mut self, id: ExperienceId) {
        self.lists.forget(id);
    }

    fn victim(
        &mut self,
        newcomer: Option<ExperienceId>,
        among: Scope<'_>,
        _: &mut dyn RngCore,
    ) -> Option<ExperienceId> {
        let met = newcomer.map_or(Met::Nowhere, |id| self.lists.meet(id));
        self.lists.replace(met, among)
    }
}
