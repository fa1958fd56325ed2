//! What does an answer from documents consist of, whoever worded it?
//!
//! An extract is a sentence; a model's answer is a few words that sentences hold. Both are cited, kept and served alike.

use graph_rag::Index;
use graph_rag::answer::{Answer as Extract, Citation};
use graph_rag::generation::Generated;
use memory::{Experience, ExperienceId, Memory, Payload, StoredPlan, Timestamp};

use super::verdicts::{Verdicts, plan, sentences_of, worded_plan};
use super::{Attempt, cited, evidence, same_words};
use crate::answer::{Answer, HitKind};

/// A sentence is cited beside the best one if it speaks at least so much to the question, as a share.
const CITED_SHARE: f64 = 0.5;

/// Most passages that a model reads, and that its answer then rests on.
pub(crate) const READ: usize = 5;

/// A model's answer that is no surer than this says something else than its sentences do, word for word.
const LEAST_KEPT: f32 = 0.45;

/// An answer and what it stands on.
pub(crate) struct Given {
    pub(crate) text: String,
    pub(crate) explanation: String,
    pub(crate) citations: Vec<Citation>,
    pub(crate) chain: Vec<String>,
    /// The passages, by place, that it would change with.
    pub(crate) rests_on: Vec<u32>,
    pub(crate) confidence: f32,
    /// What it did, as verdicts tell answers apart.
    pub(crate) plan: Option<StoredPlan>,
    worded: bool,
}

impl Given {
    pub(crate) fn extracted(index: &Index, mut extract: Extract) -> Self {
        let explanation = extract.text();
        let rests_on = extract.citations.iter().map(|c| c.passage).collect();
        let best = extract.citations.first();
        let text = best.map(|c| c.text.clone()).unwrap_or_default();
        let plan = best.and_then(|best| plan(index, best.passage, &best.text));
        let least = best.map_or(0.0, |c| CITED_SHARE * c.score);
        extract.citations.retain(|c| c.score >= least);
        #[expect(clippy::cast_possible_truncation, reason = "a share in [0, 1]")]
        let confidence = extract.confidence as f32;
        Self {
            text,
            explanation,
            citations: extract.citations,
            chain: extract.chain.into_iter().map(|link| link.entity).collect(),
            rests_on,
            confidence,
            plan,
            worded: false,
        }
    }

    /// A model's answer; `read` are the passages that it was shown.
    pub(crate) fn worded(
        index: &Index,
        generated: Generated,
        read: Vec<u32>,
        confidence: f32,
    ) -> Self {
        Self {
            plan: worded_plan(index, &generated.citations, &generated.answer),
            text: generated.answer,
            explanation: generated.explanation,
            citations: generated.citations,
            chain: Vec::new(),
            rests_on: read,
            confidence,
            worded: true,
        }
    }

    /// Whether it, or a sentence that it rests on, was called wrong for the same words.
    pub(crate) fn is_vetoed(&self, index: &Index, verdicts: &Verdicts<'_>) -> bool {
        let cited = self.citations.iter();
        let sentences = cited.filter_map(|c| plan(index, c.passage, &c.text));
        let mut all = sentences.chain(self.plan.clone());
        all.any(|plan| verdicts.vetoed(&plan))
    }

    /// Whether it may be remembered: an extract, or a model's answer in the question's own words.
    pub(crate) fn may_be_kept(&self) -> bool {
        !self.worded || self.confidence > LEAST_KEPT
    }

    /// What an experience keeps of it, beside the text.
    pub(crate) fn payloads(&self, map: Vec<(String, f32)>) -> Vec<Payload> {
        let plan = self.plan.clone().filter(|_| self.worded);
        let activation = Payload::Activation(map);
        std::iter::once(activation)
            .chain(plan.map(Payload::Plan))
            .collect()
    }
}

/// A remembered answer that may be served as it is.
pub(crate) struct Served<'m> {
    pub(crate) id: ExperienceId,
    experience: &'m Experience,
    /// The sentences of an answer in a model's words.
    citations: Option<Vec<Citation>>,
}

impl Attempt<'_> {
    /// The places of the passages that a model reads.
    pub(crate) fn read(&self) -> Vec<u32> {
        let found = self.retrieval.found.passages.iter();
        found.take(READ).map(|ranked| ranked.passage).collect()
    }

    /// The remembered answer to the same words, if it rests on just what is found now.
    pub(crate) fn served<'m>(
        &self,
        memory: &'m Memory,
        question: &str,
        now: Timestamp,
    ) -> Option<Served<'m>> {
        let (corpus, index) = (self.corpus.name(), &self.held.index);
        let words = same_words(question);
        let extracted = self
            .given
            .as_ref()
            .ok()
            .filter(|given| given.confidence >= super::LEAST_CONFIDENCE && !words.negated);
        let extracted = extracted.map(|g| evidence(corpus, index, &g.rests_on).fingerprint);
        let read = evidence(corpus, index, &self.read()).fingerprint;
        let known = memory.same_wording(corpus, &words.masked, now).into_iter();
        known
            .filter(|stored| !stored.usage.suspect)
            .find_map(|stored| {
                let experience = stored.experience.as_ref();
                let of = experience.evidence.fingerprint;
                let worded = experience.plan().and_then(|plan| sentences_of(index, plan));
                let holds = match &worded {
                    Some(_) => of == read,
                    None => Some(of) == extracted,
                };
                holds.then_some(Served {
                    id: experience.id,
                    experience,
                    citations: worded,
                })
            })
    }
}

impl Served<'_> {
    /// What was served, for verdicts on it; nothing where it is what was found now.
    pub(crate) fn given(&self, attempt: &Attempt<'_>) -> Option<Given> {
        let citations = self.citations.clone()?;
        #[expect(clippy::cast_possible_truncation, reason = "a share in [0, 1]")]
        let confidence = self.experience.grounding.confidence as f32;
        Some(Given {
            text: self.experience.answer.text.clone(),
            explanation: String::new(),
            citations,
            chain: Vec::new(),
            rests_on: attempt.read(),
            confidence,
            plan: self.experience.plan().cloned(),
            worded: true,
        })
    }

    pub(crate) fn put_into(&self, answer: &mut Answer, attempt: &Attempt<'_>, now: Timestamp) {
        if let Some(citations) = &self.citations {
            answer.refused = false;
            answer.reason = None;
            answer.chain.clear();
            answer.passages = cited(attempt.held, citations);
            #[expect(clippy::cast_possible_truncation, reason = "a share in [0, 1]")]
            let confidence = self.experience.grounding.confidence as f32;
            answer.confidence = confidence;
        }
        answer.hit_kind = HitKind::Exact;
        answer.text.clone_from(&self.experience.answer.text);
        answer.experience = Some(self.id.to_string());
        answer.similarity = Some(1.0);
        answer.age_seconds = Some(now.millis_since(self.experience.created) / 1_000);
    }
}
