//! How is an engine opened from the command line?

use std::sync::Arc;

use refrain::{Clock, Engine, Surroundings, SystemClock};

use crate::args::Global;
use crate::commands::config::layers;
use crate::failure::Outcome;
use crate::model;
use crate::ui::{Ui, counted};

/// The engine of a directory that exists.
pub(crate) fn existing(global: &Global) -> Outcome<Engine> {
    let config = layers(global)?.config()?;
    let engine = Engine::open(&global.dir, config, surroundings())?;
    report_shrunk(&engine, global);
    with_model(engine)
}

/// The engine of a directory that is made where need be.
pub(crate) fn or_create(global: &Global) -> Outcome<Engine> {
    let config = layers(global)?.config()?;
    let engine = Engine::open_or_create(&global.dir, config, surroundings())?;
    report_shrunk(&engine, global);
    with_model(engine)
}

/// The engine with the language model that the settings name, if they name one.
fn with_model(engine: Engine) -> Outcome<Engine> {
    Ok(match model::named(engine.config())? {
        Some(model) => engine.with_model(model),
        None => engine,
    })
}

/// Says what had to leave because the settings became narrower.
fn report_shrunk(engine: &Engine, global: &Global) {
    let memory = &engine.config().memory;
    for shrunk in engine.shrunk() {
        Ui::new(global).note(format!(
            "the memory of namespace {} was shrunk to {} by policy {}: {} left",
            shrunk.namespace,
            counted(shrunk.kept as u64, "experience", "experiences"),
            memory.policy.as_str(),
            counted(shrunk.evicted, "experience", "experiences"),
        ));
    }
}

/// The system's clock, and a seed that no other process has at the same time.
pub(crate) fn surroundings() -> Surroundings {
    let clock = SystemClock;
    let seed = clock.now().0 ^ (u64::from(std::process::id()) << 32);
    Surroundings {
        clock: Arc::new(clock),
        seed,
    }
}

/// A path that means the same whatever directory a command is run in: a document is known by it.
pub(crate) fn whole(path: &std::path::Path) -> std::path::PathBuf {
    fs_err::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}
