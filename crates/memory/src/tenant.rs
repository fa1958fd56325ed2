//! How is one namespace changed? The side that only the learner touches: memory, policy and its random numbers.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::experience::{Experience, Stored, Usage};
use crate::memory::Memory;
use crate::outline::{Outline, Outlines};
use crate::replacement::{Replacement, Scope};
use crate::shadow::{self, PolicyRate, Shadow};
use crate::{ExperienceId, Settings, Timestamp, Vector};

/// One namespace with everything that decides about it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tenant {
    pub(crate) memory: Memory,
    pub(crate) replacement: Replacement,
    pub(crate) rng: ChaCha8Rng,
    pub(crate) pinned: BTreeSet<ExperienceId>,
    pub(crate) shadows: Vec<Shadow>,
}

impl Tenant {
    pub(crate) fn new(settings: Settings) -> Self {
        let mut tenant = Self {
            replacement: settings.replacement(settings.policy),
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
            memory: Memory::new(settings),
            pinned: BTreeSet::new(),
            shadows: Vec::new(),
        };
        tenant.begin();
        tenant
    }

    /// The policies begin anew, from the experiences in order of their ids.
    fn begin(&mut self) {
        let settings = Arc::clone(&self.memory.settings);
        self.replacement = settings.replacement(settings.policy);
        self.rng = ChaCha8Rng::seed_from_u64(settings.seed);
        self.shadows = shadow::beside(&settings);
        self.memory.ghosts = Outlines::default();
        for stored in self.memory.experiences.values() {
            let id = stored.experience.id;
            self.replacement.inserted(id, &[]);
            for shadow in &mut self.shadows {
                shadow.begin_with(id, Outline::shadow(&stored.experience));
            }
        }
        self.memory.rates = vec![PolicyRate::new(settings.policy, true)];
        self.note_rates();
    }

    pub(crate) const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Replaces the settings. Who has no place any more leaves, as the policy that knows them chooses; a change of policy
    /// starts it anew. Gives the number that left.
    pub(crate) fn set(&mut self, settings: Settings) -> u64 {
        let old = Arc::clone(&self.memory.settings);
        let anew = settings.policy != old.policy || settings.seed != old.seed;
        let bounds = |s: &Settings| (s.capacity, s.bucket_capacity);
        let resized = bounds(&settings) != bounds(&old);
        self.memory.settings = Arc::new(settings);
        let evicted = self.shrink();
        if anew {
            self.begin();
        } else if resized {
            self.replacement.resized(self.memory.settings.capacity);
            self.settle_ghosts();
            for shadow in &mut self.shadows {
                shadow.resized(&self.memory.settings, &self.pinned);
            }
            self.memory.rates = vec![PolicyRate::new(self.memory.settings.policy, true)];
            self.note_rates();
        }
        evicted
    }

    /// Evicts until every bound holds, or only the pinned are left.
    fn shrink(&mut self) -> u64 {
        let settings = Arc::clone(&self.memory.settings);
        let mut evicted = 0;
        if settings.bucket_capacity > 0 {
            for (domain, aspect) in self.memory.index.buckets() {
                loop {
                    let (size, free) = self.bucket_members(&domain, &aspect);
                    if size <= settings.bucket_capacity || !self.evict_among(Scope::Bucket(&free)) {
                        break;
                    }
                    evicted += 1;
                }
            }
        }
        let pinned = self.pinned.clone();
        while self.memory.len() > settings.capacity
            && self.evict_among(Scope::Anywhere { pinned: &pinned })
        {
            evicted += 1;
        }
        evicted
    }

    fn evict_among(&mut self, among: Scope<'_>) -> bool {
        let victim = self.replacement.evict(among, &mut self.rng);
        if let Some(victim) = victim {
            self.evicted(victim);
        }
        victim.is_some()
    }

    /// How many a bucket holds, and those of them that may leave, ascending.
    pub(crate) fn bucket_members(&self, domain: &str, aspect: &str) -> (usize, Vec<ExperienceId>) {
        let bucket = self
            .memory
            .index
            .domain(domain)
            .and_then(|d| d.aspects.get(aspect));
        bucket.map_or((0, Vec::new()), |bucket| {
            let free = bucket.members.iter().copied();
            let free = free.filter(|m| !self.pinned.contains(m)).collect();
            (bucket.members.size(), free)
        })
    }

    /// Changes the usage of an experience, if it is there.
    pub(crate) fn change(&mut self, id: ExperienceId, change: impl FnOnce(&mut Usage)) {
        let Some(stored) = self.memory.experiences.get_mut(&id) else {
            return;
        };
        let before = stored.usage.last_used;
        change(&mut stored.usage);
        if stored.usage.last_used != before {
            self.memory.index.used(stored, before);
        }
    }

    /// Takes an experience out for good: deleted, expired or taken back. No policy keeps a trace of it.
    pub(crate) fn remove(&mut self, id: ExperienceId) -> Option<Stored> {
        self.remove_traces(id);
        self.take_out(id)
    }

    /// Makes every policy forget an id, and its ghost go.
    pub(crate) fn remove_traces(&mut self, id: ExperienceId) {
        self.replacement.removed(id);
        self.memory.ghosts.remove(id);
        self.settle_ghosts();
        for shadow in &mut self.shadows {
            shadow.removed(id);
        }
        self.note_rates();
    }

    /// The policy chose one to leave.
    pub(crate) fn evicted(&mut self, id: ExperienceId) {
        if let Some(stored) = self.take_out(id) {
            self.memory.counters.evicted += 1;
            self.haunt(&stored.experience);
        }
    }

    fn take_out(&mut self, id: ExperienceId) -> Option<Stored> {
        let stored = self.memory.experiences.get(&id)?.clone();
        self.memory.index.remove(&stored);
        self.memory.experiences.remove_mut(&id);
        self.pinned.remove(&id);
        Some(stored)
    }

    /// Keeps the outline of one that the policy remembers as a ghost.
    pub(crate) fn haunt(&mut self, experience: &Experience) {
        if self.replacement.is_ghost(experience.id) {
            self.memory
                .ghosts
                .insert(experience.id, Outline::ghost(experience));
        }
    }

    /// Lets go of the ghosts that the policy gave up.
    pub(crate) fn settle_ghosts(&mut self) {
        for gone in self.replacement.take_dropped_ghosts() {
            if !self.replacement.is_ghost(gone) {
                self.memory.ghosts.remove(gone);
            }
        }
    }

    /// Shows readers how the policies fare.
    pub(crate) fn note_rates(&mut self) {
        let held = self.memory.len();
        self.memory.rates.truncate(1);
        if let Some(live) = self.memory.rates.first_mut() {
            live.held = held;
        }
        self.memory
            .rates
            .extend(self.shadows.iter().map(|shadow| shadow.rate));
    }

    pub(crate) fn put(&mut self, stored: Stored) {
        if stored.usage.pinned {
            self.pinned.insert(stored.experience.id);
        }
        self.memory.index.insert(&stored);
        self.memory
            .experiences
            .insert_mut(stored.experience.id, stored);
    }

    /// Puts an experience in the place of `old`, which it repeats or corrects; the policies let it inherit.
    pub(crate) fn replace(&mut self, old: ExperienceId, stored: Stored) {
        let id = stored.experience.id;
        self.take_out(old);
        if old != id {
            self.replacement.replaced(old, id);
            self.memory.ghosts.remove(old);
            let outline = Outline::shadow(&stored.experience);
            for shadow in &mut self.shadows {
                shadow.replaced(old, id, &outline);
            }
        }
        self.put(stored);
    }

    /// Keeps an experience from eviction. Whether it is there.
    pub(crate) fn pin(&mut self, id: ExperienceId) -> bool {
        let there = self.memory.stored(id).is_some();
        if there {
            self.pinned.insert(id);
            self.change(id, |usage| usage.pinned = true);
        }
        there
    }

    pub(crate) fn set_pinned(&mut self, id: ExperienceId, pinned: bool) -> bool {
        if pinned { self.pin(id) } else { self.unpin(id) }
    }

    /// Lets it leave again; who is too many by that leaves at the next newcomer.
    pub(crate) fn unpin(&mut self, id: ExperienceId) -> bool {
        self.pinned.remove(&id);
        self.change(id, |usage| usage.pinned = false);
        self.memory.stored(id).is_some()
    }

    /// Removes what has outlived its lifetime. Expiry is no eviction.
    pub(crate) fn sweep(&mut self, now: Timestamp) -> Vec<ExperienceId> {
        let expired = self.memory.index.expired(now);
        for id in &expired {
            self.remove(*id);
        }
        self.memory.counters.expired += expired.len() as u64;
        expired
    }

    pub(crate) fn reembed(&mut self, vector_of: &dyn Fn(&str) -> Vector) {
        let all: Vec<Stored> = self.memory.experiences.values().cloned().collect();
        for stored in all {
            self.memory.index.remove(&stored);
            let old = stored.experience.as_ref();
            let experience = Experience {
                vector: vector_of(&old.question),
                masked_vector: vector_of(&old.signature.masked),
                ..old.clone()
            };
            let stored = Stored {
                experience: Arc::new(experience),
                usage: stored.usage,
            };
            self.memory.index.insert(&stored);
            self.memory
                .experiences
                .insert_mut(stored.experience.id, stored);
        }
        let experiences = self.memory.experiences.clone();
        let masked = |id| {
            let stored = experiences.get(&id);
            stored.map(|s: &Stored| s.experience.masked_vector.clone())
        };
        self.memory.ghosts.reembed(&masked);
        for shadow in &mut self.shadows {
            shadow.reembed(&masked);
        }
        let domains: Vec<Arc<str>> = self.memory.lessons.keys().cloned().collect();
        for domain in domains {
            if let Some(lessons) = self.memory.lessons.get_mut(&domain) {
                lessons.reembed(vector_of);
            }
        }
    }
}
