//! Adaptive replacement cache as published (Megiddo and Modha, FAST 2003, Figure 4).

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::arc::{Lists, Met};
use super::{Arrival, EvictionPolicy, Offer, Room, Scope, Step};
use crate::ExperienceId;

/// ARC with the bounds of its paper: `t1` and its ghosts hold at most the capacity, all four lists twice that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArcClassic {
    lists: Lists,
    /// A victim that leaves no ghost: case IV with `t1` as large as the cache.
    unhaunted: Option<ExperienceId>,
}

impl ArcClassic {
    /// For a cache of `capacity`.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            lists: Lists::new(capacity),
            unhaunted: None,
        }
    }

    /// Case IV of the paper: room among the ghosts for one more.
    fn make_room(&mut self, among: Scope<'_>) -> Option<ExperienceId> {
        let lists = &mut self.lists;
        let once = lists.t1.len() + lists.b1.len();
        if once >= lists.capacity {
            if lists.t1.len() < lists.capacity {
                lists.b1.pop();
            } else {
                self.unhaunted = lists.t1.oldest(among);
                return self.unhaunted;
            }
        } else if once + lists.t2.len() + lists.b2.len() >= 2 * lists.capacity {
            lists.b2.pop();
        }
        lists.replace(Met::Nowhere, among)
    }
}

impl EvictionPolicy for ArcClassic {
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
        if self.unhaunted.take() == Some(id) {
            self.lists.forget(id);
        } else {
            self.lists.leave(id);
        }
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
        self.unhaunted = None;
        match newcomer.map_or(Met::Nowhere, |id| self.lists.meet(id)) {
            Met::Nowhere => self.make_room(among),
            met @ (Met::B1 | Met::B2) => self.lists.replace(met, among),
        }
    }
}
