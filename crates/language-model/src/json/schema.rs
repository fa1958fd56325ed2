//! Does a JSON value obey a schema?
//!
//! The part of JSON Schema that servers with structured output take, and no more: `type` (one or a list),
//! `properties`, `required`, `additionalProperties` (a boolean or a schema), `enum`, `const`, `items`,
//! `minItems`, `maxItems`, `minLength`, `maxLength`, `minimum`, `maximum` and `anyOf`. `title`, `description`
//! and other words that only annotate are passed by; a word that would restrict and is not in the
//! list (`pattern`, `oneOf`, `$ref`) makes the schema unusable rather than silently weaker.

use serde_json::{Map, Value};

/// Schemas within schemas.
const MAX_DEPTH: usize = 64;

/// Words that restrict nothing.
const ANNOTATIONS: [&str; 7] = [
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$comment",
];

/// Holds a value against a schema.
///
/// # Errors
///
/// What is wrong, for a reader, with the place as a path such as `$.plan[2].predicate`.
///
/// ```
/// use language_model::json::schema::check;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]});
/// assert!(check(&json!({"n": 2}), &schema).is_ok());
/// assert_eq!(check(&json!({"n": 3}), &schema).unwrap_err(), "$.n is not one of the allowed values");
/// assert_eq!(check(&json!({}), &schema).unwrap_err(), "$ lacks \"n\"");
/// ```
pub fn check(value: &Value, schema: &Value) -> Result<(), String> {
    check_at(value, schema, "$", 0)
}

fn check_at(value: &Value, schema: &Value, at: &str, depth: usize) -> Result<(), String> {
    let rules = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(rules) if depth <= MAX_DEPTH => rules,
        Value::Bool(false) => return Err(format!("{at} may not be there")),
        Value::Object(_) => return Err(format!("the schema of {at} is too deep")),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(format!("the schema of {at} is no schema"));
        }
    };
    for (word, rule) in rules {
        one_rule(value, rules, word, rule, at, depth)?;
    }
    Ok(())
}

fn one_rule(
    value: &Value,
    rules: &Map<String, Value>,
    word: &str,
    rule: &Value,
    at: &str,
    depth: usize,
) -> Result<(), String> {
    match word {
        "type" => types(value, rule, at),
        "enum" => {
            let allowed = rule.as_array().is_some_and(|all| all.contains(value));
            holds(allowed, || format!("{at} is not one of the allowed values"))
        }
        "const" => holds(value == rule, || format!("{at} is not the allowed value")),
        "anyOf" => {
            let any = rule.as_array().is_some_and(|all| {
                all.iter()
                    .any(|schema| check_at(value, schema, at, depth + 1).is_ok())
            });
            holds(any, || format!("{at} is none of the forms it may have"))
        }
        "properties" | "required" | "additionalProperties" => {
            value.as_object().map_or(Ok(()), |object| {
                object_rule(object, rules, word, rule, at, depth)
            })
        }
        "items" | "minItems" | "maxItems" => value
            .as_array()
            .map_or(Ok(()), |items| array_rule(items, word, rule, at, depth)),
        "minLength" | "maxLength" => value.as_str().map_or(Ok(()), |text| {
            count(text.chars().count(), word, rule, at, "characters")
        }),
        "minimum" | "maximum" => bound(value, word, rule, at),
        annotation if ANNOTATIONS.contains(&annotation) => Ok(()),
        unknown => Err(format!(
            "the schema of {at} has {unknown:?}, which is not checked here"
        )),
    }
}

fn holds(ok: bool, wrong: impl FnOnce() -> String) -> Result<(), String> {
    if ok { Ok(()) } else { Err(wrong()) }
}

fn types(value: &Value, rule: &Value, at: &str) -> Result<(), String> {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    let ok = match rule {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    holds(ok, || format!("{at} is not of type {rule}"))
}

fn object_rule(
    object: &Map<String, Value>,
    rules: &Map<String, Value>,
    word: &str,
    rule: &Value,
    at: &str,
    depth: usize,
) -> Result<(), String> {
    let listed = rules.get("properties").and_then(Value::as_object);
    match word {
        "properties" => {
            for (name, schema) in rule.as_object().into_iter().flatten() {
                if let Some(value) = object.get(name) {
                    check_at(value, schema, &format!("{at}.{name}"), depth + 1)?;
                }
            }
        }
        "required" => {
            for name in rule.as_array().into_iter().flatten() {
                let name = name.as_str().unwrap_or_default();
                holds(object.contains_key(name), || format!("{at} lacks {name:?}"))?;
            }
        }
        _ => {
            for (name, value) in object {
                if listed.is_none_or(|listed| !listed.contains_key(name)) {
                    check_at(value, rule, &format!("{at}.{name}"), depth + 1)?;
                }
            }
        }
    }
    Ok(())
}

fn array_rule(
    items: &[Value],
    word: &str,
    rule: &Value,
    at: &str,
    depth: usize,
) -> Result<(), String> {
    if word != "items" {
        return count(items.len(), word, rule, at, "items");
    }
    for (n, item) in items.iter().enumerate() {
        check_at(item, rule, &format!("{at}[{n}]"), depth + 1)?;
    }
    Ok(())
}

fn count(found: usize, word: &str, rule: &Value, at: &str, what: &str) -> Result<(), String> {
    let limit = rule.as_u64().unwrap_or(0);
    let found = found as u64;
    if word.starts_with("min") {
        holds(found >= limit, || {
            format!("{at} has {found} {what}, fewer than {limit}")
        })
    } else {
        holds(found <= limit, || {
            format!("{at} has {found} {what}, more than {limit}")
        })
    }
}

fn bound(value: &Value, word: &str, rule: &Value, at: &str) -> Result<(), String> {
    let (Some(found), Some(limit)) = (value.as_f64(), rule.as_f64()) else {
        return Ok(());
    };
    if word == "minimum" {
        holds(found >= limit, || format!("{at} is less than {limit}"))
    } else {
        holds(found <= limit, || format!("{at} is more than {limit}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_word_restricts() {
        let cases = [
            (json!({"type": "object"}), json!({}), json!([])),
            (json!({"type": ["string", "null"]}), json!(null), json!(1)),
            (json!({"type": "integer"}), json!(3), json!(3.5)),
            (json!({"enum": ["a", "b"]}), json!("b"), json!("c")),
            (json!({"const": 1}), json!(1), json!(2)),
            (
                json!({"anyOf": [{"type": "null"}, {"const": 1}]}),
                json!(1),
                json!(2),
            ),
            (
                json!({"properties": {"a": {"type": "null"}}}),
                json!({"b": 1}),
                json!({"a": 1}),
            ),
            (json!({"required": ["a"]}), json!({"a": 1}), json!({"b": 1})),
            (
                json!({"properties": {"a": {}}, "additionalProperties": false}),
                json!({"a": 1}),
                json!({"b": 1}),
            ),
            (
                json!({"additionalProperties": {"type": "null"}}),
                json!({"b": null}),
                json!({"b": 1}),
            ),
            (
                json!({"items": {"type": "null"}}),
                json!([null]),
                json!([null, 1]),
            ),
            (json!({"minItems": 1}), json!([1]), json!([])),
            (json!({"maxItems": 1}), json!([1]), json!([1, 2])),
            (json!({"minLength": 2}), json!("éé"), json!("é")),
            (json!({"maxLength": 1}), json!("é"), json!("éé")),
            (json!({"minimum": 2}), json!(2), json!(1.9)),
            (json!({"maximum": 2}), json!(2), json!(2.1)),
        ];
        for (schema, good, bad) in cases {
            assert_eq!(check(&good, &schema), Ok(()), "{schema}");
            assert!(check(&bad, &schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn a_word_that_would_restrict_but_is_unknown_is_not_passed_by() {
        for schema in [json!({"pattern": "a"}), json!({"$ref": "#/x"}), json!(7)] {
            assert!(check(&json!("b"), &schema).is_err());
        }
        assert!(check(&json!(1), &json!({"title": "t", "description": "d"})).is_ok());
    }

    #[test]
    fn the_place_is_named() {
        let schema = json!({"properties": {"plan": {"items": {"required": ["p"]}}}});
        let wrong = check(&json!({"plan": [{"p": 1}, {}]}), &schema);
        assert_eq!(wrong.unwrap_err(), "$.plan[1] lacks \"p\"");
    }
}
