//! What stands around every request: ids, keys, origins, metrics, the log.

use std::io::Write;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};
use server::{Access, Keys, Log, LogFormat, NewKey, Scope};

use crate::support::Running;

#[test]
fn probes_answer_and_every_answer_has_an_id() {
    let server = Running::films();
    let alive = server.get("/healthz");
    assert_eq!((alive.status, alive.body.as_str()), (200, "ok\n"));
    assert_eq!(server.get("/readyz").status, 200);
    assert_eq!(server.send("HEAD", "/healthz", &[], b"").status, 200);
    let one = alive.header("x-request-id").unwrap().to_owned();
    let other = server.get("/healthz");
    assert_ne!(other.header("x-request-id"), Some(one.as_str()));
    let own = server.send("GET", "/nowhere", &[("x-request-id", "mine-1")], b"");
    assert_eq!(own.header("x-request-id"), Some("mine-1"));
    assert_eq!(own.refused(404)["code"], "no_such_path");
    let wrong = server.get("/v1/ask");
    assert_eq!(wrong.header("allow"), Some("POST"));
    wrong.refused(405);
}

#[test]
fn the_metrics_count_requests_and_answers() {
    let server = Running::films();
    server.ask("who directed Heat?");
    server.ask("who cooked Heat?");
    server.get("/nowhere");
    let text = server.get("/metrics").body;
    for line in [
        "refrain_http_requests_total{method=\"POST\",route=\"/v1/ask\",status=\"200\"} 2",
        "refrain_http_requests_total{method=\"any\",route=\"unmatched\",status=\"404\"} 1",
        "refrain_http_request_duration_seconds_count{method=\"POST\",route=\"/v1/ask\"} 2",
        "refrain_answers_total{hit_kind=\"none\"} 1",
        "refrain_answers_total{hit_kind=\"refused\"} 1",
        "refrain_ready 1",
        "refrain_requests_in_flight 1",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

/// A server with a key each for asking in `one` and `two`, and an admin's.
fn keyed() -> (Running, [String; 3]) {
    let mut secrets = Vec::new();
    let server = Running::with(|options, folder| {
        let mut keys = Keys::default();
        for (number, (name, scope)) in [
            ("one", Scope::Ask),
            ("two", Scope::Ask),
            ("admin", Scope::Admin),
        ]
        .into_iter()
        .enumerate()
        {
            let new = NewKey {
                name: name.to_owned(),
                namespace: name.to_owned(),
                scopes: vec![scope],
                requests_per_minute: None,
            };
            let random = [u8::try_from(number).unwrap(); 32];
            secrets.push(format!("Bearer {}", keys.create(new, random, 0).unwrap()));
        }
        let path = folder.join("keys.toml");
        keys.write(&path).unwrap();
        options.access = Access::keys_in(&path).unwrap();
    });
    (server, secrets.try_into().unwrap())
}

#[test]
fn a_key_says_who_may_do_what_in_which_namespace() {
    let (server, [one, two, admin]) = keyed();
    let body = json!({ "question": "who directed Heat?" });
    let ask = |key: &str| server.post_with("/v1/ask", &[("authorization", key)], &body);
    let stranger = server.post("/v1/ask", &body);
    assert_eq!(stranger.header("www-authenticate"), Some("Bearer"));
    assert_eq!(stranger.refused(401)["type"], "authentication_error");
    ask("Bearer rf_guessed").refused(401);
    let answer = ask(&one).good();
    let judged = json!({ "answer": answer["id"], "verdict": "good" });
    let judge = |headers: &[(&str, &str)]| server.post_with("/v1/feedback", headers, &judged);
    let refused = judge(&[("authorization", &one)]).refused(403);
    assert_eq!(refused["type"], "permission_error");
    judge(&[("authorization", &admin), ("x-refrain-namespace", "one")]).good();
    assert_eq!(ask(&one).good()["hit_kind"], "exact");
    assert_eq!(
        ask(&two).good()["hit_kind"],
        "none",
        "two sees nothing of one"
    );
    let other = [
        ("authorization", two.as_str()),
        ("x-refrain-namespace", "one"),
    ];
    server.post_with("/v1/ask", &other, &body).refused(403);
    let metrics = |key: &str| server.send("GET", "/metrics", &[("authorization", key)], b"");
    metrics(&one).refused(403);
    assert_eq!(metrics(&admin).status, 200);
    assert_eq!(server.get("/healthz").status, 200);
    server.get("/nowhere").refused(401);
}

#[test]
fn a_revoked_key_is_refused_by_the_running_server() {
    let (server, [one, ..]) = keyed();
    let models = || server.send("GET", "/v1/models", &[("authorization", &one)], b"");
    assert_eq!(models().status, 200);
    let path = server.folder.path().join("keys.toml");
    let mut keys = Keys::read(&path).unwrap();
    keys.revoke("one").unwrap();
    keys.write(&path).unwrap();
    let refused = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        models().status == 401
    });
    assert!(refused, "the key still opens after five seconds");
}

#[test]
fn pages_of_other_origins_are_refused_unless_allowed() {
    let server = Running::with(|options, _| {
        options.cors_origins = vec!["https://app.example".to_owned()];
    });
    let body = json!({ "question": "who directed Heat?" });
    let ask = |origin: &str| server.post_with("/v1/ask", &[("origin", origin)], &body);
    ask("https://evil.example").refused(403);
    let allowed = ask("https://app.example");
    assert_eq!(
        allowed.header("access-control-allow-origin"),
        Some("https://app.example")
    );
    allowed.good();
    let preflight = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "POST"),
    ];
    let preflight = server.send("OPTIONS", "/v1/ask", &preflight, b"");
    assert_eq!(preflight.status, 204);
    assert!(preflight.header("access-control-allow-headers").is_some());
    let rebound = server.send("GET", "/v1/models", &[("host", "evil.example")], b"");
    rebound.refused(403);
}

/// A log that can be read.
struct Lines(Sender<Vec<u8>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_log_has_a_json_object_a_request_and_no_text_of_users() {
    let (sender, lines) = channel();
    let server = Running::with(|options, _| {
        options.log = Log::to(Box::new(Lines(sender)), LogFormat::Json).unwrap();
    });
    let body = json!({ "question": "who directed Heat?" });
    server.post_with("/v1/ask", &[("x-request-id", "mine")], &body);
    server.get("/healthz");
    server.stopped();
    let text: Vec<u8> = lines.iter().flatten().collect();
    let text = String::from_utf8(text).unwrap();
    assert!(
        !text.contains("Heat") && !text.contains("healthz"),
        "{text}"
    );
    let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["request"], "mine");
    assert_eq!(first["route"], "/v1/ask");
    assert_eq!(first["status"], 200);
    assert_eq!(first["hit"], "none");
}
