//! How much may clients use? Every bound of the server, in one place.

use std::time::Duration;

/// The bounds of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest request body, in bytes. Default: 1 MiB.
    pub body_bytes: usize,
    /// The longest body of an import or a document, in bytes. Default: 64 MiB.
    pub upload_bytes: usize,
    /// How long a client may take to send the head of a request. Default: 15 s.
    pub header_time: Duration,
    /// How long a client may take to send a body. Default: 60 s.
    pub body_time: Duration,
    /// How long a request waits for its answer, its turn included. Default: 120 s.
    pub answer_time: Duration,
    /// Engine calls that run at the same time. Default: two for each processor, since some wait for disks and models.
    pub workers: usize,
    /// Engine calls that wait for their turn; one more is refused with 503. Default: 2,048.
    pub queue: usize,
    /// Connections that are open at the same time; more wait to be accepted. Default: 4,096.
    pub connections: usize,
    /// How long requests that are under way may go on after the server was told to stop. Default: 30 s.
    pub drain_time: Duration,
    /// Rows of a SPARQL result. Default: 100,000.
    pub sparql_rows: usize,
    /// How long a SPARQL query may run. Default: 30 s.
    pub sparql_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            body_bytes: 1 << 20,
            upload_bytes: 64 << 20,
            header_time: Duration::from_secs(15),
            body_time: Duration::from_secs(60),
            answer_time: Duration::from_secs(120),
            workers: 2 * processors,
            queue: 2_048,
            connections: 4_096,
            drain_time: Duration::from_secs(30),
            sparql_rows: 100_000,
            sparql_time: Duration::from_secs(30),
        }
    }
}
