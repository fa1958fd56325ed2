//! How does a memory fare? Counts for `memory stats`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::memory::Memory;
use crate::shadow::PolicyRate;

/// What happened in a namespace since it exists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Questions answered or refused.
    pub asked: u64,
    /// Answers served from memory, their evidence unchanged.
    pub hits_exact: u64,
    /// Answers made by a remembered plan.
    pub hits_plan: u64,
    /// Answers remembered.
    pub admitted: u64,
    /// Answers that repeated an entry.
    pub duplicates: u64,
    /// Entries replaced because their facts changed.
    pub superseded: u64,
    /// Entries that left for others.
    pub evicted: u64,
    /// Entries whose lifetime ended.
    pub expired: u64,
    /// Entries taken back after a bad verdict, or dropped because they derived from one.
    pub retracted: u64,
    /// Entries forgotten on demand.
    pub forgotten: u64,
    /// Times an entry became suspect.
    pub suspected: u64,
    /// Entries imported or warmed.
    pub imported: u64,
    /// Notes that agents put down and that were taken.
    pub notes: u64,
    /// Times that notes were recalled.
    pub recalls: u64,
    /// Good verdicts.
    pub good: u64,
    /// Bad verdicts.
    pub bad: u64,
    /// Corrections.
    pub edits: u64,
    /// Answers not remembered, by reason.
    pub refused: BTreeMap<String, u64>,
}

/// A memory in figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Experiences.
    pub experiences: usize,
    /// The most there may be.
    pub capacity: usize,
    /// Those that must be verified before they are served.
    pub suspect: usize,
    /// Those that must not be evicted.
    pub pinned: usize,
    /// Experiences by domain and aspect.
    pub buckets: BTreeMap<String, BTreeMap<String, usize>>,
    /// Pairs of masked question and template, by domain.
    pub lessons: BTreeMap<String, usize>,
    /// Pairs of phrase and predicate.
    pub lexicon: usize,
    /// Answers that can still be judged.
    pub answers: usize,
    /// Answers kept from coming back.
    pub vetoes: usize,
    /// The policy.
    pub policy: String,
    /// How often it would have served, first, and how often those in shadow would have.
    pub policies: Vec<PolicyRate>,
    /// Refused and evicted experiences of which numbers and vector are kept.
    pub ghosts: usize,
    /// The most experiences in one bucket; 0: no bound but `capacity`.
    pub bucket_capacity: usize,
    /// What happened so far.
    pub counters: Counters,
}

impl Memory {
    /// The memory in figures; the expired at `now` are not counted.
    #[must_use]
    pub fn stats(&self, now: Timestamp) -> Stats {
        let alive = || self.experiences().filter(|s| !s.expired(now));
        let mut buckets: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for stored in alive() {
            let domain = buckets.entry(stored.experience.domain.clone()).or_default();
            *domain.entry(stored.experience.aspect.clone()).or_default() += 1;
        }
        Stats {
            experiences: alive().count(),
            capacity: self.settings.capacity,
            suspect: alive().filter(|s| s.usage.suspect).count(),
            pinned: alive().filter(|s| s.usage.pinned).count(),
            buckets,
            lessons: self
                .lessons
                .iter()
                .map(|(domain, lessons)| (domain.to_string(), lessons.len()))
                .collect(),
            lexicon: self.lexicon.len(),
            answers: self.answers.size(),
            vetoes: self.vetoes.size(),
            policy: self.settings.policy.as_str().to_owned(),
            policies: self.rates.clone(),
            ghosts: self.ghosts.len(),
            bucket_capacity: self.settings.bucket_capacity,
            counters: self.counters.clone(),
        }
    }

    /// What happened so far.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }
}
