#![doc = include_str!("../README.md")]

mod evidence;
mod experience;
pub mod guard;
mod ids;
mod lessons;
mod lexicon;
mod matrix;
mod persistent;
mod posterior;
mod signature;
mod tally;
mod vector;
mod words;

pub use evidence::{Evidence, EvidenceKey, Fingerprint, Triple};
pub use experience::{AnswerText, Binding, Experience, Grounding, Judge, Lifetime, Link, Payload, Provenance, Stored, StoredPlan, Usage, Value};
pub use guard::GuardRefusal;
pub use ids::{AnswerId, ExperienceId, InvalidId, Namespace, Timestamp, Ulid};
pub use lessons::{Lessons, Neighbour};
pub use lexicon::Lexicon;
pub use posterior::Posterior;
pub use signature::{Role, Signature};
pub use tally::Tally;
pub use vector::Vector;
