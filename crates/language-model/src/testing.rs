//! How does a client behave when its server fails as servers do?
//!
//! [`FaultServer`] speaks the OpenAI protocol on a port of loopback and misbehaves to order: each
//! request takes the next [`Fault`] of its list, then replies well. It keeps its own account of requests
//! and tokens, against which a client's ledger can be held. For tests only.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

mod protocol;

pub use protocol::{RecordedRequest, accepts, parse_request};

use protocol::{Reply, answer, embeddings, error_body, http, read_request, words};

/// Requests that are kept to look at.
const MAX_KEPT_REQUESTS: usize = 4096;
/// The longest that a write may block, so that a client that stops reading cannot keep a thread.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

/// What goes wrong with one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Nothing: the server says this.
    Say(String),
    /// Nothing for so long, then the usual reply.
    SlowFirstByte(Duration),
    /// The usual reply, one byte at a time with a pause after each.
    SlowDrip(Duration),
    /// HTTP 429, with this `Retry-After`.
    TooManyRequests(Option<String>),
    /// HTTP 500.
    ServerError,
    /// HTTP 401 with the key in the message, as some servers do.
    Unauthorized,
    /// HTTP 400 that names this field, for this and every later request that has it.
    Refuse(&'static str),
    /// The connection ends after so many words of the reply.
    Cut(usize),
    /// Words without end.
    Endless,
    /// This instead of the usage.
    WrongUsage(Value),
    /// The usual reply without any usage.
    NoUsage,
    /// The reply as one object though a stream was asked for.
    NoStream,
    /// A head of so many bytes.
    HugeHead(usize),
    /// These bytes as the whole response, head and all.
    Raw(Vec<u8>),
}

/// What the server knows of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// Requests that were read.
    pub requests: u64,
    /// Replies that were sent to their end, with the usage that the server counts.
    pub replies: u64,
    /// Tokens of the prompts of these replies.
    pub prompt_tokens: u64,
    /// Tokens of these replies.
    pub completion_tokens: u64,
}

#[derive(Debug, Default)]
struct State {
    faults: VecDeque<Fault>,
    refused: Vec<&'static str>,
    usual: String,
    account: Account,
    requests: Vec<RecordedRequest>,
}

/// A server on loopback that ends when it is dropped.
#[derive(Debug)]
pub struct FaultServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FaultServer {
    /// Starts a server that goes through the faults and then says `usual` to everything.
    ///
    /// # Errors
    ///
    /// When no port of loopback is free.
    pub fn start(usual: &str, faults: impl IntoIterator<Item = Fault>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State {
            faults: faults.into_iter().collect(),
            usual: usual.to_owned(),
            ..State::default()
        }));
        let over = Arc::new(AtomicBool::new(false));
        let (shared, end) = (Arc::clone(&state), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::Acquire) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (state, over) = (Arc::clone(&shared), Arc::clone(&end));
                // A client that goes away is what many tests are about; there is nobody to tell.
                std::thread::spawn(move || serve(stream, &state, &over).unwrap_or_default());
            }
        });
        Ok(Self {
            address,
            state,
            over,
            thread: Some(thread),
        })
    }

    /// The base URL, such as `http://127.0.0.1:40000/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The server's own account so far.
    #[must_use]
    pub fn account(&self) -> Account {
        lock(&self.state).account
    }

    /// The requests so far, the first 4,096 of them.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state).requests.clone()
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes note of a request and says what shall go wrong with it.
fn next_fault(state: &Mutex<State>, request: &RecordedRequest) -> Fault {
    let mut state = lock(state);
    state.account.requests += 1;
    if state.requests.len() < MAX_KEPT_REQUESTS {
        state.requests.push(request.clone());
    }
    let usual = Fault::Say(state.usual.clone());
    let body = request.json();
    if let Some(field) = state.refused.iter().find(|f| body.get(**f).is_some()) {
        return Fault::Refuse(field);
    }
    let fault = state.faults.pop_front().unwrap_or(usual.clone());
    if let Fault::Refuse(field) = fault {
        state.refused.push(field);
        if body.get(field).is_none() {
            return usual;
        }
    }
    fault
}

fn serve(mut stream: TcpStream, state: &Mutex<State>, over: &AtomicBool) -> io::Result<()> {
    stream.set_read_timeout(Some(WRITE_TIMEOUT))?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let request = read_request(&mut stream)?;
    let fault = next_fault(state, &request);
    if let Err(wrong) = accepts(&request) {
        return stream.write_all(&http(400, &[], &error_body(&wrong, None)));
    }
    let well = matches!(fault, Fault::Say(_));
    if well && request.path.contains("/embeddings") {
        return stream.write_all(&http(200, &[], &embeddings(&request).to_string()));
    }
    let usual = lock(state).usual.clone();
    let reply = |text: &str| Reply::new(&request, text);
    match fault {
        Fault::Say(text) => finish(&mut stream, state, &reply(&text)),
        Fault::SlowFirstByte(pause) => {
            nap(pause, over);
            finish(&mut stream, state, &reply(&usual))
        }
        Fault::SlowDrip(pause) => {
            for byte in answer(&reply(&usual)) {
                stream.write_all(&[byte])?;
                nap(pause, over);
                if over.load(Ordering::Acquire) {
                    return Ok(());
                }
            }
            Ok(())
        }
        Fault::TooManyRequests(retry_after) => {
            let header = retry_after.map(|value| format!("retry-after: {value}"));
            let headers: Vec<&str> = header.iter().map(String::as_str).collect();
            let body = error_body("Rate limit reached", None);
            stream.write_all(&http(429, &headers, &body))
        }
        Fault::ServerError => stream.write_all(&http(500, &[], &error_body("overloaded", None))),
        Fault::Unauthorized => {
            let message = format!("Incorrect API key provided: {}", request.key());
            stream.write_all(&http(401, &[], &error_body(&message, None)))
        }
        Fault::Refuse(field) => {
            let message = format!("Unsupported parameter: '{field}'");
            stream.write_all(&http(400, &[], &error_body(&message, Some(field))))
        }
        Fault::Cut(words) => {
            let whole = answer(&reply(&usual));
            let end = protocol::after_words(&whole, words);
            stream.write_all(&whole[..end])
        }
        Fault::Endless => endless(&mut stream, over),
        Fault::WrongUsage(usage) => {
            let mut reply = reply(&usual);
            reply.usage = Some(usage);
            stream.write_all(&answer(&reply))
        }
        Fault::NoUsage => {
            let mut reply = reply(&usual);
            reply.usage = None;
            stream.write_all(&answer(&reply))
        }
        Fault::NoStream => {
            let mut reply = reply(&usual);
            reply.stream = false;
            finish(&mut stream, state, &reply)
        }
        Fault::HugeHead(bytes) => {
            let filler = format!("x-filler: {}", "x".repeat(bytes));
            stream.write_all(&http(200, &[&filler], "{}"))
        }
        Fault::Raw(bytes) => stream.write_all(&bytes),
    }
}

/// Sends a reply to its end and enters it into the account first, so that a client that has read it
/// finds it there.
fn finish(stream: &mut TcpStream, state: &Mutex<State>, reply: &Reply) -> io::Result<()> {
    {
        let mut state = lock(state);
        state.account.replies += 1;
        state.account.prompt_tokens += reply.prompt_tokens;
        state.account.completion_tokens += words(&reply.text);
    }
    stream.write_all(&answer(reply))
}

fn endless(stream: &mut TcpStream, over: &AtomicBool) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )?;
    let chunk = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"on and on \"}}]}\n\n";
    while !over.load(Ordering::Acquire) {
        stream.write_all(chunk.as_bytes())?;
    }
    Ok(())
}

/// Sleeps, but not beyond the end of the server.
fn nap(time: Duration, over: &AtomicBool) {
    const STEP: Duration = Duration::from_millis(20);
    let mut left = time;
    while !left.is_zero() && !over.load(Ordering::Acquire) {
        let step = left.min(STEP);
        std::thread::sleep(step);
        left -= step;
    }
}
