//! Who may enter a bounded memory, and who must leave? (SOLAR, Algorithms 1 and 2)
//!
//! Policies are state machines without I/O: they hold ids and numbers, no text and no vectors. They are told what was
//! retrieved (and what a ghost tier would have given) with what quality, and answer [`Decision::Reject`] or
//! [`Decision::Admit`]. Deletion and expiry are told to them and are no evictions. Production and simulator run the same
//! object; its state serialises, its random numbers are passed in.

mod fifo;
mod lru;

use std::collections::BTreeSet;

use rand::RngCore;
use serde::{Deserialize, Serialize};

use crate::settings::PolicyName;
use crate::{ExperienceId, Timestamp};

pub use fifo::Fifo;
pub use lru::Lru;

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

/// A newcomer.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'s> {
    /// Its id.
    pub id: ExperienceId,
    /// Its nearest stored neighbours, most similar first.
    pub nearest: &'s [(ExperienceId, f32)],
    /// Whether one has to leave for it, and out of which.
    pub room: Room<'s>,
}

/// Whether there is room for a newcomer.
#[derive(Debug, Clone, Copy)]
pub enum Room<'s> {
    /// It may enter as it is.
    Free,
    /// One of these has to leave.
    Full(Scope<'s>),
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
    fn observe(&mut self, step: &Step<'_>, rng: &mut dyn RngCore);

    /// Whether the newcomer may enter.
    fn admits(&mut self, step: &Step<'_>, offer: &Offer<'_>, rng: &mut dyn RngCore) -> bool;
}

/// Decides who must leave.
pub trait EvictionPolicy {
    /// Learns from a step.
    fn observe(&mut self, step: &Step<'_>, rng: &mut dyn RngCore);

    /// Something entered.
    fn inserted(&mut self, id: ExperienceId, now: Timestamp);

    /// Something left: evicted, deleted or expired.
    fn removed(&mut self, id: ExperienceId);

    /// Who should leave; `None` if nobody may.
    fn victim(&mut self, among: Scope<'_>, rng: &mut dyn RngCore) -> Option<ExperienceId>;
}

/// Lets everything in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmitAll;

impl AdmissionPolicy for AdmitAll {
    fn observe(&mut self, _: &Step<'_>, _: &mut dyn RngCore) {}

    fn admits(&mut self, _: &Step<'_>, _: &Offer<'_>, _: &mut dyn RngCore) -> bool {
        true
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Admission {
    All(AdmitAll),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Eviction {
    Fifo(Fifo),
    Lru(Lru),
}

/// An admission policy and an eviction policy together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    admission: Admission,
    eviction: Eviction,
}

impl Replacement {
    /// The policy of that name, knowing nothing.
    #[must_use]
    pub fn new(name: PolicyName) -> Self {
        let eviction = match name {
            PolicyName::Fifo => Eviction::Fifo(Fifo::default()),
            PolicyName::Lru => Eviction::Lru(Lru::default()),
        };
        Self {
            admission: Admission::All(AdmitAll),
            eviction,
        }
    }

    fn admission(&mut self) -> &mut dyn AdmissionPolicy {
        match &mut self.admission {
            Admission::All(policy) => policy,
        }
    }

    fn eviction(&mut self) -> &mut dyn EvictionPolicy {
        match &mut self.eviction {
            Eviction::Fifo(policy) => policy,
            Eviction::Lru(policy) => policy,
        }
    }

    /// Takes note of a step, and decides about its newcomer if there is one. An admitted newcomer counts as inserted and
    /// its victim as removed.
    pub fn step(
        &mut self,
        step: &Step<'_>,
        offer: Option<&Offer<'_>>,
        rng: &mut dyn RngCore,
    ) -> Option<Decision> {
        self.admission().observe(step, rng);
        self.eviction().observe(step, rng);
        offer.map(|offer| self.decide(step, offer, rng))
    }

    fn decide(&mut self, step: &Step<'_>, offer: &Offer<'_>, rng: &mut dyn RngCore) -> Decision {
        if !self.admission().admits(step, offer, rng) {
            return Decision::Reject;
        }
        let evict = match offer.room {
            Room::Free => None,
            Room::Full(scope) => match self.eviction().victim(scope, rng) {
                Some(victim) => Some(victim),
                None => return Decision::Reject,
            },
        };
        if let Some(victim) = evict {
            self.eviction().removed(victim);
        }
        self.eviction().inserted(offer.id, step.now);
        Decision::Admit { evict }
    }

    /// Something entered without being asked about, as by import.
    pub fn inserted(&mut self, id: ExperienceId, now: Timestamp) {
        self.eviction().inserted(id, now);
    }

    /// Something was deleted or expired: no eviction.
    pub fn removed(&mut self, id: ExperienceId) {
        self.eviction().removed(id);
    }

    /// Who should leave because the room shrank.
    pub fn victim(&mut self, among: Scope<'_>, rng: &mut dyn RngCore) -> Option<ExperienceId> {
        self.eviction().victim(among, rng)
    }
}

#[cfg(test)]
mod tests;
