//! Can an experience from outside have fared as it says? What no memory can have come by is refused.

use thiserror::Error;

use crate::experience::{Experience, Payload, Provenance, Stored};

/// Evidence that comes without a use: the gates', of verdicts on the answer itself, and of answers that repeated it unseen.
const WITHOUT_USE: f64 = 16.0;

/// Bytes of a question; a note may be as long.
const MAX_QUESTION_BYTES: usize = 64 << 10;
/// Bytes of a plan with its bindings.
const MAX_PLAN_BYTES: usize = 256 << 10;
/// The first millisecond of the year 10000.
const YEAR_10000: u64 = 253_402_300_800_000;
/// Values that an answer's text must say, at most: longer lists are shortened.
const VALUES_SAID: usize = 1;

/// Figures that no memory can have come by.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum Implausible {
    /// A posterior below the prior, or no number.
    #[error(
        "its posterior is Beta({alpha}, {beta}), but both begin at 1 and only grow, up to {}",
        u32::MAX
    )]
    Posterior {
        /// Prior plus successes.
        alpha: f64,
        /// Prior plus failures.
        beta: f64,
    },
    /// More successes and failures than recalls and uses can have brought.
    #[error(
        "its posterior holds {evidence} successes and failures, but it was recalled {retrieved} times and used {reused} times"
    )]
    Evidence {
        /// Successes and failures beyond the prior.
        evidence: f64,
        /// Recalls.
        retrieved: u64,
        /// Uses.
        reused: u64,
    },
    /// A count beyond what is counted.
    #[error(
        "it was {what} {count} times, but no more than {} are counted",
        u32::MAX
    )]
    Count {
        /// `recalled` or `used`.
        what: &'static str,
        /// The count.
        count: u64,
    },
    /// A confidence that is none.
    #[error("its grounding is {confidence}, but 0 to 1 is possible")]
    Grounding {
        /// The confidence.
        confidence: f64,
    },
    /// A question that none can have asked.
    #[error("its question has {bytes} bytes, but 1 to {MAX_QUESTION_BYTES} are possible")]
    Question {
        /// Its bytes.
        bytes: usize,
    },
    /// A vector that is none.
    #[error(
        "its vectors have {dims} and {masked} dimensions and must have equally many, all finite"
    )]
    Vector {
        /// Of the question.
        dims: usize,
        /// Of the masked question.
        masked: usize,
    },
    /// A time that no clock has shown.
    #[error("it was made or used in the year 10000 or later")]
    Time,
    /// A text that is not what the values say.
    #[error("its text does not say its values; a correction is given by feedback, not by import")]
    Text,
    /// A masked question that is another one.
    #[error("its masked question says what its question does not")]
    Masked,
    /// A plan beyond what plans are.
    #[error("its plan has {bytes} bytes, but up to {MAX_PLAN_BYTES} are possible")]
    Plan {
        /// Its bytes.
        bytes: usize,
    },
    /// A cosine that is none.
    #[error("its likeness is {likeness}, but -1 to 1 is possible")]
    Likeness {
        /// The cosine.
        likeness: f32,
    },
}

impl Stored {
    /// Which of its figures no memory can have come by, if any. A verdict or use adds 1 to the posterior at most.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts up to 2^32 are exact")]
    pub fn implausible(&self) -> Option<Implausible> {
        let usage = &self.usage;
        let (alpha, beta) = (usage.posterior.alpha, usage.posterior.beta);
        let possible = 1.0..=f64::from(u32::MAX);
        if !possible.contains(&alpha) || !possible.contains(&beta) {
            return Some(Implausible::Posterior { alpha, beta });
        }
        for (what, count) in [("recalled", usage.retrieved), ("used", usage.reused)] {
            if count > u64::from(u32::MAX) {
                return Some(Implausible::Count { what, count });
            }
        }
        let evidence = alpha + beta - 2.0;
        let (retrieved, reused) = (usage.retrieved, usage.reused);
        // A note may be judged as often as one likes.
        if !self.is_note() && evidence > WITHOUT_USE + (retrieved + reused) as f64 {
            return Some(Implausible::Evidence {
                evidence,
                retrieved,
                reused,
            });
        }
        let confidence = self.experience.grounding.confidence;
        if !(0.0..=1.0).contains(&confidence) {
            return Some(Implausible::Grounding { confidence });
        }
        if let Some(told) = self.experience.impossible() {
            return Some(told);
        }
        if usage.last_used.0 >= YEAR_10000 {
            return Some(Implausible::Time);
        }
        let unlike = usage.likeness.filter(|l| !(-1.0..=1.0).contains(l));
        unlike.map(|likeness| Implausible::Likeness { likeness })
    }

    fn is_note(&self) -> bool {
        let mut payloads = self.experience.payloads.iter();
        payloads.any(|payload| match payload {
            Payload::Note(_) => true,
            Payload::Plan(_) | Payload::Activation(_) => false,
        })
    }
}

impl Experience {
    /// What of its content no answered question can have left.
    fn impossible(&self) -> Option<Implausible> {
        let bytes = self.question.len();
        if !(1..=MAX_QUESTION_BYTES).contains(&bytes) {
            return Some(Implausible::Question { bytes });
        }
        let (vector, masked) = (self.vector.as_slice(), self.masked_vector.as_slice());
        let finite = vector.iter().chain(masked).all(|x| x.is_finite());
        if !finite || vector.len() != masked.len() {
            return Some(Implausible::Vector {
                dims: vector.len(),
                masked: masked.len(),
            });
        }
        if self.created.0 >= YEAR_10000 {
            return Some(Implausible::Time);
        }
        if let Some(plan) = self.plan() {
            let bindings = plan.bindings.iter().map(|b| b.value.len() + b.text.len());
            let bytes = plan.template.len() + plan.body.len() + bindings.sum::<usize>();
            if bytes > MAX_PLAN_BYTES {
                return Some(Implausible::Plan { bytes });
            }
        }
        if self.provenance != Provenance::Edited && !self.says_its_values() {
            return Some(Implausible::Text);
        }
        (!self.masks_its_question()).then_some(Implausible::Masked)
    }

    fn says_its_values(&self) -> bool {
        let text = self.answer.text.to_lowercase();
        let mut values = self.answer.values.iter().take(VALUES_SAID);
        values.all(|value| text.contains(&value.label.to_lowercase()))
    }

    /// Whether every word of the masked question is one of the question; letters beyond ASCII are folded there and say nothing.
    fn masks_its_question(&self) -> bool {
        if !self.question.is_ascii() {
            return true;
        }
        let question = words(&self.question);
        let open = |c: char| c == '⟨';
        let masked = self
            .signature
            .masked
            .split(open)
            .enumerate()
            .map(|(n, part)| {
                // Behind a slot's opening stands its number.
                if n == 0 {
                    part
                } else {
                    part.split_once('⟩').map_or("", |(_, rest)| rest)
                }
            });
        masked.flat_map(words).all(|word| question.contains(&word))
    }
}

/// Letters and digits in runs, lower case.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posterior::Posterior;
    use crate::testing::{episode, namespace, question};
    use crate::{Event, State, Usage};

    fn stored(change: impl FnOnce(&mut Usage)) -> Stored {
        let mut state = State::default();
        state.apply(&Event::Episode {
            namespace: namespace(),
            episode: Box::new(episode(1, &question("who directed ⟨0⟩", "heat"), "t", "a")),
        });
        let memory = state.memory(&namespace()).unwrap();
        let mut stored = memory.experiences().next().unwrap().clone();
        change(&mut stored.usage);
        stored
    }

    #[test]
    fn what_a_memory_made_is_plausible() {
        assert_eq!(stored(|_| ()).implausible(), None);
        let used = stored(|usage| {
            usage.posterior = Posterior::default().with(400.0, 20.0);
            (usage.retrieved, usage.reused) = (300, 200);
        });
        assert_eq!(used.implausible(), None);
    }

    #[test]
    fn figures_that_no_memory_can_have_come_by_are_told() {
        let of = |alpha, beta| {
            let told = stored(|usage| usage.posterior = Posterior { alpha, beta }).implausible();
            told.map(|told| told.to_string()).unwrap_or_default()
        };
        assert!(of(-3.0, 1.0).starts_with("its posterior is Beta(-3, 1)"));
        assert!(of(f64::NAN, 1.0).contains("Beta(NaN, 1)"));
        assert!(of(1.0, f64::INFINITY).contains("Beta(1, inf)"));
        assert!(of(1e12, 1.0).contains("Beta(1000000000000, 1)"));
        assert!(of(900.0, 1.0).contains("899 successes and failures, but it was recalled 0 times"));
        let counted = stored(|usage| usage.reused = u64::MAX).implausible();
        assert!(matches!(
            counted,
            Some(Implausible::Count { what: "used", .. })
        ));
        let unlike = stored(|usage| usage.likeness = Some(1.5)).implausible();
        assert!(matches!(unlike, Some(Implausible::Likeness { .. })));
    }
}
