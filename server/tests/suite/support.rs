//! A running server on a few films, and a client that speaks HTTP by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use refrain::{Config, Engine, FixedClock, LoadRequest, Surroundings, graph_store};
use serde_json::Value;
use server::{Access, Limits, Log, Options, ServeError, Server, Stopper};

/// A test that waits longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(60);

const FILMS: &str = "\
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <urn:f:> .
:inception :director :nolan ; :release_year 2010 ; rdfs:label 'Inception' ; a :Film .
:tenet :director :nolan ; :release_year 2020 ; rdfs:label 'Tenet' ; a :Film .
:heat :director :mann ; :release_year 1995 ; rdfs:label 'Heat' ; a :Film .
:nolan rdfs:label 'Christopher Nolan' ; a :Person .
:mann rdfs:label 'Michael Mann' ; a :Person .
:Film rdfs:label 'film' . :Person rdfs:label 'person' .
:director rdfs:label 'director' . :release_year rdfs:label 'release year' .
";

/// A running server; it stops when this goes.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn engine(folder: &std::path::Path) -> Engine {
    let surroundings = Surroundings {
        clock: Arc::new(FixedClock(memory::Timestamp(1_800_000_000_000))),
        seed: 1,
    };
    Engine::open_or_create(&folder.join("d"), Config::default(), surroundings).unwrap()
}

pub(crate) fn options() -> Options {
    Options {
        listen: "127.0.0.1:0".parse().unwrap(),
        limits: Limits::default(),
        access: Access::open(),
        cors_origins: Vec::new(),
        log: Log::none(),
        clock: Arc::new(FixedClock(memory::Timestamp(1_800_000_000_000))),
    }
}

impl Running {
    /// A server on the films.
    pub(crate) fn films() -> Self {
        Self::with(|_, _| {})
    }

    /// A server on the films, set up otherwise.
    pub(crate) fn with(change: impl FnOnce(&mut Options, &std::path::Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(folder.path());
        let films = graph_store::Source::text("films.ttl", FILMS);
        engine.load(LoadRequest::new("films", vec![films])).unwrap();
        let mut options = options();
        change(&mut options, folder.path());
        Self::of(engine, options, folder)
    }

    pub(crate) fn of(engine: Engine, options: Options, folder: tempfile::TempDir) -> Self {
        let server = Server::bind(engine, options).unwrap();
        Self {
            address: server.address(),
            stopper: server.stopper(),
            thread: Some(std::thread::spawn(move || server.run())),
            folder,
        }
    }

    /// Tells it to stop, without waiting.
    pub(crate) fn tell_to_stop(&self) {
        self.stopper.stop();
    }

    /// Waits until it has stopped, and gives the folder, so that it can be looked at.
    pub(crate) fn thread_ended(mut self) -> tempfile::TempDir {
        self.thread.take().unwrap().join().unwrap().unwrap();
        let empty = tempfile::tempdir().unwrap();
        std::mem::replace(&mut self.folder, empty)
    }

    /// Stops it and waits.
    pub(crate) fn stopped(self) -> tempfile::TempDir {
        self.stopper.stop();
        self.thread_ended()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(path, &[], body)
    }

    pub(crate) fn post_with(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Reply {
        let mut all = vec![("content-type", "application/json")];
        all.extend(headers);
        self.send("POST", path, &all, body.to_string().as_bytes())
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut stream = self.connect();
        write_request(&mut stream, method, path, headers, body);
        read_reply(&mut BufReader::new(stream), method == "HEAD")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Asks by `/v1/ask` and gives the answer.
    #[track_caller]
    pub(crate) fn ask(&self, question: &str) -> Value {
        let body = serde_json::json!({ "question": question });
        self.post("/v1/ask", &body).good()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(crate) fn write_request(
    stream: &mut TcpStream,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() || method == "POST" {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses by the head may close before it has read the body.
    let _ = stream.write_all(body);
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter();
        all.find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let read = serde_json::from_str(&self.body);
        assert!(read.is_ok(), "{self:?}");
        read.unwrap()
    }

    /// The body of an answer that went well.
    #[track_caller]
    pub(crate) fn good(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    /// The error of an answer with this status; it names a remedy or the part that is wrong.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        let error = self.json()["error"].clone();
        assert!(
            error["message"].is_string() && error["type"].is_string() && error["code"].is_string(),
            "{self:?}"
        );
        assert!(
            error["remedy"].is_string() || error["param"].is_string(),
            "{self:?}"
        );
        error
    }
}

/// Reads one answer.
pub(crate) fn read_reply(stream: &mut BufReader<TcpStream>, is_head: bool) -> Reply {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    assert!(status.is_some(), "no answer but {line:?}");
    let status = status.unwrap();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let find = |name: &str| headers.iter().find(|(known, _)| known == name);
    let length = find("content-length").map(|(_, value)| value.parse::<u64>().unwrap());
    let mut body = Vec::new();
    if is_head || status == 204 {
    } else if find("transfer-encoding").is_some() {
        read_chunks(stream, &mut body);
    } else {
        stream
            .take(length.unwrap_or(0))
            .read_to_end(&mut body)
            .unwrap();
    }
    Reply {
        status,
        headers,
        body: String::from_utf8(body).unwrap(),
    }
}

fn read_chunks(stream: &mut BufReader<TcpStream>, body: &mut Vec<u8>) {
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let size = u64::from_str_radix(line.trim_end(), 16).unwrap();
        (&mut *stream).take(size).read_to_end(body).unwrap();
        stream.read_line(&mut line).unwrap();
        if size == 0 {
            return;
        }
    }
}
