//! How does an agent on this machine use the engine? The tools of `/mcp` over standard input and output.

use std::sync::Arc;

use refrain::{Clock, Engine, EngineError};
use rmcp::ServiceExt as _;
use rmcp::transport::stdio;

use crate::access::{Access, Caller};
use crate::app::{App, Parts};
use crate::limits::Limits;
use crate::log::Log;
use crate::mcp::Agent;
use crate::origin::Origins;

/// Why the tools could not be given to an agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// No threads could be started.
    #[error("the server's threads cannot be started")]
    Threads(#[source] std::io::Error),
    /// The agent did not speak the protocol, or left at once.
    #[error("the agent did not open a session of the Model Context Protocol")]
    Session(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What was learned could not be made durable at the end.
    #[error("what was learned last could not be kept")]
    Settle(#[source] EngineError),
}

/// Serves one agent until it closes standard input; what was asked is then learned and durable. Nothing but the protocol is written to
/// standard output.
///
/// # Errors
/// When the agent opens no session, or what was learned cannot be kept.
pub fn mcp_on_stdio(
    engine: Engine,
    namespace: &str,
    limits: Limits,
    clock: Arc<dyn Clock>,
) -> Result<(), StdioError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("refrain-mcp")
        .enable_io()
        .enable_time()
        .build()
        .map_err(StdioError::Threads)?;
    let app = Arc::new(App::new(Parts {
        engine,
        access: Access::open(),
        origins: Origins::new(Vec::new(), true),
        limits,
        log: Log::none(),
        clock,
    }));
    let agent = Agent::new(Arc::clone(&app), Caller::owner(namespace));
    let served = runtime.block_on(async {
        let session = agent.serve(stdio()).await;
        let session = session.map_err(|error| StdioError::Session(Box::new(error)))?;
        session
            .waiting()
            .await
            .map_err(|error| StdioError::Session(Box::new(error)))
    });
    // Reading standard input may not be interrupted: the thread that does is left behind.
    runtime.shutdown_background();
    app.engine.settle().map_err(StdioError::Settle)?;
    served.map(drop)
}
