//! Which other policy would have served better? Policies that run beside the live one, on the same stream, without text.
//!
//! A shadow holds outlines of what it would have kept. At each question it is asked whether one of them would have
//! served, then offered what the answer left behind, under the live policy's bounds. The live policy is measured in the
//! same way, so that the rates can be compared: *would have served* is laxer than a hit, which must pass the guards.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::outline::{Outline, Outlines, Wanted};
use crate::replacement::{Decision, Offer, PolicyName, Replacement, Room, Scope, Step};
use crate::{ExperienceId, Settings, Timestamp, Vector};

/// The policies that run beside the live one, where they are not the live one.
const SHADOWS: [PolicyName; 3] = [PolicyName::Fifo, PolicyName::Lru, PolicyName::Survival];

/// How often a policy's memory would have served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRate {
    /// The policy.
    pub policy: PolicyName,
    /// Whether it is the live one.
    pub live: bool,
    /// Questions that were answered by a plan since policy and bounds are what they are.
    pub asked: u64,
    /// Those for which it held an experience with the very template that answered.
    pub served: u64,
    /// Experiences it holds.
    pub held: usize,
}

impl PolicyRate {
    pub(crate) const fn new(policy: PolicyName, live: bool) -> Self {
        Self {
            policy,
            live,
            asked: 0,
            served: 0,
            held: 0,
        }
    }

    /// Share of the questions that would have been served, in [0, 1]; none before the first.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn rate(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.served as f64 / self.asked as f64)
    }

    pub(crate) fn count(&mut self, served: bool) {
        self.asked += 1;
        self.served += u64::from(served);
    }
}

/// One question, as every policy is told of it.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) now: Timestamp,
    /// What answered it; none if nothing did, and then it tells nothing about a memory.
    pub(crate) wanted: Option<Wanted>,
    /// How good the answer is, by whoever's word counts most so far.
    pub(crate) quality: Option<f64>,
}

impl Asking {
    /// Nothing was asked.
    pub(crate) const fn nothing(now: Timestamp) -> Self {
        Self {
            now,
            wanted: None,
            quality: None,
        }
    }

    /// The quality as a policy hears it. A memory that served is as good as the answer; one that could not has failed.
    pub(crate) fn quality_of(&self, served: bool) -> Option<f64> {
        match (&self.wanted, served) {
            (None, _) => None,
            (Some(_), true) => self.quality,
            (Some(_), false) => Some(0.0),
        }
    }
}

/// One policy in shadow.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Shadow {
    replacement: Replacement,
    rng: ChaCha8Rng,
    held: Outlines,
    ghosts: Outlines,
    pub(crate) rate: PolicyRate,
}

/// The shadows of a live policy, knowing nothing.
pub(crate) fn beside(settings: &Settings) -> Vec<Shadow> {
    SHADOWS
        .into_iter()
        .filter(|name| *name != settings.policy)
        .map(|name| Shadow::new(name, settings))
        .collect()
}

impl Shadow {
    fn new(name: PolicyName, settings: &Settings) -> Self {
        Self {
            replacement: settings.replacement(name),
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
            held: Outlines::default(),
            ghosts: Outlines::default(),
            rate: PolicyRate::new(name, false),
        }
    }

    /// Holds an experience that the memory held before the shadow began.
    pub(crate) fn begin_with(&mut self, id: ExperienceId, outline: Outline) {
        self.replacement.inserted(id, &[]);
        self.held.insert(id, outline);
        self.rate.held = self.held.len();
    }

    /// A question, and what its answer left behind.
    pub(crate) fn consider(
        &mut self,
        asking: &Asking,
        newcomer: Option<(ExperienceId, &Outline)>,
        settings: &Settings,
        pinned: &BTreeSet<ExperienceId>,
    ) {
        let found = |outlines: &Outlines| {
            let wanted = asking.wanted.as_ref()?;
            outlines.serving(wanted, asking.now)
        };
        let (served, ghost) = (found(&self.held), found(&self.ghosts));
        if asking.wanted.is_some() {
            self.rate.count(served.is_some());
        }
        let step = Step {
            now: asking.now,
            retrieved: served.as_slice(),
            ghosts: ghost.as_slice(),
            quality: asking.quality_of(served.is_some()),
        };
        let newcomer = newcomer
            .filter(|(id, outline)| !self.held.contains(*id) && self.held.twin(outline).is_none());
        match newcomer {
            Some((id, outline)) => self.offer(&step, id, outline, settings, pinned),
            None => {
                self.replacement.step(&step, None, &mut self.rng);
            }
        }
        self.settle();
    }

    fn offer(
        &mut self,
        step: &Step<'_>,
        id: ExperienceId,
        outline: &Outline,
        settings: &Settings,
        pinned: &BTreeSet<ExperienceId>,
    ) {
        let (bucket, free) = if settings.bucket_capacity == 0 {
            (0, Vec::new())
        } else {
            self.bucket_members(outline.bucket, pinned)
        };
        let room = settings.room((bucket, self.held.len()), &free, pinned);
        let offer = Offer {
            id,
            nearest: &[],
            room,
            stored: self.held.len(),
        };
        match self.replacement.step(step, Some(&offer), &mut self.rng) {
            Some(Decision::Admit { evict }) => {
                if let Some(victim) = evict {
                    self.evict(victim);
                }
                self.held.insert(id, outline.clone());
            }
            Some(Decision::Reject) | None => {
                if self.replacement.is_ghost(id) {
                    self.ghosts.insert(id, outline.clone());
                }
            }
        }
    }

    /// How many a bucket holds, and those of them that may leave, ascending.
    fn bucket_members(
        &self,
        bucket: u64,
        pinned: &BTreeSet<ExperienceId>,
    ) -> (usize, Vec<ExperienceId>) {
        let mut members: Vec<ExperienceId> = self.held.bucket(bucket).collect();
        let all = members.len();
        members.retain(|id| !pinned.contains(id));
        (all, members)
    }

    fn evict(&mut self, victim: ExperienceId) {
        if let Some(outline) = self.held.remove(victim)
            && self.replacement.is_ghost(victim)
        {
            self.ghosts.insert(victim, outline);
        }
    }

    fn settle(&mut self) {
        for gone in self.replacement.take_dropped_ghosts() {
            if !self.replacement.is_ghost(gone) {
                self.ghosts.remove(gone);
            }
        }
        self.rate.held = self.held.len();
    }

    /// Notes were recalled by meaning.
    pub(crate) fn recalled(&mut self, wanted: &Wanted, count: usize, now: Timestamp) {
        let retrieved = self.held.likest(wanted, count, now);
        let step = Step {
            now,
            retrieved: &retrieved,
            ghosts: &[],
            quality: None,
        };
        self.replacement.step(&step, None, &mut self.rng);
        self.settle();
    }

    /// A verdict on what it would have served, which was told with the quality `before`.
    pub(crate) fn judged(&mut self, asking: &Asking, before: Option<f64>) {
        let wanted = asking.wanted.as_ref();
        let served = wanted.and_then(|wanted| self.held.serving(wanted, asking.now));
        if served.is_some() {
            self.tell(served.as_slice(), asking, before);
        }
    }

    /// A verdict on one that it holds, if it does.
    pub(crate) fn note_judged(&mut self, note: (ExperienceId, f32), asking: &Asking) {
        if self.held.contains(note.0) {
            self.tell(&[note], asking, None);
        }
    }

    fn tell(&mut self, retrieved: &[(ExperienceId, f32)], asking: &Asking, before: Option<f64>) {
        let step = Step {
            now: asking.now,
            retrieved,
            ghosts: &[],
            quality: asking.quality,
        };
        self.replacement.judged(&step, before);
    }

    /// Deleted, expired or forgotten: no trace stays.
    pub(crate) fn removed(&mut self, id: ExperienceId) {
        self.replacement.removed(id);
        self.held.remove(id);
        self.ghosts.remove(id);
        self.settle();
    }

    /// `new` repeats `old` with other facts.
    pub(crate) fn replaced(&mut self, old: ExperienceId, new: ExperienceId, outline: &Outline) {
        if self.held.remove(old).is_some() {
            self.replacement.replaced(old, new);
            self.held.insert(new, outline.clone());
        } else {
            self.removed(old);
        }
        self.settle();
    }

    /// Those of its outlines whose question has one of the ascending keys.
    pub(crate) fn asking(&self, questions: &[u64]) -> Vec<ExperienceId> {
        let mut ids = self.held.asking(questions);
        ids.extend(self.ghosts.asking(questions));
        ids
    }

    /// Other bounds: who has no place any more leaves, and the rate begins anew.
    pub(crate) fn resized(&mut self, settings: &Settings, pinned: &BTreeSet<ExperienceId>) {
        let buckets: BTreeSet<u64> = self.held.iter().map(|(_, o)| o.bucket).collect();
        for bucket in buckets.into_iter().filter(|_| settings.bucket_capacity > 0) {
            loop {
                let (size, free) = self.bucket_members(bucket, pinned);
                if size <= settings.bucket_capacity || !self.shrink(Scope::Bucket(&free)) {
                    break;
                }
            }
        }
        while self.held.len() > settings.capacity && self.shrink(Scope::Anywhere { pinned }) {}
        self.replacement.resized(settings.capacity);
        self.settle();
        self.rate = PolicyRate {
            held: self.held.len(),
            ..PolicyRate::new(self.rate.policy, false)
        };
    }

    fn shrink(&mut self, among: Scope<'_>) -> bool {
        let victim = self.replacement.evict(among, &mut self.rng);
        if let Some(victim) = victim {
            self.evict(victim);
        }
        victim.is_some()
    }

    /// Another embedder: vectors that cannot be made anew go.
    pub(crate) fn reembed(&mut self, vector_of: &dyn Fn(ExperienceId) -> Option<Vector>) {
        self.held.reembed(vector_of);
        self.ghosts.reembed(vector_of);
    }
}

impl Settings {
    /// The policy of that name for these bounds.
    pub(crate) fn replacement(&self, name: PolicyName) -> Replacement {
        Replacement::new(name, self.capacity)
    }

    /// Whether a newcomer finds room where its bucket and the whole hold `stored`; `members` are those of its bucket that
    /// may leave, ascending.
    pub(crate) fn room<'s>(
        &self,
        stored: (usize, usize),
        members: &'s [ExperienceId],
        pinned: &'s BTreeSet<ExperienceId>,
    ) -> Room<'s> {
        let (bucket, all) = stored;
        if self.bucket_capacity > 0 && bucket >= self.bucket_capacity {
            Room::Full(Scope::Bucket(members))
        } else if all >= self.capacity {
            Room::Full(Scope::Anywhere { pinned })
        } else {
            Room::Free
        }
    }
}

#[cfg(test)]
mod tests;
