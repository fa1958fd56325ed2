//! What did experience teach about questions like this one? The planner's view of the memory (CacheRAG S*, SOLAR's posterior).
//!
//! The planner gets neighbours and counts as plain values; where they come from is the memory's business.

use std::collections::BTreeMap;
use std::sync::Arc;

/// An earlier question with a template that was tried for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Similarity of the masked questions in [0, 1].
    pub similarity: f32,
    /// The earlier masked question.
    pub masked: String,
    /// The template that was tried.
    pub template: String,
    /// How often it proved right, weighted by who judged.
    pub successes: f64,
    /// How often it proved wrong.
    pub failures: f64,
}

/// What stands for a predicate in the lexicon where a question was refused because nothing is like this word.
pub const UNSUPPORTED: &str = "unsupported";

/// Counts of a word meaning a predicate.
pub trait Lexicon: Send + Sync {
    /// For each predicate (IRI) that `word` was ever aligned with: how often that proved right and wrong.
    fn meanings(&self, word: &str) -> Vec<(Arc<str>, f64, f64)>;
}

/// What the planner may use beside the question and the graph.
#[derive(Default, Clone)]
pub struct Guidance<'a> {
    /// Neighbours of the question, most similar first.
    pub neighbours: Vec<Neighbour>,
    /// Learned word meanings.
    pub lexicon: Option<&'a dyn Lexicon>,
}

/// How votes are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteConfig {
    /// Neighbours below this similarity have no say.
    pub floor: f32,
    /// How sharply the say grows above it.
    pub sharpness: i32,
    /// Log-likelihood per doubling-like step of evidence.
    pub strength: f32,
    /// Evidence that is worth nothing yet.
    pub prior: f64,
}

impl Default for VoteConfig {
    fn default() -> Self {
        Self {
            floor: 0.7,
            sharpness: 3,
            strength: 2.0,
            prior: 0.3,
        }
    }
}

/// The votes of a question's neighbours by template.
pub(crate) struct Votes {
    right: BTreeMap<String, f64>,
    wrong: BTreeMap<String, f64>,
    total: f64,
    config: VoteConfig,
}

impl Votes {
    /// Counts the neighbours' votes for a masked question.
    pub(crate) fn count(masked: &str, guidance: &Guidance<'_>, config: &VoteConfig) -> Self {
        let mut votes = Self {
            right: BTreeMap::new(),
            wrong: BTreeMap::new(),
            total: 0.0,
            config: config.clone(),
        };
        for neighbour in &guidance.neighbours {
            let similarity =
                0.5 * neighbour.similarity + 0.5 * sequence_similarity(masked, &neighbour.masked);
            if similarity <= config.floor {
                continue;
            }
            let say = f64::from(
                ((similarity - config.floor) / (1.0 - config.floor))
                    .min(1.0)
                    .powi(config.sharpness),
            );
            *votes.right.entry(neighbour.template.clone()).or_default() +=
                say * neighbour.successes;
            *votes.wrong.entry(neighbour.template.clone()).or_default() += say * neighbour.failures;
            votes.total += say * neighbour.successes;
        }
        votes
    }

    /// The log-likelihood that the votes add to a template.
    pub(crate) fn of(&self, template: &str) -> f32 {
        let right = self.right.get(template).copied().unwrap_or(0.0);
        let wrong = self.wrong.get(template).copied().unwrap_or(0.0);
        let others = self.total - right;
        let prior = self.config.prior;
        self.config.strength * narrow(((right + prior) / (wrong + others + prior)).ln())
    }

    /// Whether nobody voted.
    pub(crate) fn is_empty(&self) -> bool {
        self.right.is_empty()
    }
}

/// Dice similarity of two questions' content words by their longest common subsequence, in [0, 1].
pub(crate) fn sequence_similarity(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    let content = |text: &'_ str| -> Vec<String> {
        text.split(' ')
            .filter(|w| !crate::vocabulary::is_function_word(w))
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (content(a), content(b));
    let mut row = vec![0usize; b.len() + 1];
    for x in &a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y {
                diagonal + 1
            } else {
                above.max(row[j])
            };
            diagonal = above;
        }
    }
    2.0 * row[b.len()] as f32 / (a.len() + b.len()).max(1) as f32
}

/// A count's logarithm or share as the planner's scores have it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "scores are single precision; the values are small"
)]
pub(crate) fn narrow(value: f64) -> f32 {
    value as f32
}
