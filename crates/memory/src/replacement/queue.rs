//! In which order do ids stand in line?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Scope;
use crate::ExperienceId;

/// Ids in a line, each at most once; the one that joined first stands in front.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Queue {
    next: u64,
    order: BTreeMap<u64, ExperienceId>,
    turns: BTreeMap<ExperienceId, u64>,
}

impl Queue {
    /// Joins at the end; who stood elsewhere moves.
    pub(super) fn push(&mut self, id: ExperienceId) {
        if let Some(turn) = self.turns.insert(id, self.next) {
            self.order.remove(&turn);
        }
        self.order.insert(self.next, id);
        self.next += 1;
    }

    /// Leaves the line; whether it stood there.
    pub(super) fn remove(&mut self, id: ExperienceId) -> bool {
        let turn = self.turns.remove(&id);
        turn.is_some_and(|turn| self.order.remove(&turn).is_some())
    }

    pub(super) fn pop(&mut self) -> Option<ExperienceId> {
        let (_, id) = self.order.pop_first()?;
        self.turns.remove(&id);
        Some(id)
    }

    /// Drops from the front until at most `most` stand.
    pub(super) fn trim(&mut self, most: usize) {
        while self.len() > most {
            self.pop();
        }
    }

    pub(super) fn contains(&self, id: ExperienceId) -> bool {
        self.turns.contains_key(&id)
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The first in line that may leave.
    pub(super) fn oldest(&self, among: Scope<'_>) -> Option<ExperienceId> {
        match among {
            // A small bucket is looked through; a large one soon comes up in the order of all.
            Scope::Bucket(members)
                if members.len().saturating_mul(members.len()) <= self.order.len() =>
            {
                let turn = |id: &ExperienceId| self.turns.get(id).map(|turn| (*turn, *id));
                members.iter().filter_map(turn).min().map(|(_, id)| id)
            }
            Scope::Bucket(_) | Scope::Anywhere { .. } => {
                self.order.values().copied().find(|id| among.allows(*id))
            }
        }
    }

    /// The first at or behind `turn` that satisfies `wanted`, with its turn.
    pub(super) fn behind(&self, turn: u64) -> impl Iterator<Item = (u64, ExperienceId)> {
        self.order.range(turn..).map(|(turn, id)| (*turn, *id))
    }
}
