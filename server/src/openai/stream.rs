//! How does an answer look in pieces? Server-sent events, as OpenAI sends them.
//!
//! An answer is checked against its evidence before it is given, so the pieces are those of a whole answer: what a client shows is never taken
//! back. They leave one by one, as the client reads them.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use serde_json::{Value, json};

use super::chat::Head;

/// A body of frames that are there already.
struct Frames(std::vec::IntoIter<Bytes>);

impl hyper::body::Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// The pieces of a completion: role, words, end with the object `refrain`, tokens where they are asked for, `[DONE]`.
pub(crate) fn events(head: &Head, text: &str, extra: &Value, usage: Option<Value>) -> Response {
    let tells_usage = usage.is_some();
    let piece = |delta: Value, finish: Value| {
        let mut piece = json!({
            "id": head.id,
            "object": "chat.completion.chunk",
            "created": head.created,
            "model": head.model,
            "choices": [{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }],
        });
        if tells_usage {
            piece["usage"] = Value::Null;
        }
        piece
    };
    let mut pieces = vec![piece(
        json!({ "role": "assistant", "content": "" }),
        Value::Null,
    )];
    for words in words(text) {
        pieces.push(piece(json!({ "content": words }), Value::Null));
    }
    let mut end = piece(json!({}), json!("stop"));
    end["refrain"] = extra.clone();
    pieces.push(end);
    if let Some(usage) = usage {
        let mut last = piece(Value::Null, Value::Null);
        last["choices"] = json!([]);
        last["usage"] = usage;
        pieces.push(last);
    }
    let mut frames: Vec<Bytes> = pieces
        .iter()
        .map(|piece| Bytes::from(format!("data: {piece}\n\n")))
        .collect();
    frames.push(Bytes::from_static(b"data: [DONE]\n\n"));
    let headers = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::new(Frames(frames.into_iter()))).into_response()
}

/// The text word by word, each with the space before it: put together they are the text.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut in_word = false;
    for (place, c) in text.char_indices() {
        if c.is_whitespace() {
            if in_word {
                words.push(&text[start..place]);
                start = place;
            }
            in_word = false;
        } else {
            in_word = true;
        }
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_put_together_are_the_text() {
        for text in ["", " ", "one", "one two", "  a  b\n c ", "電影 🎬!"] {
            assert_eq!(words(text).concat(), text);
        }
        assert_eq!(words("one two  three"), ["one", " two", "  three"]);
    }
}
