//! Which characters are the codes of a font, by its own table (`ToUnicode`)?
//!
//! Reads the parts of a CMap (PDF 32000-1, 9.10.3) that map codes to characters, wherever they stand, and nothing else:
//! what surrounds them differs from program to program.

use std::collections::BTreeMap;

/// Entries that are kept of one table.
const MAX_ENTRIES: usize = 70_000;

/// Code space ranges that are kept.
const MAX_SPACES: usize = 256;

/// Bytes of the characters of one code.
const MAX_TARGET_BYTES: usize = 64;

/// Maps codes of one to four bytes to characters.
#[derive(Debug, Default)]
pub(super) struct CharacterMap {
    /// The lengths, first and last codes of the code space.
    spaces: Vec<(usize, u32, u32)>,
    /// By first code: the last one, and the UTF-16 of the first.
    entries: BTreeMap<u32, (u32, Vec<u16>)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    Hex(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

impl CharacterMap {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut tokens = Tokens { rest: bytes };
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"begincodespacerange") => map.read_spaces(&mut tokens),
                Token::Word(b"beginbfchar") => map.read_characters(&mut tokens),
                Token::Word(b"beginbfrange") => map.read_ranges(&mut tokens),
                Token::Word(_) | Token::Hex(_) | Token::Open | Token::Close => {}
            }
        }
        map
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The characters of `code`.
    pub(super) fn get(&self, code: u32) -> Option<String> {
        let (first, (last, target)) = self.entries.range(..=code).next_back()?;
        if code > *last {
            return None;
        }
        let mut target = target.clone();
        if let Some(unit) = target.last_mut() {
            *unit = unit.wrapping_add(u16::try_from(code - first).unwrap_or(u16::MAX));
        }
        Some(String::from_utf16_lossy(&target))
    }

    /// The characters of all codes in `bytes`; codes outside of the code space have two bytes.
    pub(super) fn text(&self, mut bytes: &[u8]) -> String {
        let mut text = String::new();
        while !bytes.is_empty() {
            let length = self.length(bytes).clamp(1, bytes.len());
            let (code, rest) = bytes.split_at(length);
            if let Some(characters) = self.get(number(code)) {
                text.push_str(&characters);
            }
            bytes = rest;
        }
        text
    }

    fn length(&self, bytes: &[u8]) -> usize {
        let fits = |(length, first, last): &&(usize, u32, u32)| {
            bytes
                .get(..*length)
                .is_some_and(|code| (*first..=*last).contains(&number(code)))
        };
        self.spaces
            .iter()
            .find(fits)
            .map_or(2, |(length, ..)| *length)
    }

    fn read_spaces(&mut self, tokens: &mut Tokens<'_>) {
        while let (Some(Token::Hex(first)), Some(Token::Hex(last))) = (tokens.next(), tokens.next())
        {
            if first.len() == last.len()
                && (1..=4).contains(&first.len())
                && self.spaces.len() < MAX_SPACES
            {
                self.spaces
                    .push((first.len(), number(&first), number(&last)));
            }
            if tokens.at_word() {
                return;
            }
        }
    }

    fn read_characters(&mut self, tokens: &mut Tokens<'_>) {
        while !tokens.at_word() {
            let (Some(Token::Hex(code)), Some(Token::Hex(target))) = (tokens.next(), tokens.next())
            else {
                return;
            };
            self.insert(number(&code), number(&code), &target);
        }
    }

    fn read_ranges(&mut self, tokens: &mut Tokens<'_>) {
        while !tokens.at_word() {
            let (Some(Token::Hex(first)), Some(Token::Hex(last))) = (tokens.next(), tokens.next())
            else {
                return;
            };
            let (first, last) = (number(&first), number(&last));
            match tokens.next() {
                Some(Token::Hex(target)) => self.insert(first, last, &target),
                Some(Token::Open) => {
                    let mut code = first;
                    while let Some(Token::Hex(target)) = tokens.next() {
                        self.insert(code, code, &target);
                        code = code.saturating_add(1);
                    }
                }
                Some(Token::Close | Token::Word(_)) | None => return,
            }
        }
    }

    fn insert(&mut self, first: u32, last: u32, target: &[u8]) {
        if self.entries.len() >= MAX_ENTRIES || target.len() > MAX_TARGET_BYTES {
            return;
        }
        let units = match target {
            [byte] => vec![u16::from(*byte)],
            bytes => bytes
                .chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
                .collect(),
        };
        self.entries.insert(first, (last, units));
    }
}

/// A big-endian number; of more than four bytes, the last four.
fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// Is the next token a word (such as the end of a part), or is there none?
    fn at_word(&self) -> bool {
        let mut ahead = Tokens { rest: self.rest };
        matches!(ahead.next(), Some(Token::Word(_)) | None)
    }

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.rest = self.rest.trim_ascii_start();
            let (first, after) = self.rest.split_first()?;
            match first {
                b'%' => {
                    let end = after
                        .iter()
                        .position(|byte| matches!(byte, b'\n' | b'\r'))
                        .unwrap_or(after.len());
                    self.rest = &after[end..];
                }
                b'[' | b']' => {
                    self.rest = after;
                    return Some(if *first == b'[' {
                        Token::Open
                    } else {
                        Token::Close
                    });
                }
                b'<' if after.first() != Some(&b'<') => {
                    let end = after.iter().position(|byte| *byte == b'>')?;
                    self.rest = &after[end + 1..];
                    return Some(Token::Hex(hexadecimal(&after[..end])));
                }
                b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'\0' => self.rest = after,
                _ => {
                    let ends =
                        |byte: &u8| byte.is_ascii_whitespace() || b"%[]<>(){}\0/".contains(byte);
                    let end = after.iter().position(ends).unwrap_or(after.len()) + 1;
                    let (word, rest) = self.rest.split_at(end);
                    self.rest = rest;
                    return Some(Token::Word(word));
                }
            }
        }
    }
}

/// The bytes that hexadecimal digits stand for; a missing last digit is 0.
fn hexadecimal(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .iter()
        .filter_map(|digit| char::from(*digit).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or_default())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_mapped_one_by_one_and_in_ranges() {
        let map = CharacterMap::parse(
            b"/CIDInit /ProcSet findresource begin begincmap /CMapName /X def % no <00>\n\
              1 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange\n\
              2 beginbfchar <01> <0041> <8001> <D83DDE42> endbfchar\n\
              3 beginbfrange\n<10><12><0061>\n<20> <21> [<00660069> <0078>]\n<8010> <8011> <65E5>\nendbfrange endcmap",
        );
        assert_eq!(
            map.text(b"\x01\x80\x01\x10\x12\x20\x21\x80\x11\x7f"),
            "A🙂acfix\u{65e6}"
        );
        assert_eq!((map.get(0x13), map.get(0)), (None, None));
        for broken in [
            "beginbfchar <",
            "beginbfrange <00> <ffffffff>",
            "beginbfrange <00> <ff> [<00",
            "beginbfchar <> <>",
            "<<<<>>",
        ] {
            let _ = CharacterMap::parse(broken.as_bytes()).text(b"\x00\x01\x02");
        }
    }
}
