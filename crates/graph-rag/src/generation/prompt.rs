//! What does the model see? Sentences with numbers, an example and the question as JSON data, bounded.

use serde_json::{Value, json};

use super::GenerateConfig;
use crate::answer::Citation;
use crate::index::Index;
use crate::linear_rag::Ranked;
use crate::scaffold::Scaffold;

/// Characters of the question.
const MAX_QUESTION_CHARS: usize = 600;
/// Characters of one sentence or title.
const MAX_SENTENCE_CHARS: usize = 1_000;
/// Sentences that may be cited.
const MAX_CITATIONS: usize = 8;

/// The sentences that are shown, in order; a sentence's number is its place here plus one.
pub(super) struct Shown {
    pub(super) sentences: Vec<Citation>,
    pub(super) cut: usize,
}

impl Shown {
    /// The sentences of the first passages, as many as fit.
    pub(super) fn of(index: &Index, passages: &[Ranked], config: &GenerateConfig) -> Self {
        let mut shown = Self {
            sentences: Vec::new(),
            cut: 0,
        };
        let mut left = config.max_bytes;
        for ranked in passages.iter().take(config.passages) {
            let Some(record) = index.records.get(ranked.passage as usize) else {
                continue;
            };
            let body = record.passage.text_start();
            for sentence in &record.mentions.sentences {
                let text = &record.full_text[sentence.span.clone()];
                if sentence.span.start < body || text.trim().is_empty() {
                    continue;
                }
                if text.len() > left || shown.cut > 0 {
                    shown.cut += 1;
                    continue;
                }
                left -= text.len();
                shown.sentences.push(Citation {
                    passage: ranked.passage,
                    span: sentence.span.clone(),
                    text: text.to_owned(),
                    score: ranked.score,
                });
            }
        }
        shown
    }

    /// The user's message.
    pub(super) fn message(
        &self,
        index: &Index,
        question: &str,
        example: Option<&Scaffold>,
    ) -> String {
        let mut passages: Vec<Value> = Vec::new();
        let numbered: Vec<(usize, &Citation)> = (1..).zip(&self.sentences).collect();
        for group in numbered.chunk_by(|a, b| a.1.passage == b.1.passage) {
            let title = group
                .first()
                .and_then(|(_, citation)| index.passage(citation.passage))
                .map_or("", |passage| passage.title.as_str());
            let sentences: Vec<Value> = group
                .iter()
                .map(|(n, citation)| json!({ "n": n, "text": line(&citation.text) }))
                .collect();
            passages.push(json!({ "title": line(title), "sentences": sentences }));
        }
        let mut message = json!({
            "passages": passages,
            "question": question.chars().take(MAX_QUESTION_CHARS).collect::<String>(),
        });
        if let Some(example) = example {
            let steps: Vec<String> = example.steps.iter().map(|step| line(step)).collect();
            message["example"] = json!({
                "question": line(&example.question),
                "steps": steps,
                "answer": example.answer.as_deref().map(line),
            });
        }
        message.to_string()
    }
}

/// The schema of a reply about so many sentences.
pub(super) fn schema(sentences: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            "thought": { "type": "string", "maxLength": 1_200 },
            "citations": {
                "type": "array",
                "maxItems": MAX_CITATIONS,
                "items": { "type": "integer", "minimum": 1, "maximum": sentences },
            },
            "answer": { "type": "string", "maxLength": 300 },
        },
        "required": ["thought", "citations", "answer"],
        "additionalProperties": false,
    })
}

/// A text as it stands in a prompt: one line, cut.
fn line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_SENTENCE_CHARS)
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
