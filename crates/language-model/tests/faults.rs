//! Does each failure of a server end in the right retry, repair or clear error, in time?

use std::sync::Arc;
use std::time::{Duration, Instant};

use language_model::openai::{
    Capabilities, OpenAi, OpenAiConfig, OpenAiEmbedder, Secret, StructuredOutput,
};
use language_model::testing::{Fault, FaultServer};
use language_model::{
    Budget, BudgetConfig, ChatRequest, Completion, Constraint, Embedder, LanguageModel, Message,
    Meter, ModelError, Retry, RetryConfig, Structured, no_stream,
};
use serde_json::json;

/// The time that a call may take in these tests.
const TIMEOUT: Duration = Duration::from_millis(1500);
/// What the machine may add to it.
const SLACK: Duration = Duration::from_secs(5);

type Stack = Structured<Retry<Budget<Arc<Meter<Arc<OpenAi>>>>>>;

struct Client {
    server: FaultServer,
    openai: Arc<OpenAi>,
    meter: Arc<Meter<Arc<OpenAi>>>,
    stack: Stack,
}

fn client(usual: &str, faults: impl IntoIterator<Item = Fault>) -> Client {
    with_budget(usual, faults, BudgetConfig::default())
}

fn with_budget(
    usual: &str,
    faults: impl IntoIterator<Item = Fault>,
    budget: BudgetConfig,
) -> Client {
    let server = FaultServer::start(usual, faults).expect("loopback has a free port");
    let mut config = OpenAiConfig::new(server.base_url(), "test-model");
    config.api_key = Some(Secret::new("sk-very-secret"));
    config.timeout = TIMEOUT;
    let openai = Arc::new(OpenAi::new(config).expect("the settings are sound"));
    let meter = Arc::new(Meter::new(Arc::clone(&openai)));
    let budgeted = Budget::new(Arc::clone(&meter), budget);
    let stack = Structured::new(Retry::new(budgeted, quick(), || 0.5));
    Client {
        server,
        openai,
        meter,
        stack,
    }
}

fn quick() -> RetryConfig {
    RetryConfig {
        max_attempts: 3,
        first_pause: Duration::from_millis(5),
        ..RetryConfig::default()
    }
}

impl Client {
    fn ask(&self, constraint: Constraint) -> Result<Completion, ModelError> {
        let mut request = ChatRequest::new("test", vec![Message::user("name a colour")]);
        request.constraint = constraint;
        let begin = Instant::now();
        let reply = self.stack.complete(&request, &mut no_stream);
        assert!(begin.elapsed() < 3 * TIMEOUT + SLACK);
        reply
    }

    fn text(&self) -> Result<Completion, ModelError> {
        self.ask(Constraint::None)
    }

    /// The ledger and the server's account have the same calls.
    fn assert_calls(&self, calls: u64, errors: u64) {
        let total = self.meter.total();
        assert_eq!((total.calls, total.errors), (calls, errors));
        assert_eq!(self.server.account().requests, calls);
    }
}

fn colours() -> Constraint {
    Constraint::OneOf(vec!["red".into(), "dark blue".into()])
}

fn object() -> Constraint {
    Constraint::JsonSchema {
        name: "colour".into(),
        schema: json!({
            "type": "object",
            "properties": {"colour": {"type": "string"}},
            "required": ["colour"],
            "additionalProperties": false,
        }),
    }
}

#[test]
fn a_reply_is_streamed_in_pieces_with_the_servers_usage() {
    let client = client("a dark blue", []);
    let mut pieces = Vec::new();
    let request = ChatRequest::new("test", vec![Message::user("name a colour")]);
    let reply = client
        .stack
        .complete(&request, &mut |piece| pieces.push(piece.to_owned()))
        .unwrap();
    assert_eq!(pieces, ["a ", "dark ", "blue"]);
    assert_eq!(reply.text, "a dark blue");
    assert_eq!(
        (reply.usage.prompt_tokens, reply.usage.completion_tokens),
        (4, 3)
    );
    assert!(!reply.usage.estimated);
    client.assert_calls(1, 0);
    let sent = &client.server.requests()[0];
    assert_eq!(sent.header("authorization"), Some("Bearer sk-very-secret"));
}

#[test]
fn a_slow_first_byte_ends_at_the_time_out_and_is_tried_again() {
    let client = client("red", [Fault::SlowFirstByte(Duration::from_secs(60))]);
    assert_eq!(client.text().unwrap().text, "red");
    client.assert_calls(2, 1);
}

#[test]
fn a_slow_drip_ends_at_the_time_out() {
    let drip = || Fault::SlowDrip(Duration::from_millis(30));
    let client = client("red", [drip(), drip(), drip()]);
    let error = client.text().unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error}");
    client.assert_calls(3, 3);
}

#[test]
fn a_time_out_within_a_reply_counts_what_came() {
    let drip = Fault::SlowDrip(Duration::from_millis(2));
    let client = client(&"on and on ".repeat(30), [drip]);
    let request = ChatRequest::new("test", vec![Message::user("q")]);
    let (begin, mut told) = (Instant::now(), String::new());
    let asked = client
        .openai
        .complete(&request, &mut |piece| told.push_str(piece));
    let error = asked.unwrap_err();
    assert!(begin.elapsed() < TIMEOUT + SLACK);
    assert!(matches!(error, ModelError::Timeout { .. }), "{error}");
    assert!(told.starts_with("on ") && error.usage().completion_tokens > 0);
    assert!(error.usage().estimated);
}

#[test]
fn a_deadline_is_kept_below_the_time_out() {
    let client = client("red", [Fault::SlowFirstByte(Duration::from_secs(60))]);
    let mut request = ChatRequest::new("test", vec![Message::user("q")]);
    let begin = Instant::now();
    request.deadline = Some(begin + Duration::from_millis(100));
    let error = client.stack.complete(&request, &mut no_stream).unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error}");
    assert!(begin.elapsed() < TIMEOUT);
}

#[test]
fn too_many_requests_waits_as_long_as_it_is_told() {
    let client = client(
        "red",
        [
            Fault::TooManyRequests(Some("1".into())),
            Fault::TooManyRequests(None),
        ],
    );
    let begin = Instant::now();
    assert_eq!(client.text().unwrap().text, "red");
    assert!(begin.elapsed() >= Duration::from_secs(1));
    client.assert_calls(3, 2);
}

#[test]
fn a_server_error_is_tried_again_and_one_that_stays_is_named() {
    let recovers = client("red", [Fault::ServerError, Fault::ServerError]);
    assert_eq!(recovers.text().unwrap().text, "red");
    recovers.assert_calls(3, 2);
    let stays = client(
        "red",
        [Fault::ServerError, Fault::ServerError, Fault::ServerError],
    );
    let error = stays.text().unwrap_err().to_string();
    assert!(error.ends_with("failed (HTTP 500): overloaded"), "{error}");
    stays.assert_calls(3, 3);
}

#[test]
fn a_cut_stream_is_tried_again_and_what_came_is_counted() {
    let client = client("one two three four", [Fault::Cut(2)]);
    assert_eq!(client.text().unwrap().text, "one two three four");
    client.assert_calls(2, 1);
    let total = client.meter.total();
    assert_eq!(total.estimated_calls, 1);
    assert!(total.completion_tokens > client.server.account().completion_tokens);
}

#[test]
fn a_cut_stream_that_stays_cut_is_an_error() {
    let client = client(
        "one two three",
        [Fault::Cut(1), Fault::Cut(1), Fault::Cut(1)],
    );
    let error = client.text().unwrap_err();
    assert!(
        matches!(error, ModelError::CutStream { received: 4, .. }),
        "{error:?}"
    );
}

#[test]
fn a_wrong_key_is_said_once_and_never_shown() {
    let client = client("red", [Fault::Unauthorized]);
    let error = client.text().unwrap_err();
    assert!(matches!(
        error,
        ModelError::Unauthorized { status: 401, .. }
    ));
    assert!(!format!("{error:?} {error}").contains("secret"));
    client.assert_calls(1, 1);
}

/// Servers quote the key in other places than the body of a 401, too.
#[test]
fn a_key_that_is_quoted_elsewhere_is_not_shown_either() {
    let quoted = |kind: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
        Fault::Raw(format!("{head}{body}").into_bytes())
    };
    let long = format!("{}sk-very-secret", "x".repeat(495)); // cut within the key
    let far = format!("{{\"error\":{{\"message\":\"{long}\"}}}}");
    let refused = format!(
        "HTTP/1.1 400 X\r\ncontent-length: {}\r\n\r\n{far}",
        far.len()
    );
    for fault in [
        quoted("text/html", "<p>sk-very-secret may not</p>"),
        quoted("text/event-stream", "data: <sk-very-secret>\n\ndata: x\n\n"),
        quoted(
            "text/event-stream",
            "data: {\"error\":{\"message\":\"sk-very-secret?\"}}\n\n",
        ),
        Fault::Raw(refused.into_bytes()),
    ] {
        let client = client("red", [fault]);
        let request = ChatRequest::new("test", vec![Message::user("q")]);
        let error = client.openai.complete(&request, &mut no_stream);
        let error = error.unwrap_err();
        assert!(!format!("{error:?} {error}").contains("sk-v"), "{error}");
        assert!(format!("{error:?}").contains('…'), "{error:?}");
    }
}

/// OpenAI says with 429 that an account is empty; asking again only delays the message.
#[test]
fn an_empty_account_is_said_at_once() {
    let body = "{\"error\":{\"message\":\"You exceeded your current quota\",\"type\":\"insufficient_quota\",\"param\":null,\"code\":\"insufficient_quota\"}}";
    let head = format!(
        "HTTP/1.1 429 X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let client = client("red", [Fault::Raw(format!("{head}{body}").into_bytes())]);
    let error = client.text().unwrap_err();
    assert!(
        error.to_string().contains("exceeded your current quota"),
        "{error}"
    );
    client.assert_calls(1, 1);
}

#[test]
fn broken_json_is_read_and_a_wrong_schema_repaired() {
    let broken = client("red", [Fault::Say("Sure: {'colour': 'red',}".into())]);
    assert_eq!(broken.ask(object()).unwrap().text, "{\"colour\":\"red\"}");
    broken.assert_calls(1, 0);
    let wrong = client(
        "{\"colour\": \"red\"}",
        [Fault::Say("{\"color\": 1}".into())],
    );
    assert_eq!(wrong.ask(object()).unwrap().text, "{\"colour\":\"red\"}");
    wrong.assert_calls(2, 0);
    let hopeless = client("I would rather not", []);
    let error = hopeless.ask(object()).unwrap_err();
    assert!(matches!(error, ModelError::BadReply { .. }), "{error}");
    hopeless.assert_calls(2, 0);
}

#[test]
fn endless_text_is_ended_here() {
    let client = client("red", [Fault::Endless]);
    let error = client.text().unwrap_err();
    assert!(
        error.to_string().contains("longer than was allowed"),
        "{error}"
    );
    client.assert_calls(1, 1);
}

#[test]
fn a_usage_that_cannot_be_true_is_estimated_and_marked() {
    for usage in [
        json!({"prompt_tokens": -4, "completion_tokens": 2}),
        json!("many"),
        json!({"prompt_tokens": 1e18, "completion_tokens": 1}),
        json!(null),
    ] {
        let client = client("red", [Fault::WrongUsage(usage.clone())]);
        assert!(client.text().unwrap().usage.estimated, "{usage}");
    }
    let client = client("red", [Fault::NoUsage]);
    assert!(client.text().unwrap().usage.estimated);
}

#[test]
fn a_huge_head_and_what_is_no_http_are_errors() {
    let huge = client("red", [Fault::HugeHead(1 << 20)]);
    let error = huge.text().unwrap_err();
    assert!(
        error.to_string().contains("head of the response"),
        "{error}"
    );
    let noise = client(
        "red",
        (0..3).map(|_| Fault::Raw(b"\0\xffnoise\r\n\r\n".to_vec())),
    );
    let error = noise.text().unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let client = client("dark blue", [Fault::NoStream]);
    assert_eq!(client.text().unwrap().text, "dark blue");
}

#[test]
fn nobody_there_is_said_with_the_address() {
    let gone = FaultServer::start("x", []).unwrap().base_url();
    let model = OpenAi::new(OpenAiConfig::new(gone.clone(), "m")).unwrap();
    let request = ChatRequest::new("test", vec![Message::user("q")]);
    let error = model.complete(&request, &mut no_stream).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("cannot reach {gone}")),
        "{error}"
    );
}

#[test]
fn the_form_of_structured_output_is_found_out_once_and_kept() {
    let client = client(
        "{\"choice\": \"dark blue\"}",
        [Fault::Refuse("response_format"), Fault::Refuse("tools")],
    );
    for _ in 0..3 {
        assert_eq!(client.ask(colours()).unwrap().text, "dark blue");
    }
    // Refused twice, then three replies.
    client.assert_calls(5, 2);
    let known = client.openai.capabilities();
    assert_eq!(known.structured, StructuredOutput::Prompt);
    let last = client.server.requests().pop().unwrap().json();
    assert!(
        last["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("[\"red\",\"dark blue\"]")
    );
    let mut config = OpenAiConfig::new(client.server.base_url(), "m");
    config.timeout = TIMEOUT;
    let again = OpenAi::with_capabilities(config, known).unwrap();
    assert_eq!(again.capabilities(), known);
}

#[test]
fn a_tool_call_is_a_reply() {
    let client = client("{\"colour\": \"red\"}", [Fault::Refuse("response_format")]);
    assert_eq!(client.ask(object()).unwrap().text, "{\"colour\":\"red\"}");
    let last = client.server.requests().pop().unwrap().json();
    assert_eq!(last["tool_choice"]["function"]["name"], "colour");
    assert_eq!(
        client.openai.capabilities().structured,
        StructuredOutput::ToolCall
    );
}

#[test]
fn a_server_that_ignores_the_form_is_asked_in_another_way() {
    let client = client(
        "{\"colour\": \"red\"}",
        [Fault::Say("red, of course".into())],
    );
    assert_eq!(client.ask(object()).unwrap().text, "{\"colour\":\"red\"}");
    assert_eq!(
        client.openai.capabilities().structured,
        StructuredOutput::ToolCall
    );
}

#[test]
fn stream_options_are_left_out_where_they_are_refused() {
    let client = client("red", [Fault::Refuse("stream_options")]);
    assert!(client.text().unwrap().usage.estimated);
    assert!(client.text().unwrap().usage.estimated);
    client.assert_calls(3, 1);
    let expected = Capabilities {
        stream_options: false,
        ..Capabilities::default()
    };
    assert_eq!(client.openai.capabilities(), expected);
}

#[test]
fn the_ledger_is_the_servers_account_whatever_went_wrong_between() {
    let faults = [
        Fault::ServerError,
        Fault::TooManyRequests(None),
        Fault::Say("a reply of five words".into()),
        Fault::Unauthorized,
        Fault::NoStream,
        Fault::Refuse("seed"),
    ];
    let client = client("short", faults);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    drop(client.text());
                }
            });
        }
    });
    let (ledger, account) = (client.meter.total(), client.server.account());
    assert_eq!(ledger.calls, account.requests);
    assert_eq!(ledger.calls - ledger.errors, account.replies);
    assert_eq!(ledger.prompt_tokens, account.prompt_tokens);
    assert_eq!(ledger.completion_tokens, account.completion_tokens);
    assert_eq!(ledger.estimated_calls, 0);
    assert!(account.replies >= 97);
}

#[test]
fn a_budget_ends_retries_and_repairs_too() {
    let budget = BudgetConfig {
        max_calls: Some(2),
        ..BudgetConfig::default()
    };
    let retried = with_budget("red", [Fault::ServerError, Fault::ServerError], budget);
    let error = retried.text().unwrap_err();
    assert!(
        matches!(error, ModelError::BudgetExhausted { limit: 2, .. }),
        "{error}"
    );
    retried.assert_calls(2, 2);
    let budget = BudgetConfig {
        max_calls: Some(1),
        ..BudgetConfig::default()
    };
    let repaired = with_budget("no JSON", [], budget);
    assert!(matches!(
        repaired.ask(object()),
        Err(ModelError::BudgetExhausted { .. })
    ));
    repaired.assert_calls(1, 0);
}

#[test]
fn embeddings_come_in_batches_in_order_and_of_unit_length() {
    let faults = [Fault::ServerError, Fault::TooManyRequests(Some("0".into()))];
    let server = FaultServer::start("", faults).unwrap();
    let mut config = OpenAiConfig::new(server.base_url(), "embed");
    config.max_batch_texts = 2;
    let embedder = OpenAiEmbedder::new(config, quick(), || 0.5).unwrap();
    assert_eq!(embedder.dims(), 3);
    assert!(embedder.fingerprint().ends_with("/v1-embed-3"));
    let vectors = embedder.embed(&["a", "b", "c", "", "e"]).unwrap();
    let expected = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
    ];
    let found: Vec<&[f32]> = vectors.iter().map(|vector| vector.as_slice()).collect();
    assert_eq!(found, expected);
    let inputs: Vec<usize> = server
        .requests()
        .iter()
        .map(|r| r.json()["input"].as_array().unwrap().len())
        .collect();
    assert_eq!(inputs, [1, 1, 1, 2, 2, 1]); // two failures first
}

#[test]
fn azure_takes_its_own_header_and_version() {
    let server = FaultServer::start("red", []).unwrap();
    let base = server.base_url().replace("/v1", "/openai/deployments/d");
    let mut config = OpenAiConfig::new(base, "d");
    config.api_key = Some(Secret::new("k"));
    config.azure_api_version = Some("2024-10-21".into());
    let model = OpenAi::new(config).unwrap();
    let request = ChatRequest::new("test", vec![Message::user("q")]);
    assert_eq!(
        model.complete(&request, &mut no_stream).unwrap().text,
        "red"
    );
    let sent = &server.requests()[0];
    assert_eq!(
        sent.path,
        "/openai/deployments/d/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(
        (sent.header("api-key"), sent.header("authorization")),
        (Some("k"), None)
    );
}

#[test]
fn settings_that_cannot_be_used_are_said_before_anything_is_sent() {
    let wrong = |change: fn(&mut OpenAiConfig)| {
        let mut config = OpenAiConfig::new("http://127.0.0.1:9/v1", "m");
        change(&mut config);
        OpenAi::new(config).unwrap_err().to_string()
    };
    let pem = wrong(|config| config.root_certificates_pem = Some(b"no certificate".to_vec()));
    assert!(
        pem.contains("the PEM file of root certificates has none"),
        "{pem}"
    );
    let proxy = wrong(|config| config.proxy = Some(Secret::new("::secret::")));
    assert!(
        proxy.contains("the proxy's address") && !proxy.contains("secret"),
        "{proxy}"
    );
}

#[test]
fn a_proxy_of_the_settings_is_asked_for_the_way() {
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = proxy.local_addr().unwrap();
    let asked = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let (stream, _) = proxy.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let (mut first, mut line) = (String::new(), String::from("-"));
        reader.read_line(&mut first).unwrap();
        while !line.trim().is_empty() {
            line.clear();
            reader.read_line(&mut line).unwrap();
        }
        let refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
        reader.get_mut().write_all(refusal).unwrap();
        first
    });
    let mut config = OpenAiConfig::new("http://model.invalid/v1", "m");
    config.proxy = Some(Secret::new(&format!("http://{address}")));
    config.timeout = TIMEOUT;
    let model = OpenAi::new(config).unwrap();
    let request = ChatRequest::new("test", vec![Message::user("q")]);
    assert!(model.complete(&request, &mut no_stream).is_err());
    let head = asked.join().unwrap();
    assert!(head.starts_with("CONNECT model.invalid:80 "), "{head}");
}
