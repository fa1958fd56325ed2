//! What does a web page say?
//!
//! Its visible text in blocks: scripts, styles, templates, drawings, form fields and navigation are dropped, entities decoded, a table
//! gives a line for each row. What an element, or a rule of the page for its class or id, says is not shown is left out, and
//! counted. The page is tokenised as browsers do ([`html5gum`]) but no tree is built, so depth costs nothing and time is linear.

use encoding_rs::Encoding;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use crate::hidden::{Effect, Hidden, is_void};
use crate::style::{Attributes, Sheets, Way};
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
    Extracted {
        hidden_chars: page.hidden_chars,
        ..page.blocks.finish(title)
    }
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
    /// The start tag that is being read, what its attributes say, and the name of the last of them.
    tag: String,
    attributes: Attributes,
    attribute: Vec<u8>,
    sheets: Sheets,
    /// What the tag of the style sheet that is being read said.
    sheet: Attributes,
    /// The part that is not shown, and how it is hidden.
    hidden: Option<(Hidden, Way)>,
    hidden_chars: usize,
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
            CallbackEvent::OpenStartTag { name } => {
                self.tag = String::from_utf8_lossy(name).into_owned();
                self.attributes = Attributes::default();
                self.attribute.clear();
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute = name.to_ascii_lowercase();
                self.attributes.take(&self.attribute, b"");
            }
            CallbackEvent::AttributeValue { value } => {
                self.attributes.take(&self.attribute, value);
            }
            CallbackEvent::CloseStartTag { .. } => {
                let tag = std::mem::take(&mut self.tag);
                self.start_tag(&tag);
            }
            CallbackEvent::EndTag { name } => self.end_tag(&String::from_utf8_lossy(name)),
            CallbackEvent::String { value } => self.text(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((dropped, _)) = self.dropped {
            self.count_hidden(text, dropped == "template");
            if dropped == "style" {
                self.sheets.push(text);
            }
            return;
        }
        if self.hidden.is_some() {
            self.count_hidden(text, true);
            return;
        }
        match &mut self.title {
            Some(title) if self.in_title => title.push_str(text),
            _ if self.in_title => {}
            _ if self.preformatted > 0 && self.cells.is_none() => self.blocks.push_verbatim(text),
            _ => self.blocks.push(text),
        }
    }

    fn count_hidden(&mut self, text: &str, is_text: bool) {
        if is_text {
            self.hidden_chars += text.chars().filter(|c| !c.is_whitespace()).count();
        }
    }

    /// A start tag whose attributes are known.
    fn start_tag(&mut self, name: &str) {
        let attributes = std::mem::take(&mut self.attributes);
        if name == "style" && self.dropped.is_none() {
            self.sheet = attributes;
            self.dropped = Some(("style", 0));
            return;
        }
        if self.dropped.is_none()
            && let Some((_, Way::Size)) = self.hidden
            && self.sheets.sizes(&attributes)
        {
            self.hidden = None;
        }
        if self.dropped.is_none()
            && let Some((hidden, _)) = &mut self.hidden
        {
            match hidden.start(name, is_block(name) || heading_level(name).is_some()) {
                Effect::Inside | Effect::Ends => {
                    // Scripts inside are no text, hidden or not.
                    self.dropped = DROPPED
                        .iter()
                        .find(|dropped| **dropped == name)
                        .map(|dropped| (*dropped, 0));
                    return;
                }
                Effect::EndedBefore => self.hidden = None,
            }
        }
        if self.dropped.is_none()
            && !is_void(name)
            && !DROPPED.contains(&name)
            && let Some(way) = self.sheets.hides(name, &attributes)
        {
            if is_block(name) {
                self.boundary();
            }
            self.hidden = Some((Hidden::new(name), way));
            return;
        }
        self.start(name);
    }

    fn end_tag(&mut self, name: &str) {
        if self.dropped.is_none()
            && let Some((hidden, _)) = &mut self.hidden
        {
            match hidden.end(name, is_block(name)) {
                Effect::Inside => return,
                Effect::Ends => {
                    self.hidden = None;
                    return;
                }
                Effect::EndedBefore => self.hidden = None,
            }
        }
        self.end(name);
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
            if name == "style" && self.dropped.is_none() {
                self.sheets.end(&self.sheet);
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
