//! What is a request for a chat completion, and what is a reply, seen from the server?

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

use serde_json::{Value, json};

/// Bytes of a request's head and body.
const MAX_REQUEST_BYTES: usize = 16 << 20;

/// A request as it came over the wire.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedRequest {
    /// Such as `POST`.
    pub method: String,
    /// Such as `/v1/chat/completions`, with what stands after `?`.
    pub path: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    /// The body as JSON; null for what is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The key, however it was sent; empty when there is none.
    #[must_use]
    pub fn key(&self) -> &str {
        let bearer = self.header("authorization").unwrap_or_default();
        let key = self.header("api-key").unwrap_or_default();
        bearer.strip_prefix("Bearer ").unwrap_or(key)
    }
}

/// Reads a request from recorded bytes.
///
/// # Errors
///
/// When the bytes are no HTTP/1.1 request with a `Content-Length`.
pub fn parse_request(bytes: &[u8]) -> io::Result<RecordedRequest> {
    read(&mut BufReader::new(bytes))
}

pub(super) fn read_request(stream: &mut TcpStream) -> io::Result<RecordedRequest> {
    read(&mut BufReader::new(stream))
}

fn read(reader: &mut impl BufRead) -> io::Result<RecordedRequest> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut line = || -> io::Result<String> {
        let mut text = String::new();
        let count = reader.take(64 << 10).read_line(&mut text)?;
        if count == 0 {
            return Err(wrong("the request ends in its head"));
        }
        Ok(text.trim_end().to_owned())
    };
    let first = line()?;
    let mut parts = first.split(' ');
    let mut request = RecordedRequest {
        method: parts.next().unwrap_or_default().to_owned(),
        path: parts.next().unwrap_or_default().to_owned(),
        ..RecordedRequest::default()
    };
    if parts.next() != Some("HTTP/1.1") {
        return Err(wrong("no HTTP/1.1"));
    }
    loop {
        let header = line()?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(|| wrong("no header"))?;
        let value = value.trim().to_owned();
        request.headers.push((name.to_ascii_lowercase(), value));
    }
    let length = request.header("content-length").unwrap_or("0");
    let length: usize = length.parse().map_err(|_| wrong("no Content-Length"))?;
    if length > MAX_REQUEST_BYTES {
        return Err(wrong("too long"));
    }
    request.body = vec![0; length];
    reader.read_exact(&mut request.body)?;
    Ok(request)
}

/// Checks that a request is one for a chat completion or for embeddings, by the documented types of the
/// fields; fields that are not known are accepted, as servers do.
///
/// # Errors
///
/// What is wrong, in words.
pub fn accepts(request: &RecordedRequest) -> Result<(), String> {
    let path = request.path.split('?').next().unwrap_or_default();
    if request.method != "POST" {
        return Err(format!("{} is not allowed", request.method));
    }
    let json_type = request.header("content-type").unwrap_or_default();
    if !json_type.starts_with("application/json") {
        return Err("the content type is not application/json".into());
    }
    let body = request.json();
    // Azure's path names the deployment, and its body need not name the model.
    if !body["model"].is_string() && !path.contains("/deployments/") {
        return Err("'model' is not a string".into());
    }
    if path.ends_with("/embeddings") {
        let input = &body["input"];
        let good = input.is_string() || input.as_array().is_some_and(|all| !all.is_empty());
        return good.then_some(()).ok_or_else(|| "'input' is empty".into());
    }
    if !path.ends_with("/chat/completions") {
        return Err(format!("there is nothing at {path}"));
    }
    let messages = body["messages"].as_array().filter(|all| !all.is_empty());
    for message in messages.ok_or("'messages' is not a list")? {
        let role = message["role"].as_str().unwrap_or_default();
        let content = &message["content"];
        if !["system", "developer", "user", "assistant", "tool"].contains(&role) {
            return Err(format!("{role:?} is not a role"));
        }
        if !content.is_string() && !content.is_array() && !content.is_null() {
            return Err("'content' is not a string".into());
        }
    }
    type Is = fn(&Value) -> bool;
    let fields: [(&str, Is); 9] = [
        ("stream", Value::is_boolean),
        ("temperature", Value::is_number),
        ("max_tokens", Value::is_u64),
        ("max_completion_tokens", Value::is_u64),
        ("seed", |seed| seed.is_i64() || seed.is_u64()),
        ("stop", |stop| stop.is_string() || stop.is_array()),
        ("stream_options", Value::is_object),
        ("response_format", |form| form["type"].is_string()),
        ("tools", Value::is_array),
    ];
    for (name, is) in fields {
        if body.get(name).is_some_and(|v| !v.is_null() && !is(v)) {
            return Err(format!("'{name}' has the wrong type"));
        }
    }
    Ok(())
}

/// A reply to be sent.
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) stream: bool,
    pub(super) prompt_tokens: u64,
    /// Told at the end; nothing when it is kept to itself.
    pub(super) usage: Option<Value>,
    tool: Option<String>,
    model: Value,
}

impl Reply {
    /// The reply that the documented protocol gives for a text. The server counts words as tokens.
    pub(super) fn new(request: &RecordedRequest, text: &str) -> Self {
        let body = request.json();
        let messages = body["messages"].as_array().into_iter().flatten();
        let prompt: u64 = messages
            .map(|message| 1 + words(message["content"].as_str().unwrap_or_default()))
            .sum();
        let stream = body["stream"] == true;
        let told = !stream || body["stream_options"]["include_usage"] == true;
        let completion = words(text);
        let usage = json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        });
        let tool = body["tools"][0]["function"]["name"].as_str();
        Self {
            text: text.to_owned(),
            stream,
            prompt_tokens: prompt,
            usage: told.then_some(usage),
            tool: tool.map(str::to_owned),
            model: body["model"].clone(),
        }
    }

    fn part(&self, text: &str, first: bool) -> Value {
        match (&self.tool, first) {
            (None, true) => json!({"role": "assistant", "content": text}),
            (None, false) => json!({"content": text}),
            (Some(name), true) => json!({"role": "assistant", "content": null, "tool_calls": [
                {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
            ]}),
            (Some(_), false) => {
                json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]})
            }
        }
    }
}

/// Words of a text; the tokens of this server.
pub(super) fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// The whole response to a request.
pub(super) fn answer(reply: &Reply) -> Vec<u8> {
    let finish = if reply.tool.is_some() {
        "tool_calls"
    } else {
        "stop"
    };
    let frame = |object: &str, choices: Value| json!({"id": "chatcmpl-1", "object": object, "created": 1, "model": reply.model, "choices": choices});
    if !reply.stream {
        let message = reply.part(&reply.text, true);
        let choices = json!([{"index": 0, "message": message, "finish_reason": finish}]);
        let mut whole = frame("chat.completion", choices);
        if let Some(usage) = &reply.usage {
            whole["usage"] = usage.clone();
        }
        return http(200, &[], &whole.to_string());
    }
    let mut out = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n".to_vec();
    let mut send = |data: &str| out.extend_from_slice(format!("data: {data}\n\n").as_bytes());
    for (n, piece) in reply.text.split_inclusive(' ').enumerate() {
        let delta = reply.part(piece, n == 0);
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": null}]);
        send(&frame("chat.completion.chunk", choices).to_string());
    }
    let choices = json!([{"index": 0, "delta": {}, "finish_reason": finish}]);
    send(&frame("chat.completion.chunk", choices).to_string());
    if let Some(usage) = &reply.usage {
        let mut last = frame("chat.completion.chunk", json!([]));
        last["usage"] = usage.clone();
        send(&last.to_string());
    }
    send("[DONE]");
    out
}

/// The place after the chunk of a word of a streamed response, in the middle of the next line.
pub(super) fn after_words(response: &[u8], words: usize) -> usize {
    let starts: Vec<usize> = response
        .windows(6)
        .enumerate()
        .filter(|(_, window)| *window == b"data: ")
        .map(|(at, _)| at)
        .collect();
    starts.get(words).map_or(response.len(), |at| at + 10)
}

/// One vector of three numbers, of length 2, for each text.
pub(super) fn embeddings(request: &RecordedRequest) -> Value {
    let body = request.json();
    let texts = body["input"].as_array().map_or(1, Vec::len);
    let data: Vec<Value> = (0..texts)
        .rev() // clients must go by the index
        .map(|n| json!({"object": "embedding", "index": n, "embedding": [2.0 * f64::from(n % 2 == 0), 2.0 * f64::from(n % 2 == 1), 0.0]}))
        .collect();
    json!({"object": "list", "data": data, "model": body["model"], "usage": {"prompt_tokens": texts, "total_tokens": texts}})
}

pub(super) fn error_body(message: &str, parameter: Option<&str>) -> String {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": parameter, "code": null}}).to_string()
}

/// A response of one piece.
pub(super) fn http(status: u16, headers: &[&str], body: &str) -> Vec<u8> {
    let mut out = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for header in headers {
        out.push_str(header);
        out.push_str("\r\n");
    }
    out.push_str("\r\n");
    out.push_str(body);
    out.into_bytes()
}
