//! Which settings hold, and where does each value come from?
//!
//! Layers, the later the stronger: the compiled-in defaults, `refrain.toml`, `REFRAIN__SECTION__KEY`, flags. Every key must exist in the
//! defaults, so a misspelt one is refused with the name it probably meant. This module reads no environment itself: the caller passes the
//! variables in.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::suggest::closest;

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
}

/// The memory of experiences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether answers are remembered and reused.
    pub enabled: bool,
    /// Experiences kept a namespace.
    pub capacity: usize,
    /// Who leaves when the memory is full.
    pub policy: EvictionPolicy,
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

/// Who leaves when the memory is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvictionPolicy {
    /// The experience that was used the longest ago.
    Lru,
    /// The experience that came first.
    Fifo,
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

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// The compiled-in defaults.
    Default,
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        variable: String,
    },
    /// A command-line flag.
    Flag {
        /// The flag as typed.
        flag: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path } => write!(f, "{}", path.display()),
            Self::Environment { variable } => write!(f, "${variable}"),
            Self::Flag { flag } => f.write_str(flag),
        }
    }
}

/// Why settings are refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that is not TOML.
    #[error("{} is not valid TOML: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The parser's message, with line and column.
        message: String,
        /// The parser's error.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A key that no setting has.
    #[error("there is no setting \"{key}\" ({origin})")]
    UnknownKey {
        /// The dotted key.
        key: String,
        /// Where it was given.
        origin: Origin,
        /// The setting it probably meant.
        suggestion: Option<String>,
    },
    /// A value of the wrong type.
    #[error("setting \"{key}\" must be {expected}, but {origin} says {found}")]
    WrongType {
        /// The dotted key.
        key: String,
        /// The type wanted, in words.
        expected: &'static str,
        /// The value found.
        found: String,
        /// Where it was given.
        origin: Origin,
    },
    /// A value of the right type that makes no sense.
    #[error("setting \"{key}\" ({origin}): {reason}")]
    Invalid {
        /// The dotted key.
        key: String,
        /// What is wrong.
        reason: String,
        /// Where it was given.
        origin: Origin,
    },
}

impl ConfigError {
    /// What to do about it, where that is known.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::UnknownKey { suggestion, .. } => Some(suggestion.as_ref().map_or_else(
                || "`refrain config show` lists every setting".to_owned(),
                |key| format!("did you mean \"{key}\"?"),
            )),
            Self::Syntax { .. } | Self::WrongType { .. } | Self::Invalid { .. } => None,
        }
    }
}

/// One setting as it holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Dotted key, `section.name`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// The settings, layer upon layer.
#[derive(Debug, Clone)]
pub struct Layers {
    settings: BTreeMap<String, (Value, Origin)>,
}

impl Layers {
    /// Only the compiled-in defaults.
    pub fn defaults() -> Self {
        let table: Table = DEFAULTS
            .parse()
            .expect("the compiled-in defaults are TOML, which a test checks");
        let settings = flatten(&table)
            .into_iter()
            .map(|(key, value)| (key, (value, Origin::Default)))
            .collect();
        Self { settings }
    }

    /// Lays the text of a `refrain.toml` on top.
    ///
    /// # Errors
    /// When it is not TOML, or names a setting that does not exist, or gives one the wrong type.
    pub fn file(mut self, path: &Path, text: &str) -> Result<Self, ConfigError> {
        let table: Table = text
            .parse()
            .map_err(|source: toml::de::Error| ConfigError::Syntax {
                path: path.to_owned(),
                message: source.to_string().trim().to_owned(),
                source: Box::new(source),
            })?;
        let origin = Origin::File {
            path: path.to_owned(),
        };
        for (key, value) in flatten(&table) {
            self.set(&key, value, origin.clone())?;
        }
        Ok(self)
    }

    /// Lays those of the variables on top that start with [`ENVIRONMENT_PREFIX`].
    ///
    /// # Errors
    /// When one names a setting that does not exist, or gives one the wrong type.
    pub fn environment(
        mut self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let mut ours: Vec<_> = variables
            .into_iter()
            .filter(|(name, _)| name.starts_with(ENVIRONMENT_PREFIX))
            .collect();
        ours.sort();
        for (variable, text) in ours {
            let key = variable[ENVIRONMENT_PREFIX.len()..]
                .to_lowercase()
                .replace("__", ".");
            let origin = Origin::Environment { variable };
            self.set_text(&key, &text, origin)?;
        }
        Ok(self)
    }

    /// Lays one flag's value on top.
    ///
    /// # Errors
    /// When it names a setting that does not exist, or gives it the wrong type.
    pub fn flag(mut self, flag: &str, key: &str, text: &str) -> Result<Self, ConfigError> {
        let origin = Origin::Flag {
            flag: flag.to_owned(),
        };
        self.set_text(key, text, origin)?;
        Ok(self)
    }

    /// Every setting, ordered by key.
    pub fn settings(&self) -> Vec<Setting> {
        self.settings
            .iter()
            .map(|(key, (value, origin))| Setting {
                key: key.clone(),
                value: value.clone(),
                origin: origin.clone(),
            })
            .collect()
    }

    /// The settings as types, checked.
    ///
    /// # Errors
    /// When a value is out of range.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let mut table = Table::new();
        for (key, (value, origin)) in &self.settings {
            insert(&mut table, key, value.clone());
            self.check(key, value, origin)?;
        }
        Value::Table(table)
            .try_into()
            .map_err(|source: toml::de::Error| ConfigError::Invalid {
                key: "refrain.toml".to_owned(),
                reason: source.to_string().trim().to_owned(),
                origin: Origin::Default,
            })
    }

    fn set_text(&mut self, key: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let wants_text = matches!(self.settings.get(key), Some((Value::String(_), _)));
        let value = if wants_text {
            Value::String(text.to_owned())
        } else {
            let parsed: Result<Table, _> = format!("value = {text}").parse();
            parsed
                .ok()
                .and_then(|mut table| table.remove("value"))
                .unwrap_or_else(|| Value::String(text.to_owned()))
        };
        self.set(key, value, origin)
    }

    fn set(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), ConfigError> {
        let Some((present, _)) = self.settings.get(key) else {
            let suggestion = self.suggest(key);
            return Err(ConfigError::UnknownKey {
                key: key.to_owned(),
                origin,
                suggestion,
            });
        };
        let value = match (present, value) {
            (Value::Float(_), Value::Integer(whole)) => {
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "settings are small numbers written by hand"
                )]
                let number = whole as f64;
                Value::Float(number)
            }
            (present, value) => {
                if present.type_str() != value.type_str() {
                    return Err(ConfigError::WrongType {
                        key: key.to_owned(),
                        expected: in_words(present),
                        found: value.to_string(),
                        origin,
                    });
                }
                value
            }
        };
        self.settings.insert(key.to_owned(), (value, origin));
        Ok(())
    }

    fn suggest(&self, key: &str) -> Option<String> {
        let last = key.rsplit('.').next().unwrap_or(key);
        let exact = self
            .settings
            .keys()
            .find(|known| known.rsplit('.').next() == Some(last));
        exact
            .map(String::as_str)
            .or_else(|| closest(key, self.settings.keys().map(String::as_str)))
            .map(str::to_owned)
    }

    fn check(&self, key: &str, value: &Value, origin: &Origin) -> Result<(), ConfigError> {
        let reason = match value {
            Value::Integer(number) if *number < 0 => "must not be negative",
            Value::Float(number) if !(0.0..=1.0).contains(number) => "must lie between 0 and 1",
            Value::Integer(0) if MUST_BE_POSITIVE.contains(&key) => "must be at least 1",
            Value::Integer(number) if key == "planner.max_depth" && *number > 3 => {
                "must be at most 3 (a question never walks further)"
            }
            Value::Integer(number) if key == "memory.layers" && !(1..=2).contains(number) => {
                "must be 1 or 2"
            }
            Value::String(text)
                if key == "memory.policy" && !["lru", "fifo"].contains(&text.as_str()) =>
            {
                "must be \"lru\" or \"fifo\""
            }
            Value::String(text)
                if key == "embedder.kind" && !["builtin", "minilm"].contains(&text.as_str()) =>
            {
                "must be \"builtin\" or \"minilm\""
            }
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_)
            | Value::Table(_) => return Ok(()),
        };
        Err(ConfigError::Invalid {
            key: key.to_owned(),
            reason: reason.to_owned(),
            origin: origin.clone(),
        })
    }
}

const MUST_BE_POSITIVE: &[&str] = &[
    "ask.values_in_text",
    "budget.rows",
    "budget.time_ms",
    "memory.capacity",
    "planner.max_degree",
    "planner.max_depth",
];

fn in_words(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}

fn flatten(table: &Table) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                for (name, value) in flatten(inner) {
                    flat.push((format!("{key}.{name}"), value));
                }
            }
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => flat.push((key.clone(), value.clone())),
        }
    }
    flat
}

fn insert(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.to_owned(), value);
        }
        Some((section, rest)) => {
            let inner = table
                .entry(section)
                .or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
