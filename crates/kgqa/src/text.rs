//! What are the words of a question? Folding and tokens, the same for questions and labels.
//!
//! Both sides are folded alike: compatibility decomposition, combining marks dropped, lower case, every run of letters
//! and digits a token. No language model and no dictionary here.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A run of letters and digits in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The text as written.
    pub text: String,
    /// The folded text.
    pub folded: String,
    /// Byte range in the question.
    pub start: usize,
    /// End of the byte range.
    pub end: usize,
    /// Directly behind an apostrophe, as the `s` of "Nolan's".
    pub after_apostrophe: bool,
    /// Directly behind a hyphen, as the `stars` of "co-stars".
    pub after_hyphen: bool,
    /// A comma, colon, semicolon or bracket stands between this token and the one before.
    pub after_break: bool,
}

impl Token {
    /// Whether the first letter is a capital.
    #[must_use]
    pub fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether the token is the `s` of a possessive.
    #[must_use]
    pub fn is_possessive(&self) -> bool {
        self.after_apostrophe && self.folded == "s"
    }
}

/// Folds a text: compatibility-decomposed, without combining marks, lower case.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Folds a text to its tokens with single spaces between: the form in which labels are looked up.
///
/// ```
/// assert_eq!(kgqa::text::normalise("Alice Doesn't Live—Here"), "alice doesn t live here");
/// assert_eq!(kgqa::text::normalise("Max Ophüls"), "max ophuls");
/// ```
#[must_use]
pub fn normalise(text: &str) -> String {
    let folded = fold(text);
    let mut out = String::with_capacity(folded.len());
    for word in folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
    {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Cuts a question into tokens, at most `limit`; the flag says whether it was longer.
#[must_use]
pub fn tokenise(question: &str, limit: usize) -> (Vec<Token>, bool) {
    let mut tokens = Vec::new();
    let mut start = None;
    let mut before = ' ';
    let mut broken = false;
    let (mut apostrophe, mut hyphen) = (false, false);
    for (at, c) in question.char_indices().chain([(question.len(), ' ')]) {
        let inside = c.is_alphanumeric() || (is_combining_mark(c) && start.is_some());
        match (start, inside) {
            (None, true) => {
                start = Some(at);
                apostrophe = matches!(before, '\'' | '’' | '`');
                hyphen = matches!(before, '-' | '‐' | '‑');
            }
            (Some(from), false) => {
                if tokens.len() == limit {
                    return (tokens, true);
                }
                let text = &question[from..at];
                tokens.push(Token {
                    text: text.to_owned(),
                    folded: normalise(text),
                    start: from,
                    end: at,
                    after_apostrophe: apostrophe,
                    after_hyphen: hyphen,
                    after_break: broken,
                });
                start = None;
                broken = false;
            }
            (None, false) | (Some(_), true) => {}
        }
        if !inside {
            broken |= matches!(c, ',' | ';' | ':' | '(' | ')' | '"' | '“' | '”' | '«' | '»');
        }
        before = c;
    }
    (tokens, false)
}

/// Splits an identifier or a label into lower-case words: at case changes, underscores, dots and spaces.
///
/// ```
/// assert_eq!(kgqa::text::words("directed_by"), ["directed", "by"]);
/// assert_eq!(kgqa::text::words("hasXPValue"), ["has", "xp", "value"]);
/// ```
#[must_use]
pub fn words(identifier: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = identifier.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| chars[j]);
        let after = chars.get(i + 1);
        let turn = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_numeric()
                    || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            });
        if (turn || !c.is_alphanumeric()) && !word.is_empty() {
            out.push(fold(&word));
            word.clear();
        }
        if c.is_alphanumeric() {
            word.push(c);
        }
    }
    if !word.is_empty() {
        out.push(fold(&word));
    }
    out
}

/// The stem of an English word: inflection and the commonest derivations cut off, at least three letters left.
///
/// ```
/// use kgqa::text::stem;
/// assert_eq!(stem("directors"), stem("directed"));
/// assert_eq!(stem("starred"), stem("stars"));
/// assert_eq!(stem("written"), stem("writers"));
/// ```
#[must_use]
pub fn stem(word: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "s", "ing", "ed", "en", "er", "or", "ress", "ion", "ment", "ship",
    ];
    let mut stem = word;
    for _ in 0..2 {
        let Some(shorter) = ENDINGS
            .iter()
            .filter_map(|ending| stem.strip_suffix(ending))
            .filter(|rest| rest.chars().count() >= 3)
            .min_by_key(|rest| rest.len())
        else {
            break;
        };
        stem = shorter;
    }
    let mut ends = stem.chars().rev();
    if let (Some(a), Some(b)) = (ends.next(), ends.next())
        && a == b
        && !matches!(a, 'a' | 'e' | 'i' | 'o' | 'u' | 's' | 'l')
        && stem.chars().count() > 3
    {
        stem = &stem[..stem.len() - a.len_utf8()];
    }
    stem.strip_suffix('e')
        .filter(|rest| rest.chars().count() >= 3)
        .unwrap_or(stem)
}
