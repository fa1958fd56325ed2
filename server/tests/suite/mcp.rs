//! The Model Context Protocol over HTTP, as its messages are.

use serde_json::{Value, json};
use server::{Access, Keys, NewKey, Scope};

use crate::support::Running;

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

fn rpc(server: &Running, headers: &[(&str, &str)], method: &str, params: &Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut all = vec![ACCEPT, ("mcp-protocol-version", "2025-06-18")];
    all.extend(headers);
    let reply = server.post_with("/mcp", &all, &message);
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

fn call(server: &Running, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let reply = rpc(server, &[], "tools/call", &params);
    reply["result"].clone()
}

#[test]
fn a_client_is_greeted_and_finds_four_tools_with_schemas() {
    let server = Running::films();
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "0" },
    });
    let hello = rpc(&server, &[], "initialize", &hello);
    assert_eq!(hello["result"]["serverInfo"]["name"], "refrain");
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    let tools = rpc(&server, &[], "tools/list", &json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let expected = [
        "refrain_ask",
        "refrain_recall",
        "refrain_feedback",
        "refrain_explore",
    ];
    assert_eq!(names, expected);
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
}

#[test]
fn an_agent_asks_judges_and_recalls() {
    let server = Running::films();
    let question = json!({ "question": "who directed Heat?" });
    let asked = call(&server, "refrain_ask", &question);
    assert_eq!(asked["isError"], false);
    let answer = &asked["structuredContent"];
    assert_eq!(answer["answer"], "Michael Mann");
    assert_eq!(answer["evidence"][0], "Heat — director → Michael Mann");
    let text: Value = serde_json::from_str(asked["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        &text, answer,
        "clients that know no structure read the same"
    );
    let verdict = json!({ "answer": answer["id"], "verdict": "good" });
    let judged = call(&server, "refrain_feedback", &verdict);
    assert_eq!(judged["structuredContent"]["verdict"], "good");
    let again = call(&server, "refrain_ask", &question);
    assert_eq!(again["structuredContent"]["hit_kind"], "exact");
    let recalled = call(
        &server,
        "refrain_recall",
        &json!({ "query": "director of Heat" }),
    );
    let first = &recalled["structuredContent"]["experiences"][0];
    assert_eq!(first["answer"], "Michael Mann");
}

#[test]
fn exploring_goes_page_by_page_within_the_tokens() {
    let server = Running::films();
    let mut all = Vec::new();
    let mut cursor = json!(0);
    while !cursor.is_null() {
        let page = json!({ "node": "Christopher Nolan", "cursor": cursor, "max_tokens": 100 });
        let page = call(&server, "refrain_explore", &page)["structuredContent"].clone();
        let texts = page["statements"].as_array().unwrap().clone();
        assert!(!texts.is_empty(), "{page}");
        all.extend(texts.iter().map(|text| text.as_str().unwrap().to_owned()));
        cursor = page["next"].clone();
    }
    let whole = json!({ "node": "Christopher Nolan" });
    let whole = call(&server, "refrain_explore", &whole)["structuredContent"].clone();
    assert_eq!(json!(all), whole["statements"]);
    let by_rest = server.get("/v1/explore?node=Christopher+Nolan").good();
    assert_eq!(by_rest["statements"].as_array().unwrap().len(), all.len());
}

#[test]
fn what_an_agent_can_do_better_is_told_to_the_agent() {
    let server = Running::films();
    for (tool, arguments, part) in [
        ("refrain_ask", json!({ "question": "" }), "empty"),
        ("refrain_ask", json!({ "questions": "who?" }), "questions"),
        (
            "refrain_ask",
            json!({ "question": "who?", "max_tokens": 1 }),
            "100",
        ),
        (
            "refrain_explore",
            json!({ "node": "Michael Man" }),
            "Michael Mann",
        ),
        (
            "refrain_feedback",
            json!({ "answer": "last", "verdict": "good" }),
            "no answer",
        ),
    ] {
        let result = call(&server, tool, &arguments);
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(part), "{text}");
    }
    let params = json!({ "name": "refrain_forget", "arguments": {} });
    let unknown = rpc(&server, &[], "tools/call", &params);
    assert!(unknown["error"]["message"].is_string(), "{unknown}");
}

#[test]
fn tools_are_held_to_the_keys_namespace_and_scopes() {
    let mut secret = String::new();
    let server = Running::with(|options, folder| {
        let mut keys = Keys::default();
        let new = NewKey {
            name: "agent".to_owned(),
            namespace: "agents".to_owned(),
            scopes: vec![Scope::Ask],
            requests_per_minute: None,
        };
        secret = format!("Bearer {}", keys.create(new, [9; 32], 0).unwrap());
        let path = folder.join("keys.toml");
        keys.write(&path).unwrap();
        options.access = Access::keys_in(&path).unwrap();
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    server.post_with("/mcp", &[ACCEPT], &message).refused(401);
    let key = [("authorization", secret.as_str())];
    let ask = json!({ "name": "refrain_ask", "arguments": { "question": "who directed Heat?" } });
    let asked = rpc(&server, &key, "tools/call", &ask)["result"].clone();
    let id = asked["structuredContent"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let judge =
        json!({ "name": "refrain_feedback", "arguments": { "answer": id, "verdict": "good" } });
    let judged = rpc(&server, &key, "tools/call", &judge)["result"].clone();
    assert_eq!(judged["isError"], true);
    let folder = server.stopped();
    let engine = crate::support::engine(folder.path());
    assert!(
        engine.why("agents", &id).is_ok(),
        "it was learned for the key's tenant"
    );
    assert!(engine.why(refrain::DEFAULT_NAMESPACE, &id).is_err());
}
