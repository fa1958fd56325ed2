//! What does a verdict on an answer reach?
//!
//! Good raises, bad takes back: the experience that *is* the answer goes, whatever was derived from it goes, and those it
//! used are lowered. The template gets a failure for this wording, the links of its chain share the blame, and a person's
//! verdict also keeps the same answer from coming back. A later verdict replaces an earlier one, unless the earlier judge
//! ranks higher: person > evidence > entailment > model. What was taken back does not return when a verdict is changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::admit::Asked;
use crate::event::{Feedback, Verdict};
use crate::experience::{AnswerText, Experience, Grounding, Judge, Provenance, Stored};
use crate::gate::{GateVerdict, veto_key};
use crate::index::question_key;
use crate::memory::AnswerRecord;
use crate::outline::Wanted;
use crate::replacement::Step;
use crate::shadow::Asking;
use crate::signature::Signature;
use crate::tenant::Tenant;
use crate::{AnswerId, ExperienceId};

/// What a verdict changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlastRadius {
    /// The answer judged.
    pub answer: AnswerId,
    /// Experiences taken back.
    pub retracted: Vec<ExperienceId>,
    /// Experiences dropped because they derived from one taken back.
    pub dropped: Vec<ExperienceId>,
    /// Experiences whose posterior sank.
    pub lowered: Vec<ExperienceId>,
    /// Experiences whose posterior rose.
    pub raised: Vec<ExperienceId>,
    /// The experience that now holds the corrected answer.
    pub corrected: Option<ExperienceId>,
    /// Lessons changed: 1 or 0.
    pub lessons: u64,
    /// Links of phrase and predicate changed.
    pub links: u64,
    /// Whether this answer to this question is kept from coming back.
    pub vetoed: bool,
}

/// Why a verdict was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FeedbackRefusal {
    /// The answer is unknown: never given in this namespace, forgotten, or too long ago.
    #[error(
        "answer {answer} is not known here: it was never given in this namespace, was forgotten, or is too old"
    )]
    UnknownAnswer {
        /// Which.
        answer: AnswerId,
    },
    /// Someone whose word counts more has spoken.
    #[error("answer {answer} was already judged by {by:?}, which outranks this verdict")]
    Outranked {
        /// Which.
        answer: AnswerId,
        /// Who has spoken.
        by: Judge,
    },
}

/// What one verdict counts.
const VERDICT_WEIGHT: f64 = 1.0;

impl Tenant {
    pub(crate) fn judge(&mut self, feedback: &Feedback) -> Result<BlastRadius, FeedbackRefusal> {
        let answer = feedback.answer;
        let Some(record) = self.memory.answers.get(&answer).cloned() else {
            return Err(FeedbackRefusal::UnknownAnswer { answer });
        };
        if let Some((_, by)) = record.verdict
            && by > feedback.judge
        {
            return Err(FeedbackRefusal::Outranked { answer, by });
        }
        self.sweep(feedback.at);
        self.memory.step += 1;
        let mut record = AnswerRecord::clone(&record);
        self.tell_verdict(&record, feedback);
        self.take_back(&mut record);
        let mut radius = BlastRadius {
            answer,
            retracted: Vec::new(),
            dropped: Vec::new(),
            lowered: Vec::new(),
            raised: Vec::new(),
            corrected: None,
            lessons: 0,
            links: 0,
            vetoed: false,
        };
        match &feedback.verdict {
            Verdict::Good => self.good(&mut record, &mut radius),
            Verdict::Bad => self.bad(answer, &mut record, feedback.judge, &mut radius),
            Verdict::Edit(text) => self.edit(&mut record, text, feedback, &mut radius),
        }
        record.verdict = Some((feedback.verdict.clone(), feedback.judge));
        self.memory.answers.insert_mut(answer, Arc::new(record));
        Ok(radius)
    }

    /// The policies hear the verdict in place of the quality that they were told with the answer.
    fn tell_verdict(&mut self, record: &AnswerRecord, feedback: &Feedback) {
        let quality = match feedback.verdict {
            Verdict::Good => 1.0,
            Verdict::Bad | Verdict::Edit(_) => 0.0,
        };
        let (right, wrong) = record.credit;
        let before = (right + wrong > 0.0).then_some(right);
        let wanted = (!record.template.is_empty()).then(|| {
            Wanted::by_template(
                &record.domain,
                &record.template,
                &record.masked,
                &record.masked_vector,
            )
        });
        let asking = Asking {
            now: feedback.at,
            wanted,
            quality: Some(quality),
        };
        if let Some(served) = record.served {
            let step = Step {
                now: feedback.at,
                retrieved: &[served],
                ghosts: &[],
                quality: Some(quality),
            };
            self.replacement.judged(&step, before);
        }
        for shadow in &mut self.shadows {
            shadow.judged(&asking, before);
        }
    }

    /// Undoes what the answer, or an earlier verdict on it, put into lessons, lexicon and posteriors.
    fn take_back(&mut self, record: &mut AnswerRecord) {
        if let Some(lessons) = self.memory.lessons.get_mut(record.domain.as_str()) {
            lessons.subtract((&record.masked, &record.template), record.lesson);
        }
        for (link, successes, failures) in &record.links {
            self.memory.lexicon.subtract(link, (*successes, *failures));
        }
        for id in credited(record) {
            self.change(id, |usage| {
                usage.posterior = usage.posterior.without(record.credit.0, record.credit.1)
            });
        }
        let key = veto_key(
            &record.domain,
            &record.masked,
            &record.template,
            &record.bindings,
        );
        self.lift_veto(key);
        record.lesson = (0.0, 0.0);
        record.credit = (0.0, 0.0);
    }

    fn good(&mut self, record: &mut AnswerRecord, radius: &mut BlastRadius) {
        self.memory.counters.good += 1;
        self.teach_verdict(record, (VERDICT_WEIGHT, 0.0), radius);
        record.credit = (VERDICT_WEIGHT, 0.0);
        for id in record
            .experience
            .into_iter()
            .chain(record.reused.iter().copied())
        {
            self.credit(id, record.credit, &mut radius.raised);
        }
    }

    fn bad(
        &mut self,
        answer: AnswerId,
        record: &mut AnswerRecord,
        judge: Judge,
        radius: &mut BlastRadius,
    ) {
        self.teach_verdict(record, (0.0, VERDICT_WEIGHT), radius);
        record.credit = (0.0, VERDICT_WEIGHT);
        if let Some(own) = record.experience {
            self.retract(own, radius);
        }
        if let Some(offered) = record
            .offered
            .filter(|id| self.memory.stored(*id).is_none())
        {
            // It may have been refused or evicted: no ghost of a wrong answer stays, and no shadow counts on it.
            self.remove_traces(offered);
        }
        for id in record.reused.iter().copied() {
            self.credit(id, record.credit, &mut radius.lowered);
        }
        if judge == Judge::Person && !record.template.is_empty() {
            let key = veto_key(
                &record.domain,
                &record.masked,
                &record.template,
                &record.bindings,
            );
            self.veto(key, answer);
            radius.vetoed = true;
        }
        self.memory.counters.bad += 1;
    }

    /// Other values mean that the plan was wrong; the same values in other words mean that it was right.
    fn edit(
        &mut self,
        record: &mut AnswerRecord,
        text: &AnswerText,
        feedback: &Feedback,
        radius: &mut BlastRadius,
    ) {
        self.memory.counters.edits += 1;
        let old = record
            .experience
            .and_then(|id| self.memory.stored(id))
            .cloned();
        let same_values = old
            .as_ref()
            .is_some_and(|s| values(&s.experience.answer) == values(text));
        let evidence = if same_values {
            (VERDICT_WEIGHT, 0.0)
        } else {
            (0.0, VERDICT_WEIGHT)
        };
        self.teach_verdict(record, evidence, radius);
        record.credit = evidence;
        for id in record.reused.iter().copied() {
            self.credit(
                id,
                evidence,
                if same_values {
                    &mut radius.raised
                } else {
                    &mut radius.lowered
                },
            );
        }
        let Some(old) = old else { return };
        let id = match self.for_its_own_question(&old.experience, record, feedback) {
            Some(id) => id,
            None => old.experience.id,
        };
        let Some(own) = self.memory.stored(id).cloned() else {
            return;
        };
        self.drop_derived(id, radius);
        let corrected = Experience {
            answer: text.clone(),
            grounding: Grounding {
                confidence: 1.0,
                judge: feedback.judge,
            },
            provenance: Provenance::Edited,
            ..own.experience.as_ref().clone()
        };
        let stored = Stored {
            experience: Arc::new(corrected),
            usage: own.usage,
        };
        self.replace(id, stored);
        if feedback.judge == Judge::Person {
            self.pin(id);
        }
        record.experience = Some(id);
        radius.corrected = Some(id);
    }

    /// An answer that repeats another question's experience is corrected for its own question: it gets an experience of
    /// its own, if the policy has room for it.
    fn for_its_own_question(
        &mut self,
        old: &Experience,
        record: &AnswerRecord,
        feedback: &Feedback,
    ) -> Option<ExperienceId> {
        let id = ExperienceId(feedback.answer.0);
        if question_key(&old.question) == record.question_key || self.memory.stored(id).is_some() {
            return None;
        }
        let own = Experience {
            id,
            question: record.question.clone(),
            signature: Signature::extract(&record.masked, old.signature.slots.clone()),
            masked_vector: record.masked_vector.clone(),
            ..old.clone()
        };
        match self.admit(own, &Asked::nothing(feedback.at)) {
            GateVerdict::Admitted { id, .. } => Some(id),
            GateVerdict::Nothing
            | GateVerdict::Duplicate { .. }
            | GateVerdict::Superseded { .. }
            | GateVerdict::Refused(_) => None,
        }
    }

    fn teach_verdict(
        &mut self,
        record: &mut AnswerRecord,
        evidence: (f64, f64),
        radius: &mut BlastRadius,
    ) {
        // A refusal ran no template, but may have blamed a word.
        if !record.template.is_empty() {
            let vector = record.masked_vector.clone();
            record.lesson = evidence;
            self.teach(
                &record.domain.clone(),
                &record.masked.clone(),
                &record.template.clone(),
                &vector,
                evidence,
            );
            radius.lessons = 1;
        }
        let links: Vec<_> = record.links.iter().map(|(link, ..)| link.clone()).collect();
        let blame = self.memory.lexicon.blame(&links, evidence.1);
        record.links = links
            .into_iter()
            .zip(blame)
            .map(|(link, failures)| (link, evidence.0, failures))
            .collect();
        for (link, successes, failures) in &record.links {
            self.teach_link(link, (*successes, *failures));
        }
        radius.links = record.links.len() as u64;
    }

    fn credit(&mut self, id: ExperienceId, evidence: (f64, f64), list: &mut Vec<ExperienceId>) {
        if self.memory.stored(id).is_some() {
            self.change(id, |usage| {
                usage.posterior = usage.posterior.with(evidence.0, evidence.1)
            });
            list.push(id);
        }
    }

    fn retract(&mut self, id: ExperienceId, radius: &mut BlastRadius) {
        self.drop_derived(id, radius);
        if self.remove(id).is_some() {
            self.memory.counters.retracted += 1;
            radius.retracted.push(id);
        }
    }

    /// Drops what was derived from an experience, and from that in turn.
    fn drop_derived(&mut self, id: ExperienceId, radius: &mut BlastRadius) {
        let (mut seen, mut open) = (BTreeSet::from([id]), vec![id]);
        while let Some(parent) = open.pop() {
            let children: Vec<ExperienceId> = self.memory.index.derived_from(parent).collect();
            open.extend(children.into_iter().filter(|child| seen.insert(*child)));
        }
        seen.remove(&id);
        for child in seen {
            if self.remove(child).is_some() {
                self.memory.counters.retracted += 1;
                radius.dropped.push(child);
            }
        }
    }

    fn veto(&mut self, key: u64, answer: AnswerId) {
        self.memory.vetoes.insert_mut(key, answer);
        self.memory.vetoes_by_age.insert_mut((answer, key));
        while self.memory.vetoes.size() > self.memory.settings.vetoes_capacity {
            let Some((_, oldest)) = self.memory.vetoes_by_age.first().copied() else {
                break;
            };
            self.lift_veto(oldest);
        }
    }

    pub(crate) fn lift_veto(&mut self, key: u64) -> bool {
        let Some(answer) = self.memory.vetoes.get(&key).copied() else {
            return false;
        };
        self.memory.vetoes.remove_mut(&key);
        self.memory.vetoes_by_age.remove_mut(&(answer, key));
        true
    }
}

/// The experiences whose posterior the answer changed: not one that it made, unless a person judged it.
fn credited(record: &AnswerRecord) -> Vec<ExperienceId> {
    let fresh = matches!(
        record.gate,
        GateVerdict::Admitted { .. } | GateVerdict::Superseded { .. }
    ) && record.verdict.is_none();
    let own = record
        .experience
        .filter(|_| !fresh && !matches!(record.verdict, Some((Verdict::Edit(_), _))));
    own.into_iter()
        .chain(record.reused.iter().copied())
        .collect()
}

fn values(answer: &AnswerText) -> BTreeSet<&str> {
    answer
        .values
        .iter()
        .map(|value| value.term.as_str())
        .collect()
}

#[cfg(test)]
mod tests;
