//! What does one episode teach?

use std::sync::Arc;

use crate::admit::Asked;
use crate::event::{Candidate, Episode, Hit};
use crate::experience::{Experience, Link, Payload};
use crate::gate::{GateVerdict, Refusal};
use crate::index::question_key;
use crate::lessons::Lessons;
use crate::memory::AnswerRecord;
use crate::persistent::entry;
use crate::posterior::Posterior;
use crate::state::Effect;
use crate::tenant::Tenant;
use crate::{ExperienceId, Namespace, Vector};

impl Tenant {
    pub(crate) fn learn(
        &mut self,
        namespace: &Namespace,
        episode: &Episode,
        known_embedder: String,
    ) -> Effect {
        let expired = self.sweep(episode.at);
        self.memory.step += 1;
        self.count(episode);
        self.note_use(episode);
        let same_embedder = known_embedder == episode.embedder;
        let lesson = if same_embedder {
            self.teach_episode(episode)
        } else {
            (0.0, 0.0)
        };
        let asked = self.asked(episode);
        let gate = self.gate(namespace, episode, &asked, known_embedder);
        self.remember_answer(episode, gate.clone(), lesson, asked.served);
        Effect::Learned { gate, expired }
    }

    fn count(&mut self, episode: &Episode) {
        let counters = &mut self.memory.counters;
        counters.asked += 1;
        match episode.hit {
            Hit::None => {}
            Hit::Exact(_) => counters.hits_exact += 1,
            Hit::Plan(_) => counters.hits_plan += 1,
        }
    }

    fn note_use(&mut self, episode: &Episode) {
        for (id, _) in &episode.recalled {
            self.change(*id, |usage| {
                usage.retrieved += 1;
                usage.last_used = usage.last_used.max(episode.at);
            });
        }
        for id in used(episode) {
            self.change(id, |usage| {
                usage.reused += 1;
                usage.last_used = usage.last_used.max(episode.at);
            });
        }
        if let Hit::Exact(id) = episode.hit {
            // Served as exact means: run again, and its evidence was the same.
            self.change(id, |usage| usage.suspect = false);
        }
    }

    fn teach_episode(&mut self, episode: &Episode) -> (f64, f64) {
        let Some(plan) = &episode.plan else {
            return (0.0, 0.0);
        };
        let evidence = (episode.lesson_weight.clamp(0.0, 1.0), 0.0);
        self.teach(
            &episode.domain,
            &episode.signature.masked,
            &plan.template,
            &episode.masked_vector,
            evidence,
        );
        // A phrase with open slots reaches beyond its own words: only a verdict teaches it.
        for link in episode.links.iter().filter(|link| !link.is_pattern()) {
            self.teach_link(link, evidence);
        }
        evidence
    }

    pub(crate) fn teach(
        &mut self,
        domain: &str,
        masked: &str,
        template: &str,
        vector: &Vector,
        evidence: (f64, f64),
    ) {
        if template.is_empty() || evidence.0 + evidence.1 <= 0.0 {
            return;
        }
        let (step, capacity) = (self.memory.step, self.memory.settings.lessons_capacity);
        let domain: Arc<str> = Arc::from(domain);
        let mut left = 0;
        entry(
            &mut self.memory.lessons,
            &domain,
            Lessons::default,
            |lessons| left = lessons.add((masked, template), vector, evidence, step, capacity),
        );
        self.memory.cut.lessons += left as u64;
    }

    pub(crate) fn teach_link(&mut self, link: &Link, evidence: (f64, f64)) {
        let (step, capacity) = (self.memory.step, self.memory.settings.lexicon_capacity);
        let left = self.memory.lexicon.add(link, evidence, step, capacity);
        self.memory.cut.links += left as u64;
    }

    fn gate(
        &mut self,
        namespace: &Namespace,
        episode: &Episode,
        asked: &Asked,
        known_embedder: String,
    ) -> GateVerdict {
        let Some(candidate) = &episode.candidate else {
            self.policy_step(asked);
            return GateVerdict::Nothing;
        };
        if known_embedder != episode.embedder {
            self.policy_step(asked);
            return self.refused(Refusal::OtherEmbedder {
                known: known_embedder,
                given: episode.embedder.clone(),
            });
        }
        let verdict = self.offer(experience(namespace, episode, candidate), asked);
        if let GateVerdict::Admitted { id, .. } = &verdict
            && let Some(quality) = episode.quality.filter(|quality| quality.is_finite())
        {
            // Grounding says that the answer follows from its evidence; how sure the plan was bounds the trust in it.
            let trust = candidate.grounding.confidence.min(quality).clamp(0.0, 1.0);
            self.change(*id, |usage| {
                usage.posterior = Posterior::default().with(trust, 1.0 - trust)
            });
        }
        verdict
    }

    fn remember_answer(
        &mut self,
        episode: &Episode,
        gate: GateVerdict,
        lesson: (f64, f64),
        served: Option<(ExperienceId, f32)>,
    ) {
        let own = match (&gate, episode.hit) {
            (
                GateVerdict::Admitted { id, .. }
                | GateVerdict::Superseded { id, .. }
                | GateVerdict::Duplicate { of: id, .. },
                _,
            ) => Some(*id),
            (GateVerdict::Nothing | GateVerdict::Refused(_), Hit::Exact(id)) => Some(id),
            (GateVerdict::Nothing | GateVerdict::Refused(_), Hit::None | Hit::Plan(_)) => None,
        };
        let (template, bindings) = episode.plan.as_ref().map_or_else(Default::default, |p| {
            (p.template.clone(), p.bindings.clone())
        });
        let record = AnswerRecord {
            at: episode.at,
            question: episode.question.clone(),
            masked: episode.signature.masked.clone(),
            domain: episode.domain.clone(),
            hit: episode.hit.name().to_owned(),
            template,
            bindings,
            question_key: question_key(&episode.question),
            experience: own,
            reused: used(episode)
                .into_iter()
                .filter(|id| Some(*id) != own)
                .collect(),
            served,
            offered: episode.candidate.as_ref().map(|candidate| candidate.id),
            gate,
            verdict: None,
            masked_vector: episode.masked_vector.clone(),
            lesson,
            links: episode
                .links
                .iter()
                .map(|link| {
                    let taught = if link.is_pattern() { 0.0 } else { 1.0 };
                    (link.clone(), taught * lesson.0, taught * lesson.1)
                })
                .collect(),
            credit: (0.0, 0.0),
        };
        let mut record = record;
        self.credit_quality(episode, &mut record);
        self.memory
            .answers
            .insert_mut(episode.answer, Arc::new(record));
        while self.memory.answers.size() > self.memory.settings.answers_capacity {
            let Some(oldest) = self.memory.answers.first().map(|(id, _)| *id) else {
                break;
            };
            self.memory.answers.remove_mut(&oldest);
        }
    }

    /// Until a person speaks, the answer's own quality is what the experiences it used are credited with.
    fn credit_quality(&mut self, episode: &Episode, record: &mut AnswerRecord) {
        let Some(quality) = episode.quality else {
            return;
        };
        let quality = if quality.is_finite() {
            quality.clamp(0.0, 1.0)
        } else {
            return;
        };
        record.credit = (quality, 1.0 - quality);
        let own = record.experience.filter(|_| {
            !matches!(
                record.gate,
                GateVerdict::Admitted { .. } | GateVerdict::Superseded { .. }
            )
        });
        for id in own.into_iter().chain(record.reused.iter().copied()) {
            self.change(id, |usage| {
                usage.posterior = usage.posterior.with(record.credit.0, record.credit.1)
            });
        }
    }
}

/// The experiences an answer used: the one whose plan was run, and those that spoke for the plan.
fn used(episode: &Episode) -> Vec<ExperienceId> {
    let mut used: Vec<ExperienceId> = episode
        .hit
        .experience()
        .into_iter()
        .chain(episode.helped.iter().copied())
        .collect();
    used.sort();
    used.dedup();
    used
}

fn experience(namespace: &Namespace, episode: &Episode, candidate: &Candidate) -> Experience {
    let plan = episode.plan.iter().cloned().map(Payload::Plan);
    Experience {
        id: candidate.id,
        namespace: namespace.clone(),
        created: episode.at,
        question: episode.question.clone(),
        vector: episode.vector.clone(),
        masked_vector: episode.masked_vector.clone(),
        domain: episode.domain.clone(),
        aspect: candidate.aspect.clone(),
        signature: episode.signature.clone(),
        payloads: plan.chain(candidate.payloads.iter().cloned()).collect(),
        scaffold: candidate.scaffold.clone(),
        answer: candidate.answer.clone(),
        evidence: candidate.evidence.clone(),
        grounding: candidate.grounding,
        lifetime: candidate.lifetime,
        generation: candidate.generation,
        provenance: candidate.provenance,
        answer_id: Some(episode.answer),
        derived_from: episode.hit.experience().into_iter().collect(),
        links: episode.links.clone(),
    }
}
