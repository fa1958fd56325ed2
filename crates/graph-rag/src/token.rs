//! What are the words of a text, where do they lie, and when are two the same word?
//!
//! Words are runs of letters and digits with inner apostrophes, hyphens and dots. Two are the same when they fold
//! alike: lower case, no accents, one kind of apostrophe, the possessive `'s` apart. It does not know any language.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A word and where it lies, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token<'_> {
    /// Whether it starts with an upper-case letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether it starts with a digit.
    pub(crate) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Its end without a possessive `'s`.
    pub(crate) fn end_without_possessive(&self) -> usize {
        self.start + self.text.len() - possessive_bytes(self.text)
    }
}

/// The words of a text, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::with_capacity(text.len() / 5);
    let mut chars = text.char_indices().peekable();
    let mut start: Option<usize> = None;
    // Where the run since the last joiner began, to tell the initials of `U.S.A` from the end of a sentence.
    let mut run = 0;
    let mut last = ' ';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        if is_word(c) || (start.is_some() && is_combining_mark(c)) {
            if start.is_none() {
                start = Some(at);
                run = at;
            }
        } else if let Some(from) = start {
            if joins(c, last, next, at - run) {
                run = at + c.len_utf8();
            } else {
                out.push(token(text, from, at));
                start = None;
            }
        }
        last = c;
    }
    if let Some(from) = start {
        out.push(token(text, from, text.len()));
    }
    out
}

fn token(text: &str, start: usize, end: usize) -> Token<'_> {
    Token {
        text: &text[start..end],
        start,
        end,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric()
}

fn joins(c: char, last: char, next: char, run_bytes: usize) -> bool {
    if !(is_word(last) && is_word(next)) {
        return false;
    }
    match c {
        '\'' | '\u{2019}' | '\u{2bc}' | '-' => true,
        '.' => (last.is_ascii_digit() && next.is_ascii_digit()) || run_bytes == last.len_utf8(),
        ',' => last.is_ascii_digit() && next.is_ascii_digit(),
        _ => false,
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}')
}

/// How many bytes of a word are its possessive ending.
fn possessive_bytes(word: &str) -> usize {
    let mut chars = word.chars().rev();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('s' | 'S'), Some(mark), Some(_)) if is_apostrophe(mark) => 1 + mark.len_utf8(),
        _ => 0,
    }
}

/// The letters and digits of a text by which it is compared: lower case, without accents, one kind of apostrophe.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c))
        .map(|c| if is_apostrophe(c) { '\'' } else { c })
        .collect()
}

/// One unit of the encoded text: a word without its possessive, or the possessive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) encoded: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A text whose words are folded and each fenced by two control characters, so that a search for an encoded name finds
/// whole words only.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Encoded {
    pub(crate) text: String,
    pub(crate) units: Vec<Unit>,
}

impl Encoded {
    pub(crate) fn new(text: &str) -> Self {
        Self::of(&tokens(text))
    }

    pub(crate) fn of(tokens: &[Token<'_>]) -> Self {
        let mut encoded = Self::default();
        for token in tokens {
            let stem = token.end_without_possessive();
            let folded = fold(&token.text[..stem - token.start]);
            encoded.push(&folded, token.start, stem);
            if stem < token.end {
                encoded.push("'s", stem, token.end);
            }
        }
        encoded
    }

    fn push(&mut self, folded: &str, start: usize, end: usize) {
        self.units.push(Unit {
            encoded: self.text.len(),
            start,
            end,
        });
        self.text.push('\u{1}');
        self.text.push_str(folded);
        self.text.push('\u{2}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|t| t.text).collect()
    }

    #[test]
    fn words_keep_inner_marks_and_lose_outer_ones() {
        assert_eq!(
            texts("O'Brien's U.S. lay-abbot, 1.355 (end).Next"),
            ["O'Brien's", "U.S", "lay-abbot", "1.355", "end", "Next"]
        );
        assert_eq!(texts("1990–1995 AC/DC"), ["1990", "1995", "AC", "DC"]);
    }

    #[test]
    fn names_fold_alike_whatever_case_accents_and_apostrophes() {
        let same = |a: &str, b: &str| assert_eq!(Encoded::new(a).text, Encoded::new(b).text);
        same("God\u{2019}S  Gift To Women", "god's gift to women");
        same("Édith  Piaf", "EDITH PIAF");
    }

    #[test]
    fn an_encoded_name_is_found_as_whole_words_and_without_the_possessive() {
        let question = "When did Lothair Ii's mother die?";
        let text = Encoded::new(question);
        let name = Encoded::new("Lothair II").text;
        let at = text.text.find(&name).unwrap();
        let inside: Vec<&Unit> = text
            .units
            .iter()
            .filter(|unit| (at..at + name.len()).contains(&unit.encoded))
            .collect();
        assert_eq!(&question[inside[0].start..inside[1].end], "Lothair Ii");
        assert!(
            !Encoded::new("Annabel")
                .text
                .contains(&Encoded::new("Anna").text)
        );
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_inside_any_text(text in "\\PC{0,60}") {
            let mut last = 0;
            for token in tokens(&text) {
                prop_assert!(token.start >= last && token.end > token.start);
                prop_assert_eq!(&text[token.start..token.end], token.text);
                prop_assert!(token.end_without_possessive() > token.start);
                last = token.end;
            }
            let _ = Encoded::new(&text);
        }
    }
}
