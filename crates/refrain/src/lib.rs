//! The engine: ask graphs, remember verified answers.

pub mod answer;
pub mod ask;
pub mod budget;
pub mod clock;
pub mod config;
pub mod directory;
pub mod engine;
pub mod error;
mod explain;
pub mod feedback;
pub mod load;
mod result;
pub mod router;
pub mod source;
mod staleness;
pub mod suggest;
mod wording;

pub use answer::{
    Answer, AnswerPlan, AnswerValue, AskRequest, Citation, Cost, DEFAULT_NAMESPACE, HitKind,
    MemoryUse,
};
pub use clock::{Clock, FixedClock, SystemClock};
pub use config::{Config, ConfigError};
pub use directory::{Directory, DirectoryLock};
pub use engine::{Engine, Surroundings};
pub use error::EngineError;
pub use feedback::{BlastRadius, Verdict};
pub use load::{Edit, EditReport, LoadRequest};
pub use source::{Source, SourceSummary};

pub use graph_store;
