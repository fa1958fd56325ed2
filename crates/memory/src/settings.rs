//! How large may each part of a memory grow, and what must an experience show to enter?

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::replacement::PolicyName;

/// The bounds and thresholds of one namespace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Most experiences in the namespace.
    pub capacity: usize,
    /// Most experiences in one bucket (domain and aspect); 0: no bound but `capacity`. CacheRAG's study of bucket capacity
    /// keeps 10.
    pub bucket_capacity: usize,
    /// Least grounding confidence to be stored: 0.6 in LivingRAG, appendix D.
    pub minimum_grounding: f64,
    /// Least distance, one minus cosine, to an experience with the same plan and bindings; nearer is a duplicate.
    pub minimum_novelty: f64,
    /// Who may enter and who must leave.
    pub policy: PolicyName,
    /// Seed of the policy's random numbers.
    pub seed: u64,
    /// Most pairs of masked question and template, in each domain.
    pub lessons_capacity: usize,
    /// Most pairs of phrase and predicate.
    pub lexicon_capacity: usize,
    /// Most answers that can still be judged; the oldest leave first.
    pub answers_capacity: usize,
    /// Most answers that a person called wrong and that are kept from coming back.
    pub vetoes_capacity: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            capacity: 10_000,
            bucket_capacity: 0,
            minimum_grounding: 0.6,
            minimum_novelty: 0.02,
            policy: PolicyName::default(),
            seed: 0,
            lessons_capacity: 20_000,
            lexicon_capacity: 20_000,
            answers_capacity: 10_000,
            vetoes_capacity: 10_000,
        }
    }
}

/// A setting is out of range.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("memory setting `{name}` is {value}; {expected}")]
pub struct InvalidSetting {
    /// Which.
    pub name: &'static str,
    /// What was given.
    pub value: f64,
    /// What is allowed.
    pub expected: &'static str,
}

impl Settings {
    /// Checks every range.
    ///
    /// # Errors
    ///
    /// The first setting that is out of range.
    pub fn validate(&self) -> Result<(), InvalidSetting> {
        for (name, value) in [
            ("minimum_grounding", self.minimum_grounding),
            ("minimum_novelty", self.minimum_novelty),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(InvalidSetting {
                    name,
                    value,
                    expected: "0 to 1 is allowed",
                });
            }
        }
        let counts = [
            ("capacity", self.capacity),
            ("lessons_capacity", self.lessons_capacity),
            ("lexicon_capacity", self.lexicon_capacity),
            ("answers_capacity", self.answers_capacity),
            ("vetoes_capacity", self.vetoes_capacity),
        ];
        match counts.into_iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(InvalidSetting {
                name,
                value: 0.0,
                expected: "at least 1 is needed",
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_is_refused_by_name() {
        assert_eq!(Settings::default().validate(), Ok(()));
        let bad = Settings {
            minimum_grounding: 1.5,
            ..Settings::default()
        };
        assert_eq!(bad.validate().unwrap_err().name, "minimum_grounding");
        let none = Settings {
            capacity: 0,
            ..Settings::default()
        };
        assert_eq!(none.validate().unwrap_err().name, "capacity");
    }
}
