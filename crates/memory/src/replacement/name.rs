//! What is each replacement policy called, and who belongs to the family?

use serde::{Deserialize, Serialize};

/// A member of the family, under the name a user types.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyName {
    /// What came first leaves first.
    Fifo,
    /// What was unused longest leaves first.
    #[default]
    Lru,
    /// What was retrieved least often leaves first.
    Lfu,
    /// Adaptive replacement cache as SOLAR's synthetic runner has it.
    Arc,
    /// Adaptive replacement cache as published.
    ArcClassic,
    /// A queue with a moving hand and one bit an item.
    Sieve,
    /// A small probation queue before a main queue.
    S3Fifo,
    /// A window, and a main part that only the more frequent enter.
    TinyLfu,
    /// Two queues: a second use earns a place.
    #[serde(rename = "2q")]
    TwoQ,
    /// SOLAR-A as its reference code computes it: gate by information gain, three scores.
    SolarAReference,
    /// SOLAR-E as its reference code computes it: no gate, Thompson sampling.
    SolarEReference,
    /// SOLAR as its reference code computes it: the gate and the sampling.
    SolarReference,
    /// SOLAR's Algorithms 1 and 2 to the letter.
    SolarPaper,
    /// The rule of SOLAR's Theorem 5.4: a fixed threshold of twice the switching cost.
    SolarFixed,
    /// SOLAR with the cost of outcomes, free until full, and a posterior of usefulness.
    Solar,
    /// Ours: least expected usefulness leaves, and only what was missing enters.
    Survival,
}

impl PolicyName {
    /// Every member, in the order of tables.
    pub const ALL: [Self; 16] = [
        Self::Fifo,
        Self::Lru,
        Self::Lfu,
        Self::Arc,
        Self::ArcClassic,
        Self::Sieve,
        Self::S3Fifo,
        Self::TinyLfu,
        Self::TwoQ,
        Self::SolarAReference,
        Self::SolarEReference,
        Self::SolarReference,
        Self::SolarPaper,
        Self::SolarFixed,
        Self::Solar,
        Self::Survival,
    ];

    /// The name a user types.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Lru => "lru",
            Self::Lfu => "lfu",
            Self::Arc => "arc",
            Self::ArcClassic => "arc-classic",
            Self::Sieve => "sieve",
            Self::S3Fifo => "s3-fifo",
            Self::TinyLfu => "tiny-lfu",
            Self::TwoQ => "2q",
            Self::SolarAReference => "solar-a-reference",
            Self::SolarEReference => "solar-e-reference",
            Self::SolarReference => "solar-reference",
            Self::SolarPaper => "solar-paper",
            Self::SolarFixed => "solar-fixed",
            Self::Solar => "solar",
            Self::Survival => "survival",
        }
    }

    /// The member of that name, if there is one.
    ///
    /// ```
    /// use memory::PolicyName;
    /// assert_eq!(PolicyName::parse("2q"), Some(PolicyName::TwoQ));
    /// ```
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|member| member.as_str() == name)
    }
}
