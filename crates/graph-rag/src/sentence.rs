//! Where do the sentences of a text begin and end?
//!
//! By rules: an end mark, a space, and then an upper-case letter, a digit or a quotation mark; not after an abbreviation
//! or an initial, not inside parentheses; a line break ends a sentence unless it only wraps a line, and 400 characters do. Rules are for
//! English and its neighbours; nothing is learned.

use std::ops::Range;

/// A sentence is cut after so many characters, at the last space before.
const MAX_CHARS: usize = 400;

/// Parentheses that do not close within so many bytes are not waited for.
const MAX_PARENTHESIS_BYTES: usize = 300;

/// A line that is wrapped has at least so many bytes; shorter ones are lines of a list or a verse.
const WRAPPED_BYTES: usize = 30;

/// Words before a full stop that do not end a sentence, folded.
const ABBREVIATIONS: [&str; 58] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "rev", "hon", "gen", "col", "lt", "capt",
    "sgt", "cmdr", "adm", "gov", "sen", "rep", "pres", "fr", "sir", "mt", "ft", "no", "nos", "vs",
    "etc", "e.g", "i.e", "cf", "al", "ca", "c", "approx", "b", "d", "fl", "inc", "ltd", "co",
    "corp", "dept", "univ", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
    "nov", "dec", "vol",
];

/// The sentences of a text, in order, as byte ranges without surrounding white space. Never empty ones.
///
/// ```
/// let text = "He met Dr. J. Smith (born 1950. Really) in Paris. Then he left.";
/// let sentences: Vec<&str> = graph_rag::sentence::sentences(text).into_iter().map(|s| &text[s]).collect();
/// assert_eq!(sentences, ["He met Dr. J. Smith (born 1950. Really) in Paris.", "Then he left."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = 0;
    let mut space = None;
    let mut closes = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if at < start {
            continue;
        }
        chars += 1;
        if c.is_whitespace() && at > start {
            space = Some(at);
        }
        if (c == '(' || c == '[') && at >= closes {
            closes = closing(text, at);
        }
        let ends = (c == '\n' && !is_wrapped(text, start, at, end))
            || (at >= closes
                && matches!(c, '.' | '!' | '?')
                && ends_sentence(text, start, at, end));
        if ends {
            let end = after_marks(text, end);
            push(text, start..end, &mut out);
            (start, chars, space) = (end, 0, None);
        } else if chars >= MAX_CHARS {
            let end = space.filter(|s| *s > start).unwrap_or(end);
            push(text, start..end, &mut out);
            chars = text[end..text.len().min(at + c.len_utf8())].chars().count();
            (start, space) = (end, None);
        }
    }
    push(text, start..text.len(), &mut out);
    out
}

/// Whether a line break only wraps a line: the text before it is long and does not end, and goes on in lower case.
fn is_wrapped(text: &str, start: usize, at: usize, end: usize) -> bool {
    let before = text[start..at].trim_end();
    let goes_on = text[end..].chars().next().is_some_and(char::is_lowercase);
    goes_on && before.len() >= WRAPPED_BYTES && !before.ends_with(['.', '!', '?', ':', ';'])
}

/// Closing quotation marks and parentheses right behind an end belong to the sentence.
fn after_marks(text: &str, end: usize) -> usize {
    let marks = text[end..].chars().take_while(|c| {
        matches!(
            c,
            '"' | '\u{201d}' | '\u{2019}' | '\'' | ')' | ']' | '.' | '!' | '?'
        )
    });
    end + marks.map(char::len_utf8).sum::<usize>()
}

fn push(text: &str, range: Range<usize>, out: &mut Vec<Range<usize>>) {
    if range.start >= range.end {
        return;
    }
    let piece = &text[range.clone()];
    let trimmed = piece.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        let start = range.start + (piece.len() - piece.trim_start().len());
        out.push(start..start + trimmed.len());
    }
}

/// Behind the parenthesis that closes the one at `open`; `open` itself when none does nearby.
fn closing(text: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return open + at;
                }
            }
            '\n' => return open,
            _ => {}
        }
        if at > MAX_PARENTHESIS_BYTES {
            return open;
        }
    }
    open
}

fn ends_sentence(text: &str, start: usize, at: usize, end: usize) -> bool {
    let rest = &text[after_marks(text, end)..];
    let Some(next) = rest.chars().next() else {
        return true;
    };
    if !next.is_whitespace() {
        return false;
    }
    let follows = rest.trim_start().chars().next();
    let opens = follows.is_none_or(|c| {
        c.is_uppercase()
            || c.is_numeric()
            || matches!(c, '"' | '\'' | '\u{201c}' | '\u{2018}' | '`' | '(' | '[')
            // Scripts without case have no capital to wait for.
            || (c.is_alphabetic() && !c.is_lowercase())
    });
    opens && !(text.as_bytes()[at] == b'.' && is_abbreviation(&text[start..at]))
}

/// Whether what stands before a full stop is an abbreviation or an initial.
fn is_abbreviation(before: &str) -> bool {
    let word_start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || *c == '.')
        .last()
        .map_or(before.len(), |(at, _)| at);
    let word = &before[word_start..];
    let mut chars = word.chars();
    if let (Some(first), None) = (chars.next(), chars.next()) {
        return first.is_uppercase();
    }
    let folded = crate::token::fold(word);
    ABBREVIATIONS.contains(&folded.as_str())
        // Initials written together: `J.R.`, `U.S.`; but `U.S. He` cannot be told from `J.R. Smith`.
        || (word.contains('.') && word.split('.').all(|part| part.chars().count() <= 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|s| &text[s]).collect()
    }

    #[test]
    fn ends_marks_quotes_and_lines_end_sentences() {
        assert_eq!(
            split("One. \"Two!\" Three? 4 is four.\nFive"),
            ["One.", "\"Two!\"", "Three?", "4 is four.", "Five"]
        );
    }

    #[test]
    fn abbreviations_initials_numbers_and_parentheses_do_not() {
        for whole in [
            "St. Maurice's Abbey was there.",
            "J. R. R. Tolkien wrote.",
            "It costs 1.5 Million.",
            "He died (11 Nov. 875. Perhaps) there.",
            "See e.g. Paris.",
        ] {
            assert_eq!(split(whole), [whole]);
        }
    }

    #[test]
    fn a_parenthesis_that_never_closes_does_not_swallow_the_text() {
        let text = "A (b. C is here. D is there.";
        assert!(split(text).len() > 1, "{:?}", split(text));
    }

    #[test]
    fn long_text_is_cut_at_a_space() {
        let text = "word ".repeat(300);
        let parts = split(&text);
        assert!(parts.len() >= 4);
        assert!(
            parts
                .iter()
                .all(|p| p.chars().count() <= MAX_CHARS && p.ends_with("word"))
        );
    }

    proptest! {
        #[test]
        fn nothing_but_space_and_marks_is_lost(text in "[a-zA-Z0-9é .!?()\"\n]{0,900}") {
            let parts = sentences(&text);
            let mut last = 0;
            for part in &parts {
                prop_assert!(part.start >= last && part.end > part.start);
                prop_assert!(text[part.clone()].chars().count() <= MAX_CHARS + 1);
                last = part.end;
            }
            let letters = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).count();
            let kept: usize = parts.iter().map(|p| letters(&text[p.clone()])).sum();
            prop_assert_eq!(kept, letters(&text));
        }
    }
}
