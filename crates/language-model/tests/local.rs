//! Does SmolLM2 in this process keep its constraints, and how fast is it?
//!
//! `REFRAIN_LOCAL_MODEL` names its GGUF file, or a directory with it. Without weights there is nothing to ask: the tests then
//! pass, and say aloud that they were skipped. SmolLM2-135M serves to run the code on real weights; what it answers is
//! mostly wrong.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of tests fails by panicking and says what was skipped"
)]

use std::sync::OnceLock;
use std::time::Instant;

use language_model::local::{LocalModel, LocalOptions};
use language_model::weights::{WeightsForm, find_weights};
use language_model::{ChatRequest, Completion, Constraint, FinishReason, LanguageModel, Message};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// The file for which the golden replies hold.
const SMOLLM2: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

fn model() -> Option<&'static LocalModel> {
    static MODEL: OnceLock<Option<LocalModel>> = OnceLock::new();
    let loaded = MODEL.get_or_init(|| {
        let place = std::env::var_os("REFRAIN_LOCAL_MODEL")?;
        let found = find_weights(place).unwrap();
        let file = found.iter().find(|f| f.form == WeightsForm::Gguf).unwrap();
        assert_eq!(file.sha256, SMOLLM2, "the golden replies are SmolLM2's");
        Some(LocalModel::from_file(&file.path, &LocalOptions::default()).unwrap())
    });
    if loaded.is_none() {
        println!("SKIPPED: no weights; set REFRAIN_LOCAL_MODEL to SmolLM2's GGUF file");
    }
    loaded.as_ref()
}

fn request(text: &str) -> ChatRequest {
    ChatRequest::new("test", vec![Message::user(text)])
}

fn constrained(request: ChatRequest, constraint: Constraint) -> ChatRequest {
    ChatRequest {
        constraint,
        ..request
    }
}

fn reply(model: &LocalModel, request: &ChatRequest) -> Completion {
    let mut streamed = String::new();
    let reply = model.complete(request, &mut |piece| streamed.push_str(piece));
    let reply = reply.unwrap();
    assert_eq!(streamed, reply.text);
    reply
}

#[test]
fn it_answers_as_the_model_does() {
    let Some(model) = model() else { return };
    let reply = reply(model, &request("What is the capital of France?"));
    assert_eq!(reply.text, "The capital of France is Paris.");
    assert_eq!(reply.finish, FinishReason::Stop);
    // The system message of its template, the question, and what stands around both.
    assert_eq!(reply.usage.prompt_tokens, 37);
    assert_eq!(reply.usage.completion_tokens, 7);
    assert!(!reply.usage.estimated);
}

#[test]
fn one_of_chooses_by_the_prompt() {
    let Some(model) = model() else { return };
    let texts = ["Berlin", "Paris", "Paris, Texas", "Rome"].map(String::from);
    let asked = request("What is the capital of Italy?");
    let asked = constrained(asked, Constraint::OneOf(texts.to_vec()));
    assert_eq!(reply(model, &asked).text, "Rome");
}

/// 1,000 tries with random prompts, temperatures and enumerations of names as graphs have them.
#[test]
fn nothing_outside_an_enumeration_comes_out_in_1000_tries() {
    let Some(model) = model() else { return };
    let mut runner = TestRunner::deterministic();
    let name = "[a-z]{2,9}(_[a-z]{1,6}){0,2}|[A-Z][a-zé]{1,7}( [A-Z][a-z]{1,5})?|http://[a-z]{1,4}\\.org/[a-z]{1,6}|\\PC{1,5}";
    let texts = proptest::collection::vec(name, 1..12);
    let tries = (texts, "\\PC{0,30}", 0.0_f64..2.0, 0_u64..u64::MAX);
    let mut others = 0;
    for _ in 0..1_000 {
        let (texts, prompt, temperature, seed) = tries.new_tree(&mut runner).unwrap().current();
        let asked = ChatRequest {
            temperature,
            seed: Some(seed),
            ..request(&prompt)
        };
        let asked = constrained(asked, Constraint::OneOf(texts.clone()));
        let found = reply(model, &asked).text;
        assert!(texts.contains(&found), "\"{found}\" is none of {texts:?}");
        others += u32::from(found != texts[0]);
    }
    assert!(
        others > 400,
        "it chooses: {others} of 1,000 were not the first"
    );
}

#[test]
fn json_fits_its_schema() {
    let Some(model) = model() else { return };
    let schema = json!({
        "type": "object", "required": ["title", "year", "genres"], "additionalProperties": false,
        "properties": {
            "title": {"type": "string", "maxLength": 30},
            "year": {"type": "integer", "minimum": 1900, "maximum": 2030},
            "genres": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"enum": ["drama", "comedy", "horror"]}},
        },
    });
    for seed in 0..20 {
        let asked = ChatRequest {
            temperature: 0.1 * f64::from(u8::try_from(seed).unwrap()),
            seed: Some(seed),
            max_tokens: if seed % 2 == 0 { 80 } else { 50 },
            ..request("Describe a film as JSON.")
        };
        let form = Constraint::JsonSchema {
            name: "film".to_owned(),
            schema: schema.clone(),
        };
        let reply = reply(model, &constrained(asked, form));
        let value: Value = serde_json::from_str(&reply.text).unwrap();
        assert!(value["title"].as_str().unwrap().chars().count() <= 30);
        assert!((1900..=2030).contains(&value["year"].as_i64().unwrap()));
        assert!((1..=3).contains(&value["genres"].as_array().unwrap().len()));
        println!("{} ({} tokens)", reply.text, reply.usage.completion_tokens);
    }
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let Some(model) = model() else { return };
    let asked = |seed| ChatRequest {
        temperature: 0.8,
        seed: Some(seed),
        max_tokens: 24,
        ..request("Write a short poem about the sea.")
    };
    let first = reply(model, &asked(3));
    reply(model, &request("What is the capital of France?"));
    assert_eq!(reply(model, &asked(3)), first);
    assert_ne!(reply(model, &asked(4)).text, first.text);
}

/// Prints the speed. One thread, so the processor's time is what the thread took, where the system tells.
#[test]
fn speed_is_reported() {
    let Some(model) = model() else { return };
    let start = Instant::now();
    let now = || cpu_seconds().unwrap_or_else(|| start.elapsed().as_secs_f64());
    let long = "The sea is wide and the boats are small. ".repeat(40);
    let read = ChatRequest {
        max_tokens: 1,
        ..request(&long)
    };
    let (before, reading) = (now(), reply(model, &read));
    let read_s = now() - before;
    let write = ChatRequest {
        max_tokens: 100,
        ..request("Write a long story about a small boat.")
    };
    reply(
        model,
        &ChatRequest {
            max_tokens: 1,
            ..write.clone()
        },
    );
    let (before, writing) = (now(), reply(model, &write));
    let write_s = now() - before;
    let speed = |tokens: u64, seconds: f64| f64::from(u32::try_from(tokens).unwrap()) / seconds;
    println!(
        "SPEED: {:.0} prompt tokens and {:.0} reply tokens a CPU second ({} and {} tokens)",
        speed(reading.usage.prompt_tokens, read_s),
        speed(writing.usage.completion_tokens, write_s),
        reading.usage.prompt_tokens,
        writing.usage.completion_tokens,
    );
}

fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
