//! What of an experience can be kept without its text, and would it have served?
//!
//! An outline is made of hashes, and of the vector where likeness decides. The ghost tier and the shadow policies hold
//! outlines: nothing in them can be served. An experience with a plan would have served a question that was answered
//! by the very same template of its source: it could have been bound and run again. One without a plan is found by meaning.

use serde::{Deserialize, Serialize};

use crate::experience::{Experience, StoredPlan};
use crate::index::{bound_key, plan_key, question_key, template_key};
use crate::persistent::{Map, Set};
use crate::{EvidenceKey, ExperienceId, Timestamp, Vector};

/// Likeness of two wordings that share a template, where no vector tells it.
const SAME_TEMPLATE: f32 = 0.8;

/// Newest outlines of a template that are compared by their vectors.
const LOOKED_AT: usize = 256;

/// An experience without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outline {
    template: u64,
    plan: u64,
    wording: u64,
    pub(crate) bucket: u64,
    pub(crate) question: u64,
    ends: Option<Timestamp>,
    pub(crate) evidence: Vec<EvidenceKey>,
    pub(crate) vector: Vector,
}

impl Outline {
    /// With vector and evidence: what a ghost keeps.
    pub(crate) fn ghost(experience: &Experience) -> Self {
        Self {
            vector: experience.masked_vector.clone(),
            evidence: experience.evidence.keys.clone(),
            ..Self::shadow(experience)
        }
    }

    /// With a vector only where there is no plan to tell by: what a shadow keeps.
    pub(crate) fn shadow(experience: &Experience) -> Self {
        let domain = experience.domain.as_str();
        let plan = experience.plan();
        Self {
            template: template_key(domain, experience.template()),
            plan: plan.map_or(0, |plan| plan_key(domain, plan)),
            wording: wording_key(domain, &experience.signature.masked),
            bucket: bound_key("bucket", domain, &experience.aspect, &[]),
            question: question_key(&experience.question),
            ends: experience.lifetime.ends(experience.created),
            evidence: Vec::new(),
            vector: match plan {
                Some(_) => Vector::default(),
                None => experience.masked_vector.clone(),
            },
        }
    }
}

fn wording_key(domain: &str, masked: &str) -> u64 {
    bound_key("wording", domain, masked, &[])
}

/// What a question was answered by, as outlines are compared with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) template: u64,
    wording: u64,
    vector: Vector,
}

impl Wanted {
    pub(crate) fn of(domain: &str, plan: &StoredPlan, masked: &str, vector: &Vector) -> Self {
        Self::by_template(domain, &plan.template, masked, vector)
    }

    pub(crate) fn by_template(domain: &str, template: &str, masked: &str, vector: &Vector) -> Self {
        Self {
            template: template_key(domain, template),
            wording: wording_key(domain, masked),
            vector: vector.clone(),
        }
    }

    fn likeness(&self, outline: &Outline) -> f32 {
        if outline.wording == self.wording {
            1.0
        } else if outline.vector.dims() == 0 {
            SAME_TEMPLATE
        } else {
            outline.vector.cosine(&self.vector)
        }
    }
}

/// Outlines by id, and by what they would serve.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    from = "Map<ExperienceId, Outline>",
    into = "Map<ExperienceId, Outline>"
)]
pub(crate) struct Outlines {
    by_id: Map<ExperienceId, Outline>,
    by_template: Set<(u64, ExperienceId)>,
    by_wording: Set<(u64, u64, ExperienceId)>,
    by_bucket: Set<(u64, ExperienceId)>,
}

impl Default for Outlines {
    fn default() -> Self {
        Self {
            by_id: Map::new_sync(),
            by_template: Set::new_sync(),
            by_wording: Set::new_sync(),
            by_bucket: Set::new_sync(),
        }
    }
}

impl From<Map<ExperienceId, Outline>> for Outlines {
    fn from(map: Map<ExperienceId, Outline>) -> Self {
        let mut outlines = Self::default();
        for (id, outline) in map.iter() {
            outlines.insert(*id, outline.clone());
        }
        outlines
    }
}

impl From<Outlines> for Map<ExperienceId, Outline> {
    fn from(outlines: Outlines) -> Self {
        outlines.by_id
    }
}

const FIRST: ExperienceId = ExperienceId(crate::Ulid(0));
const LAST: ExperienceId = ExperienceId(crate::Ulid(u128::MAX));

impl Outlines {
    pub(crate) fn insert(&mut self, id: ExperienceId, outline: Outline) {
        self.remove(id);
        self.by_template.insert_mut((outline.template, id));
        self.by_wording
            .insert_mut((outline.template, outline.wording, id));
        self.by_bucket.insert_mut((outline.bucket, id));
        self.by_id.insert_mut(id, outline);
    }

    pub(crate) fn remove(&mut self, id: ExperienceId) -> Option<Outline> {
        let outline = self.by_id.get(&id)?.clone();
        self.by_id.remove_mut(&id);
        self.by_template.remove_mut(&(outline.template, id));
        self.by_wording
            .remove_mut(&(outline.template, outline.wording, id));
        self.by_bucket.remove_mut(&(outline.bucket, id));
        Some(outline)
    }

    pub(crate) fn get(&self, id: ExperienceId) -> Option<&Outline> {
        self.by_id.get(&id)
    }

    pub(crate) fn contains(&self, id: ExperienceId) -> bool {
        self.by_id.contains_key(&id)
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.size()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ExperienceId, &Outline)> {
        self.by_id.iter().map(|(id, outline)| (*id, outline))
    }

    /// Those of one bucket, ascending.
    pub(crate) fn bucket(&self, bucket: u64) -> impl Iterator<Item = ExperienceId> + '_ {
        self.by_bucket
            .range((bucket, FIRST)..=(bucket, LAST))
            .map(|(_, id)| *id)
    }

    /// The one that would have served, with its likeness: of the same wording the newest; else the likest of the newest, or
    /// the newest where no vectors are kept. What has expired is passed over.
    pub(crate) fn serving(&self, wanted: &Wanted, now: Timestamp) -> Option<(ExperienceId, f32)> {
        let (template, wording) = (wanted.template, wanted.wording);
        let same = self
            .by_wording
            .range((template, wording, FIRST)..=(template, wording, LAST))
            .rev();
        let same = same.filter_map(|(_, _, id)| Some((*id, self.alive(*id, now)?)));
        if let Some((id, _)) = same.into_iter().next() {
            return Some((id, 1.0));
        }
        let (newest, outline) = self.of_template(template, now).next_back()?;
        if outline.vector.dims() == 0 {
            return Some((newest, SAME_TEMPLATE));
        }
        let recent = self.of_template(template, now).rev().take(LOOKED_AT);
        recent
            .map(|(id, outline)| (id, wanted.likeness(outline)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    fn alive(&self, id: ExperienceId, now: Timestamp) -> Option<&Outline> {
        let outline = self.by_id.get(&id)?;
        outline.ends.is_none_or(|end| end > now).then_some(outline)
    }

    fn of_template(
        &self,
        template: u64,
        now: Timestamp,
    ) -> impl DoubleEndedIterator<Item = (ExperienceId, &Outline)> {
        self.by_template
            .range((template, FIRST)..=(template, LAST))
            .filter_map(move |(_, id)| Some((*id, self.alive(*id, now)?)))
    }

    /// At most `count` with the template wanted, likest first; of equals, the newest first.
    pub(crate) fn likest(
        &self,
        wanted: &Wanted,
        count: usize,
        now: Timestamp,
    ) -> Vec<(ExperienceId, f32)> {
        let mut found: Vec<(ExperienceId, f32)> = Vec::new();
        for (id, outline) in self.of_template(wanted.template, now) {
            let likeness = wanted.likeness(outline);
            let place = found
                .partition_point(|(other, s)| s.total_cmp(&likeness).then(other.cmp(&id)).is_gt());
            if place < count {
                found.insert(place, (id, likeness));
                found.truncate(count);
            }
        }
        found
    }

    /// The newest with the plan, bindings and wording of `outline`.
    pub(crate) fn twin(&self, outline: &Outline) -> Option<ExperienceId> {
        let (template, wording) = (outline.template, outline.wording);
        self.by_wording
            .range((template, wording, FIRST)..=(template, wording, LAST))
            .rev()
            .map(|(_, _, id)| *id)
            .find(|id| {
                self.by_id
                    .get(id)
                    .is_some_and(|other| other.plan == outline.plan)
            })
    }

    /// Those whose question has one of the ascending keys.
    pub(crate) fn asking(&self, questions: &[u64]) -> Vec<ExperienceId> {
        if questions.is_empty() {
            return Vec::new();
        }
        let asks = |outline: &Outline| questions.binary_search(&outline.question).is_ok();
        self.iter()
            .filter(|(_, outline)| asks(outline))
            .map(|(id, _)| id)
            .collect()
    }

    /// Another embedder: vectors that cannot be made anew go.
    pub(crate) fn reembed(&mut self, vector_of: &dyn Fn(ExperienceId) -> Option<Vector>) {
        let old = std::mem::take(self);
        for (id, outline) in old.iter() {
            let vector = if outline.vector.dims() == 0 {
                Vector::default()
            } else {
                vector_of(id).unwrap_or_default()
            };
            self.insert(
                id,
                Outline {
                    vector,
                    ..outline.clone()
                },
            );
        }
    }
}
