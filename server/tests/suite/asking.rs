//! A question, its verdict, and what the memory makes of both.

use serde_json::json;

use crate::support::Running;

#[test]
fn a_question_is_answered_with_its_proof_and_then_from_memory() {
    let server = Running::films();
    let first = server.ask("who directed Inception?");
    assert_eq!(first["text"], "Christopher Nolan");
    assert_eq!(first["hit_kind"], "none");
    assert_eq!(first["citations"][0]["n"], 1);
    let judged = server
        .post(
            "/v1/feedback",
            &json!({ "answer": first["id"], "verdict": "good" }),
        )
        .good();
    assert_eq!(judged["verdict"], "good");
    let again = server.post("/v1/ask", &json!({ "question": "who directed Inception?" }));
    assert_eq!(again.header("x-refrain-hit-kind"), Some("exact"));
    let again = again.good();
    assert_eq!(again["text"], "Christopher Nolan");
    assert_eq!(again["citations"], first["citations"]);
}

#[test]
fn a_correction_is_served_from_then_on() {
    let server = Running::films();
    let first = server.ask("who directed Heat?");
    let body = json!({ "answer": first["id"], "verdict": "edit", "text": "Mann, Michael" });
    server.post("/v1/feedback", &body).good();
    let again = server.ask("who directed Heat?");
    assert_eq!(again["text"], "Mann, Michael");
    assert_eq!(again["corrected"], true);
}

#[test]
fn a_refusal_is_an_answer() {
    let server = Running::films();
    let answer = server.ask("who cooked Inception?");
    assert_eq!(answer["refused"], true);
    assert!(answer["reason"].is_string());
}

#[test]
fn cache_control_says_what_is_read_and_what_is_learned() {
    let server = Running::films();
    let ask = |control: &str| {
        let body = json!({ "question": "who directed Tenet?" });
        let reply = server.post_with("/v1/ask", &[("cache-control", control)], &body);
        reply.good()
    };
    let unlearned = ask("no-store");
    assert_eq!(unlearned["hit_kind"], "none");
    let judged = json!({ "answer": unlearned["id"], "verdict": "good" });
    server.post("/v1/feedback", &judged).refused(404);
    let learned = ask("no-cache");
    let judged = json!({ "answer": learned["id"], "verdict": "good" });
    server.post("/v1/feedback", &judged).good();
    assert_eq!(ask("no-cache")["hit_kind"], "none", "nothing is reused");
    assert_eq!(ask("no-store")["hit_kind"], "exact", "what was learned is");
    assert_eq!(ask("max-age=60")["hit_kind"], "exact", "it is young enough");
}

#[test]
fn namespaces_do_not_see_each_other() {
    let server = Running::films();
    let body = json!({ "question": "who directed Tenet?" });
    let ask = |name: &str| {
        server
            .post_with("/v1/ask", &[("x-refrain-namespace", name)], &body)
            .good()
    };
    let first = ask("one");
    let judged = json!({ "answer": first["id"], "verdict": "good" });
    server
        .post_with("/v1/feedback", &[("x-refrain-namespace", "two")], &judged)
        .refused(404);
    server
        .post_with("/v1/feedback", &[("x-refrain-namespace", "one")], &judged)
        .good();
    assert_eq!(ask("two")["hit_kind"], "none");
    assert_eq!(ask("one")["hit_kind"], "exact");
}

#[test]
fn what_cannot_be_asked_is_refused_by_name() {
    let server = Running::films();
    let unknown = json!({ "question": "who?", "source": "flims" });
    let error = server.post("/v1/ask", &unknown).refused(404);
    assert!(error["remedy"].as_str().unwrap().contains("films"));
    let misspelt = server
        .post("/v1/ask", &json!({ "qestion": "who?" }))
        .refused(400);
    assert!(misspelt["message"].as_str().unwrap().contains("qestion"));
    server
        .post("/v1/ask", &json!({ "question": "  " }))
        .refused(400);
    let text = server.send("POST", "/v1/ask", &[("content-type", "text/plain")], b"{}");
    text.refused(415);
    let edit = json!({ "answer": "last", "verdict": "edit" });
    server.post("/v1/feedback", &edit).refused(400);
    let nobody = json!({ "answer": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "verdict": "bad" });
    server.post("/v1/feedback", &nobody).refused(404);
}

#[test]
fn the_sources_are_listed() {
    let server = Running::films();
    let sources = server.get("/v1/sources").good();
    assert_eq!(sources["graphs"][0]["name"], "films");
    assert_eq!(sources["corpora"], json!([]));
}
