//! What can happen to a memory? Everything that changes it is one of these, and goes through the journal first.

use serde::{Deserialize, Serialize};

use crate::experience::{
    AnswerText, Experience, Grounding, Judge, Lifetime, Link, Payload, Provenance, Stored,
    StoredPlan,
};
use crate::{
    AnswerId, Evidence, EvidenceKey, ExperienceId, Namespace, Settings, Signature, Timestamp,
    Vector,
};

/// How memory took part in an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hit {
    /// Not, or only by examples and lessons.
    #[default]
    None,
    /// The verified wording of this experience was served, its evidence being unchanged.
    Exact(ExperienceId),
    /// The plan of this experience was rebound or re-run, and the answer made anew.
    Plan(ExperienceId),
}

impl Hit {
    /// The experience used again.
    #[must_use]
    pub const fn experience(self) -> Option<ExperienceId> {
        match self {
            Self::None => None,
            Self::Exact(id) | Self::Plan(id) => Some(id),
        }
    }

    /// `none`, `exact` or `plan`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Exact(_) => "exact",
            Self::Plan(_) => "plan",
        }
    }
}

/// What may be remembered of an answer, beside what the episode says of it anyway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The id it would get.
    pub id: ExperienceId,
    /// The core intent.
    pub aspect: String,
    /// Payloads other than the episode's plan.
    pub payloads: Vec<Payload>,
    /// One sentence a hop.
    pub scaffold: Vec<String>,
    /// The answer.
    pub answer: AnswerText,
    /// What it rests on.
    pub evidence: Evidence,
    /// How well it is grounded.
    pub grounding: Grounding,
    /// How long it may be served.
    pub lifetime: Lifetime,
    /// The source's generation it was made at.
    pub generation: u64,
    /// Asked, or made up to warm the memory.
    pub provenance: Provenance,
}

/// A question that was answered or refused: the trace that goes from an answer to the learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// When.
    pub at: Timestamp,
    /// The answer's id.
    pub answer: AnswerId,
    /// The question as asked.
    pub question: String,
    /// Fingerprint of the embedder that made the vectors.
    pub embedder: String,
    /// The question's vector.
    pub vector: Vector,
    /// The masked question's vector.
    pub masked_vector: Vector,
    /// What the guards compare.
    pub signature: Signature,
    /// The source that answered.
    pub domain: String,
    /// What was recalled, most relevant first, with similarities.
    pub recalled: Vec<(ExperienceId, f32)>,
    /// Whether an experience was used again.
    pub hit: Hit,
    /// Experiences that spoke for the plan taken, as examples.
    pub helped: Vec<ExperienceId>,
    /// The plan that was run; none if none was found.
    pub plan: Option<StoredPlan>,
    /// Which phrase led to which predicate.
    pub links: Vec<Link>,
    /// How good the answer is by its own checks, in [0, 1]; none if nothing can be said.
    pub quality: Option<f64>,
    /// How much the plan counts as a lesson until someone judges it, in [0, 1]; 0 when it won by too small a margin.
    pub lesson_weight: f64,
    /// What may be remembered; none after a refusal or an exact hit.
    pub candidate: Option<Box<Candidate>>,
}

/// What someone says of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is right.
    Good,
    /// It is wrong.
    Bad,
    /// It should have been this.
    Edit(AnswerText),
}

/// A verdict on an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// When.
    pub at: Timestamp,
    /// Which answer.
    pub answer: AnswerId,
    /// What is said.
    pub verdict: Verdict,
    /// Who says it.
    pub judge: Judge,
}

/// What is to be forgotten, by ids and hashes only: the event must not keep the text it deletes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetTargets {
    /// Experiences, ascending.
    pub experiences: Vec<ExperienceId>,
    /// Answers, ascending.
    pub answers: Vec<AnswerId>,
    /// Hashes of normalised questions, ascending.
    pub questions: Vec<u64>,
    /// Everything in the namespace.
    pub everything: bool,
}

/// What changed in a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceChange {
    /// Facts that touch these keys, ascending.
    Keys(Vec<EvidenceKey>),
    /// Too much to name, or it was removed.
    Everything,
}

/// One change of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Event {
    /// A question was answered or refused.
    Episode {
        /// Whose.
        namespace: Namespace,
        /// What happened.
        episode: Box<Episode>,
    },
    /// An answer was judged.
    Feedback {
        /// Whose.
        namespace: Namespace,
        /// The verdict.
        feedback: Feedback,
    },
    /// Something must be forgotten.
    Forget {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// What.
        targets: ForgetTargets,
    },
    /// A source changed, for every namespace.
    SourceChanged {
        /// When.
        at: Timestamp,
        /// Which source (the domain of experiences).
        source: String,
        /// Its generation since.
        generation: u64,
        /// What changed.
        change: SourceChange,
    },
    /// Experiences come from a file or from warming.
    Import {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// Fingerprint of the embedder that made their vectors.
        embedder: String,
        /// How much each counts as a lesson, in [0, 1].
        lesson_weight: f64,
        /// The experiences.
        experiences: Vec<Experience>,
    },
    /// Bounds, thresholds or the policy changed.
    Settings {
        /// Whose.
        namespace: Namespace,
        /// The new ones.
        settings: Settings,
    },
    /// Another embedder made all vectors anew, for every namespace. A text that is missing is not found by similarity.
    Reembedded {
        /// Its fingerprint.
        embedder: String,
        /// Each text with its vector, ascending by text.
        vectors: Vec<(String, Vector)>,
    },
    /// Redacted: something was here that has been forgotten.
    Redacted,
    /// The settings that every namespace has from now on.
    Defaults {
        /// The new ones.
        settings: Settings,
    },
    /// An experience must not be evicted, or may be again.
    Pinned {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// Which.
        experience: ExperienceId,
        /// Whether it must stay.
        pinned: bool,
    },
    /// An agent puts notes down.
    Noted {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// Fingerprint of the embedder that made their vectors.
        embedder: String,
        /// The notes, as [`Experience::note`] makes them.
        notes: Vec<Experience>,
    },
    /// Notes were recalled. What was asked is not kept.
    Recalled {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// Fingerprint of the embedder that made the vector.
        embedder: String,
        /// The query's vector.
        vector: Vector,
        /// What was given, in order.
        notes: Vec<ExperienceId>,
    },
    /// A note was judged by whoever used it.
    NoteJudged {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// Which.
        note: ExperienceId,
        /// Whether it was of use.
        good: bool,
    },
    /// Experiences come from a file that says how they fared.
    Restored {
        /// Whose.
        namespace: Namespace,
        /// When.
        at: Timestamp,
        /// Fingerprint of the embedder that made their vectors.
        embedder: String,
        /// How much each counts as a lesson, in [0, 1].
        lesson_weight: f64,
        /// The experiences with their usage.
        entries: Vec<Stored>,
    },
}
