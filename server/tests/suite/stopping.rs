//! What is lost when a server stops? Nothing that was answered.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use serde_json::json;
use server::{ServeError, Server};

use crate::support::{Running, engine, options, read_reply};

#[test]
fn a_request_under_way_is_finished_and_what_was_asked_is_learned() {
    let server = Running::films();
    let first = server.ask("who directed Heat?");
    let mut late = server.connect();
    let body = json!({ "question": "who directed Tenet?" }).to_string();
    let head = format!(
        "POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    late.write_all(head.as_bytes()).unwrap();
    let idle = server.connect();
    let address = server.address;
    server.tell_to_stop();
    // Once nobody is let in, the server has begun to stop.
    while TcpStream::connect(address).is_ok() {
        std::thread::yield_now();
    }
    late.write_all(body.as_bytes()).unwrap();
    let answer = read_reply(&mut BufReader::new(late), false).good();
    assert_eq!(answer["text"], "Christopher Nolan");
    drop(idle);
    let folder = server.thread_ended();
    let engine = engine(folder.path());
    for id in [&first["id"], &answer["id"]] {
        let id = id.as_str().unwrap();
        let why = engine.why(refrain::DEFAULT_NAMESPACE, id).unwrap();
        assert_eq!(why.answer, id);
    }
}

#[test]
fn an_address_of_other_machines_needs_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options();
    options.listen = "0.0.0.0:0".parse().unwrap();
    let refused = Server::bind(engine(folder.path()), options);
    assert!(matches!(refused, Err(ServeError::KeyNeeded { .. })));
}

#[test]
fn an_address_that_is_taken_is_named() {
    let server = Running::films();
    let folder = tempfile::tempdir().unwrap();
    let mut options = options();
    options.listen = server.address;
    let refused = Server::bind(engine(folder.path()), options).unwrap_err();
    assert!(refused.to_string().contains(&server.address.to_string()));
}
