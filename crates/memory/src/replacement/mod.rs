//! Who may enter a bounded memory, and who must leave? (SOLAR, Algorithms 1 and 2)
//!
//! Policies are state machines without I/O: they hold ids and numbers, no text and no vectors. They are told what was
//! retrieved (and what a ghost tier would have given) with what quality, and answer [`Decision::Reject`] or
//! [`Decision::Admit`]. Deletion and expiry are told to them and are no evictions. Production and simulator run the same
//! object; its state serialises, its random numbers are passed in.

mod arc;
mod arc_classic;
mod beta;
mod by_id;
mod fifo;
mod lfu;
mod lru;
mod member;
mod name;
mod neighbourhood;
mod queue;
mod ranked;
mod regret_gate;
mod roster;
mod s3_fifo;
mod sieve;
mod solar;
mod solar_a_reference;
mod solar_e_reference;
mod solar_paper;
mod survival;
mod thompson;
mod threshold;
mod tiny_lfu;
mod two_q;

use std::collections::BTreeSet;

use rand::RngCore;

use crate::{ExperienceId, Timestamp};

pub use arc::Arc;
pub use arc_classic::ArcClassic;
pub use fifo::Fifo;
pub use lfu::Lfu;
pub use lru::Lru;
pub use member::{AdmitAll, Replacement};
pub use name::PolicyName;
pub use regret_gate::{Cost, Filling, RegretGate};
pub use s3_fifo::S3Fifo;
pub use sieve::Sieve;
pub use solar::Solar;
pub use solar_a_reference::SolarAReference;
pub use solar_e_reference::SolarEReference;
pub use solar_paper::SolarPaper;
pub use survival::{Survival, SurvivalConfig};
pub use threshold::{Dispersion, Threshold};
pub use tiny_lfu::TinyLfu;
pub use two_q::TwoQ;

/// One question, as a policy sees it.
#[derive(Debug, Clone, Copy)]
pub struct Step<'s> {
    /// When it was asked.
    pub now: Timestamp,
    /// What was retrieved for it, most similar first, with similarities.
    pub retrieved: &'s [(ExperienceId, f32)],
    /// What the ghost tier would have given, most similar first.
    pub ghosts: &'s [(ExperienceId, f32)],
    /// How good the answer was, in [0, 1], if known.
    pub quality: Option<f64>,
}

impl Step<'_> {
    /// Whether anything was asked. Nothing was where nothing was found and nothing judged: an import, or a note that was
    /// taken without a question.
    #[must_use]
    pub const fn is_question(&self) -> bool {
        !self.retrieved.is_empty() || !self.ghosts.is_empty() || self.quality.is_some()
    }
}

/// A newcomer.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'s> {
    /// Its id.
    pub id: ExperienceId,
    /// Its five nearest stored neighbours, most similar first. Where [`Replacement::wants_all_neighbours`], behind them all
    /// others that are stored, in any order.
    pub nearest: &'s [(ExperienceId, f32)],
    /// Whether one has to leave for it, and out of which.
    pub room: Room<'s>,
    /// How many are stored.
    pub stored: usize,
}

/// Whether there is room for a newcomer.
#[derive(Debug, Clone, Copy)]
pub enum Room<'s> {
    /// It may enter as it is.
    Free,
    /// One of these has to leave.
    Full(Scope<'s>),
    /// It is stored already, and will not be stored again.
    Present,
}

/// Out of which a policy may choose.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'s> {
    /// All but the pinned.
    Anywhere {
        /// Those that must stay.
        pinned: &'s BTreeSet<ExperienceId>,
    },
    /// One of these, ascending and none of them pinned: the bucket is full.
    Bucket(&'s [ExperienceId]),
}

impl Scope<'_> {
    /// Whether this one may leave.
    #[must_use]
    pub fn allows(&self, id: ExperienceId) -> bool {
        match self {
            Self::Anywhere { pinned } => !pinned.contains(&id),
            Self::Bucket(members) => members.binary_search(&id).is_ok(),
        }
    }
}

/// Something that just entered.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'s> {
    /// Its id.
    pub id: ExperienceId,
    /// As in [`Offer::nearest`].
    pub nearest: &'s [(ExperienceId, f32)],
}

/// What a policy decides about a newcomer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It does not enter.
    Reject,
    /// It enters.
    Admit {
        /// Who leaves for it.
        evict: Option<ExperienceId>,
    },
}

/// Decides who may enter.
pub trait AdmissionPolicy {
    /// Learns from a step.
    fn observe(&mut self, step: &Step<'_>);

    /// A verdict came later than its step, which was observed with the quality `before`, or without any.
    fn judged(&mut self, _: &Step<'_>, _before: Option<f64>) {}

    /// The cache has another size from now on.
    fn resized(&mut self, _capacity: usize) {}

    /// Whether the newcomer may enter. Asked even if it is stored already; the answer is then of no consequence.
    fn admits(&mut self, step: &Step<'_>, offer: &Offer<'_>, rng: &mut dyn RngCore) -> bool;
}

/// Decides who must leave.
pub trait EvictionPolicy {
    /// Learns from a step.
    fn observe(&mut self, step: &Step<'_>);

    /// A verdict came later than its step, which was observed with the quality `before`, or without any.
    fn judged(&mut self, _: &Step<'_>, _before: Option<f64>) {}

    /// The cache has another size from now on; it holds no more than that.
    fn resized(&mut self, _capacity: usize) {}

    /// Something asks to enter, whether or not it will.
    fn offered(&mut self, _: &Offer<'_>) {}

    /// Something entered.
    fn inserted(&mut self, arrival: &Arrival<'_>);

    /// Something left because this policy chose it.
    fn evicted(&mut self, id: ExperienceId) {
        self.removed(id);
    }

    /// Something left for another reason, and nothing may remind of it: deleted or expired.
    fn removed(&mut self, id: ExperienceId);

    /// `new` takes the place of `old`, which it repeats with other facts. Where lives are kept, it inherits.
    fn replaced(&mut self, old: ExperienceId, new: ExperienceId) {
        self.removed(old);
        self.inserted(&Arrival {
            id: new,
            nearest: &[],
        });
    }

    /// Who should leave, for `newcomer` if there is one; `None` if nobody may.
    fn victim(
        &mut self,
        newcomer: Option<ExperienceId>,
        among: Scope<'_>,
        rng: &mut dyn RngCore,
    ) -> Option<ExperienceId>;
}

/// The least scored; of equals, the first.
fn least(scores: impl Iterator<Item = (f64, ExperienceId)>) -> Option<ExperienceId> {
    least_scored(scores).map(|(_, id)| id)
}

/// The least scored with its score; of equals, the first.
fn least_scored(scores: impl Iterator<Item = (f64, ExperienceId)>) -> Option<(f64, ExperienceId)> {
    scores.reduce(|best, next| if next.0 < best.0 { next } else { best })
}

/// The first that may leave, out of `order`, which has `length` and goes by `key`.
fn first_allowed<K: Ord>(
    mut order: impl Iterator<Item = ExperienceId>,
    length: usize,
    among: Scope<'_>,
    key: impl Fn(ExperienceId) -> Option<K>,
) -> Option<ExperienceId> {
    match among {
        // A small bucket is looked through; a large one soon comes up in the order of all.
        Scope::Bucket(members) if members.len().saturating_mul(members.len()) <= length => members
            .iter()
            .filter_map(|id| key(*id).map(|key| (key, *id)))
            .min()
            .map(|(_, id)| id),
        Scope::Bucket(_) | Scope::Anywhere { .. } => order.find(|id| among.allows(*id)),
    }
}

#[cfg(test)]
mod tests;
