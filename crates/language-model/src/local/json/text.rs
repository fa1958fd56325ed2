//! Which byte may come next within a string? UTF-8 and the escapes of JSON.

use super::{Frame, Taken};

/// Where a string stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextAt {
    /// Between two characters.
    Between,
    /// So many bytes of a character are missing; the next one lies in this range.
    Within { missing: u8, low: u8, high: u8 },
    /// After a backslash.
    Escape,
    /// After `\u` and so many digits, whose value is kept.
    Unicode { digits: u8, value: u16 },
}

/// One byte of a string.
pub(super) fn take(left: Option<usize>, at: TextAt, byte: u8) -> Option<Taken> {
    let on = |left, at| Some(Taken::On(Frame::Text { left, at }));
    let within = |missing, low, high| TextAt::Within { missing, low, high };
    let unicode = |digits, value| TextAt::Unicode { digits, value };
    match at {
        TextAt::Between if byte == b'"' => Some(Taken::Ended),
        TextAt::Between => {
            let left = match left {
                Some(0) => return None,
                Some(n) => Some(n - 1),
                None => None,
            };
            let at = match byte {
                b'\\' => TextAt::Escape,
                0x20..=0x7f => TextAt::Between,
                0xc2..=0xdf => within(1, 0x80, 0xbf),
                0xe0 => within(2, 0xa0, 0xbf),
                0xed => within(2, 0x80, 0x9f),
                0xe1..=0xef => within(2, 0x80, 0xbf),
                0xf0 => within(3, 0x90, 0xbf),
                0xf1..=0xf3 => within(3, 0x80, 0xbf),
                0xf4 => within(3, 0x80, 0x8f),
                _ => return None,
            };
            on(left, at)
        }
        TextAt::Within { missing, low, high } => {
            if !(low..=high).contains(&byte) {
                None
            } else if missing == 1 {
                on(left, TextAt::Between)
            } else {
                on(left, within(missing - 1, 0x80, 0xbf))
            }
        }
        TextAt::Escape => match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => on(left, TextAt::Between),
            b'u' => on(left, unicode(0, 0)),
            _ => None,
        },
        TextAt::Unicode { digits, value } => {
            let digit = u16::try_from(char::from(byte).to_digit(16)?).ok()?;
            let value = value << 4 | digit;
            match digits {
                // Halves of surrogate pairs are no characters; what needs one is written as it is.
                1 if (0xd8..=0xdf).contains(&value) => None,
                3 => on(left, TextAt::Between),
                _ => on(left, unicode(digits + 1, value)),
            }
        }
    }
}

/// The shortest text with which a string ends.
pub(super) fn close(at: TextAt) -> Vec<u8> {
    let rest: &[u8] = match at {
        TextAt::Between => b"",
        TextAt::Within { missing, low, .. } => {
            return [&[low], &[0x80, 0x80][..usize::from(missing) - 1], b"\""].concat();
        }
        TextAt::Escape => b"n",
        TextAt::Unicode { digits, .. } => &b"0020"[usize::from(digits)..],
    };
    [rest, b"\""].concat()
}
