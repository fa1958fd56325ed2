use super::*;
use crate::Message;

fn request() -> ChatRequest {
    let mut request = ChatRequest::new("s", vec![Message::user("q")]);
    request.constraint = Constraint::OneOf(vec!["a".into()]);
    request.seed = Some(1);
    request
}

#[test]
fn each_refusal_leaves_its_part_out() {
    let mut known = Capabilities::default();
    let refusals = [
        ("unknown field stream_options", "stream_options"),
        ("'response_format' is not supported", "response_format"),
        ("this model does not support tools", "tools"),
        (
            "unsupported parameter: use max_completion_tokens",
            "max_tokens",
        ),
        ("temperature must be 1", "temperature"),
        ("unknown argument seed", "seed"),
    ];
    for (refusal, part) in refusals {
        assert_eq!(known.lower(refusal, &request()), Some(part), "{refusal}");
        assert_eq!(known.lower(refusal, &request()), None, "{refusal}, again");
    }
    assert_eq!(known.structured, StructuredOutput::Prompt);
    let text = serde_json::to_string(&known).unwrap();
    assert_eq!(serde_json::from_str::<Capabilities>(&text).unwrap(), known);
}

#[test]
fn a_refusal_of_something_else_changes_nothing() {
    let mut known = Capabilities::default();
    assert_eq!(known.lower("model not found", &request()), None);
    assert_eq!(known, Capabilities::default());
    let mut free = request();
    free.constraint = Constraint::None;
    assert_eq!(known.lower("response_format", &free), None);
}

#[test]
fn a_prompt_that_is_too_long_is_not_taken_for_a_refusal_of_its_limit() {
    let mut known = Capabilities::default();
    let refusal = "'max_tokens' or 'max_completion_tokens' is too large: 1024. this model's maximum \
                   context length is 512 tokens";
    assert_eq!(known.lower(refusal, &request()), None);
}

/// Two first calls at once were both refused for `response_format`; the second was told that it is
/// refused for good, as the first had already taken note.
#[test]
fn each_of_several_calls_that_are_refused_together_is_told_to_ask_again() {
    let model = OpenAi::new(OpenAiConfig::new("http://x", "m")).unwrap();
    let refuse = |message: &str, asked| {
        let error = ModelError::Rejected {
            endpoint: "http://x".into(),
            model: "m".into(),
            status: 400,
            message: message.into(),
        };
        model.refused(error, &request(), asked).retry()
    };
    let first = model.capabilities();
    for message in ["'response_format' with tools"; 3] {
        assert_eq!(refuse(message, first), crate::RetryAdvice::AtOnce);
        assert_eq!(model.capabilities().structured, StructuredOutput::ToolCall);
    }
    assert_eq!(refuse("no seed", first), crate::RetryAdvice::AtOnce);
    let known = model.capabilities();
    assert_eq!(known.structured, StructuredOutput::ToolCall);
    assert!(!known.seed && known.temperature);
    assert_eq!(refuse("no seed", known), crate::RetryAdvice::Never);
}

#[test]
fn the_message_of_an_error_is_found_in_its_usual_places() {
    let cases = [
        ("{\"error\":{\"message\":\"m\",\"param\":\"p\"}}", "m (p)"),
        ("{\"error\":\"m\"}", "m"),
        ("{\"message\":\"m\",\"object\":\"error\"}", "m"),
        ("Bad Gateway\n", "Bad Gateway"),
        ("[1]", "[1]"),
    ];
    for (body, message) in cases {
        assert_eq!(error_message(body), message, "{body}");
    }
}

#[test]
fn a_key_is_not_shown() {
    let mut config = OpenAiConfig::new("http://x", "m");
    config.api_key = Some(Secret::new("sk-secret\n"));
    config.proxy = Some(Secret::new("http://user:secret@proxy:3128"));
    let model = OpenAi::new(config).unwrap();
    assert!(!format!("{model:?}").contains("secret"));
}
