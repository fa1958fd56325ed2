//! Which admission and which eviction make up each member of the family?

use rand::RngCore;
use serde::{Deserialize, Serialize};

use super::{
    AdmissionPolicy, Arc, ArcClassic, Arrival, Decision, EvictionPolicy, Fifo, Lfu, Lru, Offer,
    PolicyName, RegretGate, Room, S3Fifo, Scope, Sieve, Solar, SolarAReference, SolarEReference,
    SolarPaper, Step, Survival, SurvivalConfig, TinyLfu, TwoQ,
};
use crate::ExperienceId;

/// Lets everything in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmitAll;

impl AdmissionPolicy for AdmitAll {
    fn observe(&mut self, _: &Step<'_>) {}

    fn admits(&mut self, _: &Step<'_>, _: &Offer<'_>, _: &mut dyn RngCore) -> bool {
        true
    }
}

/// Lets in whoever finds room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AdmitIntoRoom;

impl AdmissionPolicy for AdmitIntoRoom {
    fn observe(&mut self, _: &Step<'_>) {}

    fn admits(&mut self, _: &Step<'_>, offer: &Offer<'_>, _: &mut dyn RngCore) -> bool {
        matches!(offer.room, Room::Free)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Admission {
    All(AdmitAll),
    IntoRoom(AdmitIntoRoom),
    Gate(Box<RegretGate>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Eviction {
    Fifo(Fifo),
    Lru(Lru),
    Lfu(Lfu),
    Arc(Box<Arc>),
    ArcClassic(Box<ArcClassic>),
    Sieve(Sieve),
    S3Fifo(Box<S3Fifo>),
    TinyLfu(Box<TinyLfu>),
    TwoQ(Box<TwoQ>),
    SolarA(Box<SolarAReference>),
    SolarE(Box<SolarEReference>),
    SolarPaper(SolarPaper),
    Solar(Solar),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Parts {
    Two(Admission, Eviction),
    /// One object decides both: who may enter depends on who would leave.
    Survival(Box<Survival>),
}

/// An admission policy and an eviction policy together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    name: PolicyName,
    parts: Parts,
}

impl Replacement {
    /// The policy of that name for a cache of `capacity`, knowing nothing.
    #[must_use]
    pub fn new(name: PolicyName, capacity: usize) -> Self {
        let gate = |gate| Admission::Gate(Box::new(gate));
        let all = Admission::All(AdmitAll);
        let (admission, eviction) = match name {
            PolicyName::Fifo => (all, Eviction::Fifo(Fifo::default())),
            PolicyName::Lru => (all, Eviction::Lru(Lru::default())),
            PolicyName::Lfu => (all, Eviction::Lfu(Lfu::default())),
            PolicyName::Arc => (all, Eviction::Arc(Box::new(Arc::new(capacity)))),
            PolicyName::ArcClassic => (
                all,
                Eviction::ArcClassic(Box::new(ArcClassic::new(capacity))),
            ),
            PolicyName::Sieve => (all, Eviction::Sieve(Sieve::default())),
            PolicyName::S3Fifo => (all, Eviction::S3Fifo(Box::new(S3Fifo::new(capacity)))),
            PolicyName::TinyLfu => (all, Eviction::TinyLfu(Box::new(TinyLfu::new(capacity)))),
            PolicyName::TwoQ => (all, Eviction::TwoQ(Box::new(TwoQ::new(capacity)))),
            PolicyName::SolarAReference => (
                gate(RegretGate::reference(capacity)),
                Eviction::SolarA(Box::default()),
            ),
            PolicyName::SolarEReference => (all, Eviction::SolarE(Box::default())),
            PolicyName::SolarReference => (
                gate(RegretGate::reference(capacity)),
                Eviction::SolarE(Box::default()),
            ),
            PolicyName::SolarPaper => (
                gate(RegretGate::paper()),
                Eviction::SolarPaper(SolarPaper::default()),
            ),
            PolicyName::SolarFixed => (
                gate(RegretGate::fixed_by_default()),
                Eviction::SolarPaper(SolarPaper::default()),
            ),
            PolicyName::Solar => (
                gate(RegretGate::useful()),
                Eviction::Solar(Solar::default()),
            ),
            PolicyName::Survival => return Self::survival(capacity, SurvivalConfig::default()),
        };
        Self {
            name,
            parts: Parts::Two(admission, eviction),
        }
    }

    /// [`PolicyName::Survival`] with other constants.
    #[must_use]
    pub fn survival(capacity: usize, config: SurvivalConfig) -> Self {
        Self {
            name: PolicyName::Survival,
            parts: Parts::Survival(Box::new(Survival::new(capacity, config))),
        }
    }

    /// Algorithm 2 behind a gate of one's own, as [`PolicyName::SolarFixed`] with another switching cost.
    #[must_use]
    pub fn gated(gate: RegretGate) -> Self {
        Self {
            name: PolicyName::SolarFixed,
            parts: Parts::Two(
                Admission::Gate(Box::new(gate)),
                Eviction::SolarPaper(SolarPaper::default()),
            ),
        }
    }

    /// No member: what enters first stays, and nothing else enters. With the future known this is the optimum on cycling.
    #[must_use]
    pub fn frozen() -> Self {
        Self {
            name: PolicyName::Fifo,
            parts: Parts::Two(
                Admission::IntoRoom(AdmitIntoRoom),
                Eviction::Fifo(Fifo::default()),
            ),
        }
    }

    /// Which member it is.
    #[must_use]
    pub const fn name(&self) -> PolicyName {
        self.name
    }

    /// Whether its offers should come with their similarity to everything stored.
    #[must_use]
    pub const fn wants_all_neighbours(&self) -> bool {
        match self.name {
            PolicyName::SolarAReference
            | PolicyName::SolarEReference
            | PolicyName::SolarReference => true,
            PolicyName::Fifo
            | PolicyName::Lru
            | PolicyName::Lfu
            | PolicyName::Arc
            | PolicyName::ArcClassic
            | PolicyName::Sieve
            | PolicyName::S3Fifo
            | PolicyName::TinyLfu
            | PolicyName::TwoQ
            | PolicyName::SolarPaper
            | PolicyName::SolarFixed
            | PolicyName::Solar
            | PolicyName::Survival => false,
        }
    }

    /// Whether it looks at [`Step::ghosts`]: the caller then keeps the vectors of whoever [`Self::is_ghost`].
    #[must_use]
    pub const fn wants_ghosts(&self) -> bool {
        matches!(self.parts, Parts::Survival(_))
    }

    /// Whether this one, refused or evicted, is remembered as a ghost whose vector should be kept.
    #[must_use]
    pub fn is_ghost(&self, id: ExperienceId) -> bool {
        match &self.parts {
            Parts::Two(..) => false,
            Parts::Survival(policy) => policy.is_ghost(id),
        }
    }

    /// The ghosts that were given up since the last call: their vectors can go.
    pub fn take_dropped_ghosts(&mut self) -> Vec<ExperienceId> {
        match &mut self.parts {
            Parts::Two(..) => Vec::new(),
            Parts::Survival(policy) => policy.take_dropped(),
        }
    }

    /// The gate, where there is one.
    #[must_use]
    pub fn gate(&self) -> Option<&RegretGate> {
        match &self.parts {
            Parts::Two(Admission::Gate(gate), _) => Some(gate),
            Parts::Two(Admission::All(_) | Admission::IntoRoom(_), _) | Parts::Survival(_) => None,
        }
    }

    fn admission(&mut self) -> &mut dyn AdmissionPolicy {
        match &mut self.parts {
            Parts::Two(Admission::All(policy), _) => policy,
            Parts::Two(Admission::IntoRoom(policy), _) => policy,
            Parts::Two(Admission::Gate(policy), _) => policy.as_mut(),
            Parts::Survival(policy) => policy.as_mut(),
        }
    }

    fn eviction(&mut self) -> &mut dyn EvictionPolicy {
        let eviction = match &mut self.parts {
            Parts::Two(_, eviction) => eviction,
            Parts::Survival(policy) => return policy.as_mut(),
        };
        match eviction {
            Eviction::Fifo(policy) => policy,
            Eviction::Lru(policy) => policy,
            Eviction::Lfu(policy) => policy,
            Eviction::Arc(policy) => policy.as_mut(),
            Eviction::ArcClassic(policy) => policy.as_mut(),
            Eviction::Sieve(policy) => policy,
            Eviction::S3Fifo(policy) => policy.as_mut(),
            Eviction::TinyLfu(policy) => policy.as_mut(),
            Eviction::TwoQ(policy) => policy.as_mut(),
            Eviction::SolarA(policy) => policy.as_mut(),
            Eviction::SolarE(policy) => policy.as_mut(),
            Eviction::SolarPaper(policy) => policy,
            Eviction::Solar(policy) => policy,
        }
    }

    /// Takes note of a step, and decides about its newcomer if there is one. An admitted newcomer counts as inserted and
    /// its victim as evicted.
    pub fn step(
        &mut self,
        step: &Step<'_>,
        offer: Option<&Offer<'_>>,
        rng: &mut dyn RngCore,
    ) -> Option<Decision> {
        self.eviction().observe(step);
        self.admission().observe(step);
        offer.map(|offer| self.decide(step, offer, rng))
    }

    fn decide(&mut self, step: &Step<'_>, offer: &Offer<'_>, rng: &mut dyn RngCore) -> Decision {
        self.eviction().offered(offer);
        if !self.admission().admits(step, offer, rng) {
            return Decision::Reject;
        }
        let evict = match offer.room {
            Room::Present => return Decision::Reject,
            Room::Free => None,
            Room::Full(scope) => match self.eviction().victim(Some(offer.id), scope, rng) {
                Some(victim) => Some(victim),
                None => return Decision::Reject,
            },
        };
        if let Some(victim) = evict {
            self.eviction().evicted(victim);
        }
        self.inserted(offer.id, offer.nearest);
        Decision::Admit { evict }
    }

    /// A verdict on a step that was taken note of with the quality `before`, or without any.
    pub fn judged(&mut self, step: &Step<'_>, before: Option<f64>) {
        self.eviction().judged(step, before);
        self.admission().judged(step, before);
    }

    /// The cache has another size from now on. Whoever had to leave for it has left.
    pub fn resized(&mut self, capacity: usize) {
        self.eviction().resized(capacity);
        if let Parts::Two(..) = self.parts {
            self.admission().resized(capacity);
        }
    }

    /// `new` takes the place of `old`, which is not evicted: it repeats it, with other facts.
    pub fn replaced(&mut self, old: ExperienceId, new: ExperienceId) {
        self.eviction().replaced(old, new);
    }

    /// Something entered without being asked about, as by import. `nearest` as in [`Offer::nearest`].
    pub fn inserted(&mut self, id: ExperienceId, nearest: &[(ExperienceId, f32)]) {
        self.eviction().inserted(&Arrival { id, nearest });
    }

    /// Something was deleted or expired: no eviction, and no ghost.
    pub fn removed(&mut self, id: ExperienceId) {
        self.eviction().removed(id);
    }

    /// Who should leave because the room shrank. The caller tells [`Self::removed`].
    pub fn victim(&mut self, among: Scope<'_>, rng: &mut dyn RngCore) -> Option<ExperienceId> {
        self.eviction().victim(None, among, rng)
    }

    /// Evicts one because the room shrank; `None` if nobody may leave.
    pub fn evict(&mut self, among: Scope<'_>, rng: &mut dyn RngCore) -> Option<ExperienceId> {
        let victim = self.victim(among, rng)?;
        self.eviction().evicted(victim);
        Some(victim)
    }
}
