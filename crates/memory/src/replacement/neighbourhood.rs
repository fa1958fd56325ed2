//! How near are the stored items to each other? Kept from what is known when each of them enters.
//!
//! For each item the few nearest are kept at hand, more of them than anybody asks for, with a bound on all who were left
//! out. A newcomer that is no nearer than the bound is not looked at further; when a neighbour leaves, the next in the list
//! moves up, and only a list that has run too short is drawn up anew from all similarities. That is exact: what is left
//! out is never more similar than what is kept. Who stands in whose list is kept as well, so that leaving costs as many
//! steps as there are such lists.

mod written;

use super::by_id::ById;
use crate::ExperienceId;

use serde::{Deserialize, Serialize};
use written::Written;

/// Neighbours that can be asked for.
const NEAREST: usize = 3;
/// Neighbours that are kept at hand for each item.
const AT_HAND: usize = 8;
/// What stands for a similarity that is not known, and below all that are.
const UNKNOWN: f32 = f32::MIN;
/// Places in one word of a set.
const WORD: usize = 64;

/// The nearest of one item, most similar first.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    count: usize,
    similarities: [f32; AT_HAND],
    places: [usize; AT_HAND],
}

const NOBODY: Nearest = Nearest {
    count: 0,
    similarities: [UNKNOWN; AT_HAND],
    places: [usize::MAX; AT_HAND],
};

impl Nearest {
    /// Takes one in, in order. Gives what stood last; somebody only where the list was full.
    fn take(&mut self, similarity: f32, place: usize) -> usize {
        let dropped = self.places[AT_HAND - 1];
        let mut slot = self.count.min(AT_HAND - 1);
        self.count = slot + 1;
        while slot > 0 && similarity > self.similarities[slot - 1] {
            self.similarities[slot] = self.similarities[slot - 1];
            self.places[slot] = self.places[slot - 1];
            slot -= 1;
        }
        self.similarities[slot] = similarity;
        self.places[slot] = place;
        dropped
    }
}

/// Similarities of all pairs, and the three nearest of each. Memory grows with the square of the number of items, so this
/// is for the policies of SOLAR's reference code, at the capacities it was made for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub(super) struct Neighbourhood {
    found: ById<usize>,
    /// By place.
    ids: Vec<Option<ExperienceId>>,
    free: Vec<usize>,
    /// By place: the how-manieth to enter. Of two, the later knows how similar they are.
    entered: Vec<u64>,
    next: u64,
    /// Places for which there is room.
    room: usize,
    /// `room` similarities a place. What stands for places that entered later, or are free, is of no meaning.
    rows: Vec<f32>,
    nearest: Vec<Nearest>,
    /// By place: nobody left out of its list is more similar than that; unknown where nobody is left out.
    left_out: Vec<f32>,
    /// By place: the mean similarity to its three nearest.
    means: Vec<Option<f64>>,
    /// `room` bits a place: in whose lists it stands.
    listed: Vec<u64>,
}

impl PartialEq for Neighbourhood {
    fn eq(&self, other: &Self) -> bool {
        Written::from(self) == Written::from(other)
    }
}

impl Neighbourhood {
    /// Takes in an item with its similarities to the stored ones; the unknown among them are passed over. Returns its place,
    /// for [`Self::closest`] and [`Self::mean`].
    pub(super) fn insert(
        &mut self,
        id: ExperienceId,
        similarities: &[(ExperienceId, f32)],
    ) -> usize {
        self.remove(id);
        let place = self.take_place(id);
        let row = place * self.room;
        self.rows[row..row + self.ids.len()].fill(UNKNOWN);
        let (mut own, mut left_out) = (NOBODY, UNKNOWN);
        for (other, similarity) in similarities {
            let Some(at) = self.found.get(other).copied() else {
                continue;
            };
            // Told twice is told once.
            let known = &mut self.rows[row + at];
            if *known > UNKNOWN {
                continue;
            }
            *known = *similarity;
            let last = own.similarities[AT_HAND - 1];
            if *similarity > last {
                // The last is unknown until the list is full.
                left_out = last.max(left_out);
                own.take(*similarity, at);
            } else {
                left_out = similarity.max(left_out);
            }
            if *similarity > self.left_out[at] {
                self.consider(at, *similarity, place);
                self.weigh(at);
            }
        }
        for other in &own.places[..own.count] {
            self.note(place, *other, true);
        }
        self.nearest[place] = own;
        self.left_out[place] = left_out;
        self.weigh(place);
        self.found.insert(id, place);
        place
    }

    pub(super) fn remove(&mut self, id: ExperienceId) {
        let Some(place) = self.found.remove(&id) else {
            return;
        };
        self.ids[place] = None;
        self.free.push(place);
        self.clear_list(place);
        for word in 0..self.words() {
            let at = place * self.words() + word;
            let mut set = std::mem::take(&mut self.listed[at]);
            while set != 0 {
                self.strike(word * WORD + set.trailing_zeros() as usize, place);
                set &= set - 1;
            }
        }
    }

    /// Similarity to the nearest other.
    pub(super) fn closest(&self, place: usize) -> Option<f64> {
        let list = self.nearest.get(place).filter(|list| list.count > 0)?;
        Some(f64::from(list.similarities[0]))
    }

    /// Mean similarity to the three nearest others, or as many as there are.
    pub(super) fn mean(&self, place: usize) -> Option<f64> {
        self.means.get(place).copied().flatten()
    }

    fn take_place(&mut self, id: ExperienceId) -> usize {
        self.next += 1;
        if let Some(place) = self.free.pop() {
            self.ids[place] = Some(id);
            self.entered[place] = self.next;
            return place;
        }
        let place = self.ids.len();
        if place == self.room {
            self.make_room();
        }
        self.ids.push(Some(id));
        self.entered.push(self.next);
        self.nearest.push(NOBODY);
        self.left_out.push(UNKNOWN);
        self.means.push(None);
        place
    }

    fn words(&self) -> usize {
        self.room / WORD
    }

    /// Doubles the room.
    fn make_room(&mut self) {
        let (old, old_words) = (self.room, self.words());
        self.room = (2 * old).max(WORD);
        let mut rows = vec![UNKNOWN; self.room * self.room];
        let mut listed = vec![0; self.room * self.words()];
        for place in 0..old {
            rows[place * self.room..][..old].copy_from_slice(&self.rows[place * old..][..old]);
            listed[place * self.words()..][..old_words]
                .copy_from_slice(&self.listed[place * old_words..][..old_words]);
        }
        self.rows = rows;
        self.listed = listed;
    }

    /// How similar two stored ones are.
    fn similarity(&self, a: usize, b: usize) -> f32 {
        if self.entered[a] > self.entered[b] {
            self.rows[a * self.room + b]
        } else {
            self.rows[b * self.room + a]
        }
    }

    /// Notes whether `listed` stands in the list of `at`.
    fn note(&mut self, at: usize, listed: usize, stands: bool) {
        let (word, bit) = (listed * self.words() + at / WORD, 1 << (at % WORD));
        if stands {
            self.listed[word] |= bit;
        } else {
            self.listed[word] &= !bit;
        }
    }

    /// Puts `other` into the list of `at`, if it is near enough.
    fn consider(&mut self, at: usize, similarity: f32, other: usize) {
        if similarity > self.left_out[at] {
            let list = &mut self.nearest[at];
            let full = list.count == AT_HAND;
            let last = list.similarities[AT_HAND - 1];
            if full && similarity <= last {
                self.left_out[at] = similarity;
                return;
            }
            let dropped = list.take(similarity, other);
            if full {
                self.left_out[at] = last;
                self.note(at, dropped, false);
            }
            self.note(at, other, true);
        }
    }

    /// Takes one that left out of the list of `at`.
    fn strike(&mut self, at: usize, gone: usize) {
        let list = &mut self.nearest[at];
        let Some(slot) = list.places[..list.count].iter().position(|p| *p == gone) else {
            return;
        };
        list.similarities.copy_within(slot + 1..list.count, slot);
        list.places.copy_within(slot + 1..list.count, slot);
        list.count -= 1;
        let count = list.count;
        if count < NEAREST && self.left_out[at] > UNKNOWN {
            self.draw_up(at);
        }
        if slot < NEAREST {
            self.weigh(at);
        }
    }

    fn clear_list(&mut self, at: usize) {
        let list = std::mem::replace(&mut self.nearest[at], NOBODY);
        for other in &list.places[..list.count] {
            self.note(at, *other, false);
        }
        self.left_out[at] = UNKNOWN;
        self.means[at] = None;
    }

    /// Makes the list of `at` from all similarities.
    fn draw_up(&mut self, at: usize) {
        self.clear_list(at);
        for other in 0..self.ids.len() {
            if other != at && self.ids[other].is_some() {
                self.consider(at, self.similarity(at, other), other);
            }
        }
    }

    fn weigh(&mut self, at: usize) {
        let list = &self.nearest[at];
        let near = list.similarities[..list.count].iter().take(NEAREST);
        let (sum, count) = near.fold((0.0, 0_u32), |(sum, n), s| (sum + f64::from(*s), n + 1));
        self.means[at] = (count > 0).then(|| sum / f64::from(count));
    }
}

#[cfg(test)]
mod tests;
