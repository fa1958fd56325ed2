//! Are the bytes understood that clients and servers of this protocol really send?
//!
//! `tests/wire/README.md` says where each file comes from.

use language_model::openai::{Capabilities, OpenAi, OpenAiConfig};
use language_model::testing::{Fault, FaultServer, accepts, parse_request};
use language_model::{
    ChatRequest, Completion, Constraint, FinishReason, LanguageModel, Message, ModelError,
    no_stream,
};

/// Sends a recorded response to our client.
fn told(response: &[u8], constraint: Constraint) -> (Result<Completion, ModelError>, String) {
    let server = FaultServer::start("", [Fault::Raw(response.to_vec())]).expect("a free port");
    let model = OpenAi::new(OpenAiConfig::new(server.base_url(), "m")).expect("sound settings");
    let mut request = ChatRequest::new("test", vec![Message::user("Who directed Solaris?")]);
    request.constraint = constraint;
    let mut pieces = String::new();
    let reply = model.complete(&request, &mut |piece| pieces.push_str(piece));
    (reply, pieces)
}

/// Text, end and usage of a response.
fn understood(response: &[u8]) -> (String, FinishReason, u64, u64) {
    let (reply, pieces) = told(response, Constraint::None);
    let reply = reply.expect("a reply");
    assert!(!reply.usage.estimated);
    assert!(pieces.is_empty() || pieces == reply.text);
    let usage = reply.usage;
    (
        reply.text,
        reply.finish,
        usage.prompt_tokens,
        usage.completion_tokens,
    )
}

#[test]
fn requests_of_other_clients_are_accepted() {
    let cases: [(&[u8], &str, &str); 5] = [
        (
            include_bytes!("wire/openai_python.http"),
            "/v1/chat/completions",
            "sk-test",
        ),
        (
            include_bytes!("wire/openai_python_stream.http"),
            "/v1/chat/completions",
            "sk-test",
        ),
        (
            include_bytes!("wire/openai_python_embeddings.http"),
            "/v1/embeddings",
            "sk-test",
        ),
        (
            include_bytes!("wire/azure_python.http"),
            "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
            "test",
        ),
        (
            include_bytes!("wire/curl_ollama.http"),
            "/v1/chat/completions",
            "",
        ),
    ];
    for (bytes, path, key) in cases {
        let request = parse_request(bytes).unwrap();
        assert_eq!(accepts(&request), Ok(()), "{path}");
        assert_eq!((request.path.as_str(), request.key()), (path, key));
    }
}

#[test]
fn what_is_no_such_request_is_not_accepted() {
    let good = String::from_utf8(include_bytes!("wire/openai_python.http").to_vec()).unwrap();
    for (from, to) in [
        ("POST ", "PUT "),
        ("/v1/chat/completions", "/v1/chat/complexions"),
        ("application/json\r\nuser", "text/plain\r\nuser"),
        ("\"role\":\"user\"", "\"role\":\"boss\""),
        ("\"seed\":7", "\"seed\":x"),
        ("\"max_tokens\":64", "\"max_tokens\":-4"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good);
        let bad = parse_request(bad.as_bytes()).map_err(|error| error.to_string());
        assert!(bad.and_then(|request| accepts(&request)).is_err(), "{to}");
    }
}

#[test]
fn openai() {
    let text = "Andrei Tarkovsky".to_owned();
    let expected = (text, FinishReason::Stop, 13, 4);
    assert_eq!(
        understood(include_bytes!("wire/openai_stream.txt")),
        expected
    );
    assert_eq!(
        understood(include_bytes!("wire/openai_object.txt")),
        expected
    );
}

/// A refusal is no sign that the server cannot hold a reply to a form.
#[test]
fn openai_refusing() {
    let refusal = include_bytes!("wire/openai_refusal.txt");
    let server = FaultServer::start("", [Fault::Raw(refusal.to_vec())]).expect("a free port");
    let model = OpenAi::new(OpenAiConfig::new(server.base_url(), "m")).expect("sound settings");
    let mut request = ChatRequest::new("test", vec![Message::user("q")]);
    request.constraint = Constraint::OneOf(vec!["a".into()]);
    let error = model.complete(&request, &mut no_stream).unwrap_err();
    assert_eq!(
        error.to_string(),
        "m gave a reply that cannot be used: it is a refusal: \"I cannot help with that.\""
    );
    assert_eq!(error.usage().total(), 67);
    assert_eq!(model.capabilities(), Capabilities::default());
}

/// Gateways send streams as `text/plain` or without a type.
#[test]
fn a_stream_of_another_type_is_a_stream() {
    let stream = String::from_utf8(include_bytes!("wire/openai_stream.txt").to_vec()).unwrap();
    for (from, to) in [
        ("text/event-stream", "text/plain"),
        ("content-type", "x-was-type"),
    ] {
        let other = stream.replacen(from, to, 1);
        assert_ne!(other, stream);
        assert_eq!(understood(other.as_bytes()).0, "Andrei Tarkovsky");
    }
}

#[test]
fn azure() {
    let text = "Andrei Tarkovsky".to_owned();
    let expected = (text, FinishReason::Stop, 12, 3);
    assert_eq!(
        understood(include_bytes!("wire/azure_stream.txt")),
        expected
    );
    let (reply, _) = told(include_bytes!("wire/azure_filtered.txt"), Constraint::None);
    let reply = reply.unwrap();
    assert_eq!(reply.finish, FinishReason::ContentFilter);
    assert!(reply.usage.estimated);
}

#[test]
fn ollama() {
    let expected = ("Hello!".to_owned(), FinishReason::Stop, 31, 3);
    assert_eq!(
        understood(include_bytes!("wire/ollama_stream.txt")),
        expected
    );
}

#[test]
fn vllm() {
    let text = "{\"choice\": \"dark blue\"}".to_owned();
    let expected = (text, FinishReason::Stop, 160, 9);
    assert_eq!(understood(include_bytes!("wire/vllm_stream.txt")), expected);
}

#[test]
fn llama_cpp() {
    let expected = ("Solaris (1972)".to_owned(), FinishReason::Stop, 17, 8);
    assert_eq!(
        understood(include_bytes!("wire/llama_cpp_stream.txt")),
        expected
    );
}

#[test]
fn openrouter_says_within_the_stream_that_it_failed() {
    let (reply, pieces) = told(
        include_bytes!("wire/openrouter_stream.txt"),
        Constraint::None,
    );
    let error = reply.unwrap_err();
    assert!(
        error.to_string().contains("Provider disconnected"),
        "{error}"
    );
    assert_eq!(pieces, "And");
}
