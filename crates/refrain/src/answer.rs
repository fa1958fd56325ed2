//! What is asked, and what comes back?
//!
//! The types of the engine's front door. They serialise to the JSON that `refrain ask --json` prints. A refusal is an answer, not an error.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The namespace used when none is given.
pub const DEFAULT_NAMESPACE: &str = "default";

/// A question and how it is to be treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// The question, as typed.
    pub question: String,
    /// The tenant whose memory is read and written.
    pub namespace: String,
    /// The source to ask; `None`: the router decides.
    pub source: Option<String>,
    /// How the memory takes part.
    pub memory: MemoryUse,
    /// The oldest experience that may be reused, by the time since it was learned; `None`: any.
    pub max_age: Option<Duration>,
    /// Whether a language model may be asked, where the settings name one.
    pub model: ModelUse,
    /// Whether the answer carries its explanation.
    pub explain: bool,
}

impl AskRequest {
    /// A question in the default namespace, with memory, routed, unexplained.
    pub fn new(question: impl Into<String>) -> Self {
        Self {
            question: question.into(),
            namespace: DEFAULT_NAMESPACE.to_owned(),
            source: None,
            memory: MemoryUse::On,
            max_age: None,
            model: ModelUse::Allowed,
            explain: false,
        }
    }
}

/// How the memory takes part in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryUse {
    /// Recall, reuse and remember.
    On,
    /// Neither read nor written.
    Off,
    /// Recall and reuse; nothing is learned, so the answer cannot be judged either.
    ReadOnly,
    /// Answer as if nothing were remembered, then learn from it.
    WriteOnly,
}

impl MemoryUse {
    /// Whether what is remembered may be used.
    #[must_use]
    pub fn reads(self) -> bool {
        match self {
            Self::On | Self::ReadOnly => true,
            Self::Off | Self::WriteOnly => false,
        }
    }

    /// Whether the answer is handed to the learner.
    #[must_use]
    pub fn writes(self) -> bool {
        match self {
            Self::On | Self::WriteOnly => true,
            Self::Off | Self::ReadOnly => false,
        }
    }
}

/// Whether a language model may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelUse {
    /// As the settings say.
    Allowed,
    /// Not at all.
    Off,
}

/// How much of an answer came from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HitKind {
    /// Planned anew.
    None,
    /// A remembered plan was run again, and the evidence is what was verified: the verified wording is served.
    Exact,
    /// A remembered plan was run again with this question's entities or on changed facts: the answer is new.
    Plan,
}

/// One value of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerValue {
    /// The text to show.
    pub label: String,
    /// The IRI or blank node, when it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub iri: Option<String>,
    /// The literal in N-Triples form, when it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub literal: Option<String>,
}

/// One triple that supports an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// Its number in the answer, from 1.
    pub n: usize,
    /// Subject in N-Triples form.
    pub subject: String,
    /// Predicate in N-Triples form.
    pub predicate: String,
    /// Object in N-Triples form.
    pub object: String,
    /// The triple in words.
    pub text: String,
}

/// One sentence of a document that supports an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassageCitation {
    /// Its number in the answer, from 1.
    pub n: usize,
    /// The document: a path or name, and the line in a file of JSON lines.
    pub document: String,
    /// The document's title.
    pub title: String,
    /// The passage's number in the document, from 0.
    pub passage: u32,
    /// Where the sentence starts in the document's text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The sentence.
    pub text: String,
}

/// The plan that gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPlan {
    /// The canonical key of its template.
    pub template: String,
    /// The plan as SPARQL.
    pub sparql: String,
}

/// What an answer used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Calls of a language model.
    pub model_calls: u32,
    /// Tokens sent to and received from a language model.
    pub tokens: u64,
    /// Rows read from the graph.
    pub rows: u64,
    /// Wall-clock microseconds.
    pub micros: u64,
}

/// An answer, or a refusal, with everything that supports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What `refrain feedback` names it by.
    pub id: String,
    /// The question, as typed.
    pub question: String,
    /// The answer as a sentence.
    pub text: String,
    /// The values.
    pub values: Vec<AnswerValue>,
    /// The triples that support them.
    pub citations: Vec<Citation>,
    /// The sentences that support it, when documents answered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub passages: Vec<PassageCitation>,
    /// The names that led from the question to the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chain: Vec<String>,
    /// How much came from memory.
    pub hit_kind: HitKind,
    /// The experience that was reused.
    pub experience: Option<String>,
    /// How alike that experience's question is, cosine in `[-1, 1]`.
    pub similarity: Option<f32>,
    /// Age of that experience in seconds.
    pub age_seconds: Option<u64>,
    /// Whether the text is a person's correction; what is cited is then what the source says, which may differ.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub corrected: bool,
    /// The language model that planned or worded it; none when the built-in stages did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// How sure the judge is, in `[0, 1]`.
    pub confidence: f32,
    /// Whether the engine refrains from answering.
    pub refused: bool,
    /// Why it refrains, or why nothing was reused.
    pub reason: Option<String>,
    /// The source that was asked.
    pub source: Option<String>,
    /// The plan.
    pub plan: Option<AnswerPlan>,
    /// What a bound cut off; empty: nothing.
    pub cut: Vec<String>,
    /// What it used.
    pub cost: Cost,
    /// How it came about, when asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub explanation: Option<serde_json::Value>,
}
