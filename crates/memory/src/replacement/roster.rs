//! What does a policy know of each stored item? A map that remembers the order of entry.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::by_id::ById;
use crate::ExperienceId;

/// Seats left empty that are borne before the others move up, beside as many as are taken.
const EMPTY_SEATS: usize = 16;

/// Values by id, walked in the order in which the ids entered. Nothing depends on how ids sort.
#[derive(Debug, Clone)]
pub(super) struct Roster<T> {
    next: u64,
    /// Where in `row` each id sits.
    places: ById<usize>,
    /// By seat, ascending; who left leaves a gap.
    row: Vec<(u64, Option<(ExperienceId, T)>)>,
}

impl<T> Default for Roster<T> {
    fn default() -> Self {
        Self {
            next: 0,
            places: ById::default(),
            row: Vec::new(),
        }
    }
}

impl<T> Roster<T> {
    /// Takes a seat behind all others, giving up an earlier one. Returns the seat.
    pub(super) fn insert(&mut self, id: ExperienceId, value: T) -> u64 {
        self.remove(id);
        let seat = self.next;
        self.next += 1;
        self.places.insert(id, self.row.len());
        self.row.push((seat, Some((id, value))));
        seat
    }

    pub(super) fn remove(&mut self, id: ExperienceId) -> Option<T> {
        let place = self.places.remove(&id)?;
        let (_, gone) = self.row.get_mut(place)?.1.take()?;
        if self.row.len() > 2 * self.places.len() + EMPTY_SEATS {
            self.move_up();
        }
        Some(gone)
    }

    fn move_up(&mut self) {
        self.row.retain(|(_, entry)| entry.is_some());
        for (place, (_, entry)) in self.row.iter().enumerate() {
            if let Some((id, _)) = entry {
                self.places.insert(*id, place);
            }
        }
    }

    pub(super) fn get(&self, id: ExperienceId) -> Option<&T> {
        let (_, entry) = self.row.get(*self.places.get(&id)?)?;
        entry.as_ref().map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, id: ExperienceId) -> Option<&mut T> {
        let (_, entry) = self.row.get_mut(*self.places.get(&id)?)?;
        entry.as_mut().map(|(_, value)| value)
    }

    /// Who entered first.
    pub(super) fn first(&self) -> Option<ExperienceId> {
        self.iter().next().map(|(id, _)| id)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// In order of entry.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ExperienceId, &T)> {
        self.row
            .iter()
            .filter_map(|(_, entry)| entry.as_ref().map(|(id, value)| (*id, value)))
    }

    fn seated(&self) -> impl Iterator<Item = (u64, ExperienceId, &T)> {
        self.row
            .iter()
            .filter_map(|(seat, entry)| entry.as_ref().map(|(id, value)| (*seat, *id, value)))
    }
}

impl<T: PartialEq> PartialEq for Roster<T> {
    fn eq(&self, other: &Self) -> bool {
        self.next == other.next && self.seated().eq(other.seated())
    }
}

/// Both maps, as they are written: gaps and places follow from them.
#[derive(Serialize, Deserialize)]
struct Written<T> {
    next: u64,
    seats: BTreeMap<ExperienceId, u64>,
    entries: BTreeMap<u64, (ExperienceId, T)>,
}

impl<T: Serialize> Serialize for Roster<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.seated().map(|(seat, id, value)| (seat, (id, value)));
        let written = Written {
            next: self.next,
            seats: self.seated().map(|(seat, id, _)| (id, seat)).collect(),
            entries: entries.collect(),
        };
        written.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Roster<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::<T>::deserialize(deserializer)?;
        let mut roster = Self {
            next: written.next,
            ..Self::default()
        };
        for (place, (seat, (id, value))) in written.entries.into_iter().enumerate() {
            if written.seats.get(&id) != Some(&seat) || seat >= roster.next {
                return Err(D::Error::custom("seats and entries differ"));
            }
            roster.places.insert(id, place);
            roster.row.push((seat, Some((id, value))));
        }
        if roster.len() != written.seats.len() {
            return Err(D::Error::custom("seats and entries differ"));
        }
        Ok(roster)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Ulid;

    proptest! {
        #[test]
        fn it_is_walked_in_order_of_entry_and_survives_being_written(changes in prop::collection::vec((0_u128..40, any::<bool>()), 0..300)) {
            let mut roster = Roster::default();
            let mut naive: Vec<(ExperienceId, usize)> = Vec::new();
            for (n, (id, enters)) in changes.into_iter().enumerate() {
                let id = ExperienceId(Ulid(id));
                let known = naive.iter().position(|(other, _)| *other == id).map(|at| naive.remove(at).1);
                if enters {
                    roster.insert(id, n);
                    naive.push((id, n));
                    prop_assert_eq!(roster.get(id), Some(&n));
                } else {
                    prop_assert_eq!(roster.remove(id), known);
                    prop_assert_eq!(roster.get(id), None);
                }
                prop_assert_eq!(roster.len(), naive.len());
                prop_assert_eq!(roster.first(), naive.first().map(|(id, _)| *id));
            }
            let walked: Vec<_> = roster.iter().map(|(id, n)| (id, *n)).collect();
            prop_assert_eq!(walked, naive);
            let bytes = postcard::to_allocvec(&roster).unwrap();
            let back: Roster<usize> = postcard::from_bytes(&bytes).unwrap();
            prop_assert_eq!(postcard::to_allocvec(&back).unwrap(), bytes);
            prop_assert!(back == roster);
        }
    }
}
