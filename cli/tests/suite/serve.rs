//! `refrain serve` and `refrain keys`, through the binary: starting, stopping, dying.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::Place;

/// Questions that the films answer.
const QUESTIONS: [&str; 4] = [
    "who directed Inception?",
    "who directed Heat?",
    "who directed Alien?",
    "when was Inception released?",
];

/// A serving process, killed when it goes.
struct Serving {
    child: Child,
    address: String,
}

impl Serving {
    fn start(place: &Place) -> Self {
        let mut child = place
            .command(&["--json", "serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let url = said["listening"].as_str().unwrap();
        Self {
            address: url.strip_prefix("http://").unwrap().to_owned(),
            child,
        }
    }

    /// Sends a request; `None` when the server is gone before it has answered.
    fn post(&self, path: &str, body: &Value) -> Option<Value> {
        post(&self.address, path, body)
    }

    #[cfg(unix)]
    fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let told = std::process::Command::new("kill")
            .args(["-TERM", &id])
            .status();
        assert!(told.unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn post(address: &str, path: &str, body: &Value) -> Option<Value> {
    let mut stream = TcpStream::connect(address).ok()?;
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).ok()?;
    let (head, body) = reply.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200"), "{reply}");
    serde_json::from_str(body).ok()
}

#[test]
fn a_second_process_is_refused_while_one_serves() {
    let place = Place::with_films();
    let _serving = Serving::start(&place);
    let said = place.run(&["ask", QUESTIONS[0]]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.err.contains("in use by another process"),
        "{}",
        said.err
    );
}

#[cfg(unix)]
#[test]
fn told_to_stop_it_loses_no_answer_under_load() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let place = Place::with_films();
    let serving = Serving::start(&place);
    let stop = AtomicBool::new(false);
    let mut answered: Vec<String> = Vec::new();
    let code = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let (address, stop) = (serving.address.clone(), &stop);
                scope.spawn(move || {
                    let mut ids = Vec::new();
                    while !stop.load(Ordering::Relaxed) {
                        let question = QUESTIONS[(client + ids.len()) % QUESTIONS.len()];
                        // Once the server is told to stop, connecting fails; a request that was taken is answered.
                        let Ok(probe) = TcpStream::connect(&address) else {
                            break;
                        };
                        drop(probe);
                        let body = json!({ "question": question });
                        let Some(answer) = post(&address, "/v1/ask", &body) else {
                            break;
                        };
                        ids.push(answer["id"].as_str().unwrap().to_owned());
                    }
                    ids
                })
            })
            .collect();
        std::thread::sleep(std::time::Duration::from_millis(300));
        let code = serving.terminate();
        stop.store(true, Ordering::Relaxed);
        for client in clients {
            answered.extend(client.join().unwrap());
        }
        code
    });
    assert_eq!(code, Some(0));
    assert!(!answered.is_empty());
    // Every answer that went out is known afterwards.
    for id in answered.iter().rev().take(20) {
        assert_eq!(place.json(&["memory", "why", id])["answer"], json!(id));
    }
    place.run(&["doctor"]).good();
}

#[test]
fn killed_under_load_it_loses_nothing_acknowledged() {
    let place = Place::with_films();
    let mut judged = Vec::new();
    for round in 0..4 {
        let serving = Serving::start(&place);
        for question in QUESTIONS.iter().cycle().skip(round).take(3 + round) {
            let answer = serving.post("/v1/ask", &json!({ "question": question }));
            let id = answer.unwrap()["id"].clone();
            let verdict = json!({ "answer": id, "verdict": "good" });
            assert!(serving.post("/v1/feedback", &verdict).is_some());
            judged.push(id.as_str().unwrap().to_owned());
        }
        // Dropping it kills it, without a word before.
        drop(serving);
    }
    for id in &judged {
        let why = place.json(&["memory", "why", id]);
        assert!(
            why["verdict"].as_str().unwrap().starts_with("good"),
            "{why}"
        );
    }
    place.run(&["doctor"]).good();
}

#[test]
fn keys_are_made_shown_once_listed_and_revoked() {
    let place = Place::with_films();
    let made = place.json(&["keys", "create", "ci", "--scopes", "ask", "-n", "team"]);
    let secret = made["key"].as_str().unwrap().to_owned();
    let listed = place.run(&["keys", "list"]).good().out;
    assert!(listed.contains("ci") && listed.contains("team") && !listed.contains(&secret));
    let again = place.run(&["keys", "create", "ci"]);
    assert_eq!(again.code, Some(2));
    let serving = Serving::start(&place);
    let mut stream = TcpStream::connect(&serving.address).unwrap();
    stream
        .write_all(b"GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 401"), "{reply}");
    place.run(&["keys", "revoke", "ci"]).good();
    assert_eq!(place.json(&["keys", "list"]), json!([]));
    assert_eq!(place.run(&["keys", "revoke", "ci"]).code, Some(2));
}

#[test]
fn an_agent_uses_the_tools_on_standard_input_and_output() {
    let place = Place::with_films();
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" } });
    let call = json!({ "name": "refrain_ask", "arguments": { "question": QUESTIONS[0] } });
    let mut child = place
        .command(&["mcp", "-n", "agent"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut send = |message: Value| writeln!(stdin, "{message}").unwrap();
    let mut receive = || {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    send(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }));
    assert_eq!(receive()["result"]["serverInfo"]["name"], "refrain");
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    send(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }));
    let answer = receive()["result"]["structuredContent"].clone();
    assert_eq!(answer["answer"], "Christopher Nolan");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let id = answer["id"].as_str().unwrap();
    assert_eq!(
        place.json(&["memory", "why", id, "-n", "agent"])["answer"],
        json!(id)
    );
}

#[test]
fn an_open_address_without_a_key_is_refused_with_the_remedy() {
    let place = Place::with_films();
    let said = place.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(said.code, Some(1));
    assert!(said.err.contains("refrain keys create"), "{}", said.err);
}
