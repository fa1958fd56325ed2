//! Documents and graphs that are sent, asked and taken out again.

use serde_json::json;

use crate::support::{Running, engine, options};

const REPORT: &str = "# The harbour of Velm\n\nThe harbour of Velm was built by Ansa Torvik in 1931. \
It has four cranes.\n";

fn send(server: &Running, path: &str, kind: &str, body: &str) -> crate::support::Reply {
    server.send("POST", path, &[("content-type", kind)], body.as_bytes())
}

#[test]
fn a_document_is_sent_asked_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::of(engine(folder.path()), options(), folder);
    server
        .post("/v1/ask", &json!({ "question": "who?" }))
        .refused(409);
    let path = "/v1/documents?name=harbour.md";
    let report = send(&server, path, "text/markdown", REPORT).good();
    assert_eq!(report["added"], 1);
    let again = send(&server, path, "text/markdown", REPORT).good();
    assert_eq!(again["unchanged"], 1);
    let answer = server.ask("who built the harbour of Velm?");
    assert!(
        answer["text"].as_str().unwrap().contains("Ansa Torvik"),
        "{answer}"
    );
    assert_eq!(answer["passages"][0]["n"], 1);
    let listed = server.get("/v1/documents").good();
    assert_eq!(listed["documents"].as_array().unwrap().len(), 1);
    server.send("DELETE", path, &[], b"").good();
    let listed = server.get("/v1/documents").good();
    assert_eq!(listed["documents"], json!([]));
    server.send("DELETE", path, &[], b"").refused(404);
}

#[test]
fn a_document_cannot_leave_its_folder() {
    let server = Running::films();
    for name in ["..%2Fx.md", ".hidden", "a%2Fb.md", "", "c:x"] {
        let path = format!("/v1/documents?name={name}");
        send(&server, &path, "text/plain", REPORT).refused(400);
    }
    let path = "/v1/documents?name=x.md&corpus=..";
    send(&server, path, "text/plain", REPORT).refused(400);
    send(&server, "/v1/documents", "text/plain", REPORT).refused(400);
    assert!(!server.folder.path().join("d").join("uploads").exists());
}

#[test]
fn triples_are_added_to_a_graph_and_asked() {
    let server = Running::films();
    let more = "<urn:f:ran> <urn:f:director> <urn:f:kurosawa> ; <http://www.w3.org/2000/01/rdf-schema#label> 'Ran' .
        <urn:f:kurosawa> <http://www.w3.org/2000/01/rdf-schema#label> 'Akira Kurosawa' .";
    let report = send(&server, "/v1/sources/films", "text/turtle", more).good();
    assert_eq!(report["statements_added"], 3);
    assert_eq!(server.ask("who directed Ran?")["text"], "Akira Kurosawa");
    send(&server, "/v1/sources/films", "text/turtle", "<a> <b>").refused(400);
    send(&server, "/v1/sources/films", "text/html", "<p>").refused(415);
    send(&server, "/v1/sources/..", "text/turtle", more).refused(400);
}
