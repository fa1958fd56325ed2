//! What is remembered of an answered question over documents? (LivingRAG, Eq. 4 and 5)
//!
//! The map of activated entities is kept by name, so that indexing again does not make it void; passages that supported
//! the answer are kept by content, so that a change is noticed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use similarity::Embedding;
use similarity::sparse::SparseMap;

use crate::index::Index;
use crate::passage::{ContentHash, DocumentId};

/// The number of an experience in its store; never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExperienceId(pub u64);

/// Who judged that an answer is grounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// The built-in comparison of words, entities and numbers: no model.
    Lexical,
    /// An entailment model.
    Entailment,
    /// A person.
    Person,
}

/// Whether an experience may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It may.
    Active,
    /// A passage that supported it changed or went, or it hurt twice: not until it is verified again.
    Suspect,
}

/// A passage that supported a claim.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Support {
    /// Its document.
    pub document: DocumentId,
    /// Its place there.
    pub ordinal: u32,
    /// What it said then.
    pub hash: ContentHash,
}

/// A verified answer, for use by later questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentExperience {
    /// Its number.
    pub id: ExperienceId,
    /// The question.
    pub question: String,
    /// Its vector.
    pub vector: Embedding,
    /// Activated entities by name, the strongest with weight 1.
    pub map: Vec<(String, f32)>,
    /// Key sentences of the explanation, in its order.
    pub summary: Vec<String>,
    /// The answer.
    pub answer: String,
    /// When it was accepted, in seconds since 1970.
    pub accepted_at: u64,
    /// The grounding score at acceptance, in [0, 1].
    pub confidence: f64,
    /// Who gave that score.
    pub judge: Judge,
    /// The passages that supported a claim, in order.
    pub support: Vec<Support>,
    /// Whether it may be used.
    pub status: Status,
    /// How often an answer that used it was judged wrong.
    pub hurt: u32,
}

impl DocumentExperience {
    /// Confidence after `now - accepted_at` seconds: halved every `half_life` seconds, where there is one.
    #[must_use]
    pub fn confidence_at(&self, now: u64, half_life: Option<u64>) -> f64 {
        let age = now.saturating_sub(self.accepted_at) as f64;
        match half_life {
            Some(seconds) if seconds > 0 => self.confidence * (-age / seconds as f64).exp2(),
            Some(_) | None => self.confidence,
        }
    }

    /// The map by the ids of an index; names it lacks are left out.
    #[must_use]
    pub fn map_in(&self, index: &Index) -> SparseMap {
        let ids = self
            .map
            .iter()
            .filter_map(|(name, w)| Some((index.graph().entity_named(name)?, *w)));
        ids.collect()
    }
}

/// Accumulated weights as a map with maximum 1, entries below `floor` dropped, the `cap` strongest kept, strongest
/// first, ties by id. (LivingRAG, Eq. 5; scaled by us)
#[must_use]
pub fn sparsify(weights: &[(u32, f64)], floor: f64, cap: usize) -> Vec<(u32, f64)> {
    let most = weights.iter().map(|(_, w)| *w).fold(0.0_f64, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    let mut kept: Vec<(u32, f64)> = weights
        .iter()
        .map(|(e, w)| (*e, w / most))
        .filter(|(_, w)| *w >= floor)
        .collect();
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    kept.truncate(cap);
    kept
}

/// Where experiences are kept.
///
/// A trait because the engine's one memory is to take this place; [`ExperienceList`] stands alone.
pub trait ExperienceStore {
    /// The experiences that may be used, by number.
    fn active(&self) -> Vec<&DocumentExperience>;

    /// Keeps an experience, whose number is given here.
    fn insert(&mut self, experience: DocumentExperience) -> ExperienceId;

    /// Makes suspect what rests on a passage; gives the numbers, in order.
    fn suspect(&mut self, document: &DocumentId, ordinal: u32) -> Vec<ExperienceId>;

    /// Forgets an experience; whether it was there.
    fn remove(&mut self, id: ExperienceId) -> bool;

    /// Counts that an answer which used it was wrong; two make it suspect.
    fn blame(&mut self, id: ExperienceId);
}

/// Wrong answers after which an experience is not used any more.
const MAX_HURT: u32 = 2;

/// Experiences in memory, found by passage through a reverse index.
#[derive(Debug, Clone, Default)]
pub struct ExperienceList {
    next: u64,
    experiences: BTreeMap<ExperienceId, DocumentExperience>,
    by_passage: BTreeMap<(DocumentId, u32), BTreeSet<ExperienceId>>,
}

impl ExperienceList {
    /// How many there are, suspect ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.experiences.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.experiences.is_empty()
    }

    /// An experience by its number.
    #[must_use]
    pub fn experience(&self, id: ExperienceId) -> Option<&DocumentExperience> {
        self.experiences.get(&id)
    }
}

impl ExperienceStore for ExperienceList {
    fn active(&self) -> Vec<&DocumentExperience> {
        self.experiences
            .values()
            .filter(|e| e.status == Status::Active)
            .collect()
    }

    fn insert(&mut self, mut experience: DocumentExperience) -> ExperienceId {
        let id = ExperienceId(self.next);
        self.next += 1;
        experience.id = id;
        for support in &experience.support {
            let passage = (support.document.clone(), support.ordinal);
            self.by_passage.entry(passage).or_default().insert(id);
        }
        self.experiences.insert(id, experience);
        id
    }

    fn suspect(&mut self, document: &DocumentId, ordinal: u32) -> Vec<ExperienceId> {
        let ids = self
            .by_passage
            .get(&(document.clone(), ordinal))
            .cloned()
            .unwrap_or_default();
        for id in &ids {
            if let Some(experience) = self.experiences.get_mut(id) {
                experience.status = Status::Suspect;
            }
        }
        ids.into_iter().collect()
    }

    fn remove(&mut self, id: ExperienceId) -> bool {
        let Some(experience) = self.experiences.remove(&id) else {
            return false;
        };
        for support in experience.support {
            if let Some(ids) = self
                .by_passage
                .get_mut(&(support.document, support.ordinal))
            {
                ids.remove(&id);
            }
        }
        true
    }

    fn blame(&mut self, id: ExperienceId) {
        if let Some(experience) = self.experiences.get_mut(&id) {
            experience.hurt += 1;
            if experience.hurt >= MAX_HURT {
                experience.status = Status::Suspect;
            }
        }
    }
}
