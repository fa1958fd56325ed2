//! Which words does a label or an IRI consist of, however it is spelt?
//!
//! [`normalise`] is the one spelling in which labels are stored and looked up: compatibility decomposition, marks
//! stripped, lower case, punctuation turned into single spaces. [`local_words`] reads words out of an IRI.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The spelling under which a label is found: NFKD, accents and vowel points stripped, lower case, punctuation and
/// white space collapsed to single spaces. Letters of all scripts, digits and symbols such as emoji are kept.
///
/// ```
/// assert_eq!(graph_store::normalise("  Amélie — (2001 film)"), "amelie 2001 film");
/// ```
///
/// A text of punctuation alone (there is a film called `$`) keeps its signs.
#[must_use]
pub fn normalise(text: &str) -> String {
    let words = if text.is_ascii() {
        ascii_words(text)
    } else {
        unicode_words(text)
    };
    if words.is_empty() {
        return signs(text);
    }
    words
}

fn ascii_words(text: &str) -> String {
    let mut out = Words::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.letter(char::from(byte.to_ascii_lowercase()));
        } else {
            out.space();
        }
    }
    out.text
}

fn unicode_words(text: &str) -> String {
    let mut out = Words::with_capacity(text.len());
    for letter in text.nfkd() {
        match kind(letter) {
            Kind::Dropped => {}
            Kind::Space => out.space(),
            Kind::Letter => {
                for lower in letter.to_lowercase() {
                    // Lower case may decompose again (İ gives i and a dot above).
                    if !matches!(kind(lower), Kind::Dropped) {
                        out.letter(fold(lower));
                    }
                }
            }
        }
    }
    out.text
}

fn signs(text: &str) -> String {
    let mut out = Words::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_whitespace() || sign.is_control() {
            out.space();
        } else if !matches!(kind(sign), Kind::Dropped) {
            out.letter(sign);
        }
    }
    out.text
}

struct Words {
    text: String,
    gap: bool,
}

impl Words {
    fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            gap: false,
        }
    }

    fn space(&mut self) {
        self.gap = !self.text.is_empty();
    }

    fn letter(&mut self, letter: char) {
        if self.gap {
            self.text.push(' ');
            self.gap = false;
        }
        self.text.push(letter);
    }
}

enum Kind {
    Letter,
    Space,
    Dropped,
}

/// Letters that have no decomposition but are typed in their plain form as often as not.
fn fold(letter: char) -> char {
    match letter {
        'ı' => 'i',
        'ł' => 'l',
        'ø' => 'o',
        'đ' | 'ð' => 'd',
        'ς' => 'σ',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' => 'ي',
        other => other,
    }
}

fn kind(letter: char) -> Kind {
    match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Kind::Letter,
        // Zero-width joiners, direction marks, variation selectors, byte order mark, soft hyphen, tatweel.
        '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{AD}'
        | '\u{640}' => Kind::Dropped,
        // Hebrew points, Arabic vowel signs: written or not at the writer's choice.
        '\u{591}'..='\u{5BD}'
        | '\u{5BF}'
        | '\u{5C1}'..='\u{5C2}'
        | '\u{5C4}'..='\u{5C5}'
        | '\u{5C7}'
        | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}'
        | '\u{670}'
        | '\u{6D6}'..='\u{6ED}' => Kind::Dropped,
        // Marks of Indic and South-East Asian scripts are letters of the word; marks on Latin, Greek, Cyrillic are not.
        mark if is_combining_mark(mark) => {
            if matches!(mark, '\u{900}'..='\u{109F}' | '\u{1700}'..='\u{1AAF}' | '\u{1B00}'..='\u{1CFF}')
            {
                Kind::Letter
            } else {
                Kind::Dropped
            }
        }
        letter if letter.is_alphanumeric() => Kind::Letter,
        letter if letter.is_ascii() || letter.is_whitespace() || letter.is_control() => Kind::Space,
        // Punctuation outside ASCII, by block.
        '\u{A1}'..='\u{BF}'
        | '×'
        | '÷'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205E}'
        | '\u{2E00}'..='\u{2E7F}'
        | '\u{3000}'..='\u{303F}'
        | '\u{30FB}'
        | '\u{2190}'..='\u{21FF}'
        | '\u{5BE}'
        | '\u{5C0}'
        | '\u{5C3}'
        | '\u{5F3}'
        | '\u{5F4}'
        | '\u{60C}'
        | '\u{61B}'
        | '\u{61F}'
        | '\u{66A}'..='\u{66D}'
        | '\u{6D4}'
        | '\u{964}'
        | '\u{965}'
        | '\u{387}'
        | '\u{37E}' => Kind::Space,
        _ => Kind::Letter,
    }
}

/// The words of an IRI's last part, in the writer's case: `…/birthPlace` gives `birth Place`, `…/The_Matrix` gives
/// `The Matrix`, `…/Caf%C3%A9` gives `Café`.
///
/// ```
/// assert_eq!(graph_store::local_words("http://dbpedia.org/ontology/birthPlace"), "birth Place");
/// ```
#[must_use]
pub fn local_words(iri: &str) -> String {
    let name = percent_decoded(local_name(iri));
    let mut out = Words::with_capacity(name.len() + 4);
    let mut letters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        if letter == '_' || letter == '+' || letter.is_whitespace() {
            out.space();
        } else {
            let starts_word = letter.is_uppercase()
                && before.is_some_and(|b| {
                    b.is_lowercase()
                        || (b.is_uppercase()
                            && letters.peek().is_some_and(|next| next.is_lowercase()))
                });
            if starts_word {
                out.space();
            }
            out.letter(letter);
        }
        before = Some(letter);
    }
    out.text
}

/// The part of an IRI after its last `#`, `/` or `:`; the part before when that is empty.
#[must_use]
pub fn local_name(iri: &str) -> &str {
    let trimmed = iri.trim_end_matches(['#', '/', ':']);
    match trimmed.rfind(['#', '/', ':']) {
        Some(at) => &trimmed[at + 1..],
        None => trimmed,
    }
}

fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low).to_le_bytes()[0]);
                at += 3;
            }
            (byte, _, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accents_case_and_punctuation_do_not_matter() {
        for (written, key) in [
            ("Amélie", "amelie"),
            ("AMELIE", "amelie"),
            ("Schindler's  List", "schindler s list"),
            ("WALL·E", "wall e"),
            ("Łódź", "lodz"),
            ("İstanbul", "istanbul"),
            ("ﬁlm ２００１", "film 2001"),
            ("", ""),
            ("--", "--"),
            (" $ ", "$"),
            ("\u{200B}", ""),
        ] {
            assert_eq!(normalise(written), key, "{written}");
        }
    }

    #[test]
    fn scripts_and_emoji_keep_their_letters() {
        for (written, key) in [
            ("القاهِرة، مصر", "القاهرة مصر"),
            ("北京市", "北京市"),
            ("《霸王别姬》", "霸王别姬"),
            ("हिन्दी।", "हिन्दी"),
            ("🎬 film", "🎬 film"),
            ("\u{202B}שָׁלוֹם\u{202C}", "שלום"),
            ("東京・大阪", "東京 大阪"),
        ] {
            assert_eq!(normalise(written), normalise(key), "{written}");
            assert!(!normalise(written).is_empty(), "{written}");
        }
        assert_eq!(normalise("هِند"), "هند");
        assert_eq!(normalise("🎬"), "🎬");
    }

    #[test]
    fn words_are_read_out_of_iris() {
        for (iri, words) in [
            ("http://x/birthPlace", "birth Place"),
            ("http://x#hasHTTPServer", "has HTTP Server"),
            ("http://x/The_Matrix", "The Matrix"),
            ("http://x/Caf%C3%A9_de_Flore", "Café de Flore"),
            ("urn:refrain:Ada%20Lovelace", "Ada Lovelace"),
            ("http://x/Q42", "Q42"),
            ("http://x/list/", "list"),
            ("http://x/%FF", "%FF"),
            ("", ""),
        ] {
            assert_eq!(local_words(iri), words, "{iri}");
        }
    }

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing(text in any::<String>()) {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once.clone());
            prop_assert!(!once.starts_with(' ') && !once.ends_with(' ') && !once.contains("  "));
        }

        #[test]
        fn local_words_never_panics(text in any::<String>()) {
            let _ = local_words(&text);
        }
    }
}
