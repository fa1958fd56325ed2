//! What does a person's verdict change?

use serde::Serialize;

use crate::engine::Engine;
use crate::error::{EngineError, check_name};

/// A person's verdict on an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It was right.
    Good,
    /// It was wrong.
    Bad,
    /// This would have been right.
    Edit(String),
}

/// What a verdict changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct BlastRadius {
    /// The answer that was judged.
    pub answer: String,
    /// The verdict: "good", "bad" or "edit".
    pub verdict: String,
    /// Experiences that are gone.
    pub retracted: Vec<String>,
    /// Experiences that are trusted less.
    pub lowered: Vec<String>,
    /// Experiences that are trusted more.
    pub raised: Vec<String>,
    /// Experiences that are new.
    pub created: Vec<String>,
}

impl Engine {
    /// Takes a verdict; durable when it returns.
    ///
    /// # Errors
    /// When the namespace has no such answer.
    pub fn feedback(
        &self,
        namespace: &str,
        answer: &str,
        _verdict: Verdict,
    ) -> Result<BlastRadius, EngineError> {
        check_name("namespace", namespace)?;
        Err(EngineError::UnknownAnswer {
            id: answer.to_owned(),
        })
    }

    /// Waits until everything asked so far is learned and durable.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn settle(&self) -> Result<(), EngineError> {
        Ok(())
    }
}
