//! Where does a sentence end?
//!
//! By rule: terminal punctuation, closing quotes, white space, and then an upper-case letter, a digit, a quote or a letter
//! of a script without cases; not after an abbreviation or initial, and not inside brackets. CJK full stops need no space.
//! A blank line, a list item and a row of a table end a sentence too. A sentence never has more than a given number of
//! characters: a longer one is cut, at white space if there is any. (Rules for passages of evidence, where little is lost
//! by a cut in the wrong place; they do not parse.)
//!
//! One pass: no character is looked at more than a fixed number of times, whatever the text.

use std::ops::Range;

use crate::abbreviation::is_abbreviated;

/// Characters that a sentence may have unless told otherwise.
pub const MAX_SENTENCE_CHARS: usize = 400;

/// White space that is looked over for what follows it; more of it ends the sentence.
const MAX_GAP_CHARS: usize = 64;

/// The sentences of `text` with at most [`MAX_SENTENCE_CHARS`] characters each, as byte ranges in order, without the white
/// space around them. Everything else of the text is in one of them.
///
/// ```
/// let text = "Dr. Who left (at 5 p.m. Sharp!) for Mars. Nobody followed.";
/// let sentences: Vec<&str> = documents::sentences(text).map(|span| &text[span]).collect();
/// assert_eq!(sentences, ["Dr. Who left (at 5 p.m. Sharp!) for Mars.", "Nobody followed."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Sentences<'_> {
    Sentences::new(text, MAX_SENTENCE_CHARS)
}

/// Iterator over sentences; see [`sentences`].
#[derive(Clone, Debug)]
pub struct Sentences<'a> {
    text: &'a str,
    at: usize,
    max_chars: usize,
}

impl<'a> Sentences<'a> {
    pub(crate) fn new(text: &'a str, max_chars: usize) -> Self {
        Self {
            text,
            at: 0,
            max_chars: max_chars.max(1),
        }
    }
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        if start == self.text.len() {
            self.at = start;
            return None;
        }
        let end = Scan::new(self.text, start).end(self.max_chars);
        self.at = end;
        Some(start..start + self.text[start..end].trim_end().len())
    }
}

/// What is known of the sentence that is being read.
struct Scan<'a> {
    text: &'a str,
    start: usize,
    /// Open brackets.
    depth: usize,
    /// The line that is being read looks like a row of a table.
    row: bool,
    /// The last white space.
    space: Option<usize>,
    /// The last end that a bracket kept from being one: if the bracket is never closed, it is one after all.
    bracketed: Option<usize>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, start: usize) -> Self {
        Self {
            text,
            start,
            depth: 0,
            row: false,
            space: None,
            bracketed: None,
        }
    }

    /// The end of the sentence that begins at `start`.
    fn end(mut self, max_chars: usize) -> usize {
        let mut at = self.start;
        let mut chars = 0;
        while let Some(c) = self.text[at..].chars().next() {
            if chars == max_chars {
                return self.bracketed.or(self.space).unwrap_or(at);
            }
            let mut next = at + c.len_utf8();
            match c {
                '\n' if self.line_ends_sentence(next) => return at,
                '\n' => {
                    self.row = false;
                    self.space = Some(at);
                }
                '(' | '[' | '（' => self.depth += 1,
                ')' | ']' | '）' => self.depth = self.depth.saturating_sub(1),
                '|' => self.row = true,
                '\t' => {
                    self.row = true;
                    self.space = Some(at);
                }
                c if is_terminal(c) => {
                    let end = self.over_closing(next, max_chars - chars - 1);
                    if self.ends_sentence(at, end, is_wide_stop(c)) {
                        if self.depth == 0 {
                            return end;
                        }
                        self.bracketed = Some(end);
                    }
                    chars += self.text[next..end].chars().count();
                    next = end;
                }
                c if c.is_whitespace() => self.space = Some(at),
                _ => {}
            }
            chars += 1;
            at = next;
        }
        self.text.len()
    }

    /// Past further terminal punctuation and closing quotes and brackets, at most `max_chars` of them.
    fn over_closing(&mut self, from: usize, max_chars: usize) -> usize {
        let mut end = from;
        for c in self.text[from..].chars().take(max_chars.min(MAX_GAP_CHARS)) {
            match c {
                ')' | ']' | '）' => self.depth = self.depth.saturating_sub(1),
                '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '*' | '_' => {}
                c if is_terminal(c) => {}
                _ => break,
            }
            end += c.len_utf8();
        }
        end
    }

    /// Does the punctuation at `stop..end` end the sentence, brackets aside?
    fn ends_sentence(&self, stop: usize, end: usize, wide: bool) -> bool {
        if wide {
            return true;
        }
        let rest = &self.text[end..];
        let mut gap = 0;
        let mut lines = 0;
        for c in rest
            .chars()
            .take(MAX_GAP_CHARS)
            .take_while(|c| c.is_whitespace())
        {
            gap += c.len_utf8();
            lines += usize::from(c == '\n');
        }
        let Some(first) = rest[gap..].chars().next() else {
            return true;
        };
        if gap == 0 {
            return false;
        }
        if lines > 1 || first.is_whitespace() {
            return true;
        }
        if !begins_sentence(first) {
            return false;
        }
        let only_stop = &self.text[stop..end] == ".";
        !(only_stop && is_abbreviated(&self.text[self.start..stop], &rest[gap..]))
    }

    /// Does the line break before `next` end the sentence?
    fn line_ends_sentence(&self, next: usize) -> bool {
        if self.row {
            return true;
        }
        let mut rest = self.text[next..].char_indices();
        let first = rest
            .by_ref()
            .take(MAX_GAP_CHARS)
            .find(|(_, c)| *c == '\n' || !c.is_whitespace());
        let Some((at, first)) = first else {
            return true;
        };
        let line = &self.text[next + at..];
        match first {
            '\n' => true,
            '-' | '*' | '+' | '•' | '·' | '–' | '#' | '|' => {
                line[first.len_utf8()..].starts_with([' ', '\t', '#'])
            }
            c if c.is_ascii_digit() => {
                let digits = line.bytes().take(4).take_while(u8::is_ascii_digit).count();
                digits < 4
                    && [". ", ") "]
                        .iter()
                        .any(|after| line[digits..].starts_with(after))
            }
            _ => false,
        }
    }
}

fn is_terminal(c: char) -> bool {
    matches!(
        c,
        '.' | '!' | '?' | '…' | '।' | '॥' | '؟' | '۔' | '։' | '።' | '។'
    ) || is_wide_stop(c)
}

/// Full stops of scripts that put no space after them.
fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '．')
}

fn begins_sentence(c: char) -> bool {
    (c.is_alphabetic() && !c.is_lowercase())
        || c.is_numeric()
        || matches!(
            c,
            '"' | '\'' | '“' | '‘' | '«' | '„' | '‚' | '¿' | '¡' | '「' | '『'
        )
}

#[cfg(test)]
mod tests;
