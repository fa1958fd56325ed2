//! What did people say of earlier answers to the same question?
//!
//! A sentence that was called wrong is not given again for the same words; what it should have been is given in its place,
//! as long as the document still says what was corrected. Verdicts are the memory's: nothing is kept here.

use graph_rag::Index;
use graph_rag::answer::{Answer as Extract, AnswerConfig, AnswerRefusal, Citation};
use graph_rag::living_rag::LivingRetrieval;
use language_model::StaticEmbedder;
use memory::{Binding, Memory, StoredPlan, Timestamp, Verdict};

use crate::answer::{Answer, HitKind};
use crate::error::EngineError;

/// What an answer from documents did, as the memory tells two answers to one question apart.
const TEMPLATE: &str = "sentence of a passage";

/// The same of an answer that a language model worded.
const WORDED_TEMPLATE: &str = "words of a language model";

/// Sets a document apart from its sentence.
const SEPARATOR: char = '\u{1f}';

/// The verdicts on one question to one corpus.
pub(crate) struct Verdicts<'m> {
    memory: Option<&'m Memory>,
    corpus: &'m str,
    /// The question's words, as answers are kept under.
    masked: String,
}

/// What a person said the answer should have been.
pub(super) struct Correction {
    text: String,
    at: Timestamp,
}

impl<'m> Verdicts<'m> {
    pub(super) fn on(memory: Option<&'m Memory>, corpus: &'m str, question: &str) -> Self {
        Self {
            memory,
            corpus,
            masked: super::same_words(question).masked,
        }
    }

    /// The answer from what was found, without the sentences that were called wrong.
    ///
    /// # Errors
    /// When the embedder fails.
    pub(super) fn extract(
        &self,
        index: &Index,
        retrieval: &LivingRetrieval,
    ) -> Result<Result<Extract, AnswerRefusal>, EngineError> {
        let withheld = |passage: u32, sentence: &str| {
            let plan = plan(index, passage, sentence);
            self.memory
                .zip(plan)
                .is_some_and(|(m, plan)| m.veto(self.corpus, &self.masked, &plan).is_some())
        };
        let config = AnswerConfig::default();
        let (query, found) = (&retrieval.query, &retrieval.found);
        // Hundreds of words are compared one by one: that is for word vectors, whatever embeds the passages.
        let words = StaticEmbedder::builtin();
        Ok(index.answer_without(query, found, &config, words.as_ref(), withheld)?)
    }

    /// Whether a person called an answer that did this wrong for the same words.
    pub(crate) fn vetoed(&self, plan: &StoredPlan) -> bool {
        self.memory
            .is_some_and(|m| m.veto(self.corpus, &self.masked, plan).is_some())
    }

    /// What the newest verdict says the answer is, if its document still says what was corrected.
    pub(super) fn correction(&self, index: &Index) -> Option<Correction> {
        // A corrected answer that is called good stays corrected.
        let judged = self.memory?.answers().find(|(_, record)| {
            record.domain == self.corpus
                && record.masked == self.masked
                && matches!(&record.verdict, Some((Verdict::Bad | Verdict::Edit(_), _)))
        });
        let (_, record) = judged?;
        let Some((Verdict::Edit(answer), _)) = &record.verdict else {
            return None;
        };
        let (document, sentence) = record.bindings.first()?.value.split_once(SEPARATOR)?;
        let document = document.into();
        let mut places = (0..).map_while(|ordinal| index.place_of(&document, ordinal));
        let holds = places.any(|place| index.full_text(place).contains(sentence));
        holds.then(|| Correction {
            text: answer.text.clone(),
            at: record.at,
        })
    }
}

impl Correction {
    /// Puts a person's word in the place of the sentence.
    pub(super) fn apply(self, answer: &mut Answer, now: Timestamp) {
        answer.refused = false;
        answer.reason = None;
        answer.confidence = 1.0;
        answer.text = self.text;
        answer.hit_kind = HitKind::Exact;
        answer.corrected = true;
        answer.similarity = Some(1.0);
        answer.age_seconds = Some(now.millis_since(self.at) / 1_000);
    }
}

/// What an answer did: the sentence that it is, by its document and its words.
pub(super) fn plan(index: &Index, passage: u32, sentence: &str) -> Option<StoredPlan> {
    Some(StoredPlan {
        template: TEMPLATE.to_owned(),
        body: String::new(),
        bindings: vec![bound(index, passage, sentence, 0)?],
    })
}

/// The plan of an answer in a model's words: the sentences that it rests on, then the words.
pub(super) fn worded_plan(index: &Index, citations: &[Citation], text: &str) -> Option<StoredPlan> {
    let mut bindings = Vec::new();
    for (slot, citation) in (0..).zip(citations) {
        bindings.push(bound(index, citation.passage, &citation.text, slot)?);
    }
    bindings.push(Binding {
        slot: u8::try_from(bindings.len()).ok()?,
        value: text.to_owned(),
        text: String::new(),
    });
    Some(StoredPlan {
        template: WORDED_TEMPLATE.to_owned(),
        body: String::new(),
        bindings,
    })
}

/// The sentences that an answer in a model's words rests on, where the index still has them.
pub(super) fn sentences_of(index: &Index, plan: &StoredPlan) -> Option<Vec<Citation>> {
    if plan.template != WORDED_TEMPLATE {
        return None;
    }
    let (_, sentences) = plan.bindings.split_last()?;
    let mut citations = Vec::new();
    for binding in sentences {
        let (document, sentence) = binding.value.split_once(SEPARATOR)?;
        let document = document.into();
        let mut places = (0..).map_while(|ordinal| index.place_of(&document, ordinal));
        citations.push(places.find_map(|passage| {
            let start = index.full_text(passage).find(sentence)?;
            Some(Citation {
                passage,
                span: start..start + sentence.len(),
                text: sentence.to_owned(),
                score: 0.0,
            })
        })?);
    }
    Some(citations)
}

fn bound(index: &Index, passage: u32, sentence: &str, slot: u8) -> Option<Binding> {
    let passage = index.passage(passage)?;
    Some(Binding {
        slot,
        value: format!("{}{SEPARATOR}{sentence}", passage.document),
        text: String::new(),
    })
}
