//! How many tokens does a text have, when nobody has the tokeniser?
//!
//! An estimate for byte-pair vocabularies of 30,000 to 200,000 entries: per run of letters or digits
//! one token for every 5 bytes begun, one for every other visible character, a quarter for each line
//! break run. Off by a fifth for English prose and by more for code and other scripts; whoever uses
//! it marks the figure as estimated.

use crate::{ChatRequest, Constraint};

/// Tokens that a message takes beside its text: role and delimiters.
const TOKENS_PER_MESSAGE: u64 = 4;
/// Bytes, at most, of the words around a constraint where it is told in the prompt.
const BYTES_AROUND_CONSTRAINT: u64 = 256;

/// The estimated number of tokens of a text; 0 for the empty text.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let mut tokens = 0;
    let mut run = 0_u64;
    for c in text.chars() {
        if c.is_alphanumeric() {
            run += c.len_utf8() as u64;
        } else {
            tokens += run.div_ceil(5);
            run = 0;
            tokens += u64::from(!c.is_whitespace());
        }
    }
    tokens + run.div_ceil(5)
}

/// The estimated number of tokens of a request's prompt, its constraint included.
#[must_use]
pub fn estimate_prompt(request: &ChatRequest) -> u64 {
    let messages: u64 = request
        .messages
        .iter()
        .map(|message| TOKENS_PER_MESSAGE + estimate_tokens(&message.content))
        .sum();
    messages + constraint_tokens(&request.constraint, estimate_tokens)
}

/// A number of tokens that a call cannot exceed with a byte-level vocabulary, as each token then has at
/// least one byte, unless the server adds a prompt of its own: bytes of the prompt and its constraint, an overhead for each message, and the
/// tokens that the reply may have.
#[must_use]
pub fn upper_bound(request: &ChatRequest) -> u64 {
    let bytes = |text: &str| text.len() as u64;
    let messages: u64 = request
        .messages
        .iter()
        .map(|message| 4 * TOKENS_PER_MESSAGE + bytes(&message.content))
        .sum();
    let around = match request.constraint {
        Constraint::None => 0,
        Constraint::JsonSchema { .. } | Constraint::OneOf(_) => BYTES_AROUND_CONSTRAINT,
    };
    messages
        .saturating_add(around)
        .saturating_add(constraint_tokens(&request.constraint, bytes))
        .saturating_add(u64::from(request.max_tokens))
}

fn constraint_tokens(constraint: &Constraint, count: impl Fn(&str) -> u64) -> u64 {
    match constraint {
        Constraint::None => 0,
        Constraint::JsonSchema { schema, .. } => count(&schema.to_string()),
        Constraint::OneOf(texts) => texts.iter().map(|text| 3 + count(text)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use proptest::prelude::*;

    #[test]
    fn prose_is_about_a_token_a_word() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("who directed the film?"), 1 + 2 + 1 + 1 + 1);
    }

    proptest! {
        #[test]
        fn the_estimate_is_never_above_the_bound(text in "\\PC{0,200}") {
            let request = ChatRequest::new("s", vec![Message::user(text.clone())]);
            let estimate = estimate_prompt(&request) + u64::from(request.max_tokens);
            prop_assert!(estimate <= upper_bound(&request));
        }
    }
}
