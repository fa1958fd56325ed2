//! The memory over HTTP: pages, reasons, forgetting, moving it.

use serde_json::{Value, json};

use crate::support::Running;

/// A server that remembers three answers which were called right.
fn remembering() -> Running {
    let server = Running::films();
    for question in [
        "who directed Heat?",
        "who directed Tenet?",
        "what is the release year of Inception?",
    ] {
        let answer = server.ask(question);
        assert_eq!(answer["refused"], false, "{answer}");
        let judged = json!({ "answer": answer["id"], "verdict": "good" });
        server.post("/v1/feedback", &judged).good();
    }
    server
}

fn ids(page: &Value) -> Vec<String> {
    let all = page["experiences"].as_array().unwrap().iter();
    all.map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn pages_give_every_experience_once_newest_first() {
    let server = remembering();
    let whole = server.get("/v1/experiences").good();
    assert_eq!(whole["next"], Value::Null);
    let whole = ids(&whole);
    let count = whole.len();
    assert!(count >= 2, "{whole:?}");
    let mut paged = Vec::new();
    let mut path = "/v1/experiences?limit=1".to_owned();
    loop {
        let page = server.get(&path).good();
        paged.extend(ids(&page));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        path = format!("/v1/experiences?limit=1&cursor={next}");
    }
    assert_eq!(paged, whole);
    let mut sorted = whole.clone();
    sorted.sort();
    sorted.reverse();
    assert_eq!(sorted, whole, "ids grow with time");
    server.get("/v1/experiences?limit=0").refused(400);
    server.get("/v1/experiences?cursor=%20").refused(404);
    server.get("/v1/experiences?page=2").refused(400);
}

#[test]
fn an_experience_is_shown_explained_and_forgotten() {
    let server = remembering();
    let id = ids(&server.get("/v1/experiences").good()).remove(0);
    let path = format!("/v1/experiences/{id}");
    let shown = server.get(&path).good();
    assert_eq!(shown["experience"]["id"], json!(id));
    assert!(shown["experience"].get("vector").is_none());
    let why = server.get(&format!("{path}/why")).good();
    assert_eq!(why["experience"], json!(id));
    assert!(
        why["gate"].as_str().unwrap().contains("remembered as"),
        "{why}"
    );
    let receipt = server.send("DELETE", &path, &[], b"").good();
    assert_eq!(receipt["experiences"], json!([id]));
    server.get(&path).refused(404);
    server.send("DELETE", &path, &[], b"").refused(404);
    let all = server
        .post("/v1/memory/forget", &json!({ "all": true }))
        .good();
    assert!(!all["experiences"].as_array().unwrap().is_empty());
    assert_eq!(server.get("/v1/memory/stats").good()["experiences"], 0);
    server
        .post("/v1/memory/forget", &json!({ "all": false }))
        .refused(400);
}

#[test]
fn a_memory_moves_to_another_namespace() {
    let server = remembering();
    let written = server.get("/v1/memory/export");
    assert_eq!(written.header("content-type"), Some("application/jsonl"));
    let headers = [
        ("content-type", "application/jsonl"),
        ("x-refrain-namespace", "other"),
    ];
    let import = |body: &str| server.send("POST", "/v1/memory/import", &headers, body.as_bytes());
    let report = import(&written.body).good();
    let count = server.get("/v1/memory/stats").good()["experiences"].clone();
    assert_eq!(report["taken"], count);
    let other = server.send("GET", "/v1/memory/stats", &headers[1..], b"");
    assert_eq!(other.good()["experiences"], count);
    import("no export").refused(400);
}

#[test]
fn recall_finds_what_is_alike_and_answers_nothing() {
    let server = remembering();
    let notes = json!({ "notes": ["The archive of Heat lies in room 4."] });
    assert_eq!(
        server.post("/v1/notes", &notes).good()[0]["outcome"],
        "stored"
    );
    let query = json!({ "query": "who directed Heat?", "top_k": 2 });
    let found = server.post("/v1/recall", &query).good();
    let first = &found["experiences"][0];
    assert_eq!(first["question"], "who directed Heat?");
    assert!(first["similarity"].as_f64().unwrap() > 0.99);
    assert!(found["experiences"].as_array().unwrap().len() <= 2);
    let texts = found["notes"].to_string();
    assert!(texts.contains("room 4"), "{texts}");
    server
        .post("/v1/recall", &json!({ "query": "" }))
        .refused(400);
    server
        .post("/v1/recall", &json!({ "query": "a", "top_k": 0 }))
        .refused(400);
}

#[test]
fn warming_fills_the_memory() {
    let server = Running::films();
    let reports = server.post("/v1/warm", &json!({ "entities": 4 })).good();
    assert_eq!(reports[0]["source"], "films");
    assert!(reports[0]["kept"].as_u64().unwrap() > 0, "{reports}");
    assert!(
        server.get("/v1/memory/stats").good()["experiences"]
            .as_u64()
            .unwrap()
            > 0
    );
}
