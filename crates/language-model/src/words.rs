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
    let joined = Joined::of(text);
    (0..joined.len())
        .map(|at| joined.run(at, 1).to_owned())
        .collect()
}

/// The words of a text one behind the other, with one space between, so that a run of them is at hand.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    text: String,
    /// Where each word ends.
    ends: Vec<usize>,
}

impl Joined {
    pub(crate) fn of(text: &str) -> Self {
        let mut word = Word::default();
        if text.is_ascii() {
            word.read(text.chars());
        } else {
            word.read(text.nfkd().filter(|c| !is_combining_mark(*c)));
        }
        word.out
    }

    /// How many words there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where a word starts.
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.ends[before] + 1)
    }

    /// So many words from one on, which must be there.
    pub(crate) fn run(&self, at: usize, count: usize) -> &str {
        &self.text[self.start(at)..self.ends[at + count - 1]]
    }
}

/// The word being read: what stands behind the last that ended.
#[derive(Default)]
struct Word {
    out: Joined,
    last: Option<char>,
    after_apostrophe: bool,
}

impl Word {
    fn read(&mut self, chars: impl Iterator<Item = char>) {
        let mut chars = chars.peekable();
        while let Some(c) = chars.next() {
            if c.is_alphanumeric() {
                let next_is_lower = chars.peek().is_some_and(|next| next.is_lowercase());
                if is_ideograph(c) || self.ends_before(c, next_is_lower) {
                    self.end();
                }
                self.push(c);
                if is_ideograph(c) {
                    self.end();
                }
            } else if is_apostrophe(c) {
                self.end();
                self.after_apostrophe = self.out.len() > 0;
            } else if !c.is_control() || c.is_whitespace() {
                self.end();
                self.after_apostrophe = false;
            }
        }
        self.end();
    }

    /// Whether the case says that a new word starts at `c`: `xV` and the `V` of `XPValue`.
    fn ends_before(&self, c: char, next_is_lower: bool) -> bool {
        let Some(last) = self.last else { return false };
        has_lower_case(c) && (last.is_lowercase() || (has_lower_case(last) && next_is_lower))
    }

    fn push(&mut self, c: char) {
        let out = &mut self.out;
        if out.len() > 0 && out.ends.last() == Some(&out.text.len()) {
            out.text.push(' ');
        }
        if c.is_ascii() {
            out.text.push(c.to_ascii_lowercase());
        } else {
            let lower = c.to_lowercase().filter(|lower| !is_combining_mark(*lower));
            out.text.extend(lower);
        }
        self.last = Some(c);
    }

    fn end(&mut self) {
        let start = self.out.start(self.out.len());
        let word = self.out.text.get(start..).unwrap_or_default();
        if !word.is_empty() {
            let possessive = self.after_apostrophe && word == "s";
            self.after_apostrophe = false;
            if possessive {
                self.out.text.truncate(start.saturating_sub(1));
            } else {
                self.out.ends.push(self.out.text.len());
            }
        }
        self.last = None;
    }
}

/// An upper-case letter; circled and mathematical ones have no lower case and count as digits do.
fn has_lower_case(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_uppercase();
    }
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
