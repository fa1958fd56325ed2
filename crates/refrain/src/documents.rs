//! How does a corpus answer? LivingRAG over LinearRAG, with the one memory for its experiences.
//!
//! Passages are found with what earlier answers know, the answer is taken from them with its sentences and places, and
//! what is new and grounded is handed to the learner. An answer's wording is served from the past only when the very
//! passages that it rests on are found again and say what they said.

mod experiences;
mod given;
mod verdicts;

use graph_rag::answer::{AnswerRefusal, Citation};
use graph_rag::grounding::{GroundingConfig, claims};
use graph_rag::living_rag::LivingRetrieval;
use graph_rag::{Index, LinearRagConfig};
use kgqa::answer::Refusal;
use memory::{
    AnswerText, Candidate, Episode, Evidence, EvidenceKey, ExperienceId, Fingerprint, Grounding,
    Hit, Judge, Lifetime, Signature,
};

use crate::add::passage_key;
use crate::answer::{Answer, PassageCitation};
use crate::attempt::Frame;
use crate::corpus::{Corpus, Held};
use crate::error::EngineError;
use crate::explain;
use crate::wording;

use experiences::Experiences;
pub(crate) use experiences::ReadyExperiences;
pub(crate) use given::{Given, READ};
pub(crate) use verdicts::Verdicts;

/// An answer less sure than this is none: what was found is cited, and that is said.
const LEAST_CONFIDENCE: f32 = 0.2;

/// The intent that answers from documents are kept under.
const ASPECT: &str = "documents";

/// What one corpus made of a question.
pub(crate) struct Attempt<'a> {
    pub(crate) held: &'a Held,
    corpus: &'a Corpus,
    pub(crate) retrieval: LivingRetrieval,
    given: Result<Given, AnswerRefusal>,
    experiences: Experiences,
}

impl Attempt<'_> {
    /// Whether the question denies something, which no sentence can be held against.
    pub(crate) fn is_negated(&self) -> bool {
        same_words(&self.retrieval.query.text).negated
    }

    pub(crate) fn grounding(&self) -> GroundingConfig {
        self.experiences.config().grounding
    }
}

impl Frame<'_> {
    /// The answer of one corpus, and what it leaves for the learner.
    ///
    /// # Errors
    /// When the corpus cannot be read, or the question cannot be embedded.
    pub(crate) fn answer_from(
        &self,
        corpus: &Corpus,
        question: &str,
    ) -> Result<(Answer, Option<Episode>), EngineError> {
        let embedder = self.engine.embedder.as_ref();
        let held = corpus.held(embedder)?;
        let seconds = self.now.0 / 1_000;
        let settings = LinearRagConfig::default();
        let query = held.index.query(question, embedder, &settings)?;
        let namespace = &self.request.namespace;
        let mut experiences = Experiences::of(
            self.memory,
            namespace,
            &held,
            corpus.name(),
            &query,
            self.now,
        );
        let living = experiences.bound();
        let retrieval = living.retrieve_for(&held.index, query, embedder, &settings, seconds)?;
        let verdicts = Verdicts::on(self.memory, corpus.name(), question);
        let extract = verdicts.extract(&held.index, &retrieval)?;
        let mut attempt = Attempt {
            given: extract.map(|extract| Given::extracted(&held.index, extract)),
            held: &held,
            corpus,
            retrieval,
            experiences,
        };
        let mut answer = self.drafted(&attempt);
        let mut hit = Hit::None;
        let mut asked = None;
        if let Some(served) = self
            .memory
            .and_then(|m| attempt.served(m, question, self.now))
        {
            hit = Hit::Exact(served.id);
            served.put_into(&mut answer, &attempt, self.now);
            if let Some(given) = served.given(&attempt) {
                attempt.given = Ok(given);
            }
        } else if let Some(correction) = verdicts.correction(&held.index) {
            correction.apply(&mut answer, self.now);
        } else if let Some(reading) = self.read(&attempt, &answer, &verdicts)? {
            if let Some(given) = reading.given {
                attempt.given = Ok(given);
                answer = self.drafted(&attempt);
                answer.model = Some(reading.report.model.clone());
            }
            answer.cut.extend(reading.cut);
            asked = Some(reading.report);
        }
        if self.request.explain {
            let mut told = explain::passages(&held.index, &attempt.retrieval, &answer);
            told["model"] = serde_json::json!(asked);
            answer.explanation = Some(told);
        }
        let episode = self
            .memory
            .map(|_| self.document_episode(&attempt, &answer, question, hit));
        // What of the index could not be read counted as empty until here.
        held.index.check()?;
        Ok((answer, episode))
    }

    fn drafted(&self, attempt: &Attempt<'_>) -> Answer {
        let mut answer = self.refusing(attempt.corpus.name());
        match &attempt.given {
            Ok(_) if attempt.is_negated() => {
                answer.reason = Some(wording::refusal(&Refusal::Negation));
            }
            Err(refusal) => answer.reason = Some(sentence(&refusal.to_string())),
            Ok(given) => {
                answer.passages = cited(attempt.held, &given.citations);
                let confidence = given.confidence;
                if confidence < LEAST_CONFIDENCE {
                    answer.reason = Some(format!(
                        "The best sentences found say too little of it ({confidence:.2}, {LEAST_CONFIDENCE:.2} is needed); they are cited."
                    ));
                } else {
                    answer.refused = false;
                    answer.confidence = confidence;
                    answer.text.clone_from(&given.text);
                    answer.chain.clone_from(&given.chain);
                }
            }
        }
        if let Some(used) = attempt.retrieval.used.first() {
            answer.experience = attempt.experiences.id(used.id).map(|id| id.to_string());
        }
        answer
    }

    fn document_episode(
        &self,
        attempt: &Attempt<'_>,
        answer: &Answer,
        question: &str,
        hit: Hit,
    ) -> Episode {
        let used = attempt.retrieval.used.iter();
        let helped: Vec<ExperienceId> = used
            .filter_map(|used| attempt.experiences.id(used.id))
            .collect();
        let candidate = match (&attempt.given, hit) {
            (Ok(given), Hit::None) if !answer.refused && given.may_be_kept() => {
                self.document_candidate(attempt, given, answer)
            }
            _ => None,
        };
        Episode {
            at: self.now,
            answer: self.id,
            question: question.to_owned(),
            embedder: self.engine.embedder.fingerprint().to_owned(),
            vector: self.vector.clone(),
            masked_vector: self.vector.clone(),
            signature: same_words(question),
            domain: attempt.corpus.name().to_owned(),
            recalled: Vec::new(),
            hit,
            helped,
            plan: attempt
                .given
                .as_ref()
                .ok()
                .and_then(|given| given.plan.clone()),
            links: Vec::new(),
            quality: candidate.as_ref().map(|c| c.grounding.confidence),
            lesson_weight: 0.0,
            candidate: candidate.map(Box::new),
        }
    }

    /// What may be remembered: an answer that is new among what is known, and that its passages support. Novelty first,
    /// as it is cheap. (LivingRAG, Eq. 15 to 19)
    fn document_candidate(
        &self,
        attempt: &Attempt<'_>,
        given: &Given,
        answer: &Answer,
    ) -> Option<Candidate> {
        let config = attempt.experiences.config();
        if attempt.retrieval.novelty < config.minimum_novelty {
            return None;
        }
        let index = &attempt.held.index;
        let places: Vec<u32> = given.citations.iter().map(|c| c.passage).collect();
        let claims = claims(
            &attempt.retrieval.query.text,
            &given.explanation,
            &answer.text,
            &config.grounding,
        );
        let grounding = index.ground(&claims, &places, &config.grounding);
        if grounding.score < config.minimum_grounding {
            return None;
        }
        let confidence = grounding.score.min(config.grounding.max_lexical_confidence);
        let map = attempt.experiences.map(index, &attempt.retrieval);
        Some(Candidate {
            id: ExperienceId(self.engine.fresh_id()),
            aspect: ASPECT.to_owned(),
            scaffold: attempt
                .experiences
                .summary(&given.explanation, &answer.text, &map),
            payloads: given.payloads(map),
            answer: AnswerText {
                text: answer.text.clone(),
                values: Vec::new(),
            },
            evidence: evidence(attempt.corpus.name(), index, &given.rests_on),
            grounding: Grounding {
                confidence,
                judge: Judge::Evidence,
            },
            lifetime: Lifetime::Unlimited,
            generation: 0,
            provenance: self.provenance,
        })
    }
}

/// A question's words as they are compared: nothing in it may differ.
fn same_words(question: &str) -> Signature {
    Signature::extract(&kgqa::text::normalise(question), Vec::new())
}

/// The passages that an answer cites, as evidence.
fn evidence(corpus: &str, index: &Index, rests_on: &[u32]) -> Evidence {
    let mut places = rests_on.to_vec();
    places.sort_unstable();
    places.dedup();
    let passages = places.iter().filter_map(|place| {
        let passage = index.passage(*place)?;
        Some((passage, index.content_hash(*place)?))
    });
    let mut keys: Vec<EvidenceKey> = Vec::new();
    let mut facts = Vec::new();
    for (passage, hash) in passages {
        keys.push(passage_key(corpus, &passage.document.0, passage.ordinal));
        let mut fact = format!("{}\u{1f}{}\u{1f}", passage.document, passage.ordinal).into_bytes();
        fact.extend(hash.0);
        facts.push(fact);
    }
    keys.sort_unstable();
    Evidence {
        triples: Vec::new(),
        total: facts.len() as u64,
        keys,
        fingerprint: Fingerprint::of(facts),
    }
}

/// Where the sentences stand, in their documents.
fn cited(held: &Held, citations: &[Citation]) -> Vec<PassageCitation> {
    let mut out = Vec::new();
    for (n, citation) in citations.iter().enumerate() {
        let Some(passage) = held.index.passage(citation.passage) else {
            continue;
        };
        // The index has the title and perhaps a heading before the passage's own text.
        let place = held.place(&passage.document.0, passage.ordinal);
        let before = passage.text_start() + place.map_or(0, |place| place.heading);
        let start = place.map_or(0, |place| place.start);
        let at = |offset: usize| start + offset.saturating_sub(before);
        out.push(PassageCitation {
            n: n + 1,
            document: passage.document.0.clone(),
            title: passage.title.clone(),
            passage: passage.ordinal,
            start: at(citation.span.start),
            end: at(citation.span.end),
            text: citation.text.clone(),
        });
    }
    out
}

/// With a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|c| c.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
