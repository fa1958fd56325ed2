//! Does what was found rest on what the question names?
//!
//! A sentence stands when every name and number of the question is in its passage or on the way to it, and most of what
//! its other words weigh is in the sentence or on the way, or is like a word that is. It ranks nothing.

use language_model::Embedder;

use super::demand::{Demand, Name, is_said};
use super::{AnswerConfig, AnswerRefusal, Citation};
use crate::GraphRagError;
use crate::index::Index;
use crate::lexical_entailment::{content_words, stands_in, word_cover};
use crate::linear_rag::{Query, Ranked, Retrieval};
use crate::token::{Encoded, tokens};

/// Sentences that are tried, best first.
const MAX_TRIED: usize = 8;

/// A sentence is tried if it speaks at least so much to the question, as a share of the best one.
const TRIED_SHARE: f64 = 0.5;

/// Words of births and deaths, that a name's dates in parentheses tell without saying them.
const LIFE: &[&str] = &[
    "age",
    "birth",
    "birthdate",
    "birthday",
    "born",
    "dead",
    "death",
    "die",
    "died",
    "old",
    "older",
    "younger",
];

/// Families of words that tell the same bond, each from its side: a mother is told by "a son of".
const BONDS: [&[&str]; 3] = [
    &[
        "child",
        "children",
        "daughter",
        "daughters",
        "father",
        "mother",
        "parent",
        "parents",
        "son",
        "sons",
    ],
    &[
        "husband", "marriage", "married", "marry", "spouse", "wed", "wife",
    ],
    &[
        "brother", "brothers", "sibling", "siblings", "sister", "sisters",
    ],
];

/// What a sentence says with the way to it.
struct Ground {
    /// The passage and the sentences on the way, encoded.
    encoded: String,
    /// The words of the sentence, its title and the sentences on the way.
    words: Vec<String>,
    /// The sentence gives dates of a life.
    dates: bool,
}

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
        let mut refusal = None;
        for (place, citation) in tried.enumerate().filter(|(_, c)| c.score >= least) {
            let ground = self.ground_of(found, citation, &demand, &read);
            let missing = self.missing(&demand, citation, &ground, &read);
            let why = if missing.is_empty() {
                let unsaid = unsaid(&demand, &ground, config.minimum_likeness, embedder)?;
                if self.share(&unsaid, &demand) <= config.maximum_unsaid {
                    return Ok(Ok(place));
                }
                AnswerRefusal::Unsaid { missing: unsaid }
            } else {
                AnswerRefusal::Elsewhere { missing }
            };
            refusal.get_or_insert(why);
        }
        Ok(Err(refusal.unwrap_or(AnswerRefusal::Unsaid {
            missing: demand.words,
        })))
    }

    fn ground_of(
        &self,
        found: &Retrieval,
        citation: &Citation,
        demand: &Demand,
        read: &[u32],
    ) -> Ground {
        let title = self
            .passage(citation.passage)
            .map_or("", |p| p.title.as_str());
        let mut way = format!("{title}\n{}", citation.text);
        let mut whole = self.full_text(citation.passage).to_owned();
        for link in self.chain_to(found, citation) {
            let sentence = link.sentence.unwrap_or_default();
            way = format!("{way}\n{sentence}");
            whole = format!("{whole}\n{sentence}");
        }
        // What an experience led to directly, a passage may still say the way to.
        let spoken = Encoded::new(&format!("{title}\n{}", citation.text)).text;
        for name in &demand.names {
            let bridges = read.iter().filter_map(|at| self.bridge(*at, name, &spoken));
            for sentence in bridges {
                way = format!("{way}\n{sentence}");
            }
        }
        Ground {
            encoded: Encoded::new(&whole).text,
            words: language_model::words::words(&way),
            dates: gives_life(&citation.text),
        }
    }

    /// The names and numbers of the question that neither a sentence's ground nor a passage bridged to it has.
    fn missing(
        &self,
        demand: &Demand,
        citation: &Citation,
        ground: &Ground,
        read: &[u32],
    ) -> Vec<String> {
        let title = self
            .passage(citation.passage)
            .map_or("", |p| p.title.as_str());
        let spoken = Encoded::new(&format!("{title}\n{}", citation.text)).text;
        let has = |name: &&Name| {
            name.stands_in(&ground.encoded)
                || read
                    .iter()
                    .any(|place| self.bridge(*place, name, &spoken).is_some())
        };
        let mut missing: Vec<String> = demand
            .names
            .iter()
            .filter(|name| !has(name))
            .map(|name| name.shown.clone())
            .collect();
        // Of names that are set side by side a sentence has one; the others are in what was read.
        if demand.compares && missing.len() < demand.names.len() {
            let texts: Vec<&str> = read
                .iter()
                .filter_map(|place| {
                    Some(self.records.get(*place as usize)?.encoded().text.as_str())
                })
                .collect();
            missing.retain(|shown| {
                let name = Encoded::new(shown).text;
                !texts.iter().any(|text| text.contains(&name))
            });
        }
        let numbers = demand.numbers.iter();
        let numbers = numbers.filter(|number| !ground.encoded.contains(*number));
        missing.extend(numbers.map(|n| n.trim_matches(['\u{1}', '\u{2}']).to_owned()));
        missing
    }

    /// The sentence on a name, in a passage that was read, that also mentions what the answer speaks of.
    fn bridge(&self, place: u32, name: &Name, spoken: &str) -> Option<&str> {
        let record = self.records.get(place as usize)?;
        if !name.stands_in(&record.encoded().text) {
            return None;
        }
        let titled = name.stands_in(&Encoded::new(&record.passage.title).text);
        let sentences = record.mentions.sentences.iter();
        sentences
            .map(|sentence| (sentence, &record.full_text[sentence.span.clone()]))
            .find(|(sentence, text)| {
                (titled || name.stands_in(&Encoded::new(text).text))
                    && sentence.mentions.iter().any(|mention| {
                        let other = Encoded::new(&mention.name).text;
                        !other.is_empty() && other != name.encoded && spoken.contains(&other)
                    })
            })
            .map(|(_, text)| text)
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

/// Whether dates stand in parentheses, as those of a life do behind a name.
fn gives_life(text: &str) -> bool {
    text.split('(').skip(1).any(|inside| {
        let inside = inside.split(')').next().unwrap_or_default();
        tokens(inside).iter().any(|t| super::is_date_word(t.text))
    })
}

/// Whether a bond is told from one of its sides.
fn tells_bond(word: &str, said: &[String]) -> bool {
    let bond = BONDS.iter().find(|bond| bond.contains(&word));
    bond.is_some_and(|bond| said.iter().any(|other| bond.contains(&other.as_str())))
}

/// The words that say what is asked and have no like on a sentence's ground.
fn unsaid(
    demand: &Demand,
    ground: &Ground,
    least: f64,
    embedder: &dyn Embedder,
) -> Result<Vec<String>, GraphRagError> {
    let lacking: Vec<&String> = demand
        .words
        .iter()
        .filter(|word| !is_said(word, &ground.words))
        .filter(|word| !(ground.dates && LIFE.contains(&word.as_str())))
        .filter(|word| !tells_bond(word, &ground.words))
        .collect();
    if lacking.is_empty() {
        return Ok(Vec::new());
    }
    let mut said: Vec<&str> = ground.words.iter().map(String::as_str).collect();
    said.retain(|word| !crate::recogniser::word_lists::is_function_word(word));
    said.sort_unstable();
    said.dedup();
    let mut texts: Vec<&str> = lacking.iter().map(|word| word.as_str()).collect();
    texts.extend(said);
    let vectors = embedder.embed(&texts)?;
    let (asked, said) = vectors.split_at(lacking.len().min(vectors.len()));
    let likeness = |vector: &similarity::Embedding| {
        let nearest = said.iter().map(|other| f64::from(vector.cosine(other)));
        nearest.fold(-1.0, f64::max)
    };
    Ok(lacking
        .into_iter()
        .zip(asked)
        .filter(|(_, vector)| likeness(vector) < least)
        .map(|(word, _)| word.clone())
        .collect())
}
