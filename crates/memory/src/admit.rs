//! How does a newcomer get in? The gates, and what the policies are told of each question.
//!
//! The policies hear the truth: what *served*, not what was merely recalled. A question that was planned anew although
//! experiences were recalled is a failure of the memory; one that was answered by a remembered plan is as good as the answer.
//! The word that counts most so far is heard: a person's, else the grounding's where it refuses, else the judge's.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::event::Episode;
use crate::experience::{Experience, Provenance, Stored, Usage};
use crate::gate::{GateVerdict, Nearest, Refusal};
use crate::index::question_key;
use crate::outline::{Outline, Wanted};
use crate::replacement::{Decision, Offer, Step};
use crate::shadow::Asking;
use crate::state::Effect;
use crate::tenant::Tenant;
use crate::{ExperienceId, Namespace, Settings, Timestamp};

/// A question as the live policy is told of it.
pub(crate) struct Asked {
    pub(crate) asking: Asking,
    /// What served it, with the likeness of the two questions.
    pub(crate) served: Option<(ExperienceId, f32)>,
}

impl Asked {
    /// Nothing was asked: an import, or a note.
    pub(crate) const fn nothing(now: Timestamp) -> Self {
        Self {
            asking: Asking::nothing(now),
            served: None,
        }
    }
}

impl Tenant {
    /// What the policies are told of an episode.
    pub(crate) fn asked(&self, episode: &Episode) -> Asked {
        let wanted = episode.plan.as_ref().map(|plan| {
            let masked = &episode.signature.masked;
            Wanted::of(&episode.domain, plan, masked, &episode.masked_vector)
        });
        let served = episode.hit.experience().and_then(|id| {
            let stored = self.memory.stored(id)?;
            let other = &stored.experience;
            let same = other.signature.masked == episode.signature.masked;
            let likeness = if same {
                1.0
            } else {
                other.masked_vector.cosine(&episode.masked_vector)
            };
            Some((id, likeness))
        });
        Asked {
            asking: Asking {
                now: episode.at,
                wanted,
                quality: quality(episode, &self.memory.settings),
            },
            served,
        }
    }

    /// The gates: novelty, grounding, admission.
    pub(crate) fn offer(&mut self, experience: Experience, asked: &Asked) -> GateVerdict {
        let settings = Arc::clone(&self.memory.settings);
        let (id, outline) = (experience.id, Outline::shadow(&experience));
        let twin = self
            .memory
            .nearest_twin(&experience)
            .filter(|t| 1.0 - f64::from(t.similarity) < settings.minimum_novelty)
            .filter(|t| self.is_twin(t.id, &experience));
        if let Some(twin) = twin
            && twin.same_evidence
            && !self.corrects(&experience, twin.id)
        {
            self.tell(asked, Some(twin));
            self.tell_shadows(asked, Some((id, &outline)));
            self.change(twin.id, |usage| usage.suspect = false);
            self.memory.counters.duplicates += 1;
            return GateVerdict::Duplicate {
                of: twin.id,
                similarity: twin.similarity,
            };
        }
        // What a person put right may come back under the id that it has here.
        let comes_back =
            twin.is_some_and(|t| t.id == id) && self.corrects(&experience, experience.id);
        if let Err(refusal) = self.memory.grounding_gate(&experience, &settings)
            && !(comes_back && matches!(refusal, Refusal::SameId { .. }))
        {
            self.policy_step(asked);
            return self.refused(refusal);
        }
        if let Some((twin, old)) = twin.and_then(|t| Some((t, self.memory.stored(t.id)?.usage))) {
            // The facts changed: the new answer inherits what was learned of the old one's usefulness.
            self.tell(asked, Some(twin));
            self.tell_shadows(asked, None);
            let usage = Usage {
                suspect: false,
                ..old
            };
            let stored = Stored {
                usage,
                ..Stored::new(experience)
            };
            self.replace(twin.id, stored);
            self.memory.counters.superseded += 1;
            return GateVerdict::Superseded { old: twin.id, id };
        }
        let verdict = self.admit(experience, asked);
        self.tell_shadows(asked, Some((id, &outline)));
        verdict
    }

    /// A person's answer belongs to its own question: it neither repeats nor replaces another's.
    fn is_twin(&self, id: ExperienceId, newcomer: &Experience) -> bool {
        let stored = self.memory.stored(id);
        newcomer.provenance != Provenance::Edited
            || stored.is_some_and(|s| {
                question_key(&s.experience.question) == question_key(&newcomer.question)
            })
    }

    /// Whether a person put right what is stored as it was.
    fn corrects(&self, newcomer: &Experience, id: ExperienceId) -> bool {
        let stored = self.memory.stored(id);
        newcomer.provenance == Provenance::Edited
            && stored.is_some_and(|s| s.experience.provenance != Provenance::Edited)
    }

    pub(crate) fn admit(&mut self, experience: Experience, asked: &Asked) -> GateVerdict {
        let id = experience.id;
        let settings = Arc::clone(&self.memory.settings);
        let (bucket, members) = if settings.bucket_capacity == 0 {
            (0, Vec::new())
        } else {
            self.bucket_members(&experience.domain, &experience.aspect)
        };
        let pinned = self.pinned.clone();
        let stored = self.memory.len();
        let nearest = if self.replacement.wants_all_neighbours() {
            self.neighbours(&experience)
        } else {
            Vec::new()
        };
        let offer = Offer {
            id,
            nearest: &nearest,
            room: settings.room((bucket, stored), &members, &pinned),
            stored,
        };
        match self.live_step(asked, asked.served, Some(&offer)) {
            Some(Decision::Admit { evict }) => {
                if let Some(victim) = evict {
                    self.evicted(victim);
                }
                self.put(Stored::new(experience));
                self.memory.counters.admitted += 1;
                GateVerdict::Admitted { id, evicted: evict }
            }
            Some(Decision::Reject) | None => {
                self.haunt(&experience);
                self.refused(Refusal::NotAdmitted {
                    policy: settings.policy.as_str().to_owned(),
                })
            }
        }
    }

    /// Everything stored with its likeness to a newcomer, likest first.
    fn neighbours(&self, newcomer: &Experience) -> Vec<(ExperienceId, f32)> {
        let likeness = |stored: &Stored| {
            let vector = &stored.experience.masked_vector;
            (stored.experience.id, vector.cosine(&newcomer.masked_vector))
        };
        let mut all: Vec<_> = self.memory.experiences.values().map(likeness).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all
    }

    /// One step of the live policy.
    fn live_step(
        &mut self,
        asked: &Asked,
        served: Option<(ExperienceId, f32)>,
        offer: Option<&Offer<'_>>,
    ) -> Option<Decision> {
        let asking = &asked.asking;
        if let Some(wanted) = &asking.wanted {
            let held = self.memory.index.has_template(wanted.template);
            if let Some(rate) = self.memory.rates.first_mut() {
                rate.count(served.is_some() || held);
            }
        }
        let ghost = asking
            .wanted
            .as_ref()
            .filter(|_| served.is_none() && self.replacement.wants_ghosts())
            .and_then(|wanted| self.memory.ghosts.serving(wanted, asking.now));
        let step = Step {
            now: asking.now,
            retrieved: served.as_slice(),
            ghosts: ghost.as_slice(),
            quality: asking.quality_of(served.is_some()),
        };
        let decision = self.replacement.step(&step, offer, &mut self.rng);
        self.settle_ghosts();
        decision
    }

    /// A step of the live policy without a newcomer, or whose newcomer repeats `twin`.
    fn tell(&mut self, asked: &Asked, twin: Option<Nearest>) {
        let twin = twin.map(|twin| (twin.id, twin.similarity));
        self.live_step(asked, asked.served.or(twin), None);
    }

    fn tell_shadows(&mut self, asked: &Asked, newcomer: Option<(ExperienceId, &Outline)>) {
        for shadow in &mut self.shadows {
            let settings = &self.memory.settings;
            shadow.consider(&asked.asking, newcomer, settings, &self.pinned);
        }
        self.note_rates();
    }

    /// A step of every policy without a newcomer for the live one. Shadows are offered what served: one that lacks it would
    /// have planned the answer anew, and could have kept it.
    pub(crate) fn policy_step(&mut self, asked: &Asked) {
        self.tell(asked, None);
        let served = asked.served.and_then(|(id, _)| self.memory.stored(id));
        let outline = served.map(|s| (s.experience.id, Outline::shadow(&s.experience)));
        self.tell_shadows(asked, outline.as_ref().map(|(id, outline)| (*id, outline)));
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

    /// Takes in experiences from outside, with how they fared there where that is known. `embedders` as in [`Self::take`].
    pub(crate) fn import<'e>(
        &mut self,
        namespace: &Namespace,
        at: Timestamp,
        lesson_weight: f64,
        entries: impl Iterator<Item = (&'e Experience, Option<Usage>)>,
        embedders: (&str, &str),
    ) -> Effect {
        self.sweep(at);
        let (mut taken, mut duplicates, mut refused) = (0, 0, BTreeMap::new());
        for (experience, usage) in entries {
            self.memory.step += 1;
            let experience = Experience {
                namespace: namespace.clone(),
                ..experience.clone()
            };
            let (weight, lesson) = (lesson_weight.clamp(0.0, 1.0), experience.clone());
            let verdict = self.take(experience, at, embedders);
            if let Some(usage) = usage {
                self.restore(&verdict, usage.bounded(at));
            }
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

    /// What was just taken in fared like this elsewhere. What was known already keeps its own figures, but for a pin.
    fn restore(&mut self, verdict: &GateVerdict, usage: Usage) {
        let id = match verdict {
            GateVerdict::Admitted { id, .. } => {
                self.change(*id, |own| *own = usage);
                *id
            }
            GateVerdict::Superseded { id, .. } | GateVerdict::Duplicate { of: id, .. } => *id,
            GateVerdict::Nothing | GateVerdict::Refused(_) => return,
        };
        if usage.pinned {
            self.pin(id);
        }
    }

    /// Offers an experience that comes without a question. `embedders`: the memory's, and the one that made its vectors.
    pub(crate) fn take(
        &mut self,
        experience: Experience,
        at: Timestamp,
        embedders: (&str, &str),
    ) -> GateVerdict {
        let (known, given) = embedders;
        if known != given {
            return self.refused(Refusal::OtherEmbedder {
                known: known.to_owned(),
                given: given.to_owned(),
            });
        }
        self.offer(experience, &Asked::nothing(at))
    }
}

/// How good an answer is until a person speaks. Grounding decides where it refuses; where it passes, it only says that the
/// values follow from the evidence, and the judge's figure for the plan stands.
fn quality(episode: &Episode, settings: &Settings) -> Option<f64> {
    let judged = episode.quality.filter(|quality| quality.is_finite())?;
    let grounding = episode.candidate.as_ref().map(|c| c.grounding.confidence);
    let ungrounded = grounding.filter(|confidence| *confidence < settings.minimum_grounding);
    Some(ungrounded.unwrap_or(judged).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests;
