//! What is known, all namespaces together? A fold over events: the same events give the same state, bit for bit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{Event, SourceChange};
use crate::feedback::{BlastRadius, FeedbackRefusal};
use crate::forget::Receipt;
use crate::gate::GateVerdict;
use crate::memory::Memory;
use crate::tenant::Tenant;
use crate::{ExperienceId, Namespace, Settings, Vector};

/// What applying an event did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Effect {
    /// An episode went through the gates.
    Learned {
        /// With this outcome.
        gate: GateVerdict,
        /// Experiences whose lifetime had ended.
        expired: Vec<ExperienceId>,
    },
    /// A verdict was carried out, or could not be.
    Judged(Result<BlastRadius, FeedbackRefusal>),
    /// Something was forgotten.
    Forgotten(Receipt),
    /// A source changed.
    Suspected {
        /// How many experiences became suspect.
        experiences: u64,
    },
    /// Experiences came in.
    Imported {
        /// How many were taken.
        taken: u64,
        /// How many were known already.
        duplicates: u64,
        /// How many were refused, by reason.
        refused: BTreeMap<String, u64>,
    },
    /// Settings or vectors were replaced, or nothing was left to do.
    Done,
    /// The bounds became narrower than what was held.
    Shrunk {
        /// How many left, chosen by the policy.
        evicted: u64,
    },
    /// Notes went through the gates.
    Noted {
        /// With this outcome each, in order.
        gates: Vec<GateVerdict>,
    },
    /// A note was judged.
    NoteJudged {
        /// Whether it was there.
        found: bool,
    },
    /// An experience was pinned, or let loose.
    Pinned {
        /// Whether it was there.
        found: bool,
    },
}

impl Effect {
    const fn shrunk(evicted: u64) -> Self {
        if evicted == 0 {
            Self::Done
        } else {
            Self::Shrunk { evicted }
        }
    }
}

mod written;

pub(crate) use written::WithoutCut;
use written::Written;

/// Everything learned, in every namespace.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Written")]
pub struct State {
    pub(crate) embedder: String,
    defaults: Settings,
    tenants: BTreeMap<Namespace, Tenant>,
}

impl State {
    /// An empty state whose namespaces begin with these settings.
    #[must_use]
    pub fn new(defaults: Settings) -> Self {
        Self {
            embedder: String::new(),
            defaults,
            tenants: BTreeMap::new(),
        }
    }

    /// Fingerprint of the embedder that made all vectors; empty before the first.
    #[must_use]
    pub fn embedder(&self) -> &str {
        &self.embedder
    }

    /// The settings with which a namespace begins.
    #[must_use]
    pub const fn defaults(&self) -> &Settings {
        &self.defaults
    }

    /// The memory of a namespace, if anything ever happened in it.
    #[must_use]
    pub fn memory(&self, namespace: &Namespace) -> Option<&Memory> {
        self.tenants.get(namespace).map(Tenant::memory)
    }

    /// Every namespace with its memory: what readers are given. Costs a handful of pointers each.
    #[must_use]
    pub fn memories(&self) -> BTreeMap<Namespace, Memory> {
        self.tenants
            .iter()
            .map(|(name, tenant)| (name.clone(), tenant.memory().clone()))
            .collect()
    }

    /// Carries out one event.
    pub fn apply(&mut self, event: &Event) -> Effect {
        match event {
            Event::Episode { namespace, episode } => {
                let known = self.claim_embedder(&episode.embedder);
                self.tenant(namespace).learn(namespace, episode, known)
            }
            Event::Feedback {
                namespace,
                feedback,
            } => Effect::Judged(self.tenant(namespace).judge(feedback)),
            Event::Forget {
                namespace, targets, ..
            } => self.forget(namespace, targets),
            Event::SourceChanged { source, change, .. } => self.source_changed(source, change),
            Event::Import {
                namespace,
                at,
                embedder,
                lesson_weight,
                experiences,
            } => {
                let known = self.claim_embedder(embedder);
                let entries = experiences.iter().map(|experience| (experience, None));
                let embedders = (known.as_str(), embedder.as_str());
                let tenant = self.tenant(namespace);
                tenant.import(namespace, *at, *lesson_weight, entries, embedders)
            }
            Event::Restored {
                namespace,
                at,
                embedder,
                lesson_weight,
                entries,
            } => {
                let known = self.claim_embedder(embedder);
                let entries = entries
                    .iter()
                    .map(|stored| (stored.experience.as_ref(), Some(stored.usage)));
                let embedders = (known.as_str(), embedder.as_str());
                let tenant = self.tenant(namespace);
                tenant.import(namespace, *at, *lesson_weight, entries, embedders)
            }
            Event::Settings {
                namespace,
                settings,
            } => Effect::shrunk(self.tenant(namespace).set(settings.clone())),
            Event::Reembedded { embedder, vectors } => {
                self.reembed(embedder, vectors);
                Effect::Done
            }
            Event::Defaults { settings } => {
                self.defaults = settings.clone();
                let tenants = self.tenants.values_mut();
                Effect::shrunk(tenants.map(|tenant| tenant.set(settings.clone())).sum())
            }
            Event::Redacted => Effect::Done,
            Event::Pinned {
                namespace,
                experience,
                pinned,
                ..
            } => Effect::Pinned {
                found: self.tenant(namespace).set_pinned(*experience, *pinned),
            },
            Event::Noted { .. } | Event::Recalled { .. } | Event::NoteJudged { .. } => {
                self.apply_note(event)
            }
        }
    }

    fn apply_note(&mut self, event: &Event) -> Effect {
        match event {
            Event::Noted {
                namespace,
                at,
                embedder,
                notes,
            } => {
                let known = self.claim_embedder(embedder);
                let tenant = self.tenant(namespace);
                let gates = tenant.take_notes(namespace, *at, notes, (&known, embedder));
                Effect::Noted { gates }
            }
            Event::Recalled {
                namespace,
                at,
                embedder,
                vector,
                notes,
            } => {
                if self.embedder == *embedder {
                    self.tenant(namespace).notes_recalled(*at, vector, notes);
                }
                Effect::Done
            }
            Event::NoteJudged {
                namespace,
                at,
                note,
                good,
            } => Effect::NoteJudged {
                found: self.tenant(namespace).judge_note(*at, *note, *good),
            },
            Event::Episode { .. }
            | Event::Feedback { .. }
            | Event::Forget { .. }
            | Event::SourceChanged { .. }
            | Event::Import { .. }
            | Event::Restored { .. }
            | Event::Settings { .. }
            | Event::Reembedded { .. }
            | Event::Redacted
            | Event::Defaults { .. }
            | Event::Pinned { .. } => Effect::Done,
        }
    }

    fn tenant(&mut self, namespace: &Namespace) -> &mut Tenant {
        self.tenants
            .entry(namespace.clone())
            .or_insert_with(|| Tenant::new(self.defaults.clone()))
    }

    fn forget(&mut self, namespace: &Namespace, targets: &crate::event::ForgetTargets) -> Effect {
        if targets.everything {
            let gone = self.tenants.remove(namespace);
            return Effect::Forgotten(
                gone.map_or_else(Receipt::default, |tenant| Receipt::of_all(tenant.memory())),
            );
        }
        match self.tenants.get_mut(namespace) {
            Some(tenant) => Effect::Forgotten(tenant.forget(targets)),
            None => Effect::Forgotten(Receipt::default()),
        }
    }

    fn source_changed(&mut self, source: &str, change: &SourceChange) -> Effect {
        let experiences = self
            .tenants
            .values_mut()
            .map(|tenant| tenant.source_changed(source, change))
            .sum();
        Effect::Suspected { experiences }
    }

    fn reembed(&mut self, embedder: &str, vectors: &[(String, Vector)]) {
        embedder.clone_into(&mut self.embedder);
        let by_text: BTreeMap<&str, &Vector> = vectors
            .iter()
            .map(|(text, vector)| (text.as_str(), vector))
            .collect();
        for tenant in self.tenants.values_mut() {
            tenant.reembed(&|text| {
                by_text
                    .get(text)
                    .map_or_else(Vector::default, |v| (*v).clone())
            });
        }
    }

    /// The first embedder is taken as the memory's own. Returns the memory's.
    fn claim_embedder(&mut self, given: &str) -> String {
        if self.embedder.is_empty() {
            given.clone_into(&mut self.embedder);
        }
        self.embedder.clone()
    }

    /// Every text that has a vector, for an embedder that makes all of them anew.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self
            .tenants
            .values()
            .flat_map(|tenant| tenant.memory().texts())
            .collect();
        texts.sort();
        texts.dedup();
        texts
    }
}

#[cfg(test)]
mod tests;
