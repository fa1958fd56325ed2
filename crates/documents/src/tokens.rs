//! How many tokens is a text, without any model's vocabulary?
//!
//! A deterministic stand-in for word pieces: a run of letters and digits counts one for every six characters begun, an
//! ideograph, kana, hangul syllable or symbol counts one, every other visible character (punctuation) counts one, and
//! whitespace and control characters count none. It does not tell what a certain model would count.

/// Characters of a word that make one token.
const WORD_CHARS_PER_TOKEN: usize = 6;

/// The number of tokens in `text`, in one pass.
///
/// Cutting a text in two never makes the counts of the parts add up to less than that of the whole.
///
/// ```
/// assert_eq!(documents::count_tokens("Heraclitus wrote 1 book."), 2 + 1 + 1 + 1 + 1);
/// assert_eq!(documents::count_tokens("日本語。"), 4);
/// ```
#[must_use]
pub fn count_tokens(text: &str) -> usize {
    let mut counter = TokenCounter::default();
    text.chars().for_each(|c| counter.push(c));
    counter.tokens()
}

/// Counts tokens one character at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenCounter {
    tokens: usize,
    word_chars: usize,
}

impl TokenCounter {
    pub(crate) fn push(&mut self, c: char) {
        match shape(c) {
            Shape::Space => self.word_chars = 0,
            Shape::Single => {
                self.word_chars = 0;
                self.tokens += 1;
            }
            Shape::Word => {
                if self.word_chars.is_multiple_of(WORD_CHARS_PER_TOKEN) {
                    self.tokens += 1;
                }
                self.word_chars += 1;
            }
        }
    }

    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }
}

enum Shape {
    Space,
    Word,
    Single,
}

fn shape(c: char) -> Shape {
    if c.is_ascii() {
        return match c {
            c if c.is_ascii_alphanumeric() => Shape::Word,
            c if c.is_ascii_graphic() => Shape::Single,
            _ => Shape::Space,
        };
    }
    if c.is_whitespace() || c.is_control() {
        Shape::Space
    } else if stands_alone(c) {
        Shape::Single
    } else {
        Shape::Word
    }
}

/// Scripts written without spaces between words, punctuation beyond ASCII, and symbols.
fn stands_alone(c: char) -> bool {
    matches!(u32::from(c),
        0xA1..=0xA9 | 0xAB..=0xB1 | 0xB4..=0xB9 | 0xBB..=0xBF   // Latin-1 punctuation and signs
        | 0x2010..=0x2BFF                                       // punctuation, arrows, signs
        | 0x2E80..=0x303F | 0x3040..=0x30FF | 0x3100..=0x9FFF   // radicals, kana, ideographs
        | 0xA000..=0xA4CF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0xFF00..=0xFFEF | 0xFFFD                              // wide forms, replacement character
        | 0x1F000..=0x3FFFF) // pictographs, further ideographs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_by_length_and_punctuation_by_the_piece() {
        for (text, tokens) in [
            ("", 0),
            (" \n\t", 0),
            ("cat", 1),
            ("twelve", 1),
            ("thirteen", 2),
            ("a, b", 3),
            ("it's", 3),
            ("don\u{2019}t", 3),
            ("straße", 1),
            ("1,024", 3),
            ("日本語", 3),
            ("🙂🙂", 2),
        ] {
            assert_eq!(count_tokens(text), tokens, "{text:?}");
        }
    }
}
