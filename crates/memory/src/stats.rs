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

/// What was taught and had to leave, since what is taught has bounds too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Pairs of masked question and template.
    pub lessons: u64,
    /// Pairs of phrase and predicate.
    pub links: u64,
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
    /// The most of them in one domain.
    pub lessons_capacity: usize,
    /// Pairs of phrase and predicate.
    pub lexicon: usize,
    /// The most of them.
    pub lexicon_capacity: usize,
    /// What was taught and had to leave.
    pub cut: Cut,
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
            lessons_capacity: self.settings.lessons_capacity,
            lexicon: self.lexicon.len(),
            lexicon_capacity: self.settings.lexicon_capacity,
            cut: self.cut,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{episode, namespace, question};
    use crate::{Event, Settings, State, codec};

    #[test]
    fn what_was_taught_has_a_bound_and_what_it_cut_is_counted_and_kept() {
        let mut state = State::new(Settings {
            lessons_capacity: 2,
            lexicon_capacity: 3,
            ..Settings::default()
        });
        for (n, word) in (1..).zip(["directed", "wrote", "shot", "edited", "scored"]) {
            let signature = question(&format!("who {word} ⟨0⟩"), "heat");
            state.apply(&Event::Episode {
                namespace: namespace(),
                episode: Box::new(episode(n, &signature, word, word)),
            });
        }
        let bytes = codec::encode_state(&state).unwrap();
        for state in [state, codec::decode_state(&bytes).unwrap()] {
            let stats = state.memory(&namespace()).unwrap().stats(Timestamp(0));
            assert_eq!((stats.lessons["films"], stats.lexicon), (2, 3));
            let cut = Cut {
                lessons: 3,
                links: 2,
            };
            assert_eq!(stats.cut, cut);
        }
    }
}
