//! What did earlier answers from a corpus leave? The memory's experiences as LivingRAG reads them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use graph_rag::experience::{
    DocumentExperience, ExperienceId as Number, ExperienceList, ExperienceStore, Status, sparsify,
};
use graph_rag::linear_rag::Query;
use graph_rag::living_rag::LivingRetrieval;
use graph_rag::scaffold::key_sentences;
use graph_rag::{ExperienceIndex, Index, LivingRag, LivingRagConfig};
use memory::{Experience, ExperienceId, Memory, Payload, Stored, Timestamp};
use similarity::Embedding;
use similarity::sparse::SparseMap;

use crate::corpus::Held;

/// Experiences of a corpus that are kept ready to be matched, at most: the newest.
const MAX_READY: usize = 10_000;

/// Experiences that are looked at closely for one question: far more than are fused.
const CLOSE: usize = 32;

/// Namespaces whose experiences are kept ready, at most.
const MAX_NAMESPACES: usize = 16;

/// The experiences of a corpus, ready to be matched with questions to its index as it is now. What a question sees is the
/// memory's snapshot all the same: an experience that it lacks, or has another one for, is not used.
#[derive(Debug, Default)]
pub(crate) struct ReadyExperiences(Mutex<BTreeMap<String, Ready>>);

#[derive(Debug, Default)]
struct Ready {
    index: ExperienceIndex,
    /// By number there.
    experiences: Vec<Arc<Experience>>,
    /// How many experiences of all domains the memory had, and its newest.
    seen: usize,
    newest: Option<ExperienceId>,
}

impl Ready {
    /// Adds what is new; starts anew when something went or came between.
    fn follow(&mut self, memory: &Memory, corpus: &str, index: &Index) {
        if self.seen == memory.len()
            && memory.experiences().next_back().map(|s| s.experience.id) == self.newest
        {
            return;
        }
        let newest = self.newest;
        let later = |stored: &&Stored| newest.is_none_or(|newest| stored.experience.id > newest);
        let mut added: Vec<&Stored> = memory.experiences().rev().take_while(later).collect();
        if self.seen + added.len() != memory.len() || self.experiences.len() > 2 * MAX_READY {
            *self = Self::default();
            added = memory.experiences().rev().collect();
        }
        let of_corpus = |stored: &&&Stored| {
            stored.experience.domain == corpus && map_of(&stored.experience).is_some()
        };
        let fresh: Vec<&Stored> = added
            .iter()
            .filter(of_corpus)
            .take(MAX_READY)
            .copied()
            .collect();
        for stored in fresh.into_iter().rev() {
            self.add(&stored.experience, index);
        }
        self.seen = memory.len();
        self.newest = memory
            .experiences()
            .next_back()
            .map(|stored| stored.experience.id);
    }

    fn add(&mut self, experience: &Arc<Experience>, index: &Index) {
        let named = map_of(experience).unwrap_or_default().iter();
        let map =
            named.filter_map(|(name, weight)| Some((index.graph().entity_named(name)?, *weight)));
        let Ok(vector) = Embedding::new(experience.vector.as_slice().to_vec()) else {
            return;
        };
        if self.index.insert(&vector, map.collect()).is_some() {
            self.experiences.push(Arc::clone(experience));
        }
    }
}

/// The experiences of one corpus that a question is matched with.
pub(super) struct Experiences {
    config: LivingRagConfig,
    list: ExperienceList,
    maps: Vec<(Number, Arc<SparseMap>)>,
    ids: Vec<ExperienceId>,
}

impl Experiences {
    /// Those of a corpus that are most like a question and may be used: not suspect, not expired.
    pub(super) fn of(
        memory: Option<&Memory>,
        namespace: &str,
        held: &Held,
        corpus: &str,
        query: &Query,
        now: Timestamp,
    ) -> Self {
        let mut of = Self {
            config: LivingRagConfig::default(),
            list: ExperienceList::default(),
            maps: Vec::new(),
            ids: Vec::new(),
        };
        let Some(memory) = memory else {
            return of;
        };
        let mut all = held
            .experiences
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_NAMESPACES && !all.contains_key(namespace) {
            all.pop_first();
        }
        let ready = all.entry(namespace.to_owned()).or_default();
        ready.follow(memory, corpus, &held.index);
        let usable = |number: u32| {
            let known = &ready.experiences[number as usize];
            memory.stored(known.id).filter(|stored| {
                let ends = known.lifetime.ends(stored.usage.last_used);
                Arc::ptr_eq(&stored.experience, known)
                    && !stored.usage.suspect
                    && ends.is_none_or(|end| end > now)
            })
        };
        let mut best = ready.index.best(query, of.config.alpha, CLOSE, |number| {
            usable(number).is_some()
        });
        // The newest first, as ties fall.
        best.sort_unstable_by(|a, b| b.cmp(a));
        for number in best {
            let Some(stored) = usable(number) else {
                continue;
            };
            if let Some(experience) = document_experience(stored) {
                let id = of.list.insert(experience);
                of.maps.extend(ready.index.map(number).map(|map| (id, map)));
                of.ids.push(stored.experience.id);
            }
        }
        of
    }

    pub(super) fn config(&self) -> &LivingRagConfig {
        &self.config
    }

    /// Ready to match with questions to the index that they are of. Hands the list over: once only.
    pub(super) fn bound(&mut self) -> LivingRag<ExperienceList> {
        let (list, maps) = (
            std::mem::take(&mut self.list),
            std::mem::take(&mut self.maps),
        );
        LivingRag::with_maps(list, maps, self.config)
    }

    /// The memory's id of an experience.
    pub(super) fn id(&self, number: Number) -> Option<ExperienceId> {
        let at = usize::try_from(number.0).ok()?;
        self.ids.get(at).copied()
    }

    /// What was activated, by name, the strongest with weight 1.
    pub(super) fn map(&self, index: &Index, retrieval: &LivingRetrieval) -> Vec<(String, f32)> {
        let weights = &retrieval.found.activation.weights;
        let map = sparsify(weights, self.config.map_floor, self.config.map_cap);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "weights in [0, 1] lose digits, not size"
        )]
        let named = map
            .iter()
            .map(|(entity, weight)| (index.graph().name_of(*entity).to_owned(), *weight as f32));
        named.collect()
    }

    /// The key sentences of an explanation.
    pub(super) fn summary(
        &self,
        explanation: &str,
        answer: &str,
        map: &[(String, f32)],
    ) -> Vec<String> {
        let named: Vec<(String, f64)> = map
            .iter()
            .map(|(name, weight)| (name.clone(), f64::from(*weight)))
            .collect();
        key_sentences(explanation, answer, &named)
    }
}

fn map_of(experience: &Experience) -> Option<&[(String, f32)]> {
    experience
        .payloads
        .iter()
        .find_map(|payload| match payload {
            Payload::Activation(map) => Some(map.as_slice()),
            Payload::Plan(_) | Payload::Note(_) => None,
        })
}

fn document_experience(stored: &Stored) -> Option<DocumentExperience> {
    let experience = &stored.experience;
    let map = map_of(experience)?.to_vec();
    Some(DocumentExperience {
        id: Number(0),
        question: experience.question.clone(),
        vector: Embedding::new(experience.vector.as_slice().to_vec()).ok()?,
        map,
        summary: experience.scaffold.clone(),
        answer: experience.answer.text.clone(),
        accepted_at: experience.created.0 / 1_000,
        // What people said of answers that used it counts as much as what supported it at first.
        confidence: experience.grounding.confidence * stored.usage.posterior.mean(),
        judge: graph_rag::experience::Judge::Lexical,
        support: Vec::new(),
        status: Status::Active,
        hurt: 0,
    })
}
