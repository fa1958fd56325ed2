//! How much of a result fits into the tokens that an agent allows?

use language_model::estimate_tokens;
use serde_json::{Value, json};

/// Tokens of a result, when nothing is said.
pub(crate) const TOKENS: u64 = 2_000;

/// The least that can be asked for: less would hold no answer.
pub(crate) const LEAST_TOKENS: u64 = 100;

/// Longest part of a text that is kept where whole entries do not fit, in characters.
const SHORT_CHARS: usize = 160;

/// Leaves entries of lists away, from the end, until a result fits, and says that it did. Lists are cut in the order of `lists`, one after
/// the other; what is no list stays, and texts that are too long are cut. `kept` tells how many entries of a list are left.
pub(crate) fn fit(mut value: Value, lists: &[&str], most: u64) -> (Value, bool) {
    let mut cut = false;
    for list in lists {
        while tokens(&value) > most {
            let Some(entries) = value[*list].as_array_mut().filter(|all| !all.is_empty()) else {
                break;
            };
            entries.pop();
            cut = true;
            value["truncated"] = json!(true);
        }
    }
    if tokens(&value) > most
        && let Some(fields) = value.as_object_mut()
    {
        for field in fields.values_mut() {
            shorten(field);
        }
        cut = true;
        value["truncated"] = json!(true);
    }
    (value, cut)
}

fn shorten(field: &mut Value) {
    if let Value::String(text) = field
        && text.chars().count() > SHORT_CHARS
    {
        *text = text.chars().take(SHORT_CHARS).chain(['…']).collect();
    }
}

fn tokens(value: &Value) -> u64 {
    estimate_tokens(&value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_away_and_said() {
        let entries: Vec<Value> = (0..200)
            .map(|n| json!({ "n": n, "text": "a b c" }))
            .collect();
        let whole = json!({ "answer": "yes", "citations": entries });
        for most in [LEAST_TOKENS, 500] {
            let (bounded, cut) = fit(whole.clone(), &["citations"], most);
            assert!(cut && tokens(&bounded) <= most, "{most}");
            assert_eq!(bounded["answer"], "yes");
            assert_eq!(bounded["truncated"], true);
            assert_eq!(bounded["citations"][0], whole["citations"][0]);
        }
        let (same, cut) = fit(whole.clone(), &["citations"], 1_000_000);
        assert!(!cut && same == whole);
    }

    #[test]
    fn a_text_that_is_too_long_is_cut() {
        let long = json!({ "answer": "word ".repeat(1_000) });
        let (bounded, cut) = fit(long, &["citations"], LEAST_TOKENS);
        assert!(cut && tokens(&bounded) <= LEAST_TOKENS);
    }
}
