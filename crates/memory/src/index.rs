//! Where is an experience found again? (CacheRAG §4.2: domain → aspect → bucket)
//!
//! Everything here is derived from the experiences and is rebuilt when a state is read; it is never serialised, and no
//! result depends on the order in which it was built.

use std::sync::Arc;

use crate::experience::{Binding, Experience, Stored, StoredPlan};
use crate::matrix::Matrix;
use crate::persistent::{Map, Set, entry};
use crate::{ExperienceId, Timestamp, Vector};

/// The experiences of one bucket.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    pub(crate) members: Set<ExperienceId>,
    /// Masked questions in it, with how many members each has.
    pub(crate) texts: Map<Arc<str>, u32>,
}

/// One masked question and what is stored under it.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) vector: Vector,
    /// Hashes of its words, in order, for BM25.
    pub(crate) words: Arc<[u64]>,
    pub(crate) templates: Map<Arc<str>, Set<ExperienceId>>,
}

/// The experiences of one domain.
#[derive(Debug, Clone)]
pub(crate) struct DomainIndex {
    pub(crate) aspects: Map<Arc<str>, Bucket>,
    pub(crate) texts: Map<Arc<str>, Text>,
    pub(crate) matrix: Matrix<Arc<str>>,
    /// In how many texts each word occurs.
    pub(crate) frequencies: Map<u64, u32>,
    /// Words in all texts together.
    pub(crate) words: u64,
}

/// Every way to an experience.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) domains: Map<Arc<str>, DomainIndex>,
    plans: Set<(u64, ExperienceId)>,
    questions: Set<(u64, ExperienceId)>,
    derived: Set<(ExperienceId, ExperienceId)>,
    expiry: Set<(Timestamp, ExperienceId)>,
    links: Set<(u64, ExperienceId)>,
}

const FIRST: ExperienceId = ExperienceId(crate::Ulid(0));

impl Default for Index {
    fn default() -> Self {
        Self {
            domains: Map::new_sync(),
            plans: Set::new_sync(),
            questions: Set::new_sync(),
            derived: Set::new_sync(),
            expiry: Set::new_sync(),
            links: Set::new_sync(),
        }
    }
}

impl Index {
    pub(crate) fn insert(&mut self, stored: &Stored) {
        let experience = stored.experience.as_ref();
        let id = experience.id;
        if let Some(plan) = experience.plan() {
            self.plans
                .insert_mut((plan_key(&experience.domain, plan), id));
            self.plans
                .insert_mut((template_key(&experience.domain, &plan.template), id));
        }
        self.questions
            .insert_mut((question_key(&experience.question), id));
        for parent in &experience.derived_from {
            self.derived.insert_mut((*parent, id));
        }
        if let Some(end) = experience.lifetime.ends(stored.usage.last_used) {
            self.expiry.insert_mut((end, id));
        }
        for link in &experience.links {
            self.links
                .insert_mut((link_key(&link.phrase, &link.predicate), id));
        }
        let domain: Arc<str> = Arc::from(experience.domain.as_str());
        entry(&mut self.domains, &domain, DomainIndex::default, |index| {
            index.insert(experience)
        });
    }

    pub(crate) fn remove(&mut self, stored: &Stored) {
        let experience = stored.experience.as_ref();
        let id = experience.id;
        if let Some(plan) = experience.plan() {
            self.plans
                .remove_mut(&(plan_key(&experience.domain, plan), id));
            self.plans
                .remove_mut(&(template_key(&experience.domain, &plan.template), id));
        }
        self.questions
            .remove_mut(&(question_key(&experience.question), id));
        for parent in &experience.derived_from {
            self.derived.remove_mut(&(*parent, id));
        }
        if let Some(end) = experience.lifetime.ends(stored.usage.last_used) {
            self.expiry.remove_mut(&(end, id));
        }
        for link in &experience.links {
            self.links
                .remove_mut(&(link_key(&link.phrase, &link.predicate), id));
        }
        let mut empty = false;
        if let Some(index) = self.domains.get_mut(experience.domain.as_str()) {
            index.remove(experience);
            empty = index.texts.is_empty();
        }
        if empty {
            self.domains.remove_mut(experience.domain.as_str());
        }
    }

    /// Moves an experience in the order of expiry, after it was used.
    pub(crate) fn used(&mut self, stored: &Stored, before: Timestamp) {
        let id = stored.experience.id;
        let ends = |at| stored.experience.lifetime.ends(at);
        if let (Some(old), Some(new)) = (ends(before), ends(stored.usage.last_used)) {
            self.expiry.remove_mut(&(old, id));
            self.expiry.insert_mut((new, id));
        }
    }

    pub(crate) fn expired(&self, now: Timestamp) -> Vec<ExperienceId> {
        self.expiry
            .iter()
            .take_while(|(end, _)| *end <= now)
            .map(|(_, id)| *id)
            .collect()
    }

    pub(crate) fn with_plan(&self, key: u64) -> impl DoubleEndedIterator<Item = ExperienceId> + '_ {
        self.plans
            .range((key, FIRST)..=(key, LAST))
            .map(|(_, id)| *id)
    }

    /// Whether anything with the plan or template of that key is stored.
    pub(crate) fn has_template(&self, key: u64) -> bool {
        self.with_plan(key).next().is_some()
    }

    /// Whether anything stored took the phrase for the predicate.
    pub(crate) fn has_link(&self, phrase: &str, predicate: &str) -> bool {
        let key = link_key(phrase, predicate);
        let mut with = self.links.range((key, FIRST)..=(key, LAST));
        with.next().is_some()
    }

    pub(crate) fn with_question(&self, key: u64) -> impl Iterator<Item = ExperienceId> + '_ {
        self.questions
            .range((key, FIRST)..=(key, LAST))
            .map(|(_, id)| *id)
    }

    pub(crate) fn derived_from(
        &self,
        parent: ExperienceId,
    ) -> impl Iterator<Item = ExperienceId> + '_ {
        self.derived
            .range((parent, FIRST)..=(parent, LAST))
            .map(|(_, id)| *id)
    }

    /// Every bucket: domain and aspect.
    pub(crate) fn buckets(&self) -> Vec<(Arc<str>, Arc<str>)> {
        let aspects = |(domain, index): (&Arc<str>, &DomainIndex)| {
            let aspects: Vec<_> = index.aspects.keys().cloned().collect();
            let domain = Arc::clone(domain);
            aspects
                .into_iter()
                .map(move |aspect| (Arc::clone(&domain), aspect))
        };
        self.domains.iter().flat_map(aspects).collect()
    }

    pub(crate) fn domain(&self, domain: &str) -> Option<&DomainIndex> {
        self.domains.get(domain)
    }
}

const LAST: ExperienceId = ExperienceId(crate::Ulid(u128::MAX));

impl Default for DomainIndex {
    fn default() -> Self {
        Self {
            aspects: Map::new_sync(),
            texts: Map::new_sync(),
            matrix: Matrix::default(),
            frequencies: Map::new_sync(),
            words: 0,
        }
    }
}

impl DomainIndex {
    /// Whether anything stored has this wording and this template.
    pub(crate) fn has(&self, masked: &str, template: &str) -> bool {
        let text = self.texts.get(masked);
        text.is_some_and(|text| text.templates.contains_key(template))
    }

    fn insert(&mut self, experience: &Experience) {
        let aspect: Arc<str> = Arc::from(experience.aspect.as_str());
        let masked: Arc<str> = Arc::from(experience.signature.masked.as_str());
        let template: Arc<str> = Arc::from(experience.template());
        let bucket = || Bucket {
            members: Set::new_sync(),
            texts: Map::new_sync(),
        };
        entry(&mut self.aspects, &aspect, bucket, |bucket| {
            bucket.members.insert_mut(experience.id);
            entry(&mut bucket.texts, &masked, || 0, |count| *count += 1);
        });
        if !self.texts.contains_key(&masked) {
            self.insert_text(&masked, experience);
        }
        if let Some(text) = self.texts.get_mut(&masked) {
            entry(&mut text.templates, &template, Set::new_sync, |ids| {
                ids.insert_mut(experience.id)
            });
        }
    }

    fn insert_text(&mut self, masked: &Arc<str>, experience: &Experience) {
        let words = word_hashes(masked);
        self.words += words.len() as u64;
        for word in distinct(&words) {
            entry(&mut self.frequencies, &word, || 0, |count| *count += 1);
        }
        self.matrix.insert(masked, &experience.masked_vector);
        let text = Text {
            vector: experience.masked_vector.clone(),
            words,
            templates: Map::new_sync(),
        };
        self.texts.insert_mut(Arc::clone(masked), text);
    }

    fn remove(&mut self, experience: &Experience) {
        let masked = experience.signature.masked.as_str();
        let (mut bucket_empty, mut text_empty) = (false, false);
        if let Some(bucket) = self.aspects.get_mut(experience.aspect.as_str()) {
            bucket.members.remove_mut(&experience.id);
            let last = bucket.texts.get(masked).is_none_or(|count| *count <= 1);
            if last {
                bucket.texts.remove_mut(masked);
            } else if let Some(count) = bucket.texts.get_mut(masked) {
                *count -= 1;
            }
            bucket_empty = bucket.members.is_empty();
        }
        if bucket_empty {
            self.aspects.remove_mut(experience.aspect.as_str());
        }
        if let Some(text) = self.texts.get_mut(masked) {
            let mut template_empty = false;
            if let Some(ids) = text.templates.get_mut(experience.template()) {
                ids.remove_mut(&experience.id);
                template_empty = ids.is_empty();
            }
            if template_empty {
                text.templates.remove_mut(experience.template());
            }
            text_empty = text.templates.is_empty();
        }
        if text_empty {
            self.remove_text(masked);
        }
    }

    fn remove_text(&mut self, masked: &str) {
        let Some(text) = self.texts.get(masked).cloned() else {
            return;
        };
        self.words = self.words.saturating_sub(text.words.len() as u64);
        for word in distinct(&text.words) {
            let last = self.frequencies.get(&word).is_none_or(|count| *count <= 1);
            if last {
                self.frequencies.remove_mut(&word);
            } else if let Some(count) = self.frequencies.get_mut(&word) {
                *count -= 1;
            }
        }
        self.matrix.remove(&Arc::from(masked));
        self.texts.remove_mut(masked);
    }
}

/// Hashes of the words of a text, in order.
pub(crate) fn word_hashes(text: &str) -> Arc<[u64]> {
    crate::words::tokens(text)
        .iter()
        .filter(|t| !crate::words::is_slot(t))
        .map(|t| hash(&[t]))
        .collect()
}

fn distinct(words: &[u64]) -> Vec<u64> {
    let mut words = words.to_vec();
    words.sort_unstable();
    words.dedup();
    words
}

/// The key under which the same question is found whatever its case and punctuation.
pub(crate) fn question_key(question: &str) -> u64 {
    let words: Vec<String> = question
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    hash(&["question", &words.join(" ")])
}

/// The key of a plan with its bindings.
pub(crate) fn plan_key(domain: &str, plan: &StoredPlan) -> u64 {
    bound_key("plan", domain, &plan.template, &plan.bindings)
}

/// The key of a template, whatever it is bound to.
pub(crate) fn template_key(domain: &str, template: &str) -> u64 {
    bound_key("template", domain, template, &[])
}

/// The key of a phrase taken for a predicate.
fn link_key(phrase: &str, predicate: &str) -> u64 {
    hash(&["link", phrase, predicate])
}

/// A key of a text with a plan's bindings.
pub(crate) fn bound_key(kind: &str, domain: &str, text: &str, bindings: &[Binding]) -> u64 {
    let mut bound: Vec<(u8, &str)> = bindings
        .iter()
        .map(|b| (b.slot, b.value.as_str()))
        .collect();
    bound.sort_unstable();
    let mut parts: Vec<String> = vec![kind.to_owned(), domain.to_owned(), text.to_owned()];
    parts.extend(
        bound
            .into_iter()
            .map(|(slot, value)| format!("{slot} {value}")),
    );
    hash(&parts)
}

fn hash<T: AsRef<str>>(parts: &[T]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.as_ref().len() as u64).to_le_bytes());
        hasher.update(part.as_ref().as_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}
