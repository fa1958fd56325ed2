//! What is remembered of an answered question?
//!
//! The one type that holds text. Policies, lessons and indexes know it by its id only.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::posterior::weight;
use crate::{AnswerId, Evidence, ExperienceId, Namespace, Posterior, Signature, Timestamp, Vector};

/// What fills a slot of a stored plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The slot's number.
    pub slot: u8,
    /// The term that fills it, as N-Triples writes it.
    pub value: String,
    /// The words of the question it stands for.
    pub text: String,
}

/// A plan as this crate sees it: opaque but for what tells two apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPlan {
    /// Canonical text of the plan without its bindings.
    pub template: String,
    /// The plan as its owner serialises it.
    pub body: String,
    /// What fills its slots, by slot.
    pub bindings: Vec<Binding>,
}

/// What can be used again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Payload {
    /// For graphs: a plan that can be rebound and re-run.
    Plan(StoredPlan),
    /// For documents: weights of entities, by name.
    Activation(Vec<(String, f32)>),
    /// For agents: free text.
    Note(String),
}

/// A value of an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Value {
    /// As shown.
    pub label: String,
    /// As N-Triples writes it.
    pub term: String,
}

/// An answer as it was verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerText {
    /// The sentence.
    pub text: String,
    /// Its values.
    pub values: Vec<Value>,
}

/// Who judged an answer, weakest first: a person outranks every model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Judge {
    /// The judge of the pipeline, built in or a language model.
    Model,
    /// An entailment model.
    Entailment,
    /// The executed evidence itself: exact for plans.
    Evidence,
    /// A person.
    Person,
}

/// How well an answer is grounded, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Grounding {
    /// In [0, 1].
    pub confidence: f64,
    /// Who judged.
    pub judge: Judge,
}

/// How long an experience may be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lifetime {
    /// Until its evidence changes.
    Unlimited,
    /// Until a fixed moment, however often it is used.
    Absolute(Timestamp),
    /// Until it was not used for so many milliseconds.
    SlidingMillis(u64),
}

impl Lifetime {
    /// When it ends, if it was last used at `last_used`.
    #[must_use]
    pub const fn ends(self, last_used: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Unlimited => None,
            Self::Absolute(until) => Some(until),
            Self::SlidingMillis(millis) => Some(last_used.plus_millis(millis)),
        }
    }
}

/// Where an experience comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Provenance {
    /// Generated from the source before anyone asked.
    Warm,
    /// A question that was asked.
    Online,
    /// Read from an export.
    Imported,
    /// Put right by a person.
    Edited,
}

/// A phrase of the question and the predicate that the plan took for it; or the whole question and the plan, with their words and predicates
/// left open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The phrase, normalised.
    pub phrase: String,
    /// The predicate's IRI, `^` before it when it was walked backwards.
    pub predicate: String,
}

impl Link {
    /// Whether the phrase is a whole question with open slots, which speaks for a pattern of plan.
    pub(crate) fn is_pattern(&self) -> bool {
        self.phrase.contains('⟨')
    }
}

/// An answered question, as it is remembered. It never changes; what changes is its [`Usage`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experience {
    /// Its id, made by the caller.
    pub id: ExperienceId,
    /// The tenant it belongs to.
    pub namespace: Namespace,
    /// When it was made.
    pub created: Timestamp,
    /// The question as asked.
    pub question: String,
    /// The question's vector.
    pub vector: Vector,
    /// The masked question's vector.
    pub masked_vector: Vector,
    /// First layer of the index: the source.
    pub domain: String,
    /// Second layer: the core intent.
    pub aspect: String,
    /// What the guards compare; holds the masked question and its type.
    pub signature: Signature,
    /// What can be used again; at least one.
    pub payloads: Vec<Payload>,
    /// The reasoning in short: one sentence a hop.
    pub scaffold: Vec<String>,
    /// The answer.
    pub answer: AnswerText,
    /// What it rests on.
    pub evidence: Evidence,
    /// How well it is grounded.
    pub grounding: Grounding,
    /// How long it may be served.
    pub lifetime: Lifetime,
    /// The source's generation at which it was verified.
    pub generation: u64,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The answer that made it.
    pub answer_id: Option<AnswerId>,
    /// The experiences whose plan was rebound to make it.
    pub derived_from: Vec<ExperienceId>,
    /// Which phrase led to which predicate.
    pub links: Vec<Link>,
}

impl Experience {
    /// Its plan, if it holds one.
    #[must_use]
    pub fn plan(&self) -> Option<&StoredPlan> {
        self.payloads.iter().find_map(|payload| match payload {
            Payload::Plan(plan) => Some(plan),
            Payload::Activation(_) | Payload::Note(_) => None,
        })
    }

    /// The plan's template; empty without a plan.
    #[must_use]
    pub fn template(&self) -> &str {
        self.plan().map_or("", |plan| &plan.template)
    }
}

/// How an experience fared since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// How often it turned out right.
    pub posterior: Posterior,
    /// How often it was recalled.
    pub retrieved: u64,
    /// How often it was used again.
    pub reused: u64,
    /// When it was last recalled or used.
    pub last_used: Timestamp,
    /// Cosine with the query by which it was last recalled as a note, in [-1, 1]; none before.
    pub likeness: Option<f32>,
    /// Its evidence changed: it must be verified before it is served.
    pub suspect: bool,
    /// It must not be evicted.
    pub pinned: bool,
}

impl Usage {
    /// The same with every figure in its range, as figures from outside may not be: counts that can still grow, a posterior
    /// at least the prior, no use after `now`.
    #[must_use]
    pub(crate) fn bounded(self, now: Timestamp) -> Self {
        const MOST: u64 = u32::MAX as u64;
        let counted = |value: f64| weight(value).clamp(1.0, f64::from(u32::MAX));
        Self {
            posterior: Posterior {
                alpha: counted(self.posterior.alpha),
                beta: counted(self.posterior.beta),
            },
            retrieved: self.retrieved.min(MOST),
            reused: self.reused.min(MOST),
            last_used: self.last_used.min(now),
            likeness: self
                .likeness
                .filter(|likeness| likeness.is_finite())
                .map(|likeness| likeness.clamp(-1.0, 1.0)),
            ..self
        }
    }
}

/// An experience with its usage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// What is remembered.
    pub experience: Arc<Experience>,
    /// How it fared.
    pub usage: Usage,
}

impl Stored {
    /// A fresh entry: the prior is the uniform one plus the gate's confidence as one observation.
    #[must_use]
    pub fn new(experience: Experience) -> Self {
        let confidence = experience.grounding.confidence.clamp(0.0, 1.0);
        let usage = Usage {
            posterior: Posterior::default().with(confidence, 1.0 - confidence),
            retrieved: 0,
            reused: 0,
            last_used: experience.created,
            likeness: None,
            suspect: false,
            pinned: experience.provenance == Provenance::Edited,
        };
        Self {
            experience: Arc::new(experience),
            usage,
        }
    }

    /// Whether its lifetime is over at `now`.
    #[must_use]
    pub fn expired(&self, now: Timestamp) -> bool {
        self.experience
            .lifetime
            .ends(self.usage.last_used)
            .is_some_and(|end| end <= now)
    }
}
