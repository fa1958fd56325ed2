//! How does a corpus answer? LivingRAG over LinearRAG, with the one memory for its experiences.
//!
//! Passages are found with what earlier answers know, the answer is taken from them with its sentences and places, and
//! what is new and grounded is handed to the learner. An answer's wording is served from the past only when the very
//! passages that it rests on are found again and say what they said.

mod experiences;
mod verdicts;

use graph_rag::answer::{Answer as Extract, AnswerRefusal};
use graph_rag::grounding::claims;
use graph_rag::living_rag::LivingRetrieval;
use graph_rag::{Index, LinearRagConfig};
use kgqa::answer::Refusal;
use memory::{
    AnswerText, Candidate, Episode, Evidence, EvidenceKey, ExperienceId, Fingerprint, Grounding,
    Hit, Judge, Lifetime, Memory, Payload, Signature,
};

use crate::add::passage_key;
use crate::answer::{Answer, HitKind, PassageCitation};
use crate::attempt::Frame;
use crate::corpus::{Corpus, Held};
use crate::error::EngineError;
use crate::explain;
use crate::wording;

use experiences::Experiences;
pub(crate) use experiences::ReadyExperiences;
use verdicts::{Verdicts, answer_plan};

/// An answer less sure than this is none: what was found is cited, and that is said.
const LEAST_CONFIDENCE: f32 = 0.2;

/// A sentence is cited beside the best one if it speaks at least so much to the question, as a share.
const CITED_SHARE: f64 = 0.5;

/// The intent that answers from documents are kept under.
const ASPECT: &str = "documents";

/// What one corpus made of a question.
struct Attempt<'a> {
    held: &'a Held,
    corpus: &'a Corpus,
    retrieval: LivingRetrieval,
    extract: Result<Extract, AnswerRefusal>,
    experiences: Experiences,
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
        let attempt = Attempt {
            held: &held,
            corpus,
            retrieval,
            extract,
            experiences,
        };
        let mut answer = self.drafted(&attempt);
        let mut hit = Hit::None;
        if let (Ok(extract), Some(memory)) = (&attempt.extract, self.memory)
            && !answer.refused
            && let Some(verified) = verified(memory, &attempt, extract, question, self.now)
        {
            hit = Hit::Exact(verified.id);
            answer.hit_kind = HitKind::Exact;
            answer.text.clone_from(&verified.answer.text);
            answer.experience = Some(verified.id.to_string());
            answer.similarity = Some(1.0);
            answer.age_seconds = Some(self.now.millis_since(verified.created) / 1_000);
        } else if let Some(correction) = verdicts.correction(&held.index) {
            correction.apply(&mut answer, self.now);
        }
        if self.request.explain {
            answer.explanation = Some(explain::passages(&held.index, &attempt.retrieval, &answer));
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
        match &attempt.extract {
            Ok(_) if same_words(&attempt.retrieval.query.text).negated => {
                answer.reason = Some(wording::refusal(&Refusal::Negation));
            }
            Err(refusal) => answer.reason = Some(sentence(&refusal.to_string())),
            Ok(extract) => {
                answer.passages = cited(attempt.held, extract);
                #[expect(clippy::cast_possible_truncation, reason = "a share in [0, 1]")]
                let confidence = extract.confidence as f32;
                if confidence < LEAST_CONFIDENCE {
                    answer.reason = Some(format!(
                        "The best sentences found say too little of it ({confidence:.2}, {LEAST_CONFIDENCE:.2} is needed); they are cited."
                    ));
                } else {
                    answer.refused = false;
                    answer.confidence = confidence;
                    answer.text = extract
                        .citations
                        .first()
                        .map(|c| c.text.clone())
                        .unwrap_or_default();
                    answer.chain = extract
                        .chain
                        .iter()
                        .map(|link| link.entity.clone())
                        .collect();
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
        let candidate = match (&attempt.extract, hit) {
            (Ok(extract), Hit::None) if !answer.refused => {
                self.document_candidate(attempt, extract, answer)
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
                .extract
                .as_ref()
                .ok()
                .and_then(|extract| answer_plan(&attempt.held.index, extract)),
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
        extract: &Extract,
        answer: &Answer,
    ) -> Option<Candidate> {
        let config = attempt.experiences.config();
        if attempt.retrieval.novelty < config.minimum_novelty {
            return None;
        }
        let index = &attempt.held.index;
        let explanation = extract.text();
        let places: Vec<u32> = extract.citations.iter().map(|c| c.passage).collect();
        let claims = claims(
            &attempt.retrieval.query.text,
            &explanation,
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
                .summary(&explanation, &answer.text, &map),
            payloads: vec![Payload::Activation(map)],
            answer: AnswerText {
                text: answer.text.clone(),
                values: Vec::new(),
            },
            evidence: evidence(attempt.corpus.name(), index, extract),
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

/// The remembered answer to the same words, if it rests on just what is found now.
fn verified<'m>(
    memory: &'m Memory,
    attempt: &Attempt<'_>,
    extract: &Extract,
    question: &str,
    now: memory::Timestamp,
) -> Option<&'m memory::Experience> {
    let corpus = attempt.corpus.name();
    let found = evidence(corpus, &attempt.held.index, extract).fingerprint;
    let known = memory
        .same_wording(corpus, &same_words(question).masked, now)
        .into_iter();
    known
        .filter(|stored| !stored.usage.suspect && stored.experience.evidence.fingerprint == found)
        .map(|stored| stored.experience.as_ref())
        .next()
}

/// A question's words as they are compared: nothing in it may differ.
fn same_words(question: &str) -> Signature {
    Signature::extract(&kgqa::text::normalise(question), Vec::new())
}

/// The passages that an answer cites, as evidence.
fn evidence(corpus: &str, index: &Index, extract: &Extract) -> Evidence {
    let mut places: Vec<u32> = extract.citations.iter().map(|c| c.passage).collect();
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
fn cited(held: &Held, extract: &Extract) -> Vec<PassageCitation> {
    let mut out = Vec::new();
    let best = extract.citations.first().map_or(0.0, |c| c.score);
    let speaking = extract
        .citations
        .iter()
        .filter(|c| c.score >= CITED_SHARE * best);
    for (n, citation) in speaking.enumerate() {
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
