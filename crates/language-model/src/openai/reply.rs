//! What does a reply say?
//!
//! Read from a stream of chunks or from one object, whichever the server chose to send.

use std::io::Read;

use serde_json::Value;

use super::config::OpenAiConfig;
use super::connection::{Answer, is_timeout};
use super::error_message;
use super::sse::{Events, StreamError};
use crate::{ChatRequest, Completion, FinishReason, ModelError, Origin, Usage};

/// Bytes of text for each token that the request allows; more is a server that does not keep to it.
const MAX_BYTES_PER_TOKEN: usize = 64;
/// More tokens than any model reads; a server that tells more tells nothing.
const MAX_PLAUSIBLE_TOKENS: u64 = 100_000_000;

/// What was understood of a reply so far.
struct Reading<'a> {
    request: &'a ChatRequest,
    config: &'a OpenAiConfig,
    endpoint: String,
    limit: std::time::Duration,
    text: String,
    tool: String,
    refusal: String,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    model: Option<String>,
}

/// Reads a whole reply.
pub(super) fn read(
    answer: Answer,
    request: &ChatRequest,
    config: &OpenAiConfig,
    stream: &mut dyn FnMut(&str),
) -> Result<Completion, ModelError> {
    let mut reading = Reading {
        request,
        config,
        endpoint: answer.endpoint,
        limit: answer.limit,
        text: String::new(),
        tool: String::new(),
        refusal: String::new(),
        finish: None,
        usage: None,
        model: None,
    };
    if answer.is_stream {
        let mut events = Events::new(answer.body, config.max_line_bytes, config.max_wire_bytes);
        reading.stream(&mut events, stream)?;
    } else {
        reading.whole(answer.body, stream)?;
    }
    if reading.reply().is_empty() && !reading.refusal.is_empty() {
        return Err(reading.bad("it is a refusal", &reading.refusal));
    }
    Ok(reading.finish())
}

impl Reading<'_> {
    fn stream<R: Read>(
        &mut self,
        events: &mut Events<R>,
        stream: &mut dyn FnMut(&str),
    ) -> Result<(), ModelError> {
        loop {
            let data = match events.next() {
                Ok(Some(data)) => data,
                // Some servers leave the last word out; a stated reason is an end, too.
                Ok(None) if self.finish.is_some() => return Ok(()),
                Ok(None) => return Err(self.cut()),
                Err(error) => return Err(self.broken(&error)),
            };
            if data.trim() == "[DONE]" {
                // Some servers and gateways lose the reason; what they sent is whole all the same.
                let silent = self.finish.is_none() && self.reply().is_empty();
                return if silent {
                    Err(self.bad("the stream ends without a reply", ""))
                } else {
                    Ok(())
                };
            }
            if data.trim().is_empty() {
                continue;
            }
            let chunk: Value = match serde_json::from_str(&data) {
                Ok(chunk) => chunk,
                Err(_) if events.at_end() => return Err(self.cut()),
                Err(_) => return Err(self.bad("a chunk of the stream is not JSON", &data)),
            };
            self.take(&chunk, "delta", stream)?;
        }
    }

    fn whole(&mut self, body: impl Read, stream: &mut dyn FnMut(&str)) -> Result<(), ModelError> {
        let mut bytes = Vec::new();
        let most = self.config.max_wire_bytes as u64;
        match body.take(most + 1).read_to_end(&mut bytes) {
            Ok(count) if count as u64 > most => {
                return Err(self.broken(&StreamError::TooLong));
            }
            Ok(_) => {}
            Err(error) => return Err(self.broken(&StreamError::Read(error))),
        }
        let text = String::from_utf8_lossy(&bytes);
        if ["data:", ":"]
            .iter()
            .any(|sign| text.trim_start().starts_with(sign))
        {
            // A stream, though its type says something else.
            let (line, all) = (self.config.max_line_bytes, self.config.max_wire_bytes);
            return self.stream(&mut Events::new(bytes.as_slice(), line, all), stream);
        }
        let object: Value =
            serde_json::from_str(&text).map_err(|_| self.bad("it is not JSON", &text))?;
        self.take(&object, "message", stream)?;
        if self.finish.is_none() {
            return Err(self.bad("it has no choice with a reason for its end", &text));
        }
        Ok(())
    }

    /// Takes a chunk, or a whole reply.
    fn take(
        &mut self,
        chunk: &Value,
        part: &str,
        stream: &mut dyn FnMut(&str),
    ) -> Result<(), ModelError> {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(ModelError::Server {
                endpoint: self.endpoint.clone(),
                status: 200,
                message: error_message(&self.config.without_key(&chunk.to_string())),
                retry_after: None,
            });
        }
        if let Some(model) = chunk["model"].as_str().filter(|name| !name.is_empty()) {
            self.model = Some(model.chars().take(200).collect());
        }
        if let Some(usage) = plausible(&chunk["usage"]) {
            self.usage = Some(usage);
        }
        let choice = &chunk["choices"][0];
        if let Some(content) = choice[part]["content"].as_str() {
            self.text.push_str(content);
            if !content.is_empty() {
                stream(content);
            }
        }
        if let Some(refusal) = choice[part]["refusal"].as_str() {
            self.refusal.push_str(refusal);
        }
        let arguments = &choice[part]["tool_calls"][0]["function"]["arguments"];
        if let Some(arguments) = arguments.as_str() {
            self.tool.push_str(arguments);
        } else if arguments.is_object() {
            self.tool.push_str(&arguments.to_string());
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(match reason {
                "length" => FinishReason::Length,
                "content_filter" => FinishReason::ContentFilter,
                _ => FinishReason::Stop,
            });
        }
        let most = (self.request.max_tokens as usize).saturating_mul(MAX_BYTES_PER_TOKEN);
        if self.text.len() + self.tool.len() + self.refusal.len() > most.max(4096) {
            return Err(self.broken(&StreamError::TooLong));
        }
        Ok(())
    }

    /// The text: the arguments of the tool where one was called.
    fn reply(&self) -> &str {
        if self.tool.is_empty() {
            &self.text
        } else {
            &self.tool
        }
    }

    /// What came so far: the server's figures, or an estimate.
    fn so_far(&self) -> Usage {
        self.usage
            .unwrap_or_else(|| Usage::estimate(self.request, self.reply()))
    }

    fn bad(&self, wrong: &str, reply: &str) -> ModelError {
        let shown = if reply.is_empty() {
            self.reply()
        } else {
            reply
        };
        let shown = self.config.without_key(shown);
        ModelError::bad_reply(&self.config.model, wrong, &shown, self.so_far())
    }

    fn cut(&self) -> ModelError {
        ModelError::CutStream {
            endpoint: self.endpoint.clone(),
            received: self.reply().len(),
            usage: self.so_far(),
        }
    }

    fn broken(&self, error: &StreamError) -> ModelError {
        match error {
            StreamError::TooLong => self.bad("it is longer than was allowed", ""),
            StreamError::Read(error) if is_timeout(error) => ModelError::Timeout {
                endpoint: self.endpoint.clone(),
                limit: self.limit,
                usage: self.so_far(),
            },
            StreamError::Read(_) => self.cut(),
        }
    }

    fn finish(self) -> Completion {
        let usage = self.so_far();
        Completion {
            finish: self.finish.unwrap_or(FinishReason::Stop),
            usage,
            model: self.model.unwrap_or_else(|| self.config.model.clone()),
            origin: Origin::Model,
            text: if self.tool.is_empty() {
                self.text
            } else {
                self.tool
            },
        }
    }
}

/// The usage that a server tells, unless it cannot be true.
fn plausible(usage: &Value) -> Option<Usage> {
    let prompt_tokens = usage["prompt_tokens"].as_u64()?;
    let completion_tokens = usage["completion_tokens"].as_u64()?;
    let sane = prompt_tokens > 0
        && prompt_tokens <= MAX_PLAUSIBLE_TOKENS
        && completion_tokens <= MAX_PLAUSIBLE_TOKENS;
    sane.then_some(Usage {
        prompt_tokens,
        completion_tokens,
        estimated: false,
    })
}
