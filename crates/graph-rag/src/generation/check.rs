//! What of a model's reply is believed? Only what the sentences that it cites hold.

use language_model::words::words;
use serde::Deserialize;

use super::prompt::Shown;
use super::{Generated, NotBelieved};
use crate::answer::Citation;
use crate::index::Index;
use crate::lexical_entailment::{content_words, negative, stands_in};
use crate::linear_rag::Query;

/// Bytes of a reply.
const MAX_REPLY_BYTES: usize = 16 << 10;

/// Answers that are no words of a sentence.
const VERDICTS: [&str; 2] = ["yes", "no"];

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    thought: String,
    citations: Vec<u64>,
    answer: String,
}

/// The answer of a reply, if it is one.
pub(super) fn believed(
    index: &Index,
    query: &Query,
    shown: &Shown,
    reply: &str,
) -> Result<Generated, NotBelieved> {
    if reply.len() > MAX_REPLY_BYTES {
        return Err(NotBelieved::Form(format!(
            "it is longer than {MAX_REPLY_BYTES} bytes"
        )));
    }
    let reply: Reply =
        serde_json::from_str(reply).map_err(|error| NotBelieved::Form(error.to_string()))?;
    let answer = one_line(&reply.answer);
    if answer.is_empty() || reply.citations.is_empty() {
        return Err(NotBelieved::Declined);
    }
    let mut citations = Vec::new();
    for n in reply.citations {
        let at = usize::try_from(n).ok().and_then(|n| n.checked_sub(1));
        let Some(cited) = at.and_then(|at| shown.sentences.get(at)) else {
            return Err(NotBelieved::UnknownSentence(n));
        };
        if !citations.contains(cited) {
            citations.push(cited.clone());
        }
    }
    let mut held = Vec::new();
    for citation in &citations {
        let title = index.passage(citation.passage).map_or("", |p| &p.title);
        held.extend(words(title));
        held.extend(words(&citation.text));
    }
    if let Some(name) = unspoken(query, &held) {
        return Err(NotBelieved::Elsewhere(name));
    }
    if let Some(missing) = unsaid(&answer, &query.text, &held) {
        return Err(NotBelieved::Unsupported { answer, missing });
    }
    if let Some(missing) = contradicted(&answer, &query.text, &citations, &held) {
        return Err(NotBelieved::Unsupported { answer, missing });
    }
    Ok(Generated {
        answer,
        explanation: one_line(&reply.thought),
        citations,
        sentences_cut: shown.cut,
    })
}

/// A name or a number of the question that the cited sentences and their titles do not have, word for word.
fn unspoken(query: &Query, held: &[String]) -> Option<String> {
    let lacks = |text: &str| words(text).iter().any(|word| !stands_in(word, held));
    let numbers = words(&query.text);
    let numbers = numbers.iter().filter(|word| is_number(word));
    let mut asked = query.mentions.iter().chain(numbers);
    asked.find(|text| lacks(text)).cloned()
}

/// A word of the answer that stands neither in the cited sentences nor, being a name that is chosen among or the kind of thing
/// asked for, in the question. Numbers must be cited.
fn unsaid(answer: &str, question: &str, held: &[String]) -> Option<String> {
    let said = words(answer);
    if said.len() == 1 && VERDICTS.contains(&said[0].as_str()) {
        return None;
    }
    let asked = words(question);
    let numbers = said.iter().filter(|word| is_number(word)).cloned();
    content_words(answer)
        .into_iter()
        .chain(numbers)
        .find(|word| !(stands_in(word, held) || (!is_number(word) && stands_in(word, &asked))))
}

/// What of an answer its sentences deny, or do not even speak of: a denial that none makes, a "yes" or "no" that rests on no
/// sentence with all words of the question, an answer to "when" or "how many" without a number, an answer of no word.
fn contradicted(
    answer: &str,
    question: &str,
    citations: &[Citation],
    held: &[String],
) -> Option<String> {
    let denied = citations.iter().any(|c| negative(&c.text));
    let said = words(answer);
    if let [verdict] = said.as_slice()
        && VERDICTS.contains(&verdict.as_str())
    {
        let unheld = content_words(question)
            .into_iter()
            .find(|word| !stands_in(word, held));
        return unheld.or_else(|| ((verdict == "no") != denied).then(|| verdict.clone()));
    }
    if content_words(answer).is_empty() {
        return Some(answer.to_owned());
    }
    if negative(answer) && !denied {
        return Some("not".to_owned());
    }
    let asked = words(question);
    let wants_number = asked.first().is_some_and(|word| word == "when")
        || asked
            .windows(2)
            .any(|w| w[0] == "how" && matches!(w[1].as_str(), "many" | "much" | "old" | "tall"));
    let has_number = answer.bytes().any(|b| b.is_ascii_digit())
        || said.iter().any(|w| NUMERALS.contains(&w.as_str()));
    (wants_number && !has_number).then(|| "a number".to_owned())
}

/// Numbers that are written out.
const NUMERALS: [&str; 13] = [
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen",
    "twelve",
];

impl Generated {
    /// Whether what it cites says everything that was asked, word for word, so that it may be remembered before a person has
    /// seen it.
    #[must_use]
    pub fn is_literal(&self, question: &str, titles: &[&str]) -> bool {
        let mut held: Vec<String> = titles.iter().flat_map(|title| words(title)).collect();
        held.extend(self.citations.iter().flat_map(|c| words(&c.text)));
        content_words(question)
            .iter()
            .all(|word| stands_in(word, &held))
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
}

fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
