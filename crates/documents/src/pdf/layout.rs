//! Which runs of glyphs make a line, and which lines a paragraph?
//!
//! By where each run starts against where the last one ended, measured along and across the direction of writing in units
//! of the font's size.

/// Distance along the line, in font sizes, from which there is a space between two runs.
const SPACE_GAP: f32 = 0.18;

/// Distance back, in font sizes, from which a run on the same line is another word.
const BACK_GAP: f32 = 1.0;

/// Distance across the line, in font sizes, from which a run is on another line.
const LINE_GAP: f32 = 0.4;

/// How much more than the last distance of lines makes a new paragraph.
const PARAGRAPH_RATIO: f32 = 1.25;

/// Distance of lines, in font sizes, that is assumed before two lines were seen, and below which there is no paragraph.
const USUAL_LEADING: f32 = 1.45;

/// Where a run of glyphs starts or ends, on the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) x: f32,
    pub(super) y: f32,
    /// The direction of writing, of length 1.
    pub(super) direction: (f32, f32),
    /// The font's size.
    pub(super) size: f32,
}

/// Puts runs together.
#[derive(Debug, Default)]
pub(super) struct Layout {
    text: String,
    last: Option<Place>,
    /// The last distance of two lines of one paragraph, in font sizes.
    leading: Option<f32>,
}

impl Layout {
    /// Adds a run that starts at `start` and ends at `end`.
    pub(super) fn push(&mut self, run: &str, start: Place, end: Place) {
        if let Some(last) = self.last {
            self.separate(last, start);
        }
        self.last = Some(end);
        for c in run.chars() {
            match ligature(c) {
                Some(letters) => self.text.push_str(letters),
                None => self.text.push(c),
            }
        }
    }

    /// Adds a space inside a run, unless there is one.
    pub(super) fn space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn separate(&mut self, last: Place, start: Place) {
        let size = last.size.max(start.size).max(f32::MIN_POSITIVE);
        let (dx, dy) = ((start.x - last.x) / size, (start.y - last.y) / size);
        let (ux, uy) = last.direction;
        let along = dx * ux + dy * uy;
        let across = (dx * uy - dy * ux).abs();
        if across <= LINE_GAP {
            if !(-BACK_GAP..=SPACE_GAP).contains(&along) {
                self.space();
            }
            return;
        }
        let leading = self.leading.unwrap_or(USUAL_LEADING);
        if across > USUAL_LEADING.max(leading * PARAGRAPH_RATIO) {
            self.break_line("\n\n");
        } else {
            self.leading = Some(across);
            self.break_line("\n");
        }
    }

    fn break_line(&mut self, ending: &str) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push_str(ending);
    }

    /// The page's text; words that were broken over two lines are whole again.
    pub(super) fn finish(self) -> String {
        let mut joined = String::with_capacity(self.text.len());
        let mut lines = self.text.trim().lines().peekable();
        while let Some(line) = lines.next() {
            let before_hyphen = line.strip_suffix(['-', '\u{2010}', '\u{ad}']);
            let broken = before_hyphen.filter(|word| word.ends_with(char::is_alphabetic));
            let next_is_lower = lines
                .peek()
                .is_some_and(|next| next.starts_with(char::is_lowercase));
            match broken {
                Some(word) if next_is_lower => joined.push_str(word),
                Some(_) | None => {
                    joined.push_str(line);
                    if lines.peek().is_some() {
                        joined.push('\n');
                    }
                }
            }
        }
        joined
    }
}

/// The letters of a typographic ligature.
fn ligature(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> Place {
        Place {
            x,
            y,
            direction: (1.0, 0.0),
            size: 10.0,
        }
    }

    #[test]
    fn distance_makes_spaces_lines_and_paragraphs() {
        let mut layout = Layout::default();
        for (run, x, y) in [
            ("A", 0.0, 100.0),
            ("b", 10.1, 100.0),
            ("c", 25.0, 100.0),
            ("new of\u{fb01}-", 0.0, 88.0),
            ("ce", 0.0, 76.0),
            ("Next", 0.0, 50.0),
        ] {
            layout.push(run, at(x, y), at(x + 10.0, y));
        }
        assert_eq!(layout.finish(), "Ab c\nnew office\n\nNext");
    }
}
