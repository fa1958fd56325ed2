//! How is one namespace changed? The side that only the learner touches: memory, policy and its random numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::experience::{Experience, Stored, Usage};
use crate::gate::{GateVerdict, Refusal};
use crate::memory::Memory;
use crate::replacement::{Decision, Offer, Replacement, Room, Scope, Step};
use crate::state::Effect;
use crate::{ExperienceId, Namespace, Settings, Timestamp, Vector};

/// One namespace with everything that decides about it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tenant {
    pub(crate) memory: Memory,
    replacement: Replacement,
    rng: ChaCha8Rng,
    pinned: BTreeSet<ExperienceId>,
}

impl Tenant {
    pub(crate) fn new(settings: Settings) -> Self {
        let replacement = Replacement::new(settings.policy, settings.capacity);
        let rng = ChaCha8Rng::seed_from_u64(settings.seed);
        Self {
            memory: Memory::new(settings),
            replacement,
            rng,
            pinned: BTreeSet::new(),
        }
    }

    pub(crate) const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Replaces the settings. A change of policy starts it anew from the experiences in order of their ids.
    pub(crate) fn set(&mut self, settings: Settings) {
        if settings.policy != self.memory.settings.policy
            || settings.seed != self.memory.settings.seed
        {
            self.replacement = Replacement::new(settings.policy, settings.capacity);
            self.rng = ChaCha8Rng::seed_from_u64(settings.seed);
            for stored in self.memory.experiences.values() {
                self.replacement.inserted(stored.experience.id, &[]);
            }
        }
        self.memory.settings = Arc::new(settings);
        while self.memory.len() > self.memory.settings.capacity {
            let Some(victim) = self.replacement.victim(
                Scope::Anywhere {
                    pinned: &self.pinned,
                },
                &mut self.rng,
            ) else {
                break;
            };
            self.remove(victim);
            self.memory.counters.evicted += 1;
        }
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

    /// Takes an experience out, whatever the reason; the policy is told.
    pub(crate) fn remove(&mut self, id: ExperienceId) -> Option<Stored> {
        let stored = self.memory.experiences.get(&id)?.clone();
        self.memory.index.remove(&stored);
        self.memory.experiences.remove_mut(&id);
        self.replacement.removed(id);
        self.pinned.remove(&id);
        Some(stored)
    }

    fn put(&mut self, stored: Stored) {
        if stored.usage.pinned {
            self.pinned.insert(stored.experience.id);
        }
        self.memory.index.insert(&stored);
        self.memory
            .experiences
            .insert_mut(stored.experience.id, stored);
    }

    /// Puts an experience in the place of another that is already out; the policy keeps no seat, it is told of both.
    pub(crate) fn replace(&mut self, stored: Stored) {
        self.replacement.inserted(stored.experience.id, &[]);
        self.put(stored);
    }

    pub(crate) fn pin(&mut self, id: ExperienceId) {
        if self.memory.stored(id).is_some() {
            self.pinned.insert(id);
            self.change(id, |usage| usage.pinned = true);
        }
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

    /// The gates: novelty, grounding, admission.
    pub(crate) fn offer(&mut self, experience: Experience, step: &Step<'_>) -> GateVerdict {
        let settings = Arc::clone(&self.memory.settings);
        let id = experience.id;
        let twin = self
            .memory
            .nearest_twin(&experience)
            .filter(|t| 1.0 - f64::from(t.similarity) < settings.minimum_novelty);
        if let Some(twin) = twin
            && twin.same_evidence
        {
            self.replacement.step(step, None, &mut self.rng);
            self.change(twin.id, |usage| usage.suspect = false);
            self.memory.counters.duplicates += 1;
            return GateVerdict::Duplicate {
                of: twin.id,
                similarity: twin.similarity,
            };
        }
        if let Err(refusal) = self.memory.grounding_gate(&experience, &settings) {
            self.replacement.step(step, None, &mut self.rng);
            return self.refused(refusal);
        }
        if let Some(old) = twin.and_then(|twin| self.remove(twin.id)) {
            // The facts changed: the new answer inherits what was learned of the old one's usefulness.
            self.replacement.step(step, None, &mut self.rng);
            let usage = Usage {
                suspect: false,
                ..old.usage
            };
            self.replace(Stored {
                usage,
                ..Stored::new(experience)
            });
            self.memory.counters.superseded += 1;
            return GateVerdict::Superseded {
                old: old.experience.id,
                id,
            };
        }
        self.admit(experience, step)
    }

    fn admit(&mut self, experience: Experience, step: &Step<'_>) -> GateVerdict {
        let id = experience.id;
        let settings = Arc::clone(&self.memory.settings);
        let bucket = self
            .memory
            .index
            .domain(&experience.domain)
            .and_then(|d| d.aspects.get(experience.aspect.as_str()));
        let full = bucket.filter(|b| b.members.size() >= settings.bucket_capacity);
        let members: Vec<ExperienceId> = full.map_or_else(Vec::new, |b| {
            b.members
                .iter()
                .copied()
                .filter(|m| !self.pinned.contains(m))
                .collect()
        });
        let room = if full.is_some() {
            Room::Full(Scope::Bucket(&members))
        } else if self.memory.len() >= settings.capacity {
            Room::Full(Scope::Anywhere {
                pinned: &self.pinned,
            })
        } else {
            Room::Free
        };
        let offer = Offer {
            id,
            nearest: step.retrieved,
            room,
            stored: self.memory.len(),
        };
        match self.replacement.step(step, Some(&offer), &mut self.rng) {
            Some(Decision::Admit { evict }) => {
                if let Some(victim) = evict {
                    self.remove(victim);
                    self.memory.counters.evicted += 1;
                }
                self.put(Stored::new(experience));
                self.memory.counters.admitted += 1;
                GateVerdict::Admitted { id, evicted: evict }
            }
            Some(Decision::Reject) | None => self.refused(Refusal::NotAdmitted {
                policy: settings.policy.as_str().to_owned(),
            }),
        }
    }

    pub(crate) fn refused(&mut self, refusal: Refusal) -> GateVerdict {
        *self
            .memory
            .counters
            .refused
            .entry(refusal.name().to_owned())
            .or_default() += 1;
        GateVerdict::Refused(refusal)
    }

    /// A step of the policy without a newcomer.
    pub(crate) fn policy_step(&mut self, step: &Step<'_>) {
        self.replacement.step(step, None, &mut self.rng);
    }

    pub(crate) fn import(
        &mut self,
        namespace: &Namespace,
        at: Timestamp,
        lesson_weight: f64,
        experiences: &[Experience],
        embedders: (String, &str),
    ) -> Effect {
        self.sweep(at);
        let (mut taken, mut duplicates, mut refused) = (0, 0, BTreeMap::new());
        for experience in experiences {
            self.memory.step += 1;
            let experience = Experience {
                namespace: namespace.clone(),
                ..experience.clone()
            };
            let step = Step {
                now: at,
                retrieved: &[],
                ghosts: &[],
                quality: None,
            };
            let (weight, lesson) = (lesson_weight.clamp(0.0, 1.0), experience.clone());
            let verdict = if embedders.0 == embedders.1 {
                self.offer(experience, &step)
            } else {
                self.refused(Refusal::OtherEmbedder {
                    known: embedders.0.clone(),
                    given: embedders.1.to_owned(),
                })
            };
            match verdict {
                GateVerdict::Admitted { .. } | GateVerdict::Superseded { .. } => {
                    taken += 1;
                    self.teach(
                        &lesson.domain,
                        &lesson.signature.masked,
                        lesson.template(),
                        &lesson.masked_vector,
                        (weight, 0.0),
                    );
                    for link in &lesson.links {
                        self.teach_link(link, (weight, 0.0));
                    }
                }
                GateVerdict::Duplicate { .. } => duplicates += 1,
                GateVerdict::Refused(refusal) => {
                    *refused.entry(refusal.name().to_owned()).or_default() += 1
                }
                GateVerdict::Nothing => {}
            }
        }
        self.memory.counters.imported += taken;
        Effect::Imported {
            taken,
            duplicates,
            refused,
        }
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
        let domains: Vec<Arc<str>> = self.memory.lessons.keys().cloned().collect();
        for domain in domains {
            if let Some(lessons) = self.memory.lessons.get_mut(&domain) {
                lessons.reembed(vector_of);
            }
        }
    }
}
