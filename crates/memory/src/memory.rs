//! What does one namespace know? The side that questions read.
//!
//! A clone is a handful of pointers. Only [`State::apply`](crate::State::apply) changes a memory.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::Verdict;
use crate::experience::{Binding, Judge, Link, Stored, StoredPlan};
use crate::gate::{GateVerdict, veto_key};
use crate::index::{Index, plan_key, template_key};
use crate::lessons::Lessons;
use crate::lexicon::Lexicon;
use crate::outline::Outlines;
use crate::persistent::{Map, Set};
use crate::shadow::PolicyRate;
use crate::stats::{Counters, Cut};
use crate::{AnswerId, ExperienceId, Settings, Timestamp, Ulid};

/// Experiences of one question that are given at most.
const SAME_QUESTION: usize = 8;

/// What an answer left behind, so that feedback on it and forgetting it can be carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// When it was given.
    pub at: Timestamp,
    /// The question.
    pub question: String,
    /// The masked question.
    pub masked: String,
    /// The source.
    pub domain: String,
    /// `none`, `exact` or `plan`.
    pub hit: String,
    /// The plan that was run.
    pub template: String,
    /// What filled its slots.
    pub bindings: Vec<Binding>,
    /// Hash of the question, for forgetting.
    pub question_key: u64,
    /// The experience that is this answer: made by it, repeated by it, or served as it.
    pub experience: Option<ExperienceId>,
    /// Experiences that were used to make it.
    pub reused: Vec<ExperienceId>,
    /// The experience that served it, with the likeness of the two questions, in [-1, 1].
    pub served: Option<(ExperienceId, f32)>,
    /// The id under which it was offered to the memory, taken or not.
    pub offered: Option<ExperienceId>,
    /// What the gates made of it.
    pub gate: GateVerdict,
    /// The verdict on it, if any, and whose.
    pub verdict: Option<(Verdict, Judge)>,
    /// The masked question's vector, so that a verdict can teach it.
    pub(crate) masked_vector: crate::Vector,
    /// What it put into the lessons: successes, failures.
    pub(crate) lesson: (f64, f64),
    /// What it put into the lexicon, by link: successes, failures.
    pub(crate) links: Vec<(Link, f64, f64)>,
    /// What it put into the posteriors of the experiences it used: successes, failures.
    pub(crate) credit: (f64, f64),
}

/// The memory of one namespace.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Parts")]
pub struct Memory {
    pub(crate) settings: Arc<Settings>,
    pub(crate) experiences: Map<ExperienceId, Stored>,
    pub(crate) lessons: Map<Arc<str>, Lessons>,
    pub(crate) lexicon: Lexicon,
    pub(crate) answers: Map<AnswerId, Arc<AnswerRecord>>,
    pub(crate) vetoes: Map<u64, AnswerId>,
    pub(crate) vetoes_by_age: Set<(AnswerId, u64)>,
    pub(crate) counters: Counters,
    /// Refused and evicted experiences without their text; never served.
    pub(crate) ghosts: Outlines,
    /// How the live policy fares, first, and those in shadow.
    pub(crate) rates: Vec<PolicyRate>,
    /// Counts the changes; ages of tallies are told in it.
    pub(crate) step: u64,
    /// Written behind all tenants: the state of an earlier format ends before it.
    #[serde(skip)]
    pub(crate) cut: Cut,
    #[serde(skip)]
    pub(crate) index: Index,
}

#[derive(Deserialize)]
struct Parts {
    settings: Arc<Settings>,
    experiences: Map<ExperienceId, Stored>,
    lessons: Map<Arc<str>, Lessons>,
    lexicon: Lexicon,
    answers: Map<AnswerId, Arc<AnswerRecord>>,
    vetoes: Map<u64, AnswerId>,
    vetoes_by_age: Set<(AnswerId, u64)>,
    counters: Counters,
    ghosts: Outlines,
    rates: Vec<PolicyRate>,
    step: u64,
}

impl From<Parts> for Memory {
    fn from(parts: Parts) -> Self {
        let mut index = Index::default();
        for stored in parts.experiences.values() {
            index.insert(stored);
        }
        Self {
            settings: parts.settings,
            experiences: parts.experiences,
            lessons: parts.lessons,
            lexicon: parts.lexicon,
            answers: parts.answers,
            vetoes: parts.vetoes,
            vetoes_by_age: parts.vetoes_by_age,
            counters: parts.counters,
            ghosts: parts.ghosts,
            rates: parts.rates,
            step: parts.step,
            cut: Cut::default(),
            index,
        }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

impl Memory {
    /// An empty memory.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            experiences: Map::new_sync(),
            lessons: Map::new_sync(),
            lexicon: Lexicon::default(),
            answers: Map::new_sync(),
            vetoes: Map::new_sync(),
            vetoes_by_age: Set::new_sync(),
            counters: Counters::default(),
            ghosts: Outlines::default(),
            rates: Vec::new(),
            step: 0,
            cut: Cut::default(),
            index: Index::default(),
        }
    }

    /// Its bounds and thresholds.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many experiences there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.experiences.size()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.experiences.is_empty()
    }

    /// One experience.
    #[must_use]
    pub fn stored(&self, id: ExperienceId) -> Option<&Stored> {
        self.experiences.get(&id)
    }

    /// Every experience, oldest first.
    pub fn experiences(&self) -> impl DoubleEndedIterator<Item = &Stored> {
        self.experiences.values()
    }

    /// The ids of the experiences in a range of ids, ascending.
    pub fn experiences_between(
        &self,
        ids: RangeInclusive<Ulid>,
    ) -> impl Iterator<Item = ExperienceId> {
        let (first, last) = ids.into_inner();
        let within = ExperienceId(first)..=ExperienceId(last);
        self.experiences.range(within).map(|(id, _)| *id)
    }

    /// The ids of the answers in a range of ids, ascending.
    pub fn answers_between(&self, ids: RangeInclusive<Ulid>) -> impl Iterator<Item = AnswerId> {
        let (first, last) = ids.into_inner();
        let within = AnswerId(first)..=AnswerId(last);
        self.answers.range(within).map(|(id, _)| *id)
    }

    /// The experiences of a domain that came from this very question, at most a few.
    #[must_use]
    pub fn same_question(&self, domain: &str, question: &str, now: Timestamp) -> Vec<&Stored> {
        let ids = self
            .index
            .with_question(crate::index::question_key(question));
        ids.filter_map(|id| self.stored(id))
            .filter(|stored| stored.experience.domain == domain && !stored.expired(now))
            .take(SAME_QUESTION)
            .collect()
    }

    /// The experiences with exactly this masked question, one for each template, those with the best record first.
    #[must_use]
    pub fn same_wording(&self, domain: &str, masked: &str, now: Timestamp) -> Vec<&Stored> {
        let Some(text) = self
            .index
            .domain(domain)
            .and_then(|index| index.texts.get(masked))
        else {
            return Vec::new();
        };
        let newest = |ids: &Set<ExperienceId>| {
            ids.iter()
                .rev()
                .filter_map(|id| self.stored(*id))
                .find(|s| !s.expired(now))
                .map(|s| s.experience.id)
        };
        let mean = |stored: &Stored| {
            let tally = self
                .lessons(domain)
                .and_then(|l| l.tally(masked, stored.experience.template()))
                .unwrap_or_default();
            (tally.successes + 1.0) / (tally.evidence() + 2.0)
        };
        let mut out: Vec<&Stored> = text
            .templates
            .values()
            .filter_map(newest)
            .filter_map(|id| self.stored(id))
            .collect();
        out.sort_by(|a, b| {
            mean(b)
                .total_cmp(&mean(a))
                .then_with(|| a.experience.template().cmp(b.experience.template()))
        });
        out
    }

    /// The newest experience with this very plan and bindings: whose verified wording may be served if its evidence is
    /// still the same. With `masked`, one with that wording is preferred.
    #[must_use]
    pub fn same_plan(
        &self,
        domain: &str,
        plan: &StoredPlan,
        masked: &str,
        now: Timestamp,
    ) -> Option<&Stored> {
        let twins = self
            .index
            .with_plan(plan_key(domain, plan))
            .rev()
            .filter_map(|id| self.stored(id));
        let mut same = twins.filter(|s| {
            !s.expired(now)
                && s.experience.domain == domain
                && s.experience.plan().is_some_and(|p| same_bound(p, plan))
        });
        let first = same.next()?;
        if first.experience.signature.masked == masked {
            return Some(first);
        }
        same.find(|s| s.experience.signature.masked == masked)
            .or(Some(first))
    }

    /// The newest experiences with this template, whatever it is bound to and however it was worded, at most `limit`.
    #[must_use]
    pub fn same_template(
        &self,
        domain: &str,
        template: &str,
        limit: usize,
        now: Timestamp,
    ) -> Vec<&Stored> {
        self.index
            .with_plan(template_key(domain, template))
            .rev()
            .filter_map(|id| self.stored(id))
            .filter(|s| {
                !s.expired(now)
                    && s.experience.domain == domain
                    && s.experience.template() == template
            })
            .take(limit)
            .collect()
    }

    /// What the domain's questions taught about templates.
    #[must_use]
    pub fn lessons(&self, domain: &str) -> Option<&Lessons> {
        self.lessons.get(domain)
    }

    /// What phrases were found to mean.
    #[must_use]
    pub const fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// The answer that a person called wrong, if this plan with these bindings was the answer to this masked question.
    #[must_use]
    pub fn veto(&self, domain: &str, masked: &str, plan: &StoredPlan) -> Option<AnswerId> {
        self.vetoes
            .get(&veto_key(domain, masked, &plan.template, &plan.bindings))
            .copied()
    }

    /// What is known of an answer given.
    #[must_use]
    pub fn answer(&self, id: AnswerId) -> Option<&AnswerRecord> {
        self.answers.get(&id).map(AsRef::as_ref)
    }

    /// The answers given, newest first.
    pub fn answers(&self) -> impl Iterator<Item = (AnswerId, &AnswerRecord)> {
        self.answers
            .iter()
            .rev()
            .map(|(id, record)| (*id, record.as_ref()))
    }

    /// The aspects of a domain, with how many experiences each has.
    #[must_use]
    pub fn aspects(&self, domain: &str) -> Vec<(Arc<str>, usize)> {
        let Some(index) = self.index.domain(domain) else {
            return Vec::new();
        };
        index
            .aspects
            .iter()
            .map(|(aspect, bucket)| (Arc::clone(aspect), bucket.members.size()))
            .collect()
    }

    /// How many experiences each domain has.
    #[must_use]
    pub fn domains(&self) -> BTreeMap<Arc<str>, usize> {
        let count = |(name, index): (&Arc<str>, &crate::index::DomainIndex)| {
            (
                Arc::clone(name),
                index.aspects.values().map(|b| b.members.size()).sum(),
            )
        };
        self.index.domains.iter().map(count).collect()
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }
}

fn same_bound(a: &StoredPlan, b: &StoredPlan) -> bool {
    let key = |plan: &StoredPlan| -> Vec<(u8, String)> {
        let mut bound: Vec<(u8, String)> = plan
            .bindings
            .iter()
            .map(|x| (x.slot, x.value.clone()))
            .collect();
        bound.sort();
        bound
    };
    a.template == b.template && key(a) == key(b)
}
