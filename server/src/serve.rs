//! Where does the server listen, and how does it start and stop?
//!
//! Told to stop, it goes on for a moment, so that requests on their way arrive; each answer closes its connection. Then it takes no new
//! connections, closes those that are idle, lets requests under way finish within the drain time, and waits until what was asked is learned
//! and durable.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use refrain::{Clock, Engine, EngineError};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::access::Access;
use crate::app::{App, Parts};
use crate::limits::Limits;
use crate::log::Log;
use crate::origin::Origins;
use crate::routes;

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// How long nothing is accepted when the system has no more room for connections.
const NO_ROOM_PAUSE: Duration = Duration::from_millis(50);

/// How long after the word to stop connections are still taken and kept.
const LINGER: Duration = Duration::from_millis(250);

/// Blocking threads beyond the pool's: slow calls and the runtime's own.
const OTHER_THREADS: usize = 8;

/// How a server is set up.
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The bounds.
    pub limits: Limits,
    /// Who may call.
    pub access: Access,
    /// Origins whose web pages may call, as `https://app.example`.
    pub cors_origins: Vec<String>,
    /// Where requests are logged.
    pub log: Log,
    /// Who knows the time.
    pub clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("listen", &self.listen)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Why a server could not start or stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Whoever reaches the address could do everything.
    #[error(
        "{address} can be reached from other machines, and there is no key; make one with `refrain keys create NAME`, or listen on 127.0.0.1"
    )]
    KeyNeeded {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}; is another server there? --listen names another address")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        #[source]
        source: std::io::Error,
    },
    /// No threads could be started.
    #[error("the server's threads cannot be started")]
    Threads(#[source] std::io::Error),
    /// What was learned could not be made durable at the end.
    #[error("what was learned last could not be kept")]
    Settle(#[source] EngineError),
}

/// A server that listens.
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    stop: Stopper,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// Tells a server to stop, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<watch::Sender<bool>>);

impl Stopper {
    /// Tells it.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens; requests are answered once it [runs](Self::run).
    ///
    /// # Errors
    /// When the address is open to other machines and there are no keys, or it cannot be listened on.
    pub fn bind(engine: Engine, options: Options) -> Result<Self, ServeError> {
        let address = options.listen;
        let is_local = address.ip().is_loopback();
        if !is_local && !options.access.needs_key() {
            return Err(ServeError::KeyNeeded { address });
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("refrain-http")
            .max_blocking_threads(options.limits.workers + OTHER_THREADS)
            .enable_io()
            .enable_time()
            .build()
            .map_err(ServeError::Threads)?;
        let failed = |source| ServeError::Listen { address, source };
        let listener = runtime
            .block_on(async { listen(address) })
            .map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let local_names_only = is_local && !options.access.needs_key();
        let app = Arc::new(App::new(Parts {
            engine,
            access: options.access,
            origins: Origins::new(options.cors_origins, local_names_only),
            limits: options.limits,
            log: options.log,
            clock: options.clock,
        }));
        Ok(Self {
            runtime,
            listener,
            address,
            app,
            stop: Stopper(Arc::new(watch::channel(false).0)),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stop.clone()
    }

    /// Answers requests until it is told to stop by its [`Stopper`], SIGTERM or an interrupt; a second signal ends the wait for
    /// requests under way.
    ///
    /// # Errors
    /// When what was learned last cannot be made durable.
    pub fn run(self) -> Result<(), ServeError> {
        let Self {
            runtime,
            listener,
            app,
            stop,
            address: _,
        } = self;
        let router = routes::router(Arc::clone(&app));
        runtime.block_on(serve(listener, &app, router, &stop));
        runtime.shutdown_timeout(app.limits.drain_time);
        let settled = app.engine.settle().map_err(ServeError::Settle);
        let note = match &settled {
            Ok(()) => "stopped; what was asked is learned and durable".to_owned(),
            Err(error) => crate::error::with_causes(error),
        };
        app.log.note(app.clock.now().0, note);
        settled
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    // A server that is started again finds the connections of the one before still closing.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts until told to stop, then waits for what is under way.
async fn serve(listener: TcpListener, app: &Arc<App>, router: Router, stop: &Stopper) {
    let mut stopped = stop.0.subscribe();
    let most = u32::try_from(app.limits.connections).unwrap_or(u32::MAX);
    let room = Arc::new(Semaphore::new(app.limits.connections));
    let signals = stop.clone();
    tokio::spawn(async move {
        signal().await;
        signals.stop();
    });
    let (flag, log) = (Arc::clone(&app.stopping), app.log.clone());
    let now = app.clock.now().0;
    let end = async {
        told(&mut stopped).await;
        flag.store(true, Ordering::Relaxed);
        log.note(now, "stopping: requests under way are finished");
        tokio::time::sleep(LINGER).await;
    };
    tokio::pin!(end);
    loop {
        tokio::select! {
            () = end.as_mut() => break,
            (stream, permit) = accept(&listener, &room) => {
                let connection = connection(stream, Arc::clone(app), router.clone(), stop.0.subscribe(), permit);
                tokio::spawn(connection);
            }
        }
    }
    drop(listener);
    let all_closed = tokio::time::timeout(app.limits.drain_time, room.acquire_many(most));
    tokio::select! {
        _ = all_closed => {}
        () = signal() => {}
    }
}

/// The next connection, as soon as there is room for one.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    let permit = Arc::clone(room).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            // The client went away, or there are no more file descriptors: both pass.
            Err(_) => tokio::time::sleep(NO_ROOM_PAUSE).await,
        }
    }
}

/// Answers the requests of one connection, one after the other.
async fn connection(
    stream: TcpStream,
    app: Arc<App>,
    router: Router,
    mut stopped: watch::Receiver<bool>,
    permit: Option<OwnedSemaphorePermit>,
) {
    let _connected = app.metrics.connected();
    // Small answers leave at once; where that cannot be had, they leave a little later.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(app.limits.header_time);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        // A connection that breaks is its client's business.
        _ = connection.as_mut() => {}
        () = lingered(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
    drop(permit);
}

/// Waits until the server is told to stop, or nobody is left to tell it.
async fn told(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stop| *stop).await;
}

/// Waits until requests that were on their way when the server was told to stop have arrived.
async fn lingered(stopped: &mut watch::Receiver<bool>) {
    told(stopped).await;
    tokio::time::sleep(LINGER).await;
}

/// Waits for SIGTERM or an interrupt.
async fn signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            },
            Err(_) => interrupt.await,
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
