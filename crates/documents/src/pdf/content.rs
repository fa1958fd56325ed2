//! Which text does a page draw, and where?
//!
//! The operators of a content stream that move or show text (PDF 32000-1, 9.4), and those that change where the page is
//! (8.4.4); forms that the page draws are read too.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::font::Font;
use super::layout::{Layout, Place};
use super::{damaged, dictionary, too_large};
use crate::error::SkipReason;
use crate::limits::Limits;

/// Forms inside forms that are followed.
const MAX_FORM_DEPTH: usize = 8;

/// Saved graphics states.
const MAX_SAVED: usize = 512;

/// Shift inside a run, in thousandths of the font's size, that stands for a space.
const SPACE_SHIFT: f32 = -180.0;

/// A transformation of the plane: the six numbers of a PDF matrix.
#[derive(Clone, Copy, Debug)]
struct Matrix([f32; 6]);

impl Matrix {
    const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First `self`, then `then`.
    fn then(self, then: Self) -> Self {
        let ([a, b, c, d, e, f], [ta, tb, tc, td, te, tf]) = (self.0, then.0);
        Self([
            a * ta + b * tc,
            a * tb + b * td,
            c * ta + d * tc,
            c * tb + d * td,
            e * ta + f * tc + te,
            e * tb + f * td + tf,
        ])
    }

    fn of(numbers: &[f32]) -> Option<Self> {
        numbers.try_into().ok().map(Self)
    }
}

/// What `q` saves and `Q` restores.
#[derive(Clone)]
struct State<'a> {
    page: Matrix,
    font: Option<Rc<Font<'a>>>,
    size: f32,
    char_spacing: f32,
    word_spacing: f32,
    scale: f32,
    leading: f32,
}

impl State<'_> {
    fn new(page: Matrix) -> Self {
        Self {
            page,
            font: None,
            size: 1.0,
            char_spacing: 0.0,
            word_spacing: 0.0,
            scale: 1.0,
            leading: 0.0,
        }
    }
}

/// Reads the pages of one document.
pub(super) struct ContentReader<'a> {
    document: &'a Document,
    limits: &'a Limits,
    stop: &'a AtomicBool,
    /// Bytes that contents and fonts may still expand to.
    bytes_left: usize,
    /// Fonts by where their dictionary lies.
    fonts: BTreeMap<*const Dictionary, Rc<Font<'a>>>,
    layout: Layout,
}

/// Where names are looked up, nearest first.
type Resources<'a> = Vec<&'a Dictionary>;

impl<'a> ContentReader<'a> {
    pub(super) fn new(document: &'a Document, limits: &'a Limits, stop: &'a AtomicBool) -> Self {
        Self {
            document,
            limits,
            stop,
            bytes_left: limits.max_pdf_decompressed_bytes,
            fonts: BTreeMap::new(),
            layout: Layout::default(),
        }
    }

    /// The text of a page; a page whose content is broken gives what was read before.
    pub(super) fn page(&mut self, page: ObjectId) -> Result<String, SkipReason> {
        self.layout = Layout::default();
        let resources = match self.document.get_page_resources(page) {
            Ok((direct, ids)) => {
                let referred = ids
                    .into_iter()
                    .filter_map(|id| self.document.get_dictionary(id).ok());
                direct.into_iter().chain(referred).collect()
            }
            Err(_) => Vec::new(),
        };
        let content = match self
            .document
            .get_page_content_with_limit(page, self.bytes_left)
        {
            Ok(content) => content,
            Err(error) if is_too_large(&error) => {
                return Err(too_large(self.limits.max_pdf_decompressed_bytes));
            }
            Err(_) => Vec::new(),
        };
        self.spend(content.len())?;
        self.run(&content, &resources, Matrix::IDENTITY, 0)?;
        Ok(std::mem::take(&mut self.layout).finish())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), SkipReason> {
        let most = self.limits.max_pdf_decompressed_bytes;
        self.bytes_left = self
            .bytes_left
            .checked_sub(bytes)
            .ok_or_else(|| too_large(most))?;
        Ok(())
    }

    fn run(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        page: Matrix,
        depth: usize,
    ) -> Result<(), SkipReason> {
        let mut run = Run {
            state: State::new(page),
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
        };
        for operation in Content::decode_iter(content) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(damaged("interrupted"));
            }
            let Ok(operation) = operation else { break };
            match operation.operator.as_str() {
                "Tf" => {
                    let name = operation
                        .operands
                        .first()
                        .and_then(|name| name.as_name().ok());
                    run.state.font = name.and_then(|name| self.font(name, resources));
                    run.state.size = operation
                        .operands
                        .get(1)
                        .and_then(|size| size.as_float().ok())
                        .unwrap_or(1.0);
                }
                "Do" if depth < MAX_FORM_DEPTH => {
                    self.form(&operation, resources, run.state.page, depth)?
                }
                _ => run.operate(&operation, &mut self.layout),
            }
        }
        Ok(())
    }

    fn look_up(&self, kind: &[u8], name: &[u8], resources: &Resources<'a>) -> Option<&'a Object> {
        let document = self.document;
        let found = resources.iter().find_map(|resources| {
            let kind = dictionary(document, resources.get(kind).ok()?)?;
            kind.get(name).ok()
        })?;
        document.dereference(found).ok().map(|(_, object)| object)
    }

    fn font(&mut self, name: &[u8], resources: &Resources<'a>) -> Option<Rc<Font<'a>>> {
        let dictionary = self.look_up(b"Font", name, resources)?.as_dict().ok()?;
        let key = std::ptr::from_ref(dictionary);
        if let Some(font) = self.fonts.get(&key) {
            return Some(Rc::clone(font));
        }
        let font = Rc::new(Font::new(self.document, dictionary, self.bytes_left));
        self.fonts.insert(key, Rc::clone(&font));
        Some(font)
    }

    fn form(
        &mut self,
        operation: &Operation,
        resources: &Resources<'a>,
        page: Matrix,
        depth: usize,
    ) -> Result<(), SkipReason> {
        let name = operation
            .operands
            .first()
            .and_then(|name| name.as_name().ok());
        let stream =
            name.and_then(|name| self.look_up(b"XObject", name, resources)?.as_stream().ok());
        let Some(stream) = stream.filter(|stream| {
            stream
                .dict
                .get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|kind| kind == b"Form")
        }) else {
            return Ok(());
        };
        let content = match stream.get_plain_content_with_limit(self.bytes_left) {
            Ok(content) => content,
            Err(error) if is_too_large(&error) => {
                return Err(too_large(self.limits.max_pdf_decompressed_bytes));
            }
            Err(_) => return Ok(()),
        };
        self.spend(content.len().max(1))?;
        let own = stream
            .dict
            .get(b"Resources")
            .ok()
            .and_then(|own| dictionary(self.document, own));
        let resources: Resources<'a> = own
            .into_iter()
            .chain(resources.iter().copied())
            .take(MAX_FORM_DEPTH + 8)
            .collect();
        let matrix = stream.dict.get(b"Matrix").and_then(Object::as_array).ok();
        let matrix = matrix
            .and_then(|matrix| Matrix::of(&numbers(matrix)))
            .unwrap_or(Matrix::IDENTITY);
        self.run(&content, &resources, matrix.then(page), depth + 1)
    }
}

fn is_too_large(error: &lopdf::Error) -> bool {
    matches!(
        error,
        lopdf::Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })
    )
}

fn numbers(operands: &[Object]) -> Vec<f32> {
    operands
        .iter()
        .filter_map(|operand| operand.as_float().ok())
        .collect()
}

/// One content stream on its way.
struct Run<'a> {
    state: State<'a>,
    saved: Vec<State<'a>>,
    /// Where the next glyph goes.
    text: Matrix,
    /// Where the line began.
    line: Matrix,
}

impl Run<'_> {
    fn operate(&mut self, operation: &Operation, layout: &mut Layout) {
        let operands = &operation.operands;
        let first = || {
            operands
                .first()
                .and_then(|operand| operand.as_float().ok())
                .unwrap_or_default()
        };
        match operation.operator.as_str() {
            "q" if self.saved.len() < MAX_SAVED => self.saved.push(self.state.clone()),
            "Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            "cm" => {
                if let Some(matrix) = Matrix::of(&numbers(operands)) {
                    self.state.page = matrix.then(self.state.page);
                }
            }
            "BT" => self.begin_at(Matrix::IDENTITY),
            "Tm" => {
                if let Some(matrix) = Matrix::of(&numbers(operands)) {
                    self.begin_at(matrix);
                }
            }
            "Td" | "TD" => {
                if let [x, y] = numbers(operands)[..] {
                    if operation.operator == "TD" {
                        self.state.leading = -y;
                    }
                    self.next_line(x, y);
                }
            }
            "T*" => self.next_line(0.0, -self.state.leading),
            "TL" => self.state.leading = first(),
            "Tc" => self.state.char_spacing = first(),
            "Tw" => self.state.word_spacing = first(),
            "Tz" => self.state.scale = first() / 100.0,
            "Tj" | "TJ" => self.show_all(operands, layout),
            "'" => {
                self.next_line(0.0, -self.state.leading);
                self.show_all(operands, layout);
            }
            "\"" => {
                if let [word, char, ..] = numbers(operands)[..] {
                    (self.state.word_spacing, self.state.char_spacing) = (word, char);
                }
                self.next_line(0.0, -self.state.leading);
                self.show_all(operands.get(2..).unwrap_or_default(), layout);
            }
            _ => {}
        }
    }

    fn begin_at(&mut self, matrix: Matrix) {
        self.text = matrix;
        self.line = matrix;
    }

    fn next_line(&mut self, x: f32, y: f32) {
        self.begin_at(Matrix::moved(x, y).then(self.line));
    }

    /// Shows strings and the shifts between them; arrays hold both.
    fn show_all(&mut self, operands: &[Object], layout: &mut Layout) {
        for operand in operands {
            if let Ok(items) = operand.as_array() {
                for item in items {
                    self.show_item(item, layout);
                }
            } else {
                self.show_item(operand, layout);
            }
        }
    }

    fn show_item(&mut self, item: &Object, layout: &mut Layout) {
        if let Ok(bytes) = item.as_str() {
            self.show(bytes, layout);
        } else if let Ok(shift) = item.as_float() {
            if shift < SPACE_SHIFT {
                layout.space();
            }
            self.advance(-shift / 1_000.0 * self.state.size * self.state.scale);
        }
    }

    fn show(&mut self, bytes: &[u8], layout: &mut Layout) {
        let Some(font) = self.state.font.clone() else {
            return;
        };
        let text = font.text(bytes);
        let (width, glyphs, spaces) = font.extent(bytes);
        let state = &self.state;
        #[expect(
            clippy::cast_precision_loss,
            reason = "distances need no more than 24 bits"
        )]
        let spacing = glyphs as f32 * state.char_spacing + spaces as f32 * state.word_spacing;
        let advance = (width / 1_000.0 * state.size + spacing) * state.scale;
        let start = self.place();
        self.advance(advance);
        if !text.is_empty() {
            layout.push(&text, start, self.place());
        }
    }

    fn advance(&mut self, x: f32) {
        self.text = Matrix::moved(x, 0.0).then(self.text);
    }

    fn place(&self) -> Place {
        let [a, b, c, d, x, y] = self.text.then(self.state.page).0;
        let length = a.hypot(b);
        let direction = if length > 0.0 {
            (a / length, b / length)
        } else {
            (1.0, 0.0)
        };
        Place {
            x,
            y,
            direction,
            size: (self.state.size * c.hypot(d)).abs(),
        }
    }
}
