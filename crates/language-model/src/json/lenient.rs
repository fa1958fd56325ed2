//! What JSON does a text mean?
//!
//! Models wrap JSON in prose and code fences, leave commas before closing brackets, quote with `'`,
//! write `True` and `None`, put line breaks into strings, and stop before the last bracket. All of
//! that is read; nothing is invented but the closing of what was opened.

use serde_json::{Map, Number, Value};

/// Bytes of text that are looked at.
const MAX_BYTES: usize = 1 << 20;
/// Values within values.
const MAX_DEPTH: usize = 64;
/// Places of the text where JSON is looked for.
const MAX_STARTS: usize = 8;
/// Values of one candidate.
const MAX_VALUES: usize = 100_000;

/// A value that a text may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The value.
    pub value: Value,
    /// False when the text ended within the value and the rest was closed.
    pub complete: bool,
}

/// The JSON values that a text may mean, likeliest first; at most 9, none for a text without JSON. The
/// whole text is the only one if it is JSON, else they are what stands at the first brackets, in order;
/// after one that is not complete come the values within it.
///
/// ```
/// use language_model::json::candidates;
/// use serde_json::json;
///
/// let text = "Sure! ```json\n{'plan': ['a', 'b',], \"done\": True\n```";
/// assert_eq!(candidates(text)[0].value, json!({"plan": ["a", "b"], "done": true}));
/// ```
#[must_use]
pub fn candidates(text: &str) -> Vec<Candidate> {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return vec![Candidate {
            value,
            complete: true,
        }];
    }
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..MAX_STARTS {
        let Some(start) = text[from..].find(['{', '[']) else {
            break;
        };
        let start = from + start;
        let mut reader = Reader::new(&text[start..]);
        from = start + 1;
        if let Some(value) = reader.value(0) {
            if reader.complete {
                from = start + reader.at.max(1);
            }
            found.push(Candidate {
                value,
                complete: reader.complete,
            });
        }
    }
    found
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    complete: bool,
    values: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            complete: true,
            values: 0,
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    /// Whether the text is over here: at its end, or at the fence that closes a block of code.
    fn over(&self) -> bool {
        let rest = &self.text[self.at..];
        rest.is_empty() || rest.starts_with("```")
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' | '\'' | '\u{201c}' => self.string().map(Value::String),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut map = Map::new();
        loop {
            self.skip_space();
            if self.over() {
                self.complete = false;
                return Some(Value::Object(map));
            }
            match self.peek()? {
                '}' => {
                    self.next();
                    return Some(Value::Object(map));
                }
                ',' => {
                    self.next();
                }
                // A bracket too many or of the wrong kind: the object is not to be made sense of.
                ']' => return None,
                _ => {
                    let key = self.key()?;
                    self.skip_space();
                    if self.peek() != Some(':') {
                        if !self.over() {
                            return None;
                        }
                        self.complete = false; // a key whose value never came is left out
                        return Some(Value::Object(map));
                    }
                    self.next();
                    self.skip_space();
                    if self.over() {
                        self.complete = false;
                        return Some(Value::Object(map));
                    }
                    let value = self.value(depth + 1)?;
                    map.insert(key, value);
                }
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.over() {
                self.complete = false;
                return Some(Value::Array(items));
            }
            match self.peek()? {
                ']' => {
                    self.next();
                    return Some(Value::Array(items));
                }
                ',' => {
                    self.next();
                }
                '}' => return None,
                _ => items.push(self.value(depth + 1)?),
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        if matches!(self.peek()?, '"' | '\'' | '\u{201c}') {
            return self.string();
        }
        let word = self.word();
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// Letters, digits and what stands in names and numbers.
    fn word(&mut self) -> &'a str {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|c| c.is_alphanumeric() || "_-+.$".contains(c))
        {
            self.next();
        }
        &self.text[start..self.at]
    }

    fn bare(&mut self) -> Option<Value> {
        match self.word() {
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            "null" | "None" | "NULL" | "undefined" => Some(Value::Null),
            word => {
                let number = word.strip_prefix('+').unwrap_or(word);
                serde_json::from_str::<Number>(number)
                    .ok()
                    .map(Value::Number)
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let open = self.next()?;
        let close = if open == '\u{201c}' { '\u{201d}' } else { open };
        let mut out = String::new();
        loop {
            let Some(c) = self.next() else {
                self.complete = false;
                return Some(out);
            };
            match c {
                c if c == close && self.ends_here(close) => return Some(out),
                '\\' => self.escape(&mut out),
                c => out.push(c),
            }
        }
    }

    /// Whether a quote just read ends its string. An apostrophe within a word does not: `'it's'`.
    fn ends_here(&self, close: char) -> bool {
        close != '\'' || !self.peek().is_some_and(char::is_alphanumeric)
    }

    fn escape(&mut self, out: &mut String) {
        match self.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => out.push(self.code_point()),
            Some(c) => out.push(c),
            None => self.complete = false,
        }
    }

    /// The character of `\uXXXX`, or of a pair of them; U+FFFD for what is no character.
    fn code_point(&mut self) -> char {
        let Some(first) = self.four_digits() else {
            return char::REPLACEMENT_CHARACTER;
        };
        if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            let mark = self.at;
            self.at += 2;
            match self.four_digits() {
                Some(second) if (0xdc00..0xe000).contains(&second) => {
                    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                }
                _ => self.at = mark,
            }
        }
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_models_write_is_read() {
        let cases = [
            ("{\"a\":1}", json!({"a": 1})),
            (
                "Here you are:\n```json\n{\"a\": [1, 2,]}\n```\nAnything else?",
                json!({"a": [1, 2]}),
            ),
            (
                "{'a': 'it's', \"b\": None}",
                json!({"a": "it's", "b": null}),
            ),
            (
                "{a: true, b_c: -1.5e3,}",
                json!({"a": true, "b_c": -1500.0}),
            ),
            ("{\"a\": \"line\nbreak\"}", json!({"a": "line\nbreak"})),
            (
                "{\"a\": \"\\ud83d\\ude00\\u00e9\\q\"}",
                json!({"a": "😀éq"}),
            ),
            ("{\u{201c}a\u{201d}: \u{201c}b\u{201d}}", json!({"a": "b"})),
        ];
        for (text, expected) in cases {
            let found = candidates(text);
            assert_eq!(found[0].value, expected, "{text}");
            assert!(found[0].complete, "{text}");
        }
    }

    #[test]
    fn what_was_cut_is_closed_and_said_to_be() {
        for (text, expected) in [
            ("{\"a\": [1, 2", json!({"a": [1, 2]})),
            ("{\"a\": {\"b\": \"tex", json!({"a": {"b": "tex"}})),
            ("{\"a\": 1, \"b\":", json!({"a": 1})),
            ("{\"a\": 1, \"b", json!({"a": 1})),
        ] {
            let found = candidates(text);
            assert_eq!(found[0].value, expected, "{text}");
            assert!(!found[0].complete, "{text}");
        }
    }

    #[test]
    fn brackets_of_prose_do_not_hide_the_object() {
        let found = candidates("As [1] says, the plan is {\"a\": 1}.");
        let values: Vec<_> = found.into_iter().map(|c| c.value).collect();
        assert_eq!(values, [json!([1]), json!({"a": 1})]);
        assert!(candidates("no JSON here").is_empty());
    }

    #[test]
    fn what_was_cut_comes_before_its_parts() {
        let found = candidates("{\"a\": {\"b\": [1]}, \"c\": 2");
        assert_eq!(found[0].value, json!({"a": {"b": [1]}, "c": 2}));
        assert_eq!(found[1].value, json!({"b": [1]}));
    }

    #[test]
    fn depth_and_size_are_bounded() {
        assert!(candidates(&"[".repeat(100_000)).len() <= 1 + MAX_STARTS);
        assert!(candidates(&"{\"a\":".repeat(50_000)).len() <= 1 + MAX_STARTS);
    }

    proptest! {
        #[test]
        fn no_text_is_too_much(text in "[\\[\\]{}:,'\"\\\\utrn0-9a-f` é]{0,200}") {
            for candidate in candidates(&text) {
                prop_assert!(serde_json::to_string(&candidate.value).is_ok());
            }
        }

        #[test]
        fn json_is_read_as_it_is_wherever_it_stands(key in "[a-z]{1,5}", text in "[^`]{0,20}", n in any::<i64>()) {
            let value = json!({key: [text, n, null, {"x": true}]});
            let found = candidates(&format!("Sure:\n{value}\nDone."));
            prop_assert_eq!(&found[0].value, &value);
        }
    }
}
