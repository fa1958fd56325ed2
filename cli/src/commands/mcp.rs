//! `refrain mcp`: the engine as tools of an agent on this machine.

use std::sync::Arc;

use refrain::SystemClock;
use server::Limits;

use crate::args::{Global, NamespaceArg};
use crate::failure::Outcome;
use crate::open;

/// `refrain mcp`
pub(crate) fn run(namespace: &NamespaceArg, global: &Global) -> Outcome {
    let engine = open::existing(global)?;
    let clock = Arc::new(SystemClock);
    Ok(server::mcp_on_stdio(
        engine,
        &namespace.namespace,
        Limits::default(),
        clock,
    )?)
}
