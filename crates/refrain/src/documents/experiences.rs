//! What did earlier answers from a corpus leave? The memory's experiences as LivingRAG reads them.

use graph_rag::experience::{
    DocumentExperience, ExperienceId as Number, ExperienceList, ExperienceStore, Status, sparsify,
};
use graph_rag::living_rag::LivingRetrieval;
use graph_rag::scaffold::key_sentences;
use graph_rag::{Index, LivingRag, LivingRagConfig};
use memory::{ExperienceId, Memory, Payload, Stored, Timestamp};
use similarity::Embedding;

/// Experiences that one question is matched with, at most: the newest.
const MAX_MATCHED: usize = 10_000;

/// The experiences of one corpus.
pub(super) struct Experiences {
    config: LivingRagConfig,
    list: ExperienceList,
    ids: Vec<ExperienceId>,
}

impl Experiences {
    /// Those of a corpus that may be used: not suspect, not expired.
    pub(super) fn of(memory: Option<&Memory>, corpus: &str, now: Timestamp) -> Self {
        let mut list = ExperienceList::default();
        let mut ids = Vec::new();
        let usable = memory
            .into_iter()
            .flat_map(|memory| memory.experiences().rev())
            .filter(|stored| {
                let experience = &stored.experience;
                experience.domain == corpus
                    && !stored.usage.suspect
                    && experience
                        .lifetime
                        .ends(stored.usage.last_used)
                        .is_none_or(|end| end > now)
            });
        for (stored, experience) in usable
            .filter_map(|s| Some((s, document_experience(s)?)))
            .take(MAX_MATCHED)
        {
            list.insert(experience);
            ids.push(stored.experience.id);
        }
        Self {
            config: LivingRagConfig::default(),
            list,
            ids,
        }
    }

    pub(super) fn config(&self) -> &LivingRagConfig {
        &self.config
    }

    /// Ready to match with questions to this index. Hands the list over: once only.
    pub(super) fn bound(&mut self, index: &Index) -> LivingRag<ExperienceList> {
        LivingRag::new(std::mem::take(&mut self.list), index, self.config)
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

fn document_experience(stored: &Stored) -> Option<DocumentExperience> {
    let experience = &stored.experience;
    let map = experience
        .payloads
        .iter()
        .find_map(|payload| match payload {
            Payload::Activation(map) => Some(map.clone()),
            Payload::Plan(_) | Payload::Note(_) => None,
        })?;
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
