#![doc = include_str!("../README.md")]

pub mod add;
pub mod answer;
pub mod ask;
mod aspect;
mod attempt;
mod bridge;
pub mod budget;
pub mod clock;
pub mod config;
mod consult;
pub mod corpus;
pub mod directory;
pub mod doctor;
mod documents;
mod embedder;
pub mod engine;
pub mod error;
mod evidence;
pub mod exchange;
mod explain;
pub mod explore;
pub mod feedback;
pub mod journal;
pub mod knowledge;
pub mod learner;
pub mod load;
mod named;
pub mod notes;
mod recognise;
mod remember;
pub mod remembered;
mod result;
mod reuse;
pub mod router;
pub mod source;
mod staleness;
pub mod suggest;
#[cfg(test)]
mod testing;
pub mod warm;
mod wording;

pub use add::{AddReport, AddRequest};
pub use answer::{
    Answer, AnswerPlan, AnswerValue, AskRequest, Citation, Cost, DEFAULT_NAMESPACE, HitKind,
    MemoryUse, ModelUse, PassageCitation,
};
pub use clock::{Clock, FixedClock, SystemClock};
pub use config::{Config, ConfigError};
pub use corpus::{Corpus, CorpusSummary, DEFAULT_CORPUS, DocumentSummary};
pub use directory::{Directory, DirectoryLock};
pub use engine::{Engine, Surroundings};
pub use error::EngineError;
pub use feedback::{BlastRadius, Verdict};
pub use knowledge::Knowledge;
pub use learner::{Handed, Learner, LearnerConfig, LearnerError, Shrunk};
pub use load::{Edit, EditReport, LoadRequest};
pub use source::{Source, SourceSummary};

pub use ::documents::{Limits as ReadingLimits, Progress as ReadingProgress};
pub use graph_store;
