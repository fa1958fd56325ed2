//! Is this text a plan?

/// Why a text is not a plan.
#[derive(Debug, thiserror::Error)]
#[error("not a plan")]
pub struct PlanParseError;
