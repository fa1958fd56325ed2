//! How is it shown?
//!
//! Data goes to standard output, notes and progress to standard error. Colours only on a terminal. Text from graphs is made safe first: a
//! label cannot move the cursor.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::args::{ColourChoice, Global};
use crate::failure::{Failure, Outcome};
use crate::wrap::wrap;

/// A way to set text off.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    /// Headings and answers.
    Strong,
    /// Secondary matters.
    Faint,
    /// It went well.
    Good,
    /// It needs attention.
    Warn,
    /// It failed.
    Bad,
    /// Names and commands.
    Name,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
            Self::Name => "36",
        }
    }
}

/// The terminal, or the pipe.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ui {
    /// Print JSON instead of text.
    pub(crate) json: bool,
    quiet: bool,
    colour_out: bool,
    colour_err: bool,
}

impl Ui {
    /// As the options and the environment say.
    pub(crate) fn new(global: &Global) -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let colour = |is_terminal: bool| match global.color {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto => is_terminal && !no_colour,
        };
        Self {
            json: global.json,
            quiet: global.quiet,
            colour_out: colour(io::stdout().is_terminal()),
            colour_err: colour(io::stderr().is_terminal()),
        }
    }

    /// Text for standard output, set off.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        paint(self.colour_out, tone, text)
    }

    /// Prints a line of data.
    pub(crate) fn line(self, text: impl AsRef<str>) -> Outcome {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", text.as_ref()).map_err(Failure::from)
    }

    /// A line as lines that fit the terminal; those after the first are indented by `hang` columns. Whole where the output
    /// goes elsewhere.
    pub(crate) fn fit(self, text: &str, hang: usize) -> Vec<String> {
        self.columns()
            .map_or_else(|| vec![text.to_owned()], |room| wrap(text, room, hang))
    }

    /// Prints a text, broken between words where the terminal is too narrow, later lines indented by `hang`.
    pub(crate) fn paragraph(self, text: &str, hang: usize) -> Outcome {
        self.fit(text, hang)
            .into_iter()
            .try_for_each(|line| self.line(line))
    }

    /// Prints a value as indented JSON.
    pub(crate) fn json<T: Serialize>(self, value: &T) -> Outcome {
        let mut out = io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, value)?;
        writeln!(out).map_err(Failure::from)
    }

    /// Prints a value as one line of JSON.
    pub(crate) fn json_line<T: Serialize>(self, value: &T) -> Outcome {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, value)?;
        writeln!(out).map_err(Failure::from)
    }

    /// Says something beside the data, on standard error.
    pub(crate) fn note(self, text: impl AsRef<str>) {
        if !self.quiet {
            self.to_stderr(text.as_ref());
        }
    }

    /// Warns, on standard error.
    pub(crate) fn warn(self, text: impl AsRef<str>) {
        let mark = paint(self.colour_err, Tone::Warn, "warning:");
        self.to_stderr(&format!("{mark} {}", text.as_ref()));
    }

    /// Reports a failure on standard error.
    pub(crate) fn fail(self, failure: &Failure) {
        if self.json {
            let report = serde_json::json!({
                "error": { "message": failure.message, "hint": failure.hint, "code": failure.code }
            });
            self.to_stderr(&report.to_string());
            return;
        }
        let mark = paint(self.colour_err, Tone::Bad, "error:");
        self.to_stderr(&format!("{mark} {}", failure.message));
        if let Some(hint) = &failure.hint {
            let mark = paint(self.colour_err, Tone::Name, "hint:");
            self.to_stderr(&format!("{mark} {hint}"));
        }
    }

    /// Columns of the terminal; `None` when the output goes elsewhere.
    fn columns(self) -> Option<usize> {
        let (columns, _) = terminal_size::terminal_size_of(io::stdout())?;
        Some(usize::from(columns.0))
    }

    /// Whether a progress bar makes sense.
    pub(crate) fn shows_progress(self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    fn to_stderr(self, text: &str) {
        let mut err = io::stderr().lock();
        // Nobody is left to tell when standard error itself is closed.
        let _ = writeln!(err, "{text}");
    }
}

fn paint(colour: bool, tone: Tone, text: &str) -> String {
    if colour {
        format!("\u{1b}[{}m{text}\u{1b}[0m", tone.code())
    } else {
        text.to_owned()
    }
}

/// Text from a graph or a user, with everything taken out that could steer a terminal, and right-to-left text kept to itself.
pub(crate) fn safe(text: &str) -> String {
    let has_controls = |c: char| c.is_control() || is_bidi_control(c);
    let clean: String = text
        .chars()
        .map(|c| match c {
            '\n' | '\t' => ' ',
            c if has_controls(c) => '\u{fffd}',
            c => c,
        })
        .collect();
    if clean.chars().any(is_right_to_left) {
        format!("\u{2068}{clean}\u{2069}")
    } else {
        clean
    }
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

/// A table of text: left-aligned columns, numbers to the right, cut to a width where need be.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The widest a column gets.
const MAX_COLUMN_WIDTH: usize = 60;
/// The narrowest a column is made to fit the terminal.
const MIN_COLUMN_WIDTH: usize = 12;

impl TextTable {
    /// An empty table with these headings.
    pub(crate) fn new<'a>(head: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            head: head.into_iter().map(str::to_owned).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; the cells are made safe.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|cell| clip(&safe(&cell), MAX_COLUMN_WIDTH))
                .collect(),
        );
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints it.
    pub(crate) fn print(&self, ui: Ui) -> Outcome {
        let columns = self.head.len();
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .chain([&self.head[column]])
                .map(|cell| cell.width())
                .max()
                .unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..columns).map(width).collect();
        if let Some(room) = ui.columns() {
            narrow(&mut widths, room);
        }
        let numeric: Vec<bool> = (0..columns).map(|column| self.is_numeric(column)).collect();
        let head = render(&self.head, &widths, &numeric);
        ui.line(ui.paint(Tone::Faint, &head))?;
        for row in &self.rows {
            ui.line(render(row, &widths, &numeric))?;
        }
        Ok(())
    }

    fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .peekable();
        cells.peek().is_some()
            && cells.all(|cell| {
                cell.chars()
                    .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '%'))
            })
    }
}

/// Takes from the widest columns until all fit into `room`.
fn narrow(widths: &mut [usize], room: usize) {
    let gaps = 2 * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > room {
        let Some(widest) = widths.iter_mut().max() else {
            return;
        };
        if *widest <= MIN_COLUMN_WIDTH {
            return;
        }
        *widest -= 1;
    }
}

fn clip(cell: &str, room: usize) -> String {
    if cell.width() <= room {
        return cell.to_owned();
    }
    let mut kept = String::new();
    for c in cell.chars() {
        if kept.width() + c.width().unwrap_or(0) + 1 > room {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

fn render(cells: &[String], widths: &[usize], numeric: &[bool]) -> String {
    let mut line = String::new();
    for (column, cell) in cells.iter().enumerate() {
        let cell = &clip(cell, widths[column]);
        let padding = " ".repeat(widths[column].saturating_sub(cell.width()));
        if numeric[column] {
            line.push_str(&padding);
            line.push_str(cell);
        } else {
            line.push_str(cell);
            line.push_str(&padding);
        }
        line.push_str("  ");
    }
    line.trim_end().to_owned()
}

/// A whole number with thousands set apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Microseconds as a person reads them.
pub(crate) fn duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{}.{} ms", micros / 1_000, micros % 1_000 / 100),
        _ => format!(
            "{}.{:02} s",
            micros / 1_000_000,
            micros % 1_000_000 / 10_000
        ),
    }
}

/// "1 triple", "2 triples".
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        thousands(number),
        if number == 1 { one } else { many }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_cannot_steer_the_terminal() {
        assert_eq!(safe("a\u{1b}[31mb\u{202e}c\n"), "a\u{fffd}[31mb\u{fffd}c ");
        assert_eq!(safe("مرحبا"), "\u{2068}مرحبا\u{2069}");
        assert_eq!(safe("电影 🎬"), "电影 🎬");
    }

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(duration(999), "999 µs");
        assert_eq!(duration(1_250), "1.2 ms");
        assert_eq!(duration(2_340_000), "2.34 s");
    }

    #[test]
    fn wide_characters_are_clipped_by_their_width() {
        assert!(clip(&"电".repeat(80), 20).width() <= 20);
    }
}
