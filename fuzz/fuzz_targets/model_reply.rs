//! Can a model's reply break its reader? Reading never panics, what is read is JSON, JSON is read as it is, and what a
//! constraint lets through obeys it.
//!
//! The first line is the schema, the rest the reply.
#![no_main]

use language_model::json::{candidates, schema, without_thoughts};
use language_model::{ChatRequest, Constraint, LanguageModel, Message, Scripted, Structured, no_stream};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// Equal but for the last digits of fractions, which serde_json prints and reads back within one unit.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() && b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            (a - b).abs() <= a.abs() * 1e-12
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && alike(a, b))
        }
        _ => a == b,
    }
}

fuzz_target!(|text: &str| {
    let (first, reply) = text.split_once('\n').unwrap_or(("{}", text));
    let found = candidates(reply);
    assert!(found.len() <= 8);
    for candidate in &found {
        let printed = candidate.value.to_string();
        let again = candidates(&printed);
        assert!(again.len() == 1 && again[0].complete && alike(&again[0].value, &candidate.value));
    }
    if let Ok(value) = serde_json::from_str::<Value>(reply.trim()) {
        assert!(found.len() == 1 && found[0].complete && found[0].value == value);
    }
    assert!(without_thoughts(reply).is_none_or(|rest| reply.ends_with(rest)));

    let rules = serde_json::from_str(first).unwrap_or(Value::Bool(true));
    let choices = first.split(',').map(str::to_owned).collect();
    for constraint in [
        Constraint::JsonSchema { name: "fuzz".into(), schema: rules.clone() },
        Constraint::OneOf(choices),
    ] {
        let model = Structured::new(Scripted::replies([reply, reply]));
        let mut request = ChatRequest::new("fuzz", vec![Message::user("q")]);
        request.constraint = constraint;
        let Ok(completion) = model.complete(&request, &mut no_stream) else { continue };
        match request.constraint {
            Constraint::OneOf(choices) => assert!(choices.contains(&completion.text)),
            _ => {
                let value: Value = serde_json::from_str(&completion.text).expect("compact JSON");
                let exact = value.to_string() == completion.text;
                assert!(!exact || schema::check(&value, &rules).is_ok());
            }
        }
    }
});
