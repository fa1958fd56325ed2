//! Which characters, and how wide, are the bytes that a font shows?

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Encoding, Object};

use super::character_map::CharacterMap;
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
        /// How its codes become characters.
        characters: Characters<'a>,
        /// Widths by glyph, for the glyphs that have one of their own.
        widths: BTreeMap<u32, f32>,
        /// The width of the others.
        usual_width: f32,
    },
}

/// How the codes of a composite font become characters.
pub(super) enum Characters<'a> {
    /// By its own table.
    Map(CharacterMap),
    /// By an encoding with a name.
    Named(Encoding<'a>),
    /// The font does not tell.
    Unknown,
}

impl<'a> Font<'a> {
    /// Reads the font `font`, whose own table of characters is `map`; the parser may expand `max_bytes` for it.
    pub(super) fn new(
        document: &'a Document,
        font: &'a Dictionary,
        map: Option<CharacterMap>,
        max_bytes: usize,
    ) -> Self {
        let map = map.filter(|map| !map.is_empty());
        let subtype = font.get(b"Subtype").and_then(Object::as_name);
        let encoding = || font.get_font_encoding_with_limit(document, max_bytes).ok();
        if subtype.is_ok_and(|name| name == b"Type0") {
            let (widths, usual_width) = composite_widths(document, font);
            let characters = match map.map(Characters::Map) {
                Some(map) => map,
                None => encoding().map_or(Characters::Unknown, Characters::named),
            };
            return Self::Composite {
                characters,
                widths,
                usual_width,
            };
        }
        let encoding = encoding();
        let by_encoding = |byte: u8| {
            let text = encoding.as_ref()?.bytes_to_string(&[byte]).ok()?;
            (!text.contains('\u{fffd}') && !text.is_empty()).then_some(text)
        };
        let latin = |byte: u8| {
            encoding_rs::WINDOWS_1252
                .decode_without_bom_handling(&[byte])
                .0
                .into_owned()
        };
        let characters = (0..=u8::MAX).map(|byte| {
            let by_map = map.as_ref().and_then(|map| map.get(u32::from(byte)));
            by_map
                .or_else(|| by_encoding(byte))
                .unwrap_or_else(|| latin(byte))
        });
        Self::Simple {
            characters: characters.collect(),
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
            Self::Composite { characters, .. } => match characters {
                Characters::Map(map) => map.text(bytes),
                Characters::Named(encoding) => encoding.bytes_to_string(bytes).unwrap_or_default(),
                Characters::Unknown => String::new(),
            },
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

impl<'a> Characters<'a> {
    /// What the parser falls back to for a font that does not tell says nothing about codes of two bytes.
    fn named(encoding: Encoding<'a>) -> Self {
        match encoding {
            Encoding::SimpleEncoding(_) => Self::Named(encoding),
            Encoding::OneByteEncoding(_)
            | Encoding::UnicodeMapEncoding(_)
            | Encoding::Differences(_) => Self::Unknown,
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

fn composite_widths(document: &Document, font: &Dictionary) -> (BTreeMap<u32, f32>, f32) {
    let mut widths = BTreeMap::new();
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
