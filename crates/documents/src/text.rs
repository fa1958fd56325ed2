//! What does a plain text say? Itself; its title is its name.

use std::borrow::Cow;

use crate::document::Heading;
use crate::encoding::clean;

/// What a reader took out of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Extracted {
    /// The title that the file gives itself.
    pub(crate) title: Option<String>,
    /// Its text, in blocks.
    pub(crate) text: String,
    /// The headings in the text, in order.
    pub(crate) headings: Vec<Heading>,
    /// Characters of text that the file has but does not show, white space apart.
    pub(crate) hidden_chars: usize,
}

impl Extracted {
    /// A text without structure.
    pub(crate) fn plain(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

/// A piece of text without the control characters that references like `&#13;` stand for.
fn unescaped(text: &str) -> Cow<'_, str> {
    if text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    {
        Cow::Owned(clean(text.to_owned()))
    } else {
        Cow::Borrowed(text)
    }
}

/// Builds a text block by block: white space inside a block becomes one space, blank lines go between blocks.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    text: String,
    headings: Vec<Heading>,
    /// Where the open block began, if it has any text.
    open: Option<usize>,
    /// White space that will be one space if text follows in this block.
    space: bool,
    /// The heading's rank, if the open block is one.
    level: Option<u8>,
    /// Put before the next block's text.
    prefix: String,
    /// The next block follows without a blank line.
    tight: bool,
    /// The next block is an item of a list or a row of a table.
    next_is_line: bool,
    /// The open or last block is one.
    is_line: bool,
}

impl Blocks {
    /// Adds running text.
    pub(crate) fn push(&mut self, text: &str) {
        let text = unescaped(text);
        let mut rest = text.as_ref();
        while !rest.is_empty() {
            let word = rest.trim_start();
            self.space |= word.len() < rest.len();
            let end = word.find(char::is_whitespace).unwrap_or(word.len());
            if end == 0 {
                break;
            }
            self.push_word(&word[..end]);
            rest = &word[end..];
        }
    }

    /// Adds text as it is, line breaks and all.
    pub(crate) fn push_verbatim(&mut self, text: &str) {
        let text = unescaped(text);
        if self.open.is_none() {
            if text.trim().is_empty() {
                return;
            }
            self.begin();
            self.text.push_str(text.trim_start_matches('\n'));
        } else {
            self.text.push_str(&text);
        }
        self.space = false;
    }

    /// Adds a line break inside the block.
    pub(crate) fn line_break(&mut self) {
        if self.open.is_some() {
            self.text.push('\n');
        }
        self.space = false;
    }

    fn push_word(&mut self, word: &str) {
        if self.open.is_none() {
            self.begin();
        } else if self.space && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        self.space = false;
        self.text.push_str(word);
    }

    fn begin(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str(if self.tight { "\n" } else { "\n\n" });
        }
        self.tight = false;
        self.is_line = std::mem::take(&mut self.next_is_line);
        self.open = Some(self.text.len());
        let prefix = std::mem::take(&mut self.prefix);
        self.text.push_str(&prefix);
    }

    /// Ends the block; the next text begins a new one.
    pub(crate) fn end(&mut self) {
        if let Some(start) = self.open.take() {
            self.text.truncate(self.text.trim_end().len());
            if let Some(level) = self.level.filter(|_| self.text.len() > start) {
                self.headings.push(Heading {
                    span: start..self.text.len(),
                    level,
                });
            }
        }
        self.space = false;
        self.level = None;
    }

    /// Begins a heading; [`Blocks::end`] ends it.
    pub(crate) fn heading(&mut self, level: u8) {
        self.end();
        self.prefix.clear();
        self.tight = false;
        self.next_is_line = false;
        self.level = Some(level);
    }

    /// Begins a line that belongs to the one before it (an item of a list, a row of a table) and starts with `prefix`.
    pub(crate) fn line(&mut self, prefix: &str, tight: bool) {
        self.end();
        self.prefix = prefix.to_owned();
        self.tight = tight;
        self.next_is_line = true;
    }

    /// Was the last text an item of a list or a row of a table?
    pub(crate) fn follows_line(&self) -> bool {
        self.is_line
    }

    /// What follows does not belong to the lines before it.
    pub(crate) fn apart(&mut self) {
        self.is_line = false;
    }

    /// The text; its title is `title` or, without one, its first heading.
    pub(crate) fn finish(mut self, title: Option<String>) -> Extracted {
        self.end();
        let first = || {
            self.headings
                .first()
                .map(|heading| self.text[heading.span.clone()].to_owned())
        };
        Extracted {
            title: title.filter(|title| !title.is_empty()).or_else(first),
            text: self.text,
            headings: self.headings,
            hidden_chars: 0,
        }
    }
}

/// `text` on one line: white space becomes one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
