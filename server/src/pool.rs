//! Who runs the engine, which waits for disks and computes, so that no connection waits for another's question?
//!
//! A bounded number of blocking threads. Calls beyond them wait in a bounded queue, in order; beyond that they are refused at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use refrain::EngineError;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::error::ApiError;

/// A bounded pool of blocking threads.
#[derive(Debug)]
pub(crate) struct Pool {
    workers: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    queue: usize,
}

/// A place in the queue, given back when the call starts or its client goes away.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    pub(crate) fn new(workers: usize, queue: usize) -> Self {
        Self {
            workers: Arc::new(Semaphore::new(workers.max(1))),
            waiting: Arc::new(AtomicUsize::new(0)),
            queue,
        }
    }

    /// Calls that wait for their turn.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs a call of the engine.
    ///
    /// # Errors
    /// When the queue is full, the time is up, or the call fails or panics.
    ///
    /// # Cancel safety
    /// Dropped while it waits, it leaves nothing. Dropped later, the call runs to its end on its thread, and holds its place in the pool until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        time: Duration,
        call: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.run_any(time, move || call().map_err(ApiError::from))
            .await
    }

    /// The same for calls with errors of their own.
    pub(crate) async fn run_any<T: Send + 'static>(
        &self,
        time: Duration,
        call: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        tokio::time::timeout(time, self.turn(call))
            .await
            .unwrap_or_else(|_| Err(ApiError::too_slow(time.as_secs())))
    }

    async fn turn<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = match Arc::clone(&self.workers).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => {
                let place = Place(Arc::clone(&self.waiting));
                if place.0.fetch_add(1, Ordering::Relaxed) >= self.queue {
                    return Err(ApiError::overloaded());
                }
                Arc::clone(&self.workers)
                    .acquire_owned()
                    .await
                    .map_err(|_| ApiError::overloaded())?
            }
        };
        let outcome = spawn_blocking(move || {
            let outcome = call();
            drop(permit);
            outcome
        });
        // A panic was reported where it happened.
        outcome.await.unwrap_or_else(|_| Err(ApiError::internal()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use axum::http::StatusCode;

    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_full_queue_refuses_at_once_and_frees_up_again() {
        let pool = Arc::new(Pool::new(1, 1));
        let (release, held) = mpsc::channel::<()>();
        let busy = Arc::clone(&pool);
        let first = tokio::spawn(async move {
            busy.run(TIME, move || {
                let _ = held.recv();
                Ok(1)
            })
            .await
        });
        while pool.workers.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let queued = Arc::clone(&pool);
        let second = tokio::spawn(async move { queued.run(TIME, || Ok(2)).await });
        while pool.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let refused = pool.run(TIME, || Ok(3)).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        release.send(()).unwrap();
        assert_eq!(first.await.unwrap().unwrap(), 1);
        assert_eq!(second.await.unwrap().unwrap(), 2);
        assert_eq!(pool.run(TIME, || Ok(4)).await.unwrap(), 4);
        assert_eq!(pool.waiting(), 0);
    }

    #[tokio::test]
    async fn a_call_that_panics_is_an_error_and_keeps_no_thread() {
        let pool = Pool::new(1, 0);
        let broken = pool
            .run(TIME, || -> Result<(), EngineError> { panic!("ours") })
            .await;
        assert_eq!(
            broken.unwrap_err().status,
            StatusCode::INTERNAL_SERVER_ERROR
        );
        assert!(pool.run(TIME, || Ok(())).await.is_ok());
    }
}
