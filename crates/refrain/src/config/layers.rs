//! How are settings laid upon each other, and where does each value come from?

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use toml::{Table, Value};

use memory::PolicyName;

use super::{Config, ConfigError, DEFAULTS, ENVIRONMENT_PREFIX, MemoryPreset};
use crate::suggest::closest;

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
    /// A preset.
    Preset {
        /// Its name.
        preset: String,
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
            Self::Preset { preset } => write!(f, "preset {preset}"),
            Self::Flag { flag } => f.write_str(flag),
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
    pub(super) settings: BTreeMap<String, (Value, Origin)>,
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
        self.resolved()
            .into_iter()
            .map(|(key, (value, origin))| Setting {
                value: shown(&key, value),
                key,
                origin,
            })
            .collect()
    }

    /// The settings with what the preset says in place of defaults.
    fn resolved(&self) -> BTreeMap<String, (Value, Origin)> {
        let mut settings = self.settings.clone();
        let preset = match self.settings.get("memory.preset") {
            Some((Value::String(name), _)) => MemoryPreset::parse(name).map(|p| (name, p)),
            Some(_) | None => None,
        };
        for (name, (key, value)) in preset
            .into_iter()
            .flat_map(|(name, preset)| preset.settings().into_iter().map(move |one| (name, one)))
        {
            if let Some(slot) = settings.get_mut(key)
                && slot.1 == Origin::Default
            {
                let preset = name.clone();
                *slot = (value, Origin::Preset { preset });
            }
        }
        settings
    }

    /// The settings as types, checked.
    ///
    /// # Errors
    /// When a value is out of range.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let mut table = Table::new();
        for (key, (value, origin)) in &self.resolved() {
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
        if let ("memory.policy", Value::String(text)) = (key, value)
            && PolicyName::parse(text).is_none()
        {
            return Err(unknown_policy(text, origin));
        }
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
                if !choices(key).is_empty() && !choices(key).contains(&text.as_str()) =>
            {
                return Err(ConfigError::Invalid {
                    key: key.to_owned(),
                    reason: format!("must be one of {}, not \"{text}\"", choices(key).join(", ")),
                    origin: origin.clone(),
                });
            }
            Value::String(text)
                if key == "model.base_url" && !text.is_empty() && !is_web_address(text) =>
            {
                "must be the address of a server, as in http://localhost:11434/v1"
            }
            Value::Integer(number) if key == "model.timeout_s" && *number > MAX_TIMEOUT_S => {
                "must be at most 3600 (an hour)"
            }
            Value::String(text)
                if key == "memory.preset" && MemoryPreset::parse(text).is_none() =>
            {
                "must be \"none\" or \"cacherag\""
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

/// A setting's value as it may be shown: a server's address without a password or key in it.
fn shown(key: &str, value: Value) -> Value {
    match value.as_str().filter(|_| key == "model.base_url") {
        Some(url) => Value::String(language_model::shown_url(url)),
        None => value,
    }
}

/// The longest that a call of a model may take, in seconds.
const MAX_TIMEOUT_S: i64 = 3_600;

/// The values of a setting that has few.
fn choices(key: &str) -> &'static [&'static str] {
    match key {
        "memory.lessons" => &["all", "kept"],
        "model.task" => &["plan", "choose"],
        "model.plans" | "model.documents" | "model.summaries" => &["never", "unsure", "always"],
        _ => &[],
    }
}

fn is_web_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '['))
}

fn unknown_policy(text: &str, origin: &Origin) -> ConfigError {
    let names: Vec<&str> = PolicyName::ALL.iter().map(|name| name.as_str()).collect();
    let hint = closest(text, names.iter().copied()).map_or_else(
        || format!("there is {}", names.join(", ")),
        |close| format!("did you mean \"{close}\"?"),
    );
    ConfigError::Invalid {
        key: "memory.policy".to_owned(),
        reason: format!("there is no policy \"{text}\"; {hint}"),
        origin: origin.clone(),
    }
}

const MUST_BE_POSITIVE: &[&str] = &[
    "ask.values_in_text",
    "budget.rows",
    "budget.time_ms",
    "memory.capacity",
    "model.timeout_s",
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

pub(super) fn flatten(table: &Table) -> Vec<(String, Value)> {
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
