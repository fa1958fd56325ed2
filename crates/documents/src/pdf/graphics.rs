//! Where is the next glyph, after these operators?

use std::rc::Rc;

use lopdf::Object;
use lopdf::content::Operation;

use super::font::Font;
use super::layout::{Layout, Place};

/// Saved graphics states.
const MAX_SAVED: usize = 512;

/// Shift inside a run, in thousandths of the font's size, that stands for a space.
const SPACE_SHIFT: f32 = -180.0;

/// A transformation of the plane: the six numbers of a PDF matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix([f32; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First `self`, then `then`.
    pub(super) fn then(self, then: Self) -> Self {
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

    pub(super) fn of(numbers: &[f32]) -> Option<Self> {
        numbers.try_into().ok().map(Self)
    }
}

/// What `q` saves and `Q` restores.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub(super) page: Matrix,
    pub(super) font: Option<Rc<Font<'a>>>,
    pub(super) size: f32,
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

/// One content stream on its way.
pub(super) struct Run<'a> {
    pub(super) state: State<'a>,
    saved: Vec<State<'a>>,
    /// Where the next glyph goes.
    text: Matrix,
    /// Where the line began.
    line: Matrix,
}

impl Run<'_> {
    /// A stream that starts with the page placed at `page`.
    pub(super) fn new(page: Matrix) -> Self {
        Self {
            state: State::new(page),
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
        }
    }

    /// Carries out an operator; what it shows goes to `layout`.
    pub(super) fn operate(&mut self, operation: &Operation, layout: &mut Layout) {
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

/// The numbers among `operands`.
pub(super) fn numbers(operands: &[Object]) -> Vec<f32> {
    operands
        .iter()
        .filter_map(|operand| operand.as_float().ok())
        .collect()
}
