//! What does a policy know of each stored item? A map that remembers the order of entry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ExperienceId;

/// Values by id, walked in the order in which the ids entered. Nothing depends on how ids sort.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Roster<T> {
    next: u64,
    seats: BTreeMap<ExperienceId, u64>,
    entries: BTreeMap<u64, (ExperienceId, T)>,
}

impl<T> Default for Roster<T> {
    fn default() -> Self {
        Self {
            next: 0,
            seats: BTreeMap::new(),
            entries: BTreeMap::new(),
        }
    }
}

impl<T> Roster<T> {
    /// Takes a seat behind all others, giving up an earlier one. Returns the seat.
    pub(super) fn insert(&mut self, id: ExperienceId, value: T) -> u64 {
        self.remove(id);
        let seat = self.next;
        self.next += 1;
        self.seats.insert(id, seat);
        self.entries.insert(seat, (id, value));
        seat
    }

    pub(super) fn remove(&mut self, id: ExperienceId) -> Option<T> {
        let seat = self.seats.remove(&id)?;
        self.entries.remove(&seat).map(|(_, value)| value)
    }

    pub(super) fn get(&self, id: ExperienceId) -> Option<&T> {
        self.seats
            .get(&id)
            .and_then(|seat| self.entries.get(seat))
            .map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, id: ExperienceId) -> Option<&mut T> {
        let seat = self.seats.get(&id)?;
        self.entries.get_mut(seat).map(|(_, value)| value)
    }

    /// Who entered first.
    pub(super) fn first(&self) -> Option<ExperienceId> {
        self.entries.first_key_value().map(|(_, (id, _))| *id)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// In order of entry.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ExperienceId, &T)> {
        self.entries.values().map(|(id, value)| (*id, value))
    }
}
