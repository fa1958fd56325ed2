//! Which worked example guides a later answer, and what of it is kept? (LivingRAG, Eq. 6 and 11 to 14)
//!
//! A scaffold shows how a like question was answered; it is no cache of answers.

use serde::{Deserialize, Serialize};

use crate::experience::ExperienceId;
use crate::index::Index;
use crate::recogniser::Casing;
use crate::sentence::sentences;
use crate::token::{Encoded, tokens};

/// Most sentences of a summary.
const MAX_SENTENCES: usize = 4;
/// Most words of a summary.
const MAX_TOKENS: usize = 120;
/// Most entities that key sentences are ranked by.
const MAX_ENTITIES: usize = 20;

/// What stands for an entity or a number in a template.
const PLACEHOLDER: &str = "[X]";

/// How a scaffold is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScaffoldConfig {
    /// λ: weight of the template against the match.
    pub template_weight: f64,
    /// A scaffold needs this score, or a template as near as `minimum_template`.
    pub minimum_score: f64,
    /// See `minimum_score`.
    pub minimum_template: f64,
}

impl Default for ScaffoldConfig {
    fn default() -> Self {
        Self {
            template_weight: 0.1,
            minimum_score: 0.45,
            minimum_template: 0.75,
        }
    }
}

/// A worked example for a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaffold {
    /// The experience it comes from.
    pub experience: ExperienceId,
    /// The question that was answered.
    pub question: String,
    /// How, in its key sentences; with placeholders where no entity is shared.
    pub steps: Vec<String>,
    /// Its answer; `None` where no entity is shared, so that it cannot leak.
    pub answer: Option<String>,
    /// s_scaf.
    pub score: f64,
}

/// A question with its mentions, quotations and numbers replaced.
#[must_use]
pub fn template(text: &str, index: &Index) -> String {
    let mut spans: Vec<_> = index
        .recogniser
        .mentions(text, Casing::of(text))
        .into_iter()
        .map(|m| m.span)
        .collect();
    spans.extend(
        tokens(text)
            .iter()
            .filter(|t| t.is_number())
            .map(|t| t.start..t.end),
    );
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.start >= at {
            out.push_str(&text[at..span.start]);
            out.push_str(PLACEHOLDER);
            at = span.end;
        }
    }
    out.push_str(&text[at..]);
    out
}

/// The few sentences of an explanation that mention the most activated entities, in its order; the one with the answer
/// is always among them.
#[must_use]
pub fn key_sentences(explanation: &str, answer: &str, activated: &[(String, f64)]) -> Vec<String> {
    let names: Vec<(String, f64)> = activated
        .iter()
        .take(MAX_ENTITIES)
        .map(|(name, w)| (Encoded::new(name).text, *w))
        .collect();
    let answer = Encoded::new(answer).text;
    let parts: Vec<&str> = sentences(explanation)
        .into_iter()
        .map(|span| &explanation[span])
        .collect();
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let encoded = Encoded::new(part).text;
        let mentioned: f64 = names
            .iter()
            .filter(|(n, _)| encoded.contains(n.as_str()))
            .map(|(_, w)| *w)
            .sum();
        let answers = !answer.is_empty() && encoded.contains(&answer);
        ranked.push((if answers { f64::INFINITY } else { mentioned }, place));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = Vec::new();
    let mut words = 0;
    for (score, place) in ranked.into_iter().take(MAX_SENTENCES) {
        let more = tokens(parts[place]).len();
        if score > 0.0 && (kept.is_empty() || words + more <= MAX_TOKENS) {
            kept.push(place);
            words += more;
        }
    }
    kept.sort_unstable();
    kept.into_iter()
        .map(|place| parts[place].to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::IndexConfig;
    use crate::linear_rag::tests::ToyEmbedder;

    #[test]
    fn a_template_has_no_names_and_numbers() {
        let index = Index::build([], [], IndexConfig::default(), &ToyEmbedder).unwrap();
        assert_eq!(
            template("Who was the 3rd wife of Lothair II in 855?", &index),
            "Who was the [X] wife of [X] in [X]?"
        );
    }

    #[test]
    fn key_sentences_keep_the_answer_and_the_order() {
        let explanation = "Bo was there. Nothing else. Ada met Bo. She died in Metz.";
        let active = [("Bo".to_owned(), 1.0), ("Ada".to_owned(), 0.5)];
        assert_eq!(
            key_sentences(explanation, "Metz", &active),
            ["Bo was there.", "Ada met Bo.", "She died in Metz."]
        );
    }
}
