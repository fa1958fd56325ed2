//! First in, first out.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::{EvictionPolicy, Scope, Step};
use crate::{ExperienceId, Timestamp};

/// What entered first leaves first, used or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fifo {
    next: u64,
    order: BTreeSet<(u64, ExperienceId)>,
    entered: BTreeMap<ExperienceId, u64>,
}

impl EvictionPolicy for Fifo {
    fn observe(&mut self, _: &Step<'_>, _: &mut dyn RngCore) {}

    fn inserted(&mut self, id: ExperienceId, _: Timestamp) {
        self.removed(id);
        self.order.insert((self.next, id));
        self.entered.insert(id, self.next);
        self.next += 1;
    }

    fn removed(&mut self, id: ExperienceId) {
        if let Some(turn) = self.entered.remove(&id) {
            self.order.remove(&(turn, id));
        }
    }

    fn victim(&mut self, among: Scope<'_>, _: &mut dyn RngCore) -> Option<ExperienceId> {
        first(&self.order, &self.entered, among)
    }
}

/// The first in `order` that may leave.
pub(super) fn first(
    order: &BTreeSet<(u64, ExperienceId)>,
    turns: &BTreeMap<ExperienceId, u64>,
    among: Scope<'_>,
) -> Option<ExperienceId> {
    match among {
        Scope::Anywhere { pinned } => order
            .iter()
            .map(|(_, id)| *id)
            .find(|id| !pinned.contains(id)),
        // A large bucket soon comes up in the order of all; a small one is looked through.
        Scope::Bucket(members) if members.len().saturating_mul(members.len()) > order.len() => {
            order
                .iter()
                .map(|(_, id)| *id)
                .find(|id| members.binary_search(id).is_ok())
        }
        Scope::Bucket(members) => members
            .iter()
            .filter_map(|id| turns.get(id).map(|turn| (*turn, *id)))
            .min()
            .map(|(_, id)| id),
    }
}
