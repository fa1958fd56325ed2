//! Does what was found rest on what the question names?
//!
//! A sentence stands when every name and number of the question is in its passage or on the way to it, and most of what
//! its other words weigh is in the sentence or on the way, or is like a word that is. It ranks nothing.

use language_model::Embedder;

use super::bridge::{Bridges, Subject};
use super::demand::{Demand, Name};
use super::ground::{Ground, gives_life};
use super::{AnswerConfig, AnswerRefusal, Citation};
use crate::GraphRagError;
use crate::index::Index;
use crate::lexical_entailment::{content_words, stands_in, word_cover};
use crate::linear_rag::{Query, Ranked, Retrieval};
use crate::token::Encoded;

/// Sentences that are tried, best first.
const MAX_TRIED: usize = 8;

/// A sentence is tried if it speaks at least so much to the question, as a share of the best one.
const TRIED_SHARE: f64 = 0.5;

impl Index {
    /// The place of the first sentence that stands; or why none does.
    pub(super) fn first_that_stands(
        &self,
        query: &Query,
        found: &Retrieval,
        citations: &[Citation],
        config: &AnswerConfig,
        embedder: &dyn Embedder,
    ) -> Result<Result<usize, AnswerRefusal>, GraphRagError> {
        let demand = Demand::of(&query.text, &self.recogniser);
        let read: Vec<u32> = found
            .passages
            .iter()
            .take(config.passages)
            .map(|r| r.passage)
            .collect();
        let least = citations.first().map_or(0.0, |c| c.score * TRIED_SHARE);
        let tried = citations.iter().take(MAX_TRIED);
        let bridges = Bridges::read(self, found, &read);
        let mut refusal = None;
        let mut half: Option<(f64, usize)> = None;
        let nowhere = self.said_nowhere(&demand, citations, &read, config, embedder)?;
        for (place, citation) in tried.enumerate().filter(|(_, c)| c.score >= least) {
            let (ground, missing) = self.ground_of(citation, &demand, &bridges, &read);
            if !missing.is_empty() {
                refusal.get_or_insert(AnswerRefusal::Elsewhere { missing });
                continue;
            }
            if !nowhere.is_empty() {
                return Ok(Err(AnswerRefusal::Unsaid { missing: nowhere }));
            }
            let missing = ground.unsaid(&demand.words, config.minimum_likeness, embedder)?;
            if missing.is_empty() {
                return Ok(Ok(place));
            }
            let share = self.share(&missing, &demand);
            if share > config.maximum_unsaid {
                refusal.get_or_insert(AnswerRefusal::Unsaid { missing });
            } else if half.is_none_or(|(least, _)| share < least) {
                half = Some((share, place));
            }
        }
        if let Some((_, place)) = half {
            return Ok(Ok(place));
        }
        Ok(Err(refusal.unwrap_or(AnswerRefusal::Unsaid {
            missing: demand.words,
        })))
    }

    /// The words that say what is asked and have no like in anything that was read.
    fn said_nowhere(
        &self,
        demand: &Demand,
        citations: &[Citation],
        read: &[u32],
        config: &AnswerConfig,
        embedder: &dyn Embedder,
    ) -> Result<Vec<String>, GraphRagError> {
        let texts = read.iter().map(|passage| self.full_text(*passage));
        let ground = Ground {
            words: texts.flat_map(language_model::words::words).collect(),
            dates: citations.iter().any(|c| gives_life(&c.text, demand.place)),
        };
        ground.unsaid(&demand.words, config.minimum_likeness, embedder)
    }

    /// What a sentence says with the way to it, and the names and numbers of the question that are neither there nor in its
    /// passage.
    fn ground_of(
        &self,
        citation: &Citation,
        demand: &Demand,
        bridges: &Bridges<'_>,
        read: &[u32],
    ) -> (Ground, Vec<String>) {
        let title = self
            .passage(citation.passage)
            .map_or("", |p| p.title.as_str());
        // "Anna Vass was born in Riga" on the page of Tim Vass is about her, and the page says nothing of it.
        let of_another = self.begins_with_another(citation, title);
        let subject = Subject::of(if of_another { "" } else { title }, &citation.text);
        let mut way = format!("{title}\n{}", citation.text);
        let mut whole = if of_another {
            citation.text.clone()
        } else {
            self.full_text(citation.passage).to_owned()
        };
        let mut missing: Vec<&Name> = Vec::new();
        for name in &demand.names {
            match bridges.way(name, &subject) {
                // Each sentence on the way takes a word that says what it leads by; one is the last sentence's.
                Some(sentences) if !of_another || sentences.len() < demand.words.len() => {
                    for sentence in sentences {
                        way = format!("{way}\n{sentence}");
                        whole = format!("{whole}\n{sentence}");
                    }
                }
                Some(_) | None => missing.push(name),
            }
        }
        let encoded = Encoded::new(&whole).text;
        missing.retain(|name| !name.stands_in(&encoded));
        // Of names that are set side by side a sentence has one; the others are in what was read.
        if demand.compares && missing.len() < demand.names.len() {
            let texts = read.iter().filter_map(|at| self.records.get(*at as usize));
            let texts: Vec<&str> = texts.map(|r| r.encoded().text.as_str()).collect();
            missing.retain(|name| !texts.iter().any(|text| text.contains(&name.encoded)));
        }
        let mut missing: Vec<String> = missing.into_iter().map(|n| n.shown.clone()).collect();
        let numbers = demand.numbers.iter();
        let numbers = numbers.filter(|number| !encoded.contains(*number));
        missing.extend(numbers.map(|n| n.trim_matches(['\u{1}', '\u{2}']).to_owned()));
        let ground = Ground {
            words: language_model::words::words(&way),
            dates: gives_life(&citation.text, demand.place),
        };
        (ground, missing)
    }

    /// Whether a sentence begins with a name that is not what its passage is titled.
    fn begins_with_another(&self, citation: &Citation, title: &str) -> bool {
        let record = self.records.get(citation.passage as usize);
        let said = record.into_iter().flat_map(|r| &r.mentions.sentences);
        let mut said = said.filter(|s| s.span.start == citation.span.start);
        let (text, title) = (Encoded::new(&citation.text).text, Encoded::new(title).text);
        let another = |name: &str| {
            let name = Encoded::new(name).text;
            !name.is_empty() && text.starts_with(&name) && !title.contains(&name)
        };
        said.any(|s| s.mentions.iter().any(|m| another(&m.name)))
    }

    /// What part of the words that say what is asked these are, by idf: a strange verb weighs more than "film".
    fn share(&self, words: &[String], demand: &Demand) -> f64 {
        let weight = |words: &[String]| -> f64 {
            let idf = words.iter().map(|word| self.words.bm25.idf(word));
            idf.map(f64::from).sum()
        };
        let whole = weight(&demand.words);
        if whole > 0.0 {
            weight(words) / whole
        } else {
            0.0
        }
    }

    /// The share of the question that the passages read hold, if it is enough.
    pub(super) fn supported(
        &self,
        question: &str,
        read: &[Ranked],
        needed: f64,
    ) -> Result<f64, AnswerRefusal> {
        let words = content_words(question);
        if !words
            .iter()
            .any(|word| word.chars().any(char::is_alphabetic))
        {
            return Err(AnswerRefusal::NothingAsked);
        }
        let held: Vec<String> = read
            .iter()
            .flat_map(|r| language_model::words::words(self.full_text(r.passage)))
            .collect();
        let support = word_cover(&words, &held, &self.words.bm25);
        if support >= needed {
            return Ok(support);
        }
        let mut missing: Vec<String> = words.into_iter().filter(|w| !stands_in(w, &held)).collect();
        missing.sort_by(|a, b| {
            self.words
                .bm25
                .idf(b)
                .total_cmp(&self.words.bm25.idf(a))
                .then(a.cmp(b))
        });
        missing.dedup();
        Err(AnswerRefusal::Unsupported {
            missing,
            support,
            needed,
        })
    }
}
