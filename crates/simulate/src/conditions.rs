//! How well is the policy told what happened?

/// What lies between an outcome and the policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// Share of verdicts that say the opposite.
    pub wrong: f64,
    /// Share of verdicts that never come.
    pub missing: f64,
    /// Steps by which verdicts are late.
    pub delay: usize,
}

impl Default for Conditions {
    /// Every verdict is right and comes at once.
    fn default() -> Self {
        Self {
            wrong: 0.0,
            missing: 0.0,
            delay: 0,
        }
    }
}
