//! Which characters do these bytes stand for?
//!
//! A byte order mark decides; then UTF-16 by its zero bytes; then UTF-8 if the bytes are valid or nearly; then what the
//! file says of itself (HTML's `charset`); then a guess by frequencies ([`chardetng`]). What cannot be decoded becomes
//! U+FFFD. Lines then end with `\n`, form feeds are blank lines, and other control characters are gone.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes that the guess by frequencies looks at.
const MAX_GUESS_BYTES: usize = 1 << 20;

/// Bytes that the look for UTF-16 looks at.
const MAX_SNIFF_BYTES: usize = 4 << 10;

/// Decoded text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// Some bytes could not be decoded.
    pub(crate) replaced: bool,
}

/// Decodes `bytes`; `declared` is what the file says of itself, which only counts when the bytes do not say otherwise.
pub(crate) fn decode(bytes: Vec<u8>, declared: Option<&'static Encoding>) -> Decoded {
    if let Some((encoding, mark)) = Encoding::for_bom(&bytes) {
        return by(encoding, &bytes[mark..]);
    }
    if let Some(encoding) = utf16_by_zeros(&bytes) {
        return by(encoding, &bytes);
    }
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => {
            return Decoded {
                text: clean(text),
                replaced: false,
            };
        }
        Err(error) => error.into_bytes(),
    };
    if nearly_utf8(&bytes) {
        return by(UTF_8, &bytes);
    }
    by(declared.unwrap_or_else(|| guess(&bytes)), &bytes)
}

fn by(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, replaced) = encoding.decode_without_bom_handling(bytes);
    Decoded {
        text: clean(text.into_owned()),
        replaced,
    }
}

/// UTF-16 without a mark: every other byte is zero, as in text of mostly Latin letters.
pub(crate) fn utf16_by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(MAX_SNIFF_BYTES)];
    let pairs = sample.len() / 2;
    if pairs < 2 {
        return None;
    }
    let zeros = |first: usize| {
        sample
            .iter()
            .skip(first)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let most = |zeros: usize| zeros * 10 >= pairs * 7;
    let hardly_any = |zeros: usize| zeros * 20 <= pairs;
    if most(odd) && hardly_any(even) {
        Some(UTF_16LE)
    } else if most(even) && hardly_any(odd) {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// True when far more characters beyond ASCII are valid UTF-8 than are not: a damaged UTF-8 text, not another encoding.
fn nearly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= 4 * invalid
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let sample = &bytes[..bytes.len().min(MAX_GUESS_BYTES)];
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() == bytes.len());
    let guessed = detector.guess(None, chardetng::Utf8Detection::Deny);
    if guessed == UTF_8 {
        WINDOWS_1252
    } else {
        guessed
    }
}

/// Uniform line ends, no control characters. Text that has none already is returned as it is.
pub(crate) fn clean(text: String) -> String {
    let unwanted = |byte: u8| (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f;
    if !text.bytes().any(unwanted) {
        return text;
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    cleaned.push('\n');
                }
            }
            '\u{c}' => cleaned.push_str("\n\n"),
            c if c.is_ascii() && unwanted(c as u8) => {}
            c => cleaned.push(c),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes.to_vec(), None).text
    }

    #[test]
    fn each_encoding_is_recognised() {
        let german =
            "Grüße aus Köln, schöne Straße über den Fluß. Müßig wäre es, größer zu träumen.";
        let utf16: Vec<u8> = german.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16_big: Vec<u8> = german.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let latin1: Vec<u8> = german
            .chars()
            .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"))
            .collect();
        assert_eq!(text(german.as_bytes()), german);
        assert_eq!(text(&[b"\xef\xbb\xbf", german.as_bytes()].concat()), german);
        assert_eq!(text(&utf16), german);
        assert_eq!(text(&utf16_big), german);
        assert_eq!(text(&[b"\xff\xfe", utf16.as_slice()].concat()), german);
        assert_eq!(text(&[b"\xfe\xff", utf16_big.as_slice()].concat()), german);
        assert_eq!(text(&latin1), german);
        let (russian, _, _) =
            encoding_rs::WINDOWS_1251.encode("Привет, мир! Это проверка кодировки текста.");
        assert_eq!(
            text(&russian),
            "Привет, мир! Это проверка кодировки текста."
        );
        let (japanese, _, _) =
            encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。文字コードを調べます。");
        assert_eq!(
            text(&japanese),
            "これは日本語の文章です。文字コードを調べます。"
        );
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let damaged = [("Grüße äöü ".repeat(9)).as_bytes(), b"\xff", "é".as_bytes()].concat();
        let decoded = decode(damaged, None);
        assert!(decoded.replaced);
        assert!(decoded.text.ends_with("\u{fffd}é") && decoded.text.starts_with("Grüße äöü"));
    }

    #[test]
    fn line_ends_are_uniform_and_control_characters_gone() {
        assert_eq!(text(b"a\r\nb\rc\nd\0e\x07f\x0cg"), "a\nb\nc\ndef\n\ng");
    }
}
