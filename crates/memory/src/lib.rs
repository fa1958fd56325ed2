#![doc = include_str!("../README.md")]

mod admit;
pub mod codec;
mod event;
mod evidence;
mod experience;
mod feedback;
mod forget;
mod gate;
pub mod guard;
mod ids;
mod index;
mod learn;
mod lessons;
mod lexicon;
mod matrix;
mod memory;
mod notes;
mod outline;
mod persistent;
mod plausible;
mod posterior;
pub mod recall;
mod redact;
pub mod replacement;
mod settings;
mod shadow;
mod signature;
mod staleness;
mod state;
mod stats;
mod tally;
mod taught;
mod tenant;
#[cfg(test)]
mod testing;
mod vector;
mod words;

pub use event::{Candidate, Episode, Event, Feedback, ForgetTargets, Hit, SourceChange, Verdict};
pub use evidence::{Evidence, EvidenceKey, Fingerprint, Triple};
pub use experience::{
    AnswerText, Binding, Experience, Grounding, Judge, Lifetime, Link, Payload, Provenance, Stored,
    StoredPlan, Usage, Value,
};
pub use feedback::{BlastRadius, FeedbackRefusal};
pub use forget::{ForgetSelector, Receipt};
pub use gate::{GateVerdict, Refusal};
pub use guard::GuardRefusal;
pub use ids::{AnswerId, ExperienceId, InvalidId, Namespace, Timestamp, Ulid};
pub use lessons::{Lessons, Neighbour};
pub use lexicon::Lexicon;
pub use memory::{AnswerRecord, Memory};
pub use notes::{NOTES, Note};
pub use plausible::Implausible;
pub use posterior::Posterior;
pub use recall::{RecallQuery, RecallSettings, Recalled};
pub use replacement::PolicyName;
pub use settings::{InvalidSetting, Settings};
pub use shadow::PolicyRate;
pub use signature::{Role, Signature};
pub use state::{Effect, State};
pub use stats::{Counters, Cut, Stats};
pub use tally::Tally;
pub use taught::LessonScope;
pub use vector::Vector;
