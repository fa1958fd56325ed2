//! Which settings hold, and where does each value come from?
//!
//! Layers, the later the stronger: the compiled-in defaults, `refrain.toml`, `REFRAIN__SECTION__KEY`, flags. Every key must exist in the
//! defaults, so a misspelt one is refused with the name it probably meant. This module reads no environment itself: the caller passes the
//! variables in.

mod layers;
mod refused;

use std::path::PathBuf;

use kgqa::model_compiler::Task;
use memory::{LessonScope, PolicyName};
use serde::{Deserialize, Serialize};

pub use layers::{Layers, Origin, Setting};
pub use refused::ConfigError;

/// The defaults file, compiled in.
pub const DEFAULTS: &str = include_str!("../defaults.toml");

/// The prefix of environment variables that are settings.
pub const ENVIRONMENT_PREFIX: &str = "REFRAIN__";

/// All settings of an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Answers.
    pub ask: AskConfig,
    /// What one question may use.
    pub budget: BudgetConfig,
    /// The built-in planner.
    pub planner: PlannerConfig,
    /// The memory of experiences.
    pub memory: MemoryConfig,
    /// The language model.
    pub model: ModelSettings,
    /// The embedder.
    pub embedder: EmbedderConfig,
    /// Loading graphs.
    pub load: LoadConfig,
    /// Warm start.
    pub warm: WarmConfig,
}

/// How answers are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskConfig {
    /// The source asked by default; empty: the router decides.
    pub source: String,
    /// Values spelt out in an answer's sentence.
    pub values_in_text: usize,
    /// Triples cited at most.
    pub citations: usize,
}

/// What one question may use at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetConfig {
    /// Calls of a language model.
    pub model_calls: u32,
    /// Tokens sent to and received from a language model.
    pub tokens: u64,
    /// Rows read from the graph.
    pub rows: u64,
    /// Wall-clock milliseconds.
    pub time_ms: u64,
}

/// Bounds of the built-in planner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannerConfig {
    /// Longest chain of predicates (CacheRAG, Definition 3: `K_depth` ≤ 3).
    pub max_depth: usize,
    /// Predicates kept a node (CacheRAG, Algorithm 3: `K_degree` = 30).
    pub max_degree: usize,
    /// Whether a path that goes on looks at its frontier's neighbours (CacheRAG, Algorithm 3: σ_breadth), or follows only
    /// the next relation that the words speak for (σ_depth).
    pub breadth: bool,
}

/// The memory of experiences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether answers are remembered and reused.
    pub enabled: bool,
    /// Several of these settings under one name; what is given explicitly is stronger.
    pub preset: MemoryPreset,
    /// Experiences kept a namespace.
    pub capacity: usize,
    /// Experiences kept a bucket (a source's questions of one aspect); 0: no bound but `capacity`.
    pub bucket_capacity: usize,
    /// Who may enter when the memory is full, and who leaves.
    pub policy: PolicyName,
    /// Which lessons guide the planner: all that were taught, or those of experiences that are still held and of
    /// answers called wrong.
    pub lessons: LessonScope,
    /// Experiences recalled as examples (CacheRAG §4.2: k = 5).
    pub examples: usize,
    /// Relevance against diversity, in `[0, 1]` (CacheRAG, Algorithm 2: λ = 0.5).
    pub relevance_weight: f32,
    /// Layers of the index: 2 (domain and aspect, CacheRAG §4.2), or 1.
    pub layers: usize,
    /// Least grounding score that is remembered, in `[0, 1]` (LivingRAG, appendix D: 0.6).
    pub minimum_grounding: f32,
    /// Hours that an answer about volatile facts stays valid.
    pub volatile_hours: u64,
}

/// Settings of the memory under one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryPreset {
    /// Each setting as it stands.
    #[default]
    None,
    /// CacheRAG's cache: least recently used, ten a bucket (§4.2 and its study of bucket capacity).
    CacheRag,
}

impl MemoryPreset {
    /// The settings that it stands for, as dotted keys with their values.
    fn settings(self) -> Vec<(&'static str, toml::Value)> {
        match self {
            Self::None => Vec::new(),
            Self::CacheRag => vec![
                ("memory.policy", toml::Value::from("lru")),
                ("memory.bucket_capacity", toml::Value::from(10)),
            ],
        }
    }

    fn parse(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "cacherag" => Some(Self::CacheRag),
            _ => None,
        }
    }
}

/// The language model, and what it is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// Its name at an OpenAI-compatible endpoint; empty: none.
    pub name: String,
    /// The endpoint; empty: the environment's `OPENAI_BASE_URL`, else OpenAI's own.
    pub base_url: String,
    /// Azure's `api-version`; empty: no Azure.
    pub api_version: String,
    /// A file to record every exchange to; empty: none.
    pub record: PathBuf,
    /// A recording to answer from in the model's place; empty: none.
    pub replay: PathBuf,
    /// What it is asked for when it plans: a typed plan, or a choice among ranked ones.
    pub task: Task,
    /// When it is asked for a plan.
    pub plans: When,
    /// When it is asked for an answer from the passages that were found.
    pub documents: When,
    /// When it words an answer from a graph.
    pub summaries: When,
    /// Below this confidence of the built-in stage it counts as unsure, in `[0, 1]`.
    pub below: f32,
    /// The longest that a call may take, in seconds.
    pub timeout_s: u64,
}

/// When a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// The built-in stage alone.
    Never,
    /// Where the built-in stage refuses or is unsure.
    Unsure,
    /// For every question that no remembered plan answers.
    Always,
}

/// The embedder of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderConfig {
    /// Which embedder.
    pub kind: EmbedderKind,
    /// Directory with the model's weights; empty: none.
    pub model_dir: PathBuf,
}

/// Which embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The compiled-in static table.
    Builtin,
    /// all-MiniLM-L6-v2 from `model_dir`.
    Minilm,
}

/// Loading graphs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadConfig {
    /// Skip and count broken lines.
    pub lenient: bool,
}

/// Warm start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarmConfig {
    /// Entities sampled.
    pub entities: usize,
    /// Questions made an entity (CacheRAG §4.4: up to 5).
    pub questions_per_entity: usize,
    /// Seed of the sample.
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Self {
        Layers::defaults()
            .config()
            .expect("the compiled-in defaults hold every setting, which a test checks")
    }
}

#[cfg(test)]
mod tests;
