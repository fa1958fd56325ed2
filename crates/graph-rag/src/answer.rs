//! What do the passages answer, and where does it stand?
//!
//! Without a language model an answer is extractive: the sentences that speak most to the question, each with its
//! passage and span, and the chain of entities that led there. Where nothing speaks to it, it is refused.

mod bridge;
mod demand;
mod ground;
mod kind;
mod stands;
mod statement;

use std::ops::Range;

use language_model::Embedder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::GraphRagError;
use crate::index::Index;
use crate::lexical_entailment::{content_words, negative, word_cover};
use crate::linear_rag::{Query, Ranked, Retrieval};
use crate::token::{Encoded, tokens};

use kind::{Asked, asked, is_date_word};
use statement::is_statement;

/// Bounds of an extractive answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerConfig {
    /// Most passages that are read.
    pub passages: usize,
    /// Most sentences that are cited.
    pub sentences: usize,
    /// Least share of what the question asks for that the passages read must hold, by idf.
    pub minimum_support: f64,
    /// Least likeness, as a cosine, of each word that says what is asked to a word of the sentence, its title or the way
    /// to it, where it stands in none of them.
    pub minimum_likeness: f64,
    /// The most that the words without a like may weigh of the words that say what is asked, by idf, as a share.
    pub maximum_unsaid: f64,
}

impl Default for AnswerConfig {
    fn default() -> Self {
        Self {
            passages: 5,
            sentences: 3,
            minimum_support: 0.35,
            minimum_likeness: 0.35,
            maximum_unsaid: 0.5,
        }
    }
}

/// Words, in quotation marks, as a list.
fn listed(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted.join(", ")
}

/// What words alone can make sure of, at most.
const MAX_CONFIDENCE: f64 = 0.8;

/// A sentence that is cited.
#[derive(Debug, Clone, PartialEq)]
pub struct Citation {
    /// The passage's place in the index.
    pub passage: u32,
    /// Where, in bytes of the passage's full text.
    pub span: Range<usize>,
    /// The sentence.
    pub text: String,
    /// How much it speaks to the question; comparable within one answer.
    pub score: f64,
}

/// A step from entity to entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The sentence that mentions this entity and the one before; `None` for the first.
    pub sentence: Option<String>,
    /// The entity.
    pub entity: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AnswerRefusal {
    /// There are no passages.
    #[error("there are no documents to answer from")]
    Nothing,
    /// The question has no word that passages could speak of.
    #[error("the question names nothing that could be looked for")]
    NothingAsked,
    /// Every sentence found is withheld.
    #[error("every sentence that was found for it was called wrong")]
    Withheld,
    /// A name or a number of the question stands nowhere on the way to what was found.
    #[error("nothing that was found for it speaks of {}", listed(missing))]
    Elsewhere {
        /// The names and numbers, as the question has them, in order.
        missing: Vec<String>,
    },
    /// What is asked is said of nothing that was found.
    #[error("no sentence that was found says anything like {}", listed(missing))]
    Unsaid {
        /// The words that have no like, in the question's order.
        missing: Vec<String>,
    },
    /// The passages found say too little of what was asked.
    #[error(
        "no passage speaks of {}: the best hold {:.2} of the question, {needed:.2} is needed",
        listed(missing),
        support.max(0.0)
    )]
    Unsupported {
        /// The words of the question that none of them holds, the rarest first.
        missing: Vec<String>,
        /// The share they hold.
        support: f64,
        /// The share needed.
        needed: f64,
    },
}

/// An extractive answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The sentences, best first.
    pub citations: Vec<Citation>,
    /// From an entity of the question to the one the best sentence speaks of.
    pub chain: Vec<Link>,
    /// The share of the question, by idf, that the passages read hold, in [0, 1].
    pub support: f64,
    /// How far the best sentence can be trusted, by its words and the way to it, in [0, 0.8]. Lexical, not a probability.
    pub confidence: f64,
}

impl Answer {
    /// The cited sentences, in order, as one text.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.citations.iter().map(|c| c.text.as_str()).collect();
        texts.join(" ")
    }
}

impl Index {
    /// Answers from retrieved passages. A refusal is a value. The embedder compares single words, some hundreds a question;
    /// it need not be the index's.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::Embed`] when the embedder fails on a word.
    pub fn answer(
        &self,
        query: &Query,
        found: &Retrieval,
        config: &AnswerConfig,
        embedder: &dyn Embedder,
    ) -> Result<Result<Answer, AnswerRefusal>, GraphRagError> {
        self.answer_without(query, found, config, embedder, |_, _| false)
    }

    /// Answers from retrieved passages with what is left when sentences are withheld, by their passage's place and their
    /// words: those that a person called wrong, for instance. Each one withheld that speaks more to the question than the
    /// answer halves its confidence.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn answer_without(
        &self,
        query: &Query,
        found: &Retrieval,
        config: &AnswerConfig,
        embedder: &dyn Embedder,
        withheld: impl Fn(u32, &str) -> bool,
    ) -> Result<Result<Answer, AnswerRefusal>, GraphRagError> {
        let read: Vec<Ranked> = found
            .passages
            .iter()
            .copied()
            .take(config.passages)
            .collect();
        if read.is_empty() {
            return Ok(Err(AnswerRefusal::Nothing));
        }
        let support = match self.supported(&query.text, &read, config.minimum_support) {
            Ok(support) => support,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let strongest = found
            .activation
            .weights
            .iter()
            .map(|(_, w)| *w)
            .fold(0.0_f64, f64::max);
        let mut citations = Vec::new();
        for (rank, ranked) in read.iter().enumerate() {
            citations.extend(self.scored_sentences(query, found, ranked.passage, rank, strongest));
        }
        citations.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then((a.passage, a.span.start).cmp(&(b.passage, b.span.start)))
        });
        let wrong: Vec<f64> = citations
            .iter()
            .filter(|c| withheld(c.passage, &c.text))
            .map(|c| c.score)
            .collect();
        citations.retain(|c| !withheld(c.passage, &c.text));
        if !wrong.is_empty() && citations.is_empty() {
            return Ok(Err(AnswerRefusal::Withheld));
        }
        let best = match self.first_that_stands(query, found, &citations, config, embedder)? {
            Ok(best) => best,
            Err(refusal) => return Ok(Err(refusal)),
        };
        citations.drain(..best);
        citations.truncate(config.sentences);
        let best = citations.first();
        let chain = best.map_or_else(Vec::new, |best| self.chain_to(found, best));
        let above = |best: &Citation| wrong.iter().filter(|score| **score >= best.score).count();
        let confidence = best.map_or(0.0, |best| {
            let halvings = i32::try_from(above(best)).unwrap_or(i32::MAX);
            self.confidence(query, found, best, &chain, strongest) * 0.5_f64.powi(halvings)
        });
        Ok(Ok(Answer {
            citations,
            chain,
            support,
            confidence,
        }))
    }

    /// How far the best sentence can be trusted: the share of the question that it, its title and the names on the way to it
    /// hold, less the weaker the way. Words alone cannot make sure, so it never exceeds [`MAX_CONFIDENCE`].
    fn confidence(
        &self,
        query: &Query,
        found: &Retrieval,
        best: &Citation,
        chain: &[Link],
        strongest: f64,
    ) -> f64 {
        let title = self.passage(best.passage).map_or("", |p| p.title.as_str());
        let names: Vec<&str> = chain.iter().map(|link| link.entity.as_str()).collect();
        let held =
            language_model::words::words(&format!("{title} {} {}", best.text, names.join(" ")));
        let cover = word_cover(&content_words(&query.text), &held, &self.words.bm25);
        let way = if strongest > 0.0 {
            (self.strongest_in(found, &best.text, best.passage) / strongest).min(1.0)
        } else {
            1.0
        };
        (MAX_CONFIDENCE * cover * way).clamp(0.0, 1.0)
    }

    fn scored_sentences(
        &self,
        query: &Query,
        found: &Retrieval,
        passage: u32,
        rank: usize,
        strongest: f64,
    ) -> Vec<Citation> {
        let Some(record) = self.records.get(passage as usize) else {
            return Vec::new();
        };
        // What is asked for of a name is said by the other words.
        let named: Vec<String> = query
            .mentions
            .iter()
            .flat_map(|m| language_model::words::words(m))
            .collect();
        let mut wanted = content_words(&query.text);
        wanted.retain(|word| !named.contains(word));
        let asked = asked(&query.text);
        let mut out = Vec::new();
        for sentence in &record.mentions.sentences {
            let text = &record.full_text[sentence.span.clone()];
            let body = record.passage.text_start();
            // Questions and headings answer none.
            if !is_statement(
                &record.full_text,
                body,
                &record.passage.title,
                &sentence.span,
            ) {
                continue;
            }
            // "He was not the architect" tells nobody who was.
            if negative(text) && !negative(&query.text) {
                continue;
            }
            let words = language_model::words::words(&format!("{} {text}", record.passage.title));
            let cover = if wanted.is_empty() {
                0.0
            } else {
                word_cover(&wanted, &words, &self.words.bm25)
            };
            let active = self.strongest_in(found, text, passage) / strongest.max(f64::MIN_POSITIVE);
            let fits = match asked {
                Asked::Date => tokens(text).iter().any(|t| is_date_word(t.text)),
                Asked::Number => tokens(text).iter().any(crate::token::Token::is_number),
                Asked::Other => false,
            };
            out.push(Citation {
                passage,
                span: sentence.span.clone(),
                text: text.to_owned(),
                score: cover
                    + 0.5 * active.min(1.0)
                    + if fits { 1.0 } else { 0.0 }
                    + 0.5 / (rank as f64 + 1.0),
            });
        }
        out
    }

    /// The largest accumulated weight of an activated entity that a sentence, or its passage's title, names.
    fn strongest_in(&self, found: &Retrieval, text: &str, passage: u32) -> f64 {
        let title = self.passage(passage).map_or("", |p| p.title.as_str());
        let encoded = Encoded::new(&format!("{title} {text}")).text;
        let named = found.activation.weights.iter().filter(|(entity, _)| {
            let name = Encoded::new(self.graph.name_of(*entity)).text;
            !name.is_empty() && encoded.contains(&name)
        });
        named.map(|(_, w)| *w).fold(0.0, f64::max)
    }

    /// The way to the entity of the sentence that was reached last or, when none was, to one that a sentence joins to one
    /// that was.
    fn chain_to(&self, found: &Retrieval, best: &Citation) -> Vec<Link> {
        let title = self.passage(best.passage).map_or("", |p| p.title.as_str());
        let encoded = Encoded::new(&format!("{title} {}", best.text)).text;
        let active = &found.activation.active;
        let named = active
            .iter()
            .filter(|a| encoded.contains(&Encoded::new(self.graph.name_of(a.entity)).text));
        let last = named.max_by(|a, b| {
            a.tier
                .cmp(&b.tier)
                .then(a.score.total_cmp(&b.score))
                .then(b.entity.cmp(&a.entity))
        });
        let steps = match last {
            Some(last) => found.activation.chain(last.entity),
            None => self.joined(found, title).unwrap_or_default(),
        };
        let link = |(sentence, entity): (Option<u32>, u32)| Link {
            sentence: sentence.map(|s| self.sentence_text(s).to_owned()),
            entity: self.graph.name_of(entity).to_owned(),
        };
        steps.into_iter().map(link).collect()
    }

    fn joined(&self, found: &Retrieval, title: &str) -> Option<Vec<(Option<u32>, u32)>> {
        let entity = self.graph.entity_named(title)?;
        let active = |e: &u32| found.activation.active.iter().any(|a| a.entity == *e);
        let mut sentences = self.graph.sentences_of(entity).iter();
        let (sentence, from) = sentences.find_map(|s| {
            let from = self.graph.entities_of(*s).iter().find(|e| active(e))?;
            Some((*s, *from))
        })?;
        let mut chain = found.activation.chain(from);
        chain.push((Some(sentence), entity));
        Some(chain)
    }
}

#[cfg(test)]
mod tests;
