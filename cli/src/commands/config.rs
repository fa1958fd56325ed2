//! Which settings hold, and why?

use std::io;
use std::path::PathBuf;

use language_model::openai::shown_url;
use refrain::config::{Layers, Setting};

use crate::args::{ConfigCommand, Global};
use crate::failure::{Failure, Outcome};
use crate::ui::{TextTable, Ui};

/// The settings' layers as files, environment and flags give them.
pub(crate) fn layers(global: &Global) -> Outcome<Layers> {
    let (path, required) = match &global.config {
        Some(path) => (path.clone(), true),
        None => (settings_file(global), false),
    };
    let mut layers = Layers::defaults();
    match fs_err::read_to_string(&path) {
        Ok(text) => layers = layers.file(&path, &text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !required => {}
        Err(error) => {
            return Err(Failure::new(format!(
                "the settings cannot be read: {error}"
            )));
        }
    }
    layers =
        layers.environment(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))?;
    for given in &global.set {
        let Some((key, value)) = given.split_once('=') else {
            return Err(Failure::usage(format!("--set \"{given}\" has no value"))
                .hint("write --set KEY=VALUE, as in --set memory.capacity=500"));
        };
        layers = layers.flag("--set", key.trim(), value.trim())?;
    }
    Ok(layers)
}

/// Where a directory's settings lie.
pub(crate) fn settings_file(global: &Global) -> PathBuf {
    global.dir.join("refrain.toml")
}

/// `refrain config …`
pub(crate) fn run(command: &ConfigCommand, global: &Global, ui: Ui) -> Outcome {
    let ConfigCommand::Show { key } = command;
    let layers = layers(global)?;
    layers.config()?;
    let mut all = layers.settings();
    all.iter_mut().for_each(without_secrets);
    let shown: Vec<&Setting> = all
        .iter()
        .filter(|setting| key.as_deref().is_none_or(|key| selects(key, &setting.key)))
        .collect();
    if let (Some(key), true) = (key, shown.is_empty()) {
        let sections = all
            .iter()
            .filter_map(|setting| setting.key.split('.').next());
        let known = sections.chain(all.iter().map(|setting| setting.key.as_str()));
        let hint = refrain::suggest::closest(key, known).map_or_else(
            || "`refrain config show` lists every setting".to_owned(),
            |close| format!("did you mean \"{close}\"?"),
        );
        return Err(Failure::usage(format!("there is no setting \"{key}\"")).hint(hint));
    }
    if ui.json {
        return ui.json(&shown);
    }
    let mut table = TextTable::new(["SETTING", "VALUE", "FROM"]);
    for setting in shown {
        table.row([
            setting.key.clone(),
            setting.value.to_string(),
            setting.origin.to_string(),
        ]);
    }
    table.print(ui)
}

/// What a server's address may hold beside the address is not for eyes.
fn without_secrets(setting: &mut Setting) {
    if setting.key == "model.base_url"
        && let toml::Value::String(url) = &mut setting.value
    {
        *url = shown_url(url);
    }
}

fn selects(asked: &str, key: &str) -> bool {
    key == asked
        || key
            .strip_prefix(asked)
            .is_some_and(|rest| rest.starts_with('.'))
}
