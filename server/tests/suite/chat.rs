//! OpenAI's shapes, field by field.

use serde_json::{Value, json};

use crate::support::Running;

fn question(text: &str) -> Value {
    json!({ "model": "refrain", "messages": [{ "role": "user", "content": text }] })
}

/// The events of a stream, without their `data: `.
fn events(body: &str) -> Vec<&str> {
    body.split("\n\n")
        .filter(|event| !event.is_empty())
        .map(|event| event.strip_prefix("data: ").unwrap())
        .collect()
}

#[test]
fn a_completion_has_openais_shape_and_one_object_more() {
    let server = Running::films();
    let reply = server.post("/v1/chat/completions", &question("who directed Heat?"));
    assert_eq!(reply.header("x-refrain-hit-kind"), Some("none"));
    let body = reply.good();
    assert_eq!(body["object"], "chat.completion");
    assert!(body["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert_eq!(body["created"], 1_800_000_000);
    let choice = &body["choices"][0];
    assert_eq!(choice["message"]["role"], "assistant");
    assert_eq!(choice["message"]["content"], "Michael Mann");
    assert_eq!(choice["finish_reason"], "stop");
    let usage = &body["usage"];
    let count = |name: &str| usage[name].as_u64().unwrap();
    assert_eq!(
        count("total_tokens"),
        count("prompt_tokens") + count("completion_tokens")
    );
    assert!(count("prompt_tokens") > 0 && count("completion_tokens") > 0);
    let extra = &body["refrain"];
    for field in [
        "id",
        "hit_kind",
        "confidence",
        "citations",
        "cost",
        "cut",
        "experience",
    ] {
        assert!(extra.get(field).is_some(), "{field}");
    }
    let judged = json!({ "answer": extra["id"], "verdict": "good" });
    server.post("/v1/feedback", &judged).good();
}

#[test]
fn a_stream_says_the_same_in_pieces() {
    let server = Running::films();
    let mut body = question("who directed Heat?");
    let whole = server.post("/v1/chat/completions", &body).good();
    body["stream"] = json!(true);
    body["stream_options"] = json!({ "include_usage": true });
    // What the first answer taught is not read, so that both come about alike.
    let reply = server.post_with(
        "/v1/chat/completions",
        &[("cache-control", "no-cache")],
        &body,
    );
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let events = events(&reply.body);
    assert_eq!(events.last(), Some(&"[DONE]"));
    let pieces: Vec<Value> = events[..events.len() - 1]
        .iter()
        .map(|event| serde_json::from_str(event).unwrap())
        .collect();
    let (usage, pieces) = pieces.split_last().unwrap();
    assert_eq!(usage["choices"], json!([]));
    assert_eq!(usage["usage"], whole["usage"]);
    assert!(
        pieces
            .iter()
            .all(|piece| piece["object"] == "chat.completion.chunk" && piece["usage"].is_null())
    );
    assert_eq!(pieces[0]["choices"][0]["delta"]["role"], "assistant");
    let text: String = pieces
        .iter()
        .filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(text, whole["choices"][0]["message"]["content"]);
    let end = pieces.last().unwrap();
    assert_eq!(end["choices"][0]["finish_reason"], "stop");
    assert_eq!(end["refrain"]["citations"], whole["refrain"]["citations"]);
}

#[test]
fn without_being_asked_a_stream_tells_no_usage() {
    let server = Running::films();
    let mut body = question("who directed Heat?");
    body["stream"] = json!(true);
    let reply = server.post("/v1/chat/completions", &body);
    assert!(!reply.body.contains("\"usage\""));
    assert_eq!(events(&reply.body).last(), Some(&"[DONE]"));
}

#[test]
fn a_refusal_says_why_and_is_marked() {
    let server = Running::films();
    let reply = server.post("/v1/chat/completions", &question("who cooked Heat?"));
    assert_eq!(reply.header("x-refrain-refused"), Some("true"));
    let body = reply.good();
    let text = body["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("cook"), "{text}");
    assert_eq!(body["refrain"]["refused"], true);
}

#[test]
fn a_model_names_a_source_and_any_other_name_is_taken() {
    let server = Running::films();
    let mut body = question("who directed Heat?");
    body["model"] = json!("gpt-4o-mini");
    let any = server.post("/v1/chat/completions", &body).good();
    assert_eq!(any["model"], "refrain");
    body["model"] = json!("refrain/films");
    let films = server.post("/v1/chat/completions", &body).good();
    assert_eq!(films["model"], "refrain/films");
    body["model"] = json!("refrain/books");
    let error = server.post("/v1/chat/completions", &body).refused(404);
    assert_eq!(error["type"], "invalid_request_error");
    body["n"] = json!(2);
    let error = server.post("/v1/chat/completions", &body).refused(400);
    assert_eq!(error["param"], "n");
}

#[test]
fn the_models_are_listed_and_found() {
    let server = Running::films();
    let list = server.get("/v1/models").good();
    assert_eq!(list["object"], "list");
    let ids: Vec<&str> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["id"].as_str().unwrap())
        .collect();
    assert!(ids.starts_with(&["refrain", "refrain/films"]), "{ids:?}");
    let one = server.get("/v1/models/refrain/films").good();
    assert_eq!(one["object"], "model");
    let error = server.get("/v1/models/gpt-5").refused(404);
    assert_eq!(error["code"], "model_not_found");
    server.post("/v1/responses", &json!({})).refused(404);
}

#[test]
fn embeddings_are_unit_vectors_in_both_encodings() {
    let server = Running::films();
    let embed = |body: Value| server.post("/v1/embeddings", &body);
    let body = embed(json!({ "model": "any", "input": ["a film", "a director"] })).good();
    let vectors: Vec<Vec<f64>> = body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| serde_json::from_value(one["embedding"].clone()).unwrap())
        .collect();
    assert_eq!(vectors.len(), 2);
    for vector in &vectors {
        let length: f64 = vector.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-3, "{length}");
    }
    let coded = embed(json!({ "input": "a film", "encoding_format": "base64" })).good();
    let text = coded["data"][0]["embedding"].as_str().unwrap();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text).unwrap();
    let decoded: Vec<f64> = bytes
        .chunks_exact(4)
        .map(|four| f64::from(f32::from_le_bytes(four.try_into().unwrap())))
        .collect();
    assert_eq!(decoded.len(), vectors[0].len());
    for (one, other) in decoded.iter().zip(&vectors[0]) {
        assert!((one - other).abs() < 1e-6);
    }
    embed(json!({ "input": [] })).refused(400);
    embed(json!({ "input": [[1, 2, 3]] })).refused(400);
    embed(json!({ "input": "a", "dimensions": 3 })).refused(400);
    embed(json!({ "input": ["a", " "] })).refused(400);
}
