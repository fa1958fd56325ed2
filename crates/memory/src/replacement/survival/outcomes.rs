//! Did the memory help? A belief from two witnesses: the verdict, which may be wrong or missing, and the similarity of what
//! was retrieved.

use serde::{Deserialize, Serialize};

/// Weight that an observation keeps after each later one: about the last 200 count.
const MEMORY: f64 = 0.995;
/// Observations that what is assumed of similarities is worth. They never fade, so that a long row of failures cannot
/// make failures of the idea of success.
const ASSUMED: f64 = 10.0;
/// Similarities assumed of a success and of a failure, and their standard deviation.
const ASSUMED_MEANS: (f64, f64) = (0.6, 0.2);
const ASSUMED_SPREAD: f64 = 0.2;
/// Least standard deviation of similarities.
const LEAST_SPREAD: f64 = 0.03;
/// Most that similarity alone may say, as log odds.
const MOST_EVIDENCE: f64 = 4.0;
/// Right and wrong verdicts assumed at the start.
const ASSUMED_VERDICTS: (f64, f64) = (8.0, 2.0);
/// The worst and the best that a judge is taken to be, as the chance of being right.
const JUDGES: (f64, f64) = (0.7, 0.999);
/// What an observation without verdict weighs.
const UNJUDGED: f64 = 0.2;

/// Similarities of one kind of outcome, weighted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Similarities {
    assumed_mean: f64,
    weight: f64,
    sum: f64,
    squares: f64,
}

impl Similarities {
    const fn assumed(mean: f64) -> Self {
        Self {
            assumed_mean: mean,
            weight: 0.0,
            sum: 0.0,
            squares: 0.0,
        }
    }

    fn add(&mut self, similarity: f64, weight: f64) {
        self.weight = self.weight * MEMORY + weight;
        self.sum = self.sum * MEMORY + weight * similarity;
        self.squares = self.squares * MEMORY + weight * similarity * similarity;
    }

    /// Mean, and standard deviation.
    fn moments(&self) -> (f64, f64) {
        let (mean, spread) = (self.assumed_mean, ASSUMED_SPREAD);
        let weight = self.weight + ASSUMED;
        let squares = (self.squares + ASSUMED * (mean * mean + spread * spread)) / weight;
        let mean = (self.sum + ASSUMED * mean) / weight;
        let variance = (squares - mean * mean).max(0.0);
        (mean, variance.sqrt().max(LEAST_SPREAD))
    }

    fn log_density(&self, similarity: f64) -> f64 {
        let (mean, spread) = self.moments();
        let z = (similarity - mean) / spread;
        -0.5 * z * z - spread.ln()
    }
}

/// Similarities of successes and of failures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Kinds {
    success: Similarities,
    failure: Similarities,
}

impl Kinds {
    const fn assumed() -> Self {
        Self {
            success: Similarities::assumed(ASSUMED_MEANS.0),
            failure: Similarities::assumed(ASSUMED_MEANS.1),
        }
    }

    /// `success` is the chance that it was one.
    fn add(&mut self, similarity: f64, success: f64, weight: f64) {
        self.success.add(similarity, weight * success);
        self.failure.add(similarity, weight * (1.0 - success));
    }

    /// By how many spreads successes are more similar than failures.
    fn separation(&self) -> f64 {
        let (high, high_spread) = self.success.moments();
        let (low, low_spread) = self.failure.moments();
        (high - low) / (0.5 * (high_spread * high_spread + low_spread * low_spread)).sqrt()
    }
}

/// What is known of successes and failures, and of the judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcomes {
    /// As the judge calls them.
    said: Kinds,
    /// As both witnesses together tell.
    believed: Kinds,
    right: f64,
    wrong: f64,
}

impl Default for Outcomes {
    fn default() -> Self {
        Self {
            said: Kinds::assumed(),
            believed: Kinds::assumed(),
            right: ASSUMED_VERDICTS.0,
            wrong: ASSUMED_VERDICTS.1,
        }
    }
}

impl Outcomes {
    /// Chance that a verdict is right.
    fn accuracy(&self) -> f64 {
        (self.right / (self.right + self.wrong)).clamp(JUDGES.0, JUDGES.1)
    }

    /// Log odds of success before anything is seen of the step.
    fn prior(&self) -> f64 {
        let said = &self.said;
        ((said.success.weight + ASSUMED) / (said.failure.weight + ASSUMED)).ln()
    }

    /// Log odds of success by similarity alone. Beyond the means it is as at the means: more similar is never worse. Belief may
    /// only sharpen a difference that the judge's own words show; else "all is well and the judge is blind" would confirm
    /// itself.
    fn evidence(&self, similarity: f64) -> f64 {
        let believed = &self.believed;
        let (low, high) = (believed.failure.moments().0, believed.success.moments().0);
        if high <= low {
            return 0.0;
        }
        let inside = similarity.clamp(low, high);
        let odds = believed.success.log_density(inside) - believed.failure.log_density(inside);
        odds.clamp(-MOST_EVIDENCE, MOST_EVIDENCE) * self.said.separation().clamp(0.0, 1.0)
    }

    /// Whether something of this similarity would rather serve than not, by similarity alone.
    pub(super) fn serves(&self, similarity: f32) -> bool {
        self.evidence(f64::from(similarity)) > 0.0
    }

    /// Chance that the memory helped. `quality` is the verdict, in [0, 1].
    pub(super) fn helped(&self, similarity: f32, quality: Option<f64>) -> f64 {
        let accuracy = self.accuracy();
        let verdict = quality.map_or(0.0, |quality| {
            (2.0 * quality.clamp(0.0, 1.0) - 1.0) * (accuracy / (1.0 - accuracy)).ln()
        });
        let log_odds = self.prior() + self.evidence(f64::from(similarity)) + verdict;
        1.0 / (1.0 + (-log_odds).exp())
    }

    /// Learns how both witnesses look when they say this: one step of expectation-maximisation.
    pub(super) fn learn(&mut self, similarity: f32, quality: Option<f64>) {
        let helped = self.helped(similarity, quality);
        let similarity = f64::from(similarity);
        let Some(quality) = quality.map(|quality| quality.clamp(0.0, 1.0)) else {
            self.believed.add(similarity, helped, UNJUDGED);
            return;
        };
        self.said.add(similarity, quality, 1.0);
        self.believed.add(similarity, helped, 1.0);
        let agrees = helped * quality + (1.0 - helped) * (1.0 - quality);
        self.right = self.right * MEMORY + agrees;
        self.wrong = self.wrong * MEMORY + (1.0 - agrees);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty answers at similarity 0.7 and forty at 0.1, every `lie`-th verdict wrong.
    fn taught(lie: usize) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for n in 0..80 {
            let good = n % 2 == 0;
            let said = if n % lie == 0 { !good } else { good };
            let similarity = if good { 0.7 } else { 0.1 };
            outcomes.learn(similarity, Some(f64::from(u8::from(said))));
        }
        outcomes
    }

    #[test]
    fn a_wrong_verdict_is_outvoted_where_similarity_tells_outcomes_apart() {
        let outcomes = taught(5);
        assert!(outcomes.helped(0.7, Some(0.0)) > 0.5);
        assert!(outcomes.helped(0.1, Some(1.0)) < 0.5);
        assert!(
            (outcomes.accuracy() - 0.8).abs() < 0.05,
            "{}",
            outcomes.accuracy()
        );
    }

    #[test]
    fn a_missing_verdict_is_made_up_for_by_similarity() {
        let outcomes = taught(1000);
        assert!(outcomes.helped(0.7, None) > 0.9);
        assert!(outcomes.helped(0.1, None) < 0.1);
    }

    #[test]
    fn where_similarity_tells_nothing_the_verdict_decides() {
        let mut outcomes = Outcomes::default();
        for n in 0..400 {
            outcomes.learn(0.9, Some(f64::from(u8::from(n % 2 == 0))));
        }
        assert!(outcomes.helped(0.9, Some(1.0)) > 0.5);
        assert!(outcomes.helped(0.9, Some(0.0)) < 0.5);
    }

    #[test]
    fn a_long_row_of_failures_does_not_teach_that_failures_look_like_success() {
        let mut outcomes = Outcomes::default();
        for n in 0..300 {
            outcomes.learn(0.12, Some(f64::from(u8::from(n % 5 == 0))));
        }
        assert!(outcomes.helped(0.12, Some(1.0)) < 0.5);
        assert!(
            outcomes.helped(0.6, Some(1.0)) > 0.5,
            "a first success is recognised"
        );
    }
}
