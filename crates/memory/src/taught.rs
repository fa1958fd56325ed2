//! Of what was taught, what counts? All of it, or only what experiences teach that are still held.
//!
//! Lessons have a bound of their own and outlive the experiences that they came from: what was evicted still tells the planner
//! which template a wording means. [`LessonScope::Kept`] leaves out successes that no experience held speaks for, so that a
//! memory knows no more than what it keeps. That is how to see what a replacement policy is worth by itself. It is a way to read: what
//! was taught stays, and counts again where all of it is read.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Memory;
use crate::index::DomainIndex;
use crate::lessons::{Lessons, Neighbour};
use crate::tally::Tally;

/// Which lessons count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LessonScope {
    /// All that was taught, within the bounds of [`Settings`](crate::Settings).
    #[default]
    All,
    /// Successes only where an experience is held that speaks for them: one of this wording and template, or one that took the
    /// phrase for the predicate. Failures always: what proved wrong leaves no experience behind.
    Kept,
}

impl Memory {
    /// The lessons that count, of the `k` masked questions nearest to `embedding` with a cosine of at least
    /// `minimum_similarity`: nearest first, ties by text, then by template.
    #[must_use]
    pub fn lessons_near(
        &self,
        scope: LessonScope,
        domain: &str,
        embedding: &[f32],
        k: usize,
        minimum_similarity: f32,
    ) -> Vec<Neighbour> {
        let Some(lessons) = self.lessons(domain) else {
            return Vec::new();
        };
        match scope {
            LessonScope::All => lessons.kernel(embedding, k, minimum_similarity),
            LessonScope::Kept => {
                let held = self.index().domain(domain);
                kept_near(held, lessons, (embedding, k, minimum_similarity))
            }
        }
    }

    /// What counts of what was learned of a wording and a template.
    #[must_use]
    pub fn lesson(
        &self,
        scope: LessonScope,
        domain: &str,
        masked: &str,
        template: &str,
    ) -> Option<Tally> {
        let tally = self.lessons(domain)?.tally(masked, template)?;
        let held = || self.index().domain(domain);
        match scope {
            LessonScope::All => Some(tally),
            LessonScope::Kept if held().is_some_and(|held| held.has(masked, template)) => {
                Some(tally)
            }
            LessonScope::Kept => failures_of(tally),
        }
    }

    /// The predicates that `phrase` was taken for, as far as that counts, with their counts, by predicate.
    #[must_use]
    pub fn meanings(&self, scope: LessonScope, phrase: &str) -> Vec<(Arc<str>, Tally)> {
        let all = self.lexicon().predicates(phrase);
        match scope {
            LessonScope::All => all,
            LessonScope::Kept => all
                .into_iter()
                .filter_map(|(predicate, tally)| {
                    let held = self.index().has_link(phrase, &predicate);
                    let counts = if held {
                        Some(tally)
                    } else {
                        failures_of(tally)
                    };
                    counts.map(|tally| (predicate, tally))
                })
                .collect(),
        }
    }
}

/// What is left of a tally whose successes do not count.
fn failures_of(tally: Tally) -> Option<Tally> {
    let failures = Tally {
        successes: 0.0,
        ..tally
    };
    (failures.failures > 0.0).then_some(failures)
}

/// Wordings that are looked at for each that may count.
const LOOKED_AT: usize = 4;

fn kept_near(
    held: Option<&DomainIndex>,
    lessons: &Lessons,
    near: (&[f32], usize, f32),
) -> Vec<Neighbour> {
    let (embedding, k, minimum_similarity) = near;
    let all = lessons.kernel(embedding, LOOKED_AT * k, minimum_similarity);
    let kept = all.into_iter().filter_map(|lesson| {
        if held.is_some_and(|held| held.has(&lesson.masked, &lesson.template)) {
            return Some(lesson);
        }
        (lesson.failures > 0.0).then_some(Neighbour {
            successes: 0.0,
            ..lesson
        })
    });
    let mut wordings: Vec<Arc<str>> = Vec::new();
    kept.take_while(|lesson| {
        if wordings.last() != Some(&lesson.masked) {
            wordings.push(Arc::clone(&lesson.masked));
        }
        wordings.len() <= k
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{episode, namespace, question};
    use crate::{Event, Settings, State};

    fn asked(state: &mut State, answer: u64, masked: &str, template: &str) {
        state.apply(&Event::Episode {
            namespace: namespace(),
            episode: Box::new(episode(
                answer,
                &question(masked, "heat"),
                template,
                template,
            )),
        });
    }

    #[test]
    fn what_left_teaches_no_more_where_only_what_is_kept_counts() {
        let mut state = State::new(Settings {
            capacity: 1,
            policy: crate::PolicyName::Fifo,
            ..Settings::default()
        });
        asked(&mut state, 1, "who directed ⟨0⟩", "director");
        asked(&mut state, 2, "who shot ⟨0⟩", "cinematographer");
        let memory = state.memory(&namespace()).unwrap();
        let held: Vec<_> = memory
            .experiences()
            .map(|s| s.experience.as_ref())
            .collect();
        let [held] = held.as_slice() else {
            panic!("one place");
        };
        assert_eq!(held.template(), "cinematographer");
        let templates = |scope| -> Vec<String> {
            let near =
                memory.lessons_near(scope, &held.domain, held.masked_vector.as_slice(), 9, -1.0);
            let mut names: Vec<String> = near.iter().map(|n| n.template.to_string()).collect();
            names.sort();
            names
        };
        assert_eq!(templates(LessonScope::All), ["cinematographer", "director"]);
        assert_eq!(templates(LessonScope::Kept), ["cinematographer"]);
        let gone = |scope| memory.lesson(scope, &held.domain, "who directed ⟨0⟩", "director");
        assert!(gone(LessonScope::All).is_some());
        assert!(gone(LessonScope::Kept).is_none());
        for link in &held.links {
            assert!(!memory.meanings(LessonScope::Kept, &link.phrase).is_empty());
        }
    }
}
