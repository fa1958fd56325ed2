//! Which language model takes part, and where is it?
//!
//! The settings name it, the environment holds what is secret: `OPENAI_API_KEY` is never read from a file, shown or
//! logged.

use std::path::Path;
use std::sync::Arc;

use language_model::LanguageModel;
use language_model::cassette::{Recorder, Replay};
use language_model::openai::{OpenAi, OpenAiConfig, Secret};
use refrain::Config;
use refrain::config::ModelSettings;

use crate::failure::Outcome;

/// Where the model is asked when neither the settings nor the environment say.
const OPENAI: &str = "https://api.openai.com/v1";

/// The language model that the settings and the environment name, if they name one.
pub(crate) fn named(config: &Config) -> Outcome<Option<Arc<dyn LanguageModel>>> {
    let settings = &config.model;
    if !settings.replay.as_os_str().is_empty() {
        return replayed(&settings.replay).map(Some);
    }
    let name = given(&settings.name, "OPENAI_MODEL");
    if name.is_empty() {
        return Ok(None);
    }
    let asked = OpenAi::new(server(settings, &name))?;
    if settings.record.as_os_str().is_empty() {
        return Ok(Some(Arc::new(asked)));
    }
    Ok(Some(Arc::new(Recorder::to_file(asked, &settings.record)?)))
}

fn replayed(path: &Path) -> Outcome<Arc<dyn LanguageModel>> {
    Ok(Arc::new(Replay::from_file(path)?))
}

fn server(settings: &ModelSettings, name: &str) -> OpenAiConfig {
    let base = given(&settings.base_url, "OPENAI_BASE_URL");
    let base = if base.is_empty() { OPENAI } else { &base };
    let key = std::env::var("OPENAI_API_KEY").unwrap_or_default();
    OpenAiConfig {
        api_key: (!key.is_empty()).then(|| Secret::new(&key)),
        azure_api_version: (!settings.api_version.is_empty()).then(|| settings.api_version.clone()),
        timeout: std::time::Duration::from_secs(settings.timeout_s),
        ..OpenAiConfig::new(base, name)
    }
}

/// A setting, or else a variable of the environment.
fn given(setting: &str, variable: &str) -> String {
    if setting.is_empty() {
        std::env::var(variable).unwrap_or_default()
    } else {
        setting.to_owned()
    }
}
