//! Which characters, and how wide, are the bytes that a font shows?

use lopdf::{Dictionary, Document, Encoding, Object};

use super::dictionary;

/// Width of a glyph, in thousandths of the font's size, where the font does not say.
const USUAL_WIDTH: f32 = 500.0;

/// Glyphs of one font whose widths are kept.
const MAX_WIDTHS: usize = 65_536;

/// A font, as far as reading text needs it.
pub(super) enum Font<'a> {
    /// One byte a glyph.
    Simple {
        /// The characters of each byte.
        characters: Vec<String>,
        /// The width of each byte's glyph.
        widths: Vec<f32>,
    },
    /// Two bytes a glyph.
    Composite {
        /// How bytes become characters; `None` when the font does not tell.
        encoding: Option<Encoding<'a>>,
        /// Widths by glyph, for the glyphs that have one of their own.
        widths: std::collections::BTreeMap<u32, f32>,
        /// The width of the others.
        usual_width: f32,
    },
}

impl<'a> Font<'a> {
    /// Reads the font `font`; what it compresses may expand to `max_bytes`.
    pub(super) fn new(document: &'a Document, font: &'a Dictionary, max_bytes: usize) -> Self {
        let to_unicode = to_unicode(document, font, max_bytes);
        let composite = font
            .get(b"Subtype")
            .and_then(Object::as_name)
            .is_ok_and(|name| name == b"Type0");
        if composite {
            let encoding =
                to_unicode.or_else(|| font.get_font_encoding_with_limit(document, max_bytes).ok());
            let (widths, usual_width) = composite_widths(document, font);
            return Self::Composite {
                encoding,
                widths,
                usual_width,
            };
        }
        let base = font.get_font_encoding_with_limit(document, max_bytes).ok();
        let characters = (0..=u8::MAX)
            .map(|byte| {
                let by = |encoding: &Option<Encoding<'_>>| {
                    let text = encoding.as_ref()?.bytes_to_string(&[byte]).ok()?;
                    (!text.contains('\u{fffd}') && !text.is_empty()).then_some(text)
                };
                let latin = || {
                    encoding_rs::WINDOWS_1252
                        .decode_without_bom_handling(&[byte])
                        .0
                        .into_owned()
                };
                by(&to_unicode).or_else(|| by(&base)).unwrap_or_else(latin)
            })
            .collect();
        Self::Simple {
            characters,
            widths: simple_widths(document, font),
        }
    }

    /// The characters of `bytes`.
    pub(super) fn text(&self, bytes: &[u8]) -> String {
        match self {
            Self::Simple { characters, .. } => bytes
                .iter()
                .filter_map(|byte| characters.get(usize::from(*byte)))
                .map(String::as_str)
                .collect(),
            Self::Composite { encoding, .. } => encoding
                .as_ref()
                .and_then(|encoding| encoding.bytes_to_string(bytes).ok())
                .unwrap_or_default(),
        }
    }

    /// The width of what `bytes` show in thousandths of the font's size, the number of glyphs, and of single-byte spaces.
    pub(super) fn extent(&self, bytes: &[u8]) -> (f32, usize, usize) {
        match self {
            Self::Simple { widths, .. } => {
                let width = bytes
                    .iter()
                    .filter_map(|byte| widths.get(usize::from(*byte)))
                    .sum();
                (
                    width,
                    bytes.len(),
                    bytes.iter().filter(|byte| **byte == b' ').count(),
                )
            }
            Self::Composite {
                widths,
                usual_width,
                ..
            } => {
                let glyphs = bytes.chunks(2).map(|pair| {
                    pair.iter()
                        .fold(0, |code, byte| code << 8 | u32::from(*byte))
                });
                let width = glyphs
                    .map(|glyph| widths.get(&glyph).unwrap_or(usual_width))
                    .sum();
                (width, bytes.len().div_ceil(2), 0)
            }
        }
    }
}

/// The font's own table of characters. It is asked for through a font that has nothing else, because the parser prefers
/// the encoding, which says less.
fn to_unicode(
    document: &Document,
    font: &Dictionary,
    max_bytes: usize,
) -> Option<Encoding<'static>> {
    let mut bare = Dictionary::new();
    bare.set("Type", Object::Name(b"Font".to_vec()));
    bare.set("ToUnicode", font.get(b"ToUnicode").ok()?.clone());
    match bare
        .get_font_encoding_with_limit(document, max_bytes)
        .ok()?
    {
        Encoding::UnicodeMapEncoding(map) => Some(Encoding::UnicodeMapEncoding(map)),
        Encoding::OneByteEncoding(_) | Encoding::SimpleEncoding(_) | Encoding::Differences(_) => {
            None
        }
    }
}

fn number(document: &Document, object: &Object) -> Option<f32> {
    document.dereference(object).ok()?.1.as_float().ok()
}

fn array<'a>(
    document: &'a Document,
    dictionary: &'a Dictionary,
    key: &[u8],
) -> Option<&'a [Object]> {
    let (_, object) = document.dereference(dictionary.get(key).ok()?).ok()?;
    object.as_array().ok().map(Vec::as_slice)
}

fn simple_widths(document: &Document, font: &Dictionary) -> Vec<f32> {
    let mut all = vec![USUAL_WIDTH; 256];
    let first = font
        .get(b"FirstChar")
        .ok()
        .and_then(|object| document.dereference(object).ok()?.1.as_i64().ok());
    let first = first
        .and_then(|first| usize::try_from(first).ok())
        .unwrap_or_default();
    for (place, object) in all
        .iter_mut()
        .skip(first)
        .zip(array(document, font, b"Widths").unwrap_or_default())
    {
        if let Some(width) = number(document, object).filter(|width| *width > 0.0) {
            *place = width;
        }
    }
    all
}

fn composite_widths(
    document: &Document,
    font: &Dictionary,
) -> (std::collections::BTreeMap<u32, f32>, f32) {
    let mut widths = std::collections::BTreeMap::new();
    let descendant = array(document, font, b"DescendantFonts")
        .and_then(|fonts| fonts.first())
        .and_then(|font| dictionary(document, font));
    let Some(descendant) = descendant else {
        return (widths, 1_000.0);
    };
    let usual = descendant
        .get(b"DW")
        .ok()
        .and_then(|object| number(document, object))
        .unwrap_or(1_000.0);
    let code = |object: &Object| {
        object
            .as_i64()
            .ok()
            .and_then(|code| u32::try_from(code).ok())
    };
    let mut rest = array(document, descendant, b"W").unwrap_or_default();
    while let [first, second, after @ ..] = rest {
        let Some(first) = code(first) else { break };
        let list = document
            .dereference(second)
            .ok()
            .and_then(|(_, object)| object.as_array().ok());
        if let Some(list) = list {
            for (glyph, width) in (first..).zip(list) {
                if let Some(width) = number(document, width) {
                    widths.insert(glyph, width);
                }
            }
            rest = after;
        } else {
            let (Some(last), [width, after @ ..]) = (code(second), after) else {
                break;
            };
            let width = number(document, width).unwrap_or(usual);
            let room = MAX_WIDTHS.saturating_sub(widths.len());
            widths.extend((first..=last).take(room).map(|glyph| (glyph, width)));
            rest = after;
        }
        if widths.len() >= MAX_WIDTHS {
            break;
        }
    }
    (widths, usual)
}
