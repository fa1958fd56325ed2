//! Can a graph and documents answer together what neither answers alone?
//!
//! Where a question names a thing by what the graph knows ("the director of Corbel", "Corbel's director"), the graph says
//! who that is, and the documents are asked with that name in its place. Both halves must hold: the graph's answer is one
//! thing with triples whose predicate is called so, the sentence that answers is about that thing. One phrase is followed, once; the outcome is not
//! remembered, as what it rests on is two sources'. The other way round (documents name what a graph is asked of) is not tried.

use std::ops::Range;
use std::sync::Arc;

use serde_json::json;

use crate::answer::{Answer, AskRequest, MemoryUse};
use crate::attempt::Frame;
use crate::corpus::Corpus;
use crate::error::EngineError;
use crate::router::{MAX_SOURCES_ASKED, Route};

/// Mentions of one question that are looked at.
const MAX_MENTIONS: usize = 4;

/// Words of a role ("executive producer", "lead film editor").
const MAX_ROLE_WORDS: usize = 3;

/// Letters that two words of one stem begin with ("director", "directed").
const STEM_CHARS: usize = 4;

/// Words between "of" and a name that say what it is ("of the film Corbel").
const MAX_KIND_WORDS: usize = 2;

/// Words that no role has.
const NO_ROLE: &[&str] = &[
    "the", "a", "an", "of", "is", "was", "were", "are", "did", "does", "do", "who", "whom", "what",
    "which", "where", "when", "how", "why", "and", "or", "in", "to", "by", "with", "born", "die",
    "died",
];

/// Words of a question that asks for no more than who somebody is.
const ASKS_WHO: &[&str] = &[
    "who", "whom", "which", "what", "is", "was", "are", "were", "the", "a", "an", "name", "of",
    "give", "tell", "show", "find", "me", "us", "please", "person",
];

/// Where a question turns to where the answer is said to stand.
const ACCORDING: &[&str] = &["according to", "as told in", "as described in"];

/// The words of a text with their places.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let pieces = text.split(' ').map(|word| {
        let start = at;
        at += word.len() + 1;
        (start, word)
    });
    pieces.filter(|(_, word)| !word.is_empty()).collect()
}

fn is_role(word: &str) -> bool {
    let folded = word.to_lowercase();
    !NO_ROLE.contains(&folded.as_str()) && word.chars().all(|c| c.is_alphabetic() || c == '-')
}

/// Where a question names something by its relation to a name that lies at `name`: the phrases, the likeliest first.
fn phrases(question: &str, name: Range<usize>) -> Vec<Range<usize>> {
    let (before, after) = (&question[..name.start], &question[name.end..]);
    let mut found = Vec::new();
    let mut left = words(before);
    for _ in 0..=MAX_KIND_WORDS {
        if left
            .last()
            .is_some_and(|(_, word)| word.eq_ignore_ascii_case("of"))
        {
            break;
        }
        left.pop();
    }
    if left
        .pop()
        .is_some_and(|(_, word)| word.eq_ignore_ascii_case("of"))
    {
        let roles = left
            .iter()
            .rev()
            .take_while(|(_, word)| is_role(word))
            .count();
        let article = left.len().checked_sub(roles + 1).map(|at| left[at]);
        if let Some((start, word)) = article
            && (1..=MAX_ROLE_WORDS).contains(&roles)
            && word.eq_ignore_ascii_case("the")
        {
            found.push(start..name.end);
        }
    }
    let owned = ["'s ", "\u{2019}s "]
        .into_iter()
        .find_map(|mark| after.strip_prefix(mark));
    if let Some(owned) = owned {
        let start = question.len() - owned.len();
        let roles: Vec<(usize, &str)> = words(owned)
            .into_iter()
            .map(|(at, word)| (at, word.trim_end_matches(['?', ',', '.'])))
            .take_while(|(_, word)| is_role(word))
            .take(MAX_ROLE_WORDS)
            .collect();
        found.extend(
            roles
                .iter()
                .map(|(at, word)| name.start..start + at + word.len()),
        );
    }
    found
}

/// A question without the words that only say where its answer stands.
fn without_place(question: &str) -> &str {
    let lower = question.to_ascii_lowercase();
    let cut = ACCORDING
        .iter()
        .filter_map(|words| lower.find(words))
        .filter(|at| *at > 0)
        .min();
    cut.map_or(question, |at| question[..at].trim_end_matches([' ', ',']))
}

/// What the graph says a phrase means.
struct Half {
    phrase: String,
    asked: String,
    answer: Answer,
    label: String,
    rewritten: String,
}

impl Half {
    /// Whether the question asks for more than who that is.
    fn asks_for_more(&self) -> bool {
        let rest = self.rewritten.replacen(&self.label, " ", 1).to_lowercase();
        let mut words = rest
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        words.any(|word| !ASKS_WHO.contains(&word))
    }
}

impl Frame<'_> {
    /// The answer of a graph that refused and a corpus together; nothing where either half has no support.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn answer_from_both(
        &self,
        route: &Route,
        corpora: &[Arc<Corpus>],
        question: &str,
    ) -> Result<Option<Answer>, EngineError> {
        match self.half(route, corpora, question)? {
            Some(half) => self.completed(half, route, corpora),
            None => Ok(None),
        }
    }

    /// The whole answer where a graph said only what a phrase of the question means, though it asks for more; nothing where
    /// it said more, or no document says the rest.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn other_half(
        &self,
        route: &Route,
        corpora: &[Arc<Corpus>],
        question: &str,
        answer: &Answer,
    ) -> Result<Option<Answer>, EngineError> {
        match self.half(route, corpora, question)? {
            Some(half) if half.answer.values == answer.values && half.asks_for_more() => {
                self.completed(half, route, corpora)
            }
            Some(_) | None => Ok(None),
        }
    }

    fn completed(
        &self,
        half: Half,
        route: &Route,
        corpora: &[Arc<Corpus>],
    ) -> Result<Option<Answer>, EngineError> {
        let frame = Frame {
            engine: self.engine,
            request: self.request,
            id: self.id,
            now: self.now,
            vector: self.engine.vector(&half.rewritten)?,
            memory: None,
            provenance: self.provenance,
            budget: self.budget,
            fits: Vec::new(),
        };
        let mut best: Option<(Answer, &Corpus)> = None;
        for corpus in corpora.iter().take(MAX_SOURCES_ASKED) {
            let (answer, _) = frame.answer_from(corpus, &half.rewritten)?;
            let is_better = best
                .as_ref()
                .is_none_or(|(best, _)| answer.confidence > best.confidence);
            if !answer.refused && is_about(&answer, &half.label) && is_better {
                best = Some((answer, corpus));
            }
        }
        Ok(best.map(|(answer, corpus)| joined(half, answer, &route.view.source, corpus.name())))
    }

    /// The first phrase that the graph has one answer for.
    fn half(
        &self,
        route: &Route,
        corpora: &[Arc<Corpus>],
        question: &str,
    ) -> Result<Option<Half>, EngineError> {
        let question = without_place(question);
        if corpora.is_empty() {
            return Ok(None);
        }
        for mention in route.isr.mentions.iter().take(MAX_MENTIONS) {
            let Some(start) = question.find(&mention.text) else {
                continue;
            };
            for phrase in phrases(question, start..start + mention.text.len()) {
                let said = &question[phrase.clone()];
                let asked = format!("who is {said}?");
                let request = AskRequest {
                    source: Some(route.view.source.clone()),
                    memory: MemoryUse::Off,
                    ..AskRequest::new(asked.clone())
                };
                let (answer, _) = self.engine.answer(&request, self.provenance)?;
                let [value] = answer.values.as_slice() else {
                    continue;
                };
                if answer.refused || value.iri.is_none() || !is_spoken(said, &mention.text, &answer)
                {
                    continue;
                }
                let label = value.label.clone();
                let rewritten = format!(
                    "{}{label}{}",
                    &question[..phrase.start],
                    &question[phrase.end..]
                );
                return Ok(Some(Half {
                    phrase: said.to_owned(),
                    asked,
                    label,
                    rewritten,
                    answer,
                }));
            }
        }
        Ok(None)
    }
}

/// Whether a predicate of the triples says in its own name what the phrase says: a planner's likeness of meanings would
/// take a producer for a director.
fn is_spoken(phrase: &str, name: &str, answer: &Answer) -> bool {
    let roles = phrase.replacen(name, " ", 1).to_lowercase();
    let roles: Vec<&str> = roles
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| is_role(word))
        .collect();
    let predicates = answer.citations.iter().flat_map(|citation| {
        let end = citation
            .predicate
            .rsplit(['/', '#'])
            .next()
            .unwrap_or_default();
        language_model::words::words(end)
    });
    let mut words = predicates.filter(|word| word.chars().count() >= STEM_CHARS);
    words.any(|word| {
        roles.iter().any(|role| {
            word.chars()
                .zip(role.chars())
                .take_while(|(a, b)| a == b)
                .count()
                >= STEM_CHARS
        })
    })
}

/// Whether the first sentence of an answer, or its document, names a thing.
fn is_about(answer: &Answer, label: &str) -> bool {
    let label = kgqa::text::normalise(label);
    let names =
        |text: &str| format!(" {} ", kgqa::text::normalise(text)).contains(&format!(" {label} "));
    answer
        .passages
        .first()
        .is_some_and(|first| names(&first.title) || names(&first.text))
}

fn joined(half: Half, mut answer: Answer, graph: &str, corpus: &str) -> Answer {
    // One row of numbers: the triples, then the sentences.
    for passage in &mut answer.passages {
        passage.n += half.answer.citations.len();
    }
    let mut chain = vec![half.phrase.clone()];
    chain.extend(
        answer
            .chain
            .iter()
            .filter(|name| **name != half.phrase)
            .cloned(),
    );
    if !chain.contains(&half.label) {
        chain.insert(1, half.label.clone());
    }
    let explanation = answer.explanation.map(|documents| {
        json!({
            "bridge": {
                "phrase": half.phrase,
                "asked": half.asked,
                "means": half.label,
                "graph": graph,
                "corpus": corpus,
                "rewritten": half.rewritten,
            },
            "documents": documents,
        })
    });
    Answer {
        citations: half.answer.citations,
        plan: half.answer.plan,
        chain,
        corrected: answer.corrected || half.answer.corrected,
        confidence: answer.confidence.min(half.answer.confidence),
        source: Some(format!("{graph}, {corpus}")),
        reason: Some(format!(
            "{} is {} ({graph}); the rest stands in {corpus}.",
            half.phrase, half.label
        )),
        explanation,
        ..answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(question: &str, name: &str) -> Vec<String> {
        let start = question.find(name).unwrap();
        let phrases = phrases(question, start..start + name.len()).into_iter();
        phrases.map(|phrase| question[phrase].to_owned()).collect()
    }

    #[test]
    fn a_phrase_is_a_role_of_a_name() {
        let of = found("Where was the director of the film Corbel born?", "Corbel");
        assert_eq!(of, ["the director of the film Corbel"]);
        let of = found("Where was the executive producer of Corbel born?", "Corbel");
        assert_eq!(of, ["the executive producer of Corbel"]);
        assert_eq!(
            found("Where was Corbel's director born?", "Corbel"),
            ["Corbel's director"]
        );
        assert_eq!(
            found("When did Corbel\u{2019}s writer, a poet, die?", "Corbel"),
            ["Corbel\u{2019}s writer"]
        );
        for none in [
            "Where was Corbel shot?",
            "What is known of Corbel?",
            "Who was born in the town of Corbel?",
        ] {
            let phrases = found(none, "Corbel");
            assert!(
                phrases.iter().all(|phrase| phrase == "the town of Corbel"),
                "{phrases:?}"
            );
        }
    }

    #[test]
    fn where_an_answer_is_said_to_stand_is_no_part_of_the_question() {
        assert_eq!(
            without_place("Where was Bo born, according to the article?"),
            "Where was Bo born"
        );
        assert_eq!(
            without_place("According to whom was Bo born?"),
            "According to whom was Bo born?"
        );
    }
}
