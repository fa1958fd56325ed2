//! Whatever is written after a schema fits it, as an independent check says.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Whether a value fits a schema of the subset, by the words of the specification.
fn fits(value: &Value, schema: &Value) -> bool {
    if let Some(listed) = schema.get("enum") {
        return listed.as_array().unwrap().contains(value);
    }
    let is = |name: &Value| match name.as_str().unwrap() {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "object" => value.is_object(),
        _ => value.is_array(),
    };
    let types = &schema["type"];
    let typed = types
        .as_array()
        .map_or_else(|| is(types), |names| names.iter().any(is));
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    #[expect(clippy::cast_precision_loss, reason = "small counts")]
    let sized = |count: usize, least: &str, most: &str| {
        bound(least).is_none_or(|n| count as f64 >= n)
            && bound(most).is_none_or(|n| count as f64 <= n)
    };
    typed
        && match value {
            Value::String(text) => sized(text.chars().count(), "", "maxLength"),
            Value::Number(number) => {
                let number = number.as_f64().unwrap();
                bound("minimum").is_none_or(|n| number >= n)
                    && bound("maximum").is_none_or(|n| number <= n)
            }
            Value::Array(items) => {
                sized(items.len(), "minItems", "maxItems")
                    && items.iter().all(|item| fits(item, &schema["items"]))
            }
            Value::Object(members) => {
                let required = schema.get("required").and_then(Value::as_array);
                required
                    .into_iter()
                    .flatten()
                    .all(|name| members.contains_key(name.as_str().unwrap()))
                    && members
                        .iter()
                        .all(|(name, value)| fits(value, &schema["properties"][name]))
            }
            Value::Null | Value::Bool(_) => true,
        }
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::option::of(0_u64..6).prop_map(|most| match most {
            Some(most) => json!({"type": "string", "maxLength": most}),
            None => json!({"type": "string", "description": "any"}),
        }),
        (-50_i64..50, 0_i64..1_200).prop_map(
            |(low, width)| json!({"type": "integer", "minimum": low, "maximum": low + width})
        ),
        (-5.0_f64..5.0, 0.001_f64..2.0).prop_map(
            |(low, width)| json!({"type": "number", "minimum": low, "maximum": low + width})
        ),
        Just(json!({"type": "integer"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": ["string", "null"], "maxLength": 3})),
        Just(json!({"type": ["number", "integer", "boolean"]})),
        Just(json!({"enum": [1, 12, 123, -1, "é", "è", "a\"b", "a", null]})),
        prop::collection::vec("[a-cé\"\\\\]{0,4}", 1..6)
            .prop_map(|texts| json!({"type": "string", "enum": texts})),
    ]
}

fn schemas() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0_u64..3, prop::option::of(0_u64..3)).prop_map(
                |(items, least, more)| {
                    let mut schema = json!({"type": "array", "items": items, "minItems": least});
                    if let Some(more) = more {
                        schema["maxItems"] = (least + more).into();
                    }
                    schema
                }
            ),
            (
                prop::collection::btree_map("[a-bé\"]{1,3}", inner, 0..4),
                prop::collection::vec(any::<bool>(), 4)
            )
                .prop_map(|(properties, required)| {
                    let names = properties.keys().rev().zip(required);
                    let required: Vec<&String> =
                        names.filter(|(_, r)| *r).map(|(n, _)| n).collect();
                    json!({
                        "type": "object", "properties": properties, "required": required,
                        "additionalProperties": false,
                    })
                }),
        ]
    })
}

fn begin(schema: &Value) -> Writing {
    Writing::new(Arc::new(Schema::read(schema).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_way_through_the_automaton_can_be_closed_and_then_fits_the_schema(
        schema in schemas(), choices in prop::collection::vec(any::<usize>(), 0..120),
    ) {
        let mut writing = begin(&schema);
        let mut text = Vec::new();
        for choice in choices {
            let allowed: Vec<u8> = (0..=u8::MAX).filter(|byte| writing.clone().write(&[*byte])).collect();
            prop_assert!(!allowed.is_empty() || writing.is_complete());
            prop_assert!(allowed.is_empty() || !writing.is_over());
            if writing.is_complete() {
                let value: Value = serde_json::from_slice(&text).unwrap();
                prop_assert!(fits(&value, &schema), "{value} {schema}");
            } else {
                prop_assert!(!writing.closing().is_empty());
            }
            let Some(byte) = allowed.get(choice % allowed.len().max(1)) else { break };
            prop_assert!(writing.write(&[*byte]));
            text.push(*byte);
        }
        let closing = writing.closing();
        for (written, byte) in closing.iter().enumerate() {
            prop_assert_eq!(writing.closing().len(), closing.len() - written);
            prop_assert!(writing.write(&[*byte]), "{}", String::from_utf8_lossy(&closing));
        }
        prop_assert!(writing.is_complete());
        text.extend(closing);
        let value: Value = serde_json::from_slice(&text).unwrap();
        prop_assert!(fits(&value, &schema), "{value} {schema}");
    }

    #[test]
    fn what_fits_a_schema_of_texts_can_be_written(text in "\\PC{0,12}") {
        let schema = json!({"type": "object", "properties": {"t": {"type": "string", "maxLength": 12}}});
        let mut writing = begin(&schema);
        let text = json!({"t": text}).to_string();
        prop_assert!(writing.write(text.as_bytes()));
        prop_assert!(writing.is_over());
    }
}

#[test]
fn properties_come_in_the_order_of_required_and_the_others_may_be_missing() {
    let schema = json!({
        "type": "object", "required": ["z", "b"],
        "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}, "z": {"type": "null"}},
    });
    let written = |text: &str| {
        let mut writing = begin(&schema);
        writing.write(text.as_bytes()) && writing.is_over()
    };
    assert!(written(r#"{"z":null,"b":null}"#));
    assert!(written(r#"{"z":null,"b":null,"c":null}"#));
    assert!(written(r#"{"z":null,"b":null,"a":null,"c":null}"#));
    assert!(!written(r#"{"z":null}"#));
    assert!(!written(r#"{"b":null,"z":null}"#));
    assert!(!written(r#"{"z":null,"b":null,"c":null,"a":null}"#));
    assert!(!written(r#"{"z":null,"b":null,"b":null}"#));
    assert_eq!(begin(&schema).closing(), br#"{"z":null,"b":null}"#);
}

#[test]
fn halves_of_surrogate_pairs_and_bytes_that_are_no_text_are_not_written() {
    let schema = json!({"type": "string"});
    let written = |text: &[u8]| begin(&schema).write(text);
    assert!(written(br#""\u00e9\n""#));
    assert!(written("\"é𝄞\"".as_bytes()));
    assert!(!written(br#""\ud8"#));
    assert!(!written(b"\"\xff"));
    assert!(!written(b"\"\xe0\x80"));
    assert!(!written(b"\"\xed\xa0"));
    assert!(!written(b"\"\n"));
}

#[test]
fn a_keyword_beyond_the_subset_is_named() {
    let error = |schema: Value| Schema::read(&schema).unwrap_err().to_string();
    let pattern = json!({"type": "array", "items": {"type": "string", "pattern": "a+"}});
    assert!(error(pattern).contains("\"pattern\""));
    assert!(error(json!({"properties": {}})).contains("\"type\""));
    assert!(error(json!({"type": "text"})).contains("\"text\""));
    assert!(error(json!({"type": "object", "required": ["a"]})).contains("\"a\""));
    assert!(error(json!({"type": "integer", "minimum": 3, "maximum": 2})).contains("minimum"));
    assert!(error(json!({"enum": []})).contains("enum"));
    assert!(error(json!({"enum": ["a"], "maxLength": 3})).contains("maxLength"));
    let deep = (0..40).fold(
        json!({"type": "null"}),
        |items, _| json!({"type": "array", "items": items}),
    );
    assert!(error(deep).contains("32 levels"));
}
