//! Does a sentence of a passage say anything, or does it only head what does?
//!
//! Headings, the heading row of a table and lines of navigation tell what the text near them is about. They are no
//! answers. Told by their lines alone: a passage keeps no mark-up.

use std::ops::Range;

use crate::token::Encoded;

/// A heading has at most so many words.
const MAX_HEADING_WORDS: usize = 14;

/// What stands between the entries of a menu.
const SEPARATORS: [char; 6] = ['|', '›', '»', '·', '•', '→'];

/// Whether the sentence at `span` of a passage's full text may be an answer. `body` is where the text behind the title
/// starts.
pub(crate) fn is_statement(full_text: &str, body: usize, title: &str, span: &Range<usize>) -> bool {
    let Some(text) = full_text.get(span.clone()) else {
        return false;
    };
    if span.start < body || text.ends_with('?') || Encoded::new(text) == Encoded::new(title) {
        return false;
    }
    let before = full_text[body..span.start].rsplit('\n').next();
    let mut lines = full_text[span.end..].split('\n');
    let rest = lines.next().unwrap_or_default();
    let whole_line = before.is_some_and(|b| b.trim().is_empty()) && rest.trim().is_empty();
    if !whole_line || is_ended(text) {
        return true;
    }
    let next = lines.next();
    let previous = full_text[body..span.start].trim_end_matches([' ', '\t']);
    let previous = previous
        .strip_suffix('\n')
        .and_then(|text| text.rsplit('\n').next());
    if is_row(text) {
        let first = !previous.is_some_and(is_row);
        return !first || text.bytes().any(|b| b.is_ascii_digit());
    }
    if text.chars().filter(|c| SEPARATORS.contains(c)).count() > 1 {
        return false;
    }
    !heads(text, next, lines.next())
}

fn is_ended(text: &str) -> bool {
    text.trim_end_matches(['"', '\'', '”', '’', ')', ']'])
        .ends_with(['.', '!', '…', '。', '！'])
}

fn is_row(line: &str) -> bool {
    line.contains(" | ") || line.trim().contains('\t')
}

/// Whether a line without an end heads what follows: a blank line and then text, or a line that is a sentence.
fn heads(text: &str, next: Option<&str>, after: Option<&str>) -> bool {
    let item = text.starts_with(['-', '*', '+', '•'])
        || text
            .split_once(". ")
            .is_some_and(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()));
    if item || text.contains(": ") || text.split_whitespace().count() > MAX_HEADING_WORDS {
        return false;
    }
    if text.ends_with(':') {
        return true;
    }
    match next {
        None => false,
        Some(next) if next.trim().is_empty() => after.is_some_and(|a| !a.trim().is_empty()),
        Some(next) => is_ended(next.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::sentences;

    fn statements(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .filter(|span| is_statement(text, 0, "The mill", span))
            .map(|span| &text[span])
            .collect()
    }

    #[test]
    fn headings_and_menus_head_what_is_said() {
        let text = "The mill\n\nHome › Mills › Tarn\n\nWho built it\nIt was built by Erik Dahl.\n\nThe owners:\n- Erik Dahl, miller\n- Anna Dahl";
        assert_eq!(
            statements(text),
            [
                "It was built by Erik Dahl.",
                "- Erik Dahl, miller",
                "- Anna Dahl"
            ]
        );
    }

    #[test]
    fn the_heading_row_of_a_table_is_none_and_its_other_rows_are() {
        let text = "Cheese | Price | Country\nGoat | 4 euros | France\nBrie | 5 euros | France";
        assert_eq!(
            statements(text),
            ["Goat | 4 euros | France", "Brie | 5 euros | France"]
        );
        let facts = "Born | 12 May 1950\nDied | 1990";
        assert_eq!(statements(facts).len(), 2);
    }

    #[test]
    fn lines_without_full_stops_are_still_said() {
        let note = "Erik Dahl runs the mill";
        assert_eq!(statements(note), [note]);
        let lines = "Price: 4 euros\nopen on Sundays";
        assert_eq!(statements(lines).len(), 2);
    }
}
