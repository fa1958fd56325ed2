//! How does a long line fit a narrow terminal?
//!
//! Between words, never inside one: a word wider than the terminal is left to the terminal.

use unicode_width::UnicodeWidthStr;

/// The fewest columns that text is fitted to; a narrower terminal breaks lines itself.
const MIN_ROOM: usize = 20;

/// `text` in lines of at most `room` columns; all but the first are indented by `hang` columns.
pub(crate) fn wrap(text: &str, room: usize, hang: usize) -> Vec<String> {
    let room = room.max(MIN_ROOM);
    if text.width() <= room {
        return vec![text.to_owned()];
    }
    let indent = " ".repeat(hang.min(room / 2));
    let start = text.len() - text.trim_start_matches(' ').len();
    let mut lines = Vec::new();
    let mut line = text[..start].to_owned();
    let mut has_word = false;
    for word in text[start..].split(' ') {
        let space = usize::from(has_word);
        if has_word && line.width() + space + word.width() > room {
            lines.push(std::mem::replace(&mut line, indent.clone()));
            has_word = false;
        }
        if has_word {
            line.push(' ');
        }
        line.push_str(word);
        has_word = true;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_hang() {
        let lines = wrap("  [1] The Grand Hub has member Braxax Corlek", 24, 6);
        assert_eq!(
            lines,
            [
                "  [1] The Grand Hub has",
                "      member Braxax",
                "      Corlek"
            ]
        );
        assert!(lines.iter().all(|line| line.width() <= 24));
    }

    #[test]
    fn what_fits_or_cannot_be_broken_stays_whole() {
        assert_eq!(wrap("short", 40, 2), ["short"]);
        let long = "x".repeat(60);
        assert_eq!(wrap(&long, 40, 2).concat(), long);
        assert_eq!(
            wrap(&format!("a {long}"), 40, 2),
            ["a".to_owned(), format!("  {long}")]
        );
    }

    #[test]
    fn wide_characters_count_twice() {
        let text = "电影电影电影 电影电影电影 电影电影电影";
        assert!(wrap(text, 20, 0).iter().all(|line| line.width() <= 20));
    }
}
