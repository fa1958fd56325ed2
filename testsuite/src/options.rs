//! What should be evaluated, and under which settings?
//!
//! Plain structs: the command line fills them from its flags, tests fill them by hand.

use std::path::PathBuf;
use std::str::FromStr;

use memory::PolicyName;
use refrain::Config;
use serde::Serialize;

use crate::dataset::DatasetName;

/// Whether answers may be reused and learned from during the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryMode {
    /// Each question meets an empty memory; nothing is written back.
    Off,
    /// Answers are remembered and reused, as in normal use.
    On,
}

/// Which word the system hears about each answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FeedbackMode {
    /// None at all: the system has only its own judgement.
    None,
    /// The verdict right or wrong after each answer; never the right answer itself.
    Gold,
}

/// The order in which the questions of a set are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// As the file has them.
    File,
    /// Shuffled with the given seed.
    Shuffle,
}

/// What is switched off, one field an ablation of CacheRAG's tables 3 and 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Ablations {
    /// No depth expansion.
    pub no_depth: bool,
    /// No breadth expansion.
    pub no_breadth: bool,
    /// Recall by relevance alone, without MMR's diversity.
    pub no_mmr: bool,
    /// One flat bucket instead of domain → aspect.
    pub one_layer: bool,
    /// No warm start before the first question.
    pub no_warm: bool,
}

/// How many experiences a memory may hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Capacity {
    /// So many.
    Experiences(usize),
    /// This share of what a memory without a bound holds after the same stream, in (0, 1].
    Share(f64),
}

impl FromStr for Capacity {
    type Err = UnknownSetting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownSetting {
            setting: "capacity",
            value: text.to_owned(),
            allowed: "a whole number from 1, or a share from 1% to 100%",
        };
        match text.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.parse().map_err(|_| unknown())?;
                let share = percent / 100.0;
                (share > 0.0 && share <= 1.0)
                    .then_some(Self::Share(share))
                    .ok_or_else(unknown)
            }
            None => {
                let count: usize = text.parse().map_err(|_| unknown())?;
                (count > 0)
                    .then_some(Self::Experiences(count))
                    .ok_or_else(unknown)
            }
        }
    }
}

/// Which language model takes part in an evaluation?
#[derive(Clone, Default)]
pub enum ModelUnderTest {
    /// None.
    #[default]
    None,
    /// One that replies with the set's gold paths: what is then still wrong is the engine's.
    Gold,
    /// A model of the caller's.
    Given(std::sync::Arc<dyn language_model::LanguageModel>),
}

impl std::fmt::Debug for ModelUnderTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Gold => "gold",
            Self::Given(model) => model.model(),
        })
    }
}

/// Everything one run of `refrain eval` depends on.
#[derive(Debug, Clone)]
pub struct EvalOptions {
    /// Which set is asked.
    pub dataset: DatasetName,
    /// The folder that holds `kg/`, `corpus/` and `dev/`.
    pub data: PathBuf,
    /// May answers be remembered and reused?
    pub memory: MemoryMode,
    /// Which verdicts does the system hear?
    pub feedback: FeedbackMode,
    /// In which order is the set asked?
    pub order: Order,
    /// Seed of the shuffle.
    pub seed: u64,
    /// What is switched off.
    pub ablations: Ablations,
    /// Ask at most this many questions (or pairs).
    pub limit: Option<usize>,
    /// How many failing questions the report quotes for each kind.
    pub examples_per_kind: usize,
    /// The most the memory may hold; the settings' own bound when absent.
    pub capacity: Option<Capacity>,
    /// Where the graphs are loaded to, and kept; a temporary folder when absent.
    pub work_dir: Option<PathBuf>,
    /// Which language model takes part.
    pub model: ModelUnderTest,
    /// The engine's settings, before memory mode and ablations are applied.
    pub config: Config,
}

impl EvalOptions {
    /// The defaults for `dataset`: file order, no feedback, and memory off for question
    /// sets but on for pair sets (which measure reuse and nothing else).
    pub fn new(dataset: DatasetName, data: impl Into<PathBuf>) -> Self {
        Self {
            dataset,
            data: data.into(),
            memory: if dataset.is_pairs() {
                MemoryMode::On
            } else {
                MemoryMode::Off
            },
            feedback: FeedbackMode::None,
            order: Order::File,
            seed: 42,
            ablations: Ablations::default(),
            limit: None,
            examples_per_kind: 3,
            capacity: None,
            model: ModelUnderTest::None,
            work_dir: None,
            config: Config::default(),
        }
    }

    /// The settings as the report prints them.
    pub fn settings(&self) -> Settings {
        Settings {
            memory: self.memory,
            feedback: self.feedback,
            order: self.order,
            seed: self.seed,
            limit: self.limit,
            ablations: self.ablations,
            policy: self.config.memory.policy,
            capacity: match self.capacity {
                Some(Capacity::Experiences(count)) => Some(count),
                Some(Capacity::Share(_)) | None => None,
            },
        }
    }
}

/// The settings of a run, as they stand in its report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// See [`EvalOptions::memory`].
    pub memory: MemoryMode,
    /// See [`EvalOptions::feedback`].
    pub feedback: FeedbackMode,
    /// See [`EvalOptions::order`].
    pub order: Order,
    /// See [`EvalOptions::seed`].
    pub seed: u64,
    /// See [`EvalOptions::limit`].
    pub limit: Option<usize>,
    /// See [`EvalOptions::ablations`].
    pub ablations: Ablations,
    /// The replacement policy.
    pub policy: PolicyName,
    /// The most the memory may hold, where the run bounds it.
    pub capacity: Option<usize>,
}

impl Settings {
    /// The settings in a few words, for a table's head or a chart's title.
    pub fn describe(&self) -> String {
        let memory = match self.memory {
            MemoryMode::Off => "memory off",
            MemoryMode::On => "memory on",
        };
        let feedback = match self.feedback {
            FeedbackMode::None => "no feedback",
            FeedbackMode::Gold => "gold verdicts",
        };
        let order = match self.order {
            Order::File => "file order".to_owned(),
            Order::Shuffle => format!("shuffled (seed {})", self.seed),
        };
        let mut words = vec![memory.to_owned(), feedback.to_owned(), order];
        if let Some(capacity) = self.capacity {
            words.push(format!("{} at {capacity}", self.policy.as_str()));
        }
        words.extend(self.ablations.names().into_iter().map(str::to_owned));
        words.join(", ")
    }

    /// The settings as a part of a file name.
    pub fn slug(&self) -> String {
        self.describe()
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("-")
            .to_lowercase()
    }
}

impl Ablations {
    /// The names of what is switched off.
    pub fn names(self) -> Vec<&'static str> {
        [
            (self.no_depth, "no depth"),
            (self.no_breadth, "no breadth"),
            (self.no_mmr, "no MMR"),
            (self.one_layer, "one layer"),
            (self.no_warm, "no warm start"),
        ]
        .into_iter()
        .filter_map(|(off, name)| off.then_some(name))
        .collect()
    }
}

/// A setting's value that is none of the allowed ones.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{value:?} is not a {setting}; use one of: {allowed}")]
pub struct UnknownSetting {
    setting: &'static str,
    value: String,
    allowed: &'static str,
}

macro_rules! setting_from_str {
    ($type:ty, $setting:literal, $allowed:literal, $($text:literal => $value:expr),+) => {
        impl FromStr for $type {
            type Err = UnknownSetting;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($text => Ok($value),)+
                    _ => Err(UnknownSetting {
                        setting: $setting,
                        value: text.to_owned(),
                        allowed: $allowed,
                    }),
                }
            }
        }
    };
}

setting_from_str!(MemoryMode, "memory mode", "off, on", "off" => Self::Off, "on" => Self::On);
setting_from_str!(FeedbackMode, "feedback mode", "none, gold", "none" => Self::None, "gold" => Self::Gold);
setting_from_str!(Order, "order", "file, shuffle", "file" => Self::File, "shuffle" => Self::Shuffle);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_sets_run_with_memory_unless_told_otherwise() {
        assert_eq!(
            EvalOptions::new(DatasetName::CacheKg, "d").memory,
            MemoryMode::On
        );
        assert_eq!(
            EvalOptions::new(DatasetName::Pq2h, "d").memory,
            MemoryMode::Off
        );
    }

    #[test]
    fn settings_name_a_file() {
        let options = EvalOptions {
            order: Order::Shuffle,
            ablations: Ablations {
                no_mmr: true,
                ..Ablations::default()
            },
            ..EvalOptions::new(DatasetName::Pq2h, "d")
        };
        assert_eq!(
            options.settings().slug(),
            "memory-off-no-feedback-shuffled-seed-42-no-mmr"
        );
    }

    #[test]
    fn a_capacity_is_a_number_or_a_share() {
        assert_eq!("40".parse(), Ok(Capacity::Experiences(40)));
        assert_eq!("25%".parse(), Ok(Capacity::Share(0.25)));
        for wrong in ["0", "0%", "101%", "many", "-3", "%", "nan%"] {
            let error = wrong.parse::<Capacity>().unwrap_err().to_string();
            assert!(error.contains("a share from"), "{error}");
        }
    }

    #[test]
    fn a_bounded_run_is_named_by_policy_and_capacity() {
        let options = EvalOptions {
            capacity: Some(Capacity::Experiences(40)),
            ..EvalOptions::new(DatasetName::Pq2h, "d")
        };
        assert!(options.settings().describe().ends_with("survival at 40"));
    }

    #[test]
    fn an_unknown_value_names_the_allowed_ones() {
        let error = "maybe".parse::<MemoryMode>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"maybe\" is not a memory mode; use one of: off, on"
        );
    }
}
