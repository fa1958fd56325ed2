//! `/mcp` and `refrain mcp`: what can an agent do with the engine?
//!
//! The Model Context Protocol by its official SDK, over Streamable HTTP without sessions and over standard input and output. Four tools; what
//! they give fits into the tokens that the agent allows.

mod bounded;
mod tools;

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::access::Caller;
use crate::app::App;

/// What an agent is told before it uses the tools.
const INSTRUCTIONS: &str = "Refrain answers questions over knowledge graphs and documents, each answer with its evidence, and refuses what \
the evidence does not support: take a refusal as \"not known here\". Ask whole questions in plain language with refrain_ask. Tell with \
refrain_feedback whether an answer proved right; that makes later answers better.";

/// The tools over one engine.
#[derive(Clone)]
pub(crate) struct Agent {
    app: Arc<App>,
    /// Who calls where no request says it: the process' owner.
    owner: Caller,
}

/// The service at `/mcp`.
pub(crate) type HttpService = StreamableHttpService<Agent, NeverSessionManager>;

impl Agent {
    pub(crate) fn new(app: Arc<App>, owner: Caller) -> Self {
        Self { app, owner }
    }
}

/// The service at `/mcp`: every request stands for itself, so any server behind a balancer can answer it. Hosts and origins are
/// checked by the frame around all requests.
pub(crate) fn http(app: &Arc<App>) -> HttpService {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(app.limits.body_bytes);
    let agent = Agent::new(Arc::clone(app), Caller::owner(refrain::DEFAULT_NAMESPACE));
    StreamableHttpService::new(
        move || Ok(agent.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}

impl ServerHandler for Agent {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let name = Implementation::new("refrain", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
        let caller = caller.unwrap_or(&self.owner).clone();
        let arguments = request.arguments.unwrap_or_default();
        let called = tools::call(&self.app, caller, &request.name, arguments).await;
        let result = match called {
            Ok(value) => CallToolResult::structured(value),
            Err(tools::CallError::NoSuchTool) => {
                let message = format!("there is no tool \"{}\"", request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
            // The agent can read this and do better; a protocol error would only be shown to its owner.
            Err(tools::CallError::Failed(error)) => {
                CallToolResult::error(vec![ContentBlock::text(error.in_words())])
            }
        };
        Ok(result.into())
    }
}
