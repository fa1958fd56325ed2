//! The engine: ask graphs, remember verified answers.

pub mod answer;
pub mod config;
pub mod directory;
pub mod error;
pub mod suggest;

pub use answer::{
    Answer, AnswerPlan, AnswerValue, AskRequest, Citation, Cost, DEFAULT_NAMESPACE, HitKind,
    MemoryUse,
};
pub use config::{Config, ConfigError};
pub use directory::{Directory, DirectoryLock};
pub use error::EngineError;
