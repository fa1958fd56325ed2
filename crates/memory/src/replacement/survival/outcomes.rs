//! Did the memory help? A belief from two witnesses: the verdict, which may be wrong or missing, and the similarity of what
//! was retrieved.

use serde::{Deserialize, Serialize};

/// Weight that an observation keeps after each later one: about the last 200 count.
const MEMORY: f64 = 0.995;
/// Observations that the assumption about a witness is worth at the start.
const ASSUMED: f64 = 10.0;
/// Standard deviation assumed.
const ASSUMED_SPREAD: f64 = 0.2;
/// Least standard deviation of similarities.
const LEAST_SPREAD: f64 = 0.03;
/// Most that similarity alone may say, as log odds.
const MOST_EVIDENCE: f64 = 4.0;
/// Right and wrong verdicts assumed at the start.
const ASSUMED_VERDICTS: (f64, f64) = (8.0, 2.0);
/// What an observation without verdict weighs.
const UNJUDGED: f64 = 0.2;

/// Similarities of one kind of outcome, weighted. What was assumed never fades.
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
        let (m, s) = (self.assumed_mean, ASSUMED_SPREAD);
        let weight = self.weight + ASSUMED;
        let mean = (self.sum + ASSUMED * m) / weight;
        let squares = (self.squares + ASSUMED * (m * m + s * s)) / weight;
        (mean, (squares - mean * mean).max(0.0).sqrt().max(LEAST_SPREAD))
    }

    fn log_density(&self, similarity: f64) -> f64 {
        let (mean, spread) = self.moments();
        let z = (similarity - mean) / spread;
        -0.5 * z * z - spread.ln()
    }
}

/// What is known of successes and failures, and of the judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcomes {
    success: Similarities,
    failure: Similarities,
    right: f64,
    wrong: f64,
}

impl Default for Outcomes {
    fn default() -> Self {
        Self {
            success: Similarities::assumed(0.6),
            failure: Similarities::assumed(0.2),
            right: ASSUMED_VERDICTS.0,
            wrong: ASSUMED_VERDICTS.1,
        }
    }
}

impl Outcomes {
    pub(super) fn dbg(&self) -> String { format!("{:.2?} {:.2?} {:.2}", self.success.moments(), self.failure.moments(), self.accuracy()) }
    /// Chance that a verdict is right.
    fn accuracy(&self) -> f64 {
        (self.right / (self.right + self.wrong)).clamp(0.5, 0.999)
    }

    /// Log odds of success before anything is seen of the step.
    fn prior(&self) -> f64 {
        ((self.success.weight + ASSUMED) / (self.failure.weight + ASSUMED)).ln()
    }

    /// Log odds of success by similarity alone. Beyond the means it is as at the means: more similar is never worse.
    fn evidence(&self, similarity: f64) -> f64 {
        let (low, high) = (self.failure.moments().0, self.success.moments().0);
        if high <= low {
            return 0.0;
        }
        let inside = similarity.clamp(low, high);
        (self.success.log_density(inside) - self.failure.log_density(inside))
            .clamp(-MOST_EVIDENCE, MOST_EVIDENCE)
    }

    /// Chance that something of this similarity serves, no verdict given.
    pub(super) fn serves(&self, similarity: f32) -> f64 {
        logistic(self.evidence(f64::from(similarity)))
    }

    /// Chance that the memory helped. `quality` is the verdict, in [0, 1].
    pub(super) fn helped(&self, similarity: f32, quality: Option<f64>) -> f64 {
        let accuracy = self.accuracy();
        let verdict = quality.map_or(0.0, |quality| {
            (2.0 * quality - 1.0) * (accuracy / (1.0 - accuracy)).ln()
        });
        logistic(self.prior() + self.evidence(f64::from(similarity)) + verdict)
    }

    /// Learns how both witnesses look when they say this. One step of expectation-maximisation (after Dawid and Skene 1979).
    pub(super) fn learn(&mut self, similarity: f32, quality: Option<f64>) {
        let helped = self.helped(similarity, quality);
        let weight = if quality.is_some() { 1.0 } else { UNJUDGED };
        let similarity = f64::from(similarity);
        self.success.add(similarity, weight * helped);
        self.failure.add(similarity, weight * (1.0 - helped));
        if let Some(quality) = quality {
            let agrees = helped * quality + (1.0 - helped) * (1.0 - quality);
            self.right = self.right * MEMORY + agrees;
            self.wrong = self.wrong * MEMORY + (1.0 - agrees);
        }
    }
}

fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}
