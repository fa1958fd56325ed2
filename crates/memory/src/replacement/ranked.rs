//! Who stands lowest by a count that changes? Ids ordered by a number, and of equals by their entry.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::roster::Roster;
use super::{Scope, first_allowed};
use crate::ExperienceId;

/// Ids with a number each: a count of uses, or the step of the last one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ranked {
    /// Key of each item in `order`: the number, then the turn of entry.
    keys: Roster<(u64, u64)>,
    order: BTreeSet<(u64, u64, ExperienceId)>,
    entries: u64,
}

impl Ranked {
    /// Enters behind all others of the same number, giving up an earlier place.
    pub(super) fn insert(&mut self, id: ExperienceId, number: u64) {
        self.remove(id);
        self.keys.insert(id, (number, self.entries));
        self.order.insert((number, self.entries, id));
        self.entries += 1;
    }

    pub(super) fn remove(&mut self, id: ExperienceId) {
        if let Some((number, turn)) = self.keys.remove(id) {
            self.order.remove(&(number, turn, id));
        }
    }

    /// Gives an id another number, if it is there.
    pub(super) fn change(&mut self, id: ExperienceId, to: impl FnOnce(u64) -> u64) {
        if let Some((number, turn)) = self.keys.get_mut(id) {
            self.order.remove(&(*number, *turn, id));
            *number = to(*number);
            self.order.insert((*number, *turn, id));
        }
    }

    /// The lowest that may leave.
    pub(super) fn lowest(&self, among: Scope<'_>) -> Option<ExperienceId> {
        first_allowed(
            self.order.iter().map(|(_, _, id)| *id),
            self.order.len(),
            among,
            |id| self.keys.get(id).copied(),
        )
    }
}
