//! What does a web page say?
//!
//! Its visible text in blocks: scripts, styles, templates, drawings, form fields and navigation are dropped, entities decoded, a table
//! gives a line for each row. The page is tokenised as browsers do ([`html5gum`]) but no tree is built, so depth costs
//! nothing and time is linear. Styles are not read: what they hide is text like any other.

use encoding_rs::Encoding;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use crate::text::{Blocks, Extracted, one_line};

/// Bytes at the start of a page in which it may declare its encoding.
const DECLARATION_BYTES: usize = 1024;

/// Open lists whose numbering is followed.
const MAX_LISTS: usize = 32;

/// Reads HTML.
pub(crate) fn read(text: &str) -> Extracted {
    let mut page = Page::default();
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<()> {
        page.event(&event);
        None
    });
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(text, emitter) {
        let Ok(()) = token;
    }
    let title = page.title.map(|title| one_line(&title));
    page.blocks.finish(title)
}

/// The encoding that the page declares in its first bytes.
pub(crate) fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(DECLARATION_BYTES)].to_ascii_lowercase();
    let at = head.windows(8).position(|eight| eight == b"charset=")?;
    let label: Vec<u8> = head[at + 8..]
        .iter()
        .copied()
        .skip_while(|byte| matches!(byte, b'"' | b'\'' | b' '))
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))
        .collect();
    Encoding::for_label(&label)
}

#[derive(Default)]
struct Page {
    blocks: Blocks,
    title: Option<String>,
    in_title: bool,
    /// The element whose content is dropped, and how often it is open inside itself.
    dropped: Option<(&'static str, usize)>,
    preformatted: usize,
    /// The open lists: the number of the next item, if it is a numbered one.
    lists: Vec<Option<u64>>,
    /// Cells so far in the row of a table, while one is open.
    cells: Option<usize>,
}

/// Elements whose content is not what the page says.
const DROPPED: &[&str] = &[
    "script", "style", "template", "nav", "noscript", "svg", "iframe", "object", "canvas",
    "textarea", "select",
];

impl Page {
    fn event(&mut self, event: &CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.start(&String::from_utf8_lossy(name)),
            CallbackEvent::EndTag { name } => self.end(&String::from_utf8_lossy(name)),
            CallbackEvent::String { value } => self.text(&String::from_utf8_lossy(value)),
            CallbackEvent::AttributeName { .. }
            | CallbackEvent::AttributeValue { .. }
            | CallbackEvent::CloseStartTag { .. }
            | CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.dropped.is_some() {
            return;
        }
        match &mut self.title {
            Some(title) if self.in_title => title.push_str(text),
            _ if self.in_title => {}
            _ if self.preformatted > 0 && self.cells.is_none() => self.blocks.push_verbatim(text),
            _ => self.blocks.push(text),
        }
    }

    fn start(&mut self, name: &str) {
        if let Some((dropped, depth)) = &mut self.dropped {
            if name == *dropped {
                *depth += 1;
            }
            // A menu that is never closed must not take the page with it.
            if !(*dropped == "nav" && matches!(name, "main" | "article" | "h1")) {
                return;
            }
            self.dropped = None;
        }
        if let Some(dropped) = DROPPED.iter().find(|dropped| **dropped == name) {
            self.dropped = Some((dropped, 0));
            return;
        }
        match name {
            "title" => {
                self.in_title = self.title.is_none();
                self.title.get_or_insert_default();
            }
            "br" if self.cells.is_some() => self.blocks.push(" "),
            "br" => self.blocks.line_break(),
            "table" => {
                self.end_row();
                self.blocks.apart();
            }
            "tr" => self.start_row(),
            "td" | "th" => self.start_cell(),
            "li" => self.start_item(),
            "ul" | "menu" => self.start_list(None),
            "ol" => self.start_list(Some(1)),
            "pre" => {
                self.boundary();
                self.preformatted += 1;
            }
            _ => self.start_block(name),
        }
    }

    fn start_block(&mut self, name: &str) {
        if let Some(level) = heading_level(name) {
            self.end_row();
            self.blocks.heading(level);
        } else if is_block(name) {
            self.boundary();
        }
    }

    fn end(&mut self, name: &str) {
        if let Some((dropped, depth)) = &mut self.dropped {
            if name == *dropped {
                match depth.checked_sub(1) {
                    Some(less) => *depth = less,
                    None => self.dropped = None,
                }
            }
            return;
        }
        match name {
            "title" => self.in_title = false,
            "tr" | "table" => self.end_row(),
            "pre" => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.boundary();
            }
            "ul" | "ol" | "menu" => {
                self.lists.pop();
                self.boundary();
            }
            _ if heading_level(name).is_some() => self.blocks.end(),
            _ if is_block(name) => self.boundary(),
            _ => {}
        }
    }

    /// The end of a block; inside a table's cell, only a gap.
    fn boundary(&mut self) {
        if self.cells.is_some() {
            self.blocks.push(" ");
        } else {
            self.blocks.end();
        }
    }

    fn start_list(&mut self, number: Option<u64>) {
        self.boundary();
        if self.lists.is_empty() {
            self.blocks.apart();
        }
        if self.lists.len() < MAX_LISTS {
            self.lists.push(number);
        }
    }

    fn start_item(&mut self) {
        if self.cells.is_some() {
            self.blocks.push(" ");
            return;
        }
        let tight = self.blocks.follows_line() || self.lists.len() > 1;
        let prefix = match self.lists.last_mut() {
            Some(Some(number)) => {
                let prefix = format!("{number}. ");
                *number = number.saturating_add(1);
                prefix
            }
            Some(None) | None => "- ".to_owned(),
        };
        self.blocks.line(&prefix, tight);
    }

    fn start_row(&mut self) {
        self.end_row();
        let tight = self.blocks.follows_line();
        self.blocks.line("", tight);
        self.cells = Some(0);
    }

    fn start_cell(&mut self) {
        let cells = self.cells.unwrap_or_default();
        if cells > 0 {
            self.blocks.push(" | ");
        }
        self.cells = Some(cells + 1);
    }

    fn end_row(&mut self) {
        self.blocks.end();
        self.cells = None;
    }
}

fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "p"
            | "search"
            | "section"
            | "summary"
            | "tbody"
            | "tfoot"
            | "thead"
            | "title"
    )
}
