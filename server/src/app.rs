//! What do all requests share?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use refrain::{Answer, AskRequest, Clock, Engine};

use crate::access::Access;
use crate::error::ApiError;
use crate::limits::Limits;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::origin::Origins;
use crate::pool::Pool;

/// The engine and what stands around it.
pub(crate) struct App {
    pub(crate) engine: Arc<Engine>,
    /// For questions and look-ups.
    pub(crate) pool: Pool,
    /// For what takes minutes, one at a time: adding documents, warming, importing.
    pub(crate) slow: Pool,
    pub(crate) metrics: Metrics,
    pub(crate) access: Access,
    pub(crate) origins: Origins,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    pub(crate) clock: Arc<dyn Clock>,
    /// Raised when the server is told to stop.
    pub(crate) stopping: Arc<AtomicBool>,
    /// Begins the ids of this run's requests.
    started_ms: u64,
    requests: AtomicU64,
}

/// How long a call of [`App::slow`] may take, its turn included.
pub(crate) const SLOW_TIME: Duration = Duration::from_secs(3_600);

/// Calls of [`App::slow`] that wait.
const SLOW_QUEUE: usize = 16;

/// What an [`App`] is made of.
pub(crate) struct Parts {
    pub(crate) engine: Engine,
    pub(crate) access: Access,
    pub(crate) origins: Origins,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    pub(crate) clock: Arc<dyn Clock>,
}

impl App {
    pub(crate) fn new(parts: Parts) -> Self {
        Self {
            pool: Pool::new(parts.limits.workers, parts.limits.queue),
            slow: Pool::new(1, SLOW_QUEUE),
            engine: Arc::new(parts.engine),
            metrics: Metrics::new(),
            access: parts.access,
            origins: parts.origins,
            limits: parts.limits,
            log: parts.log,
            started_ms: parts.clock.now().0,
            clock: parts.clock,
            stopping: Arc::default(),
            requests: AtomicU64::new(0),
        }
    }

    /// Whether the server was told to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// A name for a request that no other request of this directory has.
    pub(crate) fn fresh_request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("req_{:x}_{number:x}", self.started_ms)
    }

    /// Seconds since 1970.
    pub(crate) fn now_seconds(&self) -> u64 {
        self.clock.now().0 / 1_000
    }

    /// Asks the engine, on a thread of the pool.
    ///
    /// # Errors
    /// When the question is empty, there is no room or no time for it, or the engine fails.
    ///
    /// # Cancel safety
    /// That of [`Pool::run`]: a question whose client went away is answered and learned from all the same once it has begun.
    pub(crate) async fn ask(&self, request: AskRequest) -> Result<Answer, ApiError> {
        if request.question.trim().is_empty() {
            return Err(ApiError::bad("the question is empty").param("question"));
        }
        let engine = Arc::clone(&self.engine);
        let time = self.limits.answer_time;
        let answer = self.pool.run(time, move || engine.ask(&request)).await?;
        self.metrics.answered(&answer);
        Ok(answer)
    }

    /// Has the engine do something else, on a thread of the pool.
    ///
    /// # Errors
    /// When there is no room or no time for it, or the engine fails.
    ///
    /// # Cancel safety
    /// That of [`Pool::run`].
    pub(crate) async fn with_engine<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Engine) -> Result<T, refrain::EngineError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let engine = Arc::clone(&self.engine);
        let time = self.limits.answer_time;
        self.pool.run(time, move || call(&engine)).await
    }
}
