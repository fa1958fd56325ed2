//! What happens to clients that send too much, too slowly, or leave?

use std::io::{BufReader, Read, Write};
use std::time::Duration;

use serde_json::json;

use crate::support::{Running, read_reply, write_request};

#[test]
fn a_body_over_the_bound_is_refused() {
    let server = Running::with(|options, _| options.limits.body_bytes = 1_000);
    let long = json!({ "question": "x".repeat(2_000) });
    let error = server.post("/v1/ask", &long).refused(413);
    assert!(error["message"].as_str().unwrap().contains("1000"));
    server.ask("who directed Heat?");
}

#[test]
fn a_body_that_does_not_arrive_ends_its_request_only() {
    let server = Running::with(|options, _| {
        options.limits.body_time = Duration::from_millis(50);
    });
    let mut slow = server.connect();
    let head = "POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    slow.write_all(head.as_bytes()).unwrap();
    read_reply(&mut BufReader::new(slow), false).refused(408);
    server.ask("who directed Heat?");
}

#[test]
fn a_head_that_does_not_arrive_closes_its_connection() {
    let server = Running::with(|options, _| {
        options.limits.header_time = Duration::from_millis(50);
    });
    let mut slow = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nhost: loc")
        .unwrap();
    let mut rest = Vec::new();
    // Closed with an error or without: either way nothing waits for this client.
    let _ = slow.read_to_end(&mut rest);
    server.ask("who directed Heat?");
}

#[test]
fn readers_that_do_not_read_hold_nobody() {
    let server = Running::with(|options, _| options.limits.workers = 1);
    let body = json!({ "stream": true, "messages": [{ "role": "user", "content": "who directed Heat?" }] });
    let waiting: Vec<_> = (0..50)
        .map(|_| {
            let mut stream = server.connect();
            let headers = [("content-type", "application/json")];
            let body = body.to_string();
            write_request(
                &mut stream,
                "POST",
                "/v1/chat/completions",
                &headers,
                body.as_bytes(),
            );
            stream
        })
        .collect();
    let answer = server.ask("who directed Tenet?");
    assert_eq!(answer["text"], "Christopher Nolan");
    for stream in waiting {
        let reply = read_reply(&mut BufReader::new(stream), false);
        assert!(reply.body.ends_with("data: [DONE]\n\n"));
    }
}

#[test]
fn connections_over_the_bound_wait_for_their_turn() {
    let server = Running::with(|options, _| options.limits.connections = 1);
    let first = server.connect();
    let mut second = server.connect();
    write_request(&mut second, "GET", "/healthz", &[], b"");
    drop(first);
    let reply = read_reply(&mut BufReader::new(second), false);
    assert_eq!(reply.status, 200);
}

#[test]
fn one_connection_carries_many_requests() {
    let server = Running::films();
    let mut stream = BufReader::new(server.connect());
    for _ in 0..3 {
        write_request(stream.get_mut(), "GET", "/healthz", &[], b"");
        assert_eq!(read_reply(&mut stream, false).status, 200);
    }
}
