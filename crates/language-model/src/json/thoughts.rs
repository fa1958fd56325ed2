//! Where does a reply begin, after a model has thought aloud?
//!
//! Reasoning models whose server does not part thoughts from replies begin with `<think> … </think>`, or,
//! where the chat template has opened it for them, with thoughts and `</think>`. Thoughts are full of drafts
//! and must not be taken for the reply.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The text after the thoughts; all of it when it begins without any, nothing (`None`) when the thoughts
/// never end.
///
/// ```
/// use language_model::json::without_thoughts;
///
/// assert_eq!(without_thoughts("<think>{} or []?</think>\n[1]"), Some("[1]"));
/// assert_eq!(without_thoughts("[1]"), Some("[1]"));
/// assert_eq!(without_thoughts("<think>[1]? Wait"), None);
/// ```
#[must_use]
pub fn without_thoughts(text: &str) -> Option<&str> {
    let begin = text.trim_start();
    match begin.strip_prefix(OPEN) {
        Some(thoughts) => Some(thoughts.split_once(CLOSE)?.1.trim_start()),
        // An end without a beginning, unless the reply itself speaks of such marks.
        None => match text.split_once(CLOSE) {
            Some((thoughts, rest)) if !thoughts.contains(OPEN) => Some(rest.trim_start()),
            Some(_) | None => Some(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_go_with_or_without_their_beginning() {
        let cases = [
            ("<think>\n</think>\n\nyes", Some("yes")),
            (" <think>a</think>b</think>c", Some("b</think>c")),
            ("so it is {}\n</think>\nyes", Some("yes")),
            (
                "{\"a\": \"<think>x</think>\"}",
                Some("{\"a\": \"<think>x</think>\"}"),
            ),
            ("<think>", None),
            ("", Some("")),
        ];
        for (text, expected) in cases {
            assert_eq!(without_thoughts(text), expected, "{text}");
        }
    }
}
