//! How is an engine opened from the command line?

use std::sync::Arc;

use refrain::{Clock, Engine, Surroundings, SystemClock};

use crate::args::Global;
use crate::commands::config::layers;
use crate::failure::Outcome;

/// The engine of a directory that exists.
pub(crate) fn existing(global: &Global) -> Outcome<Engine> {
    let config = layers(global)?.config()?;
    Ok(Engine::open(&global.dir, config, surroundings())?)
}

/// The engine of a directory that is made where need be.
pub(crate) fn or_create(global: &Global) -> Outcome<Engine> {
    let config = layers(global)?.config()?;
    Ok(Engine::open_or_create(&global.dir, config, surroundings())?)
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
