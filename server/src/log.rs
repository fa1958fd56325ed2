//! What did the server do? One line a request, written by a thread of its own.
//!
//! A log that is not read must hold no request: lines wait in a bounded queue, and what does not fit is dropped and counted. No
//! text of users is in it.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use serde::Serialize;

/// Lines that wait to be written.
const QUEUE_LINES: usize = 4_096;

/// How lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// A JSON object a line.
    Json,
}

/// One request as it is logged.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Line {
    /// Milliseconds since 1970.
    pub(crate) time_ms: u64,
    pub(crate) request: String,
    pub(crate) method: String,
    /// The route, not the path: paths hold ids.
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    pub(crate) micros: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hit: Option<String>,
}

enum Entry {
    Request(Box<Line>),
    Note(u64, String),
}

/// Where lines go.
#[derive(Debug, Clone)]
pub struct Log {
    sender: Option<SyncSender<Entry>>,
    dropped: Arc<AtomicU64>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Request(_) => "Request",
            Self::Note(..) => "Note",
        })
    }
}

impl Log {
    /// A log that says nothing.
    #[must_use]
    pub fn none() -> Self {
        Self {
            sender: None,
            dropped: Arc::default(),
        }
    }

    /// A log to a writer. Its thread ends when the last clone is gone; a writer that fails loses its lines.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn to(mut out: Box<dyn Write + Send>, format: LogFormat) -> std::io::Result<Self> {
        let (sender, lines) = sync_channel::<Entry>(QUEUE_LINES);
        std::thread::Builder::new()
            .name("refrain-log".to_owned())
            .spawn(move || {
                while let Ok(entry) = lines.recv() {
                    // There is nobody else to tell when the log cannot be written.
                    let _ = writeln!(out, "{}", shown(&entry, format));
                }
            })?;
        Ok(Self {
            sender: Some(sender),
            dropped: Arc::default(),
        })
    }

    /// Lines that were dropped because nobody read fast enough.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    pub(crate) fn request(&self, line: impl FnOnce() -> Line) {
        if self.sender.is_some() {
            self.put(Entry::Request(Box::new(line())));
        }
    }

    /// Something that happened to the server.
    pub(crate) fn note(&self, time_ms: u64, text: impl Into<String>) {
        self.put(Entry::Note(time_ms, text.into()));
    }

    fn put(&self, entry: Entry) {
        if let Some(sender) = &self.sender
            && sender.try_send(entry).is_err()
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn shown(entry: &Entry, format: LogFormat) -> String {
    match (entry, format) {
        (Entry::Request(line), LogFormat::Json) => {
            serde_json::to_string(line).unwrap_or_else(|error| format!("{{\"note\":\"{error}\"}}"))
        }
        (Entry::Note(time_ms, text), LogFormat::Json) => {
            serde_json::json!({ "time_ms": time_ms, "note": text }).to_string()
        }
        (Entry::Note(_, text), LogFormat::Text) => text.clone(),
        (Entry::Request(line), LogFormat::Text) => {
            let Line {
                request,
                method,
                route,
                status,
                micros,
                key,
                hit,
                time_ms: _,
            } = line.as_ref();
            let mut text = format!("{method} {route} {status} {micros} µs {request}");
            for (name, value) in [("key", key), ("hit", hit)] {
                if let Some(value) = value {
                    text.push_str(&format!(" {name}={value}"));
                }
            }
            text
        }
    }
}
