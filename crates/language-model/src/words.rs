//! What are the words of a text or identifier?
//!
//! As BERT's uncased tokeniser sees them (lower case, accents stripped, compatibility forms
//! replaced, ideographs alone), except that punctuation only separates and identifiers are split:
//! `film.directed_by`, `hasXPValue` and `width-mm` read as "film directed by", "has xp value",
//! "width mm". The possessive `'s` is dropped.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The words of a text, in order.
///
/// ```
/// use language_model::words::words;
///
/// assert_eq!(words("hasXPValue film.directed_by"), ["has", "xp", "value", "film", "directed", "by"]);
/// assert_eq!(words("Beyoncé's père"), ["beyonce", "pere"]);
/// ```
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = Word::default();
    let mut chars = text.nfkd().filter(|c| !is_combining_mark(*c)).peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() {
            let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
            if is_ideograph(c) || word.ends_before(c, next_is_lower) {
                word.end(&mut out);
            }
            word.push(c);
            if is_ideograph(c) {
                word.end(&mut out);
            }
        } else if is_apostrophe(c) {
            word.end(&mut out);
            word.after_apostrophe = !out.is_empty();
        } else if !c.is_control() || c.is_whitespace() {
            word.end(&mut out);
            word.after_apostrophe = false;
        }
    }
    word.end(&mut out);
    out
}

/// The word being read.
#[derive(Default)]
struct Word {
    text: String,
    last: Option<char>,
    after_apostrophe: bool,
}

impl Word {
    /// Whether the case says that a new word starts at `c`: `xV` and the `V` of `XPValue`.
    fn ends_before(&self, c: char, next_is_lower: bool) -> bool {
        let Some(last) = self.last else { return false };
        has_lower_case(c) && (last.is_lowercase() || (has_lower_case(last) && next_is_lower))
    }

    fn push(&mut self, c: char) {
        self.text
            .extend(c.to_lowercase().filter(|lower| !is_combining_mark(*lower)));
        self.last = Some(c);
    }

    fn end(&mut self, out: &mut Vec<String>) {
        let text = std::mem::take(&mut self.text);
        let possessive = self.after_apostrophe && text == "s";
        if !text.is_empty() {
            self.after_apostrophe = false;
            if !possessive {
                out.push(text);
            }
        }
        self.last = None;
    }
}

/// An upper-case letter; circled and mathematical ones have no lower case and count as digits do.
fn has_lower_case(c: char) -> bool {
    c.is_uppercase() && !c.to_lowercase().eq([c])
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}')
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identifiers_are_split() {
        let cases = [
            ("directed_by", "directed by"),
            ("film.cinematographer.film", "film cinematographer film"),
            ("hasXPValue", "has xp value"),
            ("width_mm", "width mm"),
            ("XMLHttpRequest", "xml http request"),
            ("placeOfBirth", "place of birth"),
            ("rdf-schema#label", "rdf schema label"),
            ("iPhone4S", "i phone4s"),
            ("NASA", "nasa"),
        ];
        for (identifier, expected) in cases {
            assert_eq!(words(identifier).join(" "), expected, "{identifier}");
        }
    }

    #[test]
    fn possessives_and_punctuation_go() {
        assert_eq!(
            words("What's James' father\u{2019}s name, (really)?").join(" "),
            "what james father name really"
        );
        assert_eq!(words("'s"), ["s"]);
        assert_eq!(words("the 's"), ["the"]);
    }

    #[test]
    fn accents_go_and_ideographs_stand_alone() {
        assert_eq!(words("Gödel ÉCOLE"), ["godel", "ecole"]);
        assert_eq!(words("東京tower"), ["東", "京", "tower"]);
        assert_eq!(words("İstanbul"), ["istanbul"]);
        assert!(words(" ?! ").is_empty());
    }

    proptest! {
        #[test]
        fn words_of_words_are_the_same_words(text in "\\PC{0,40}") {
            let once = words(&text);
            let again = words(&once.join(" "));
            prop_assert_eq!(once, again);
        }
    }
}
