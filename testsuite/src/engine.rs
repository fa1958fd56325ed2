//! How is the real engine put under test?

use std::path::Path;

use anyhow::bail;

use crate::dataset::GraphName;
use crate::options::EvalOptions;
use crate::system::{Reply, System};

/// The engine of the `refrain` crate, with a folder of its own.
#[derive(Debug)]
pub struct EngineUnderTest {}

impl EngineUnderTest {
    /// A fresh engine under the settings of `options`.
    ///
    /// # Errors
    /// When the engine cannot be opened.
    pub fn open(_options: &EvalOptions) -> anyhow::Result<Self> {
        bail!("the engine is not wired up yet")
    }
}

impl System for EngineUnderTest {
    fn load_graph(&mut self, _name: GraphName, _file: &Path) -> anyhow::Result<u64> {
        bail!("the engine is not wired up yet")
    }

    fn fresh_memory(&mut self) -> anyhow::Result<()> {
        bail!("the engine is not wired up yet")
    }

    fn ask(&mut self, _graph: GraphName, _question: &str) -> anyhow::Result<Reply> {
        bail!("the engine is not wired up yet")
    }

    fn feedback(&mut self, _answer_id: &str, _right: bool) -> anyhow::Result<()> {
        bail!("the engine is not wired up yet")
    }

    fn settle(&mut self) -> anyhow::Result<()> {
        bail!("the engine is not wired up yet")
    }
}
