//! Which runs of capitalised words, and which quotations, look like names?
//!
//! Rules 1 to 4 of the specification of the default extractor. It knows no gazetteer and needs the text's capitals.

use std::ops::Range;

use super::dates::is_year;
use super::word_lists::{is_abbreviated, is_connector, is_stop_word};
use crate::token::{Token, fold};

/// Lower-case words that may join two capitalised parts.
const MAX_CONNECTORS: usize = 3;

/// Longest quotation that is taken for a name, in words.
const MAX_QUOTED_TOKENS: usize = 9;

/// Names among the capitalised words of a sentence, as byte ranges, in order of their start; parts follow wholes.
pub(crate) fn capitalised_spans(text: &str, tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_capitalised() {
            let end = run_end(text, tokens, at);
            push_span(text, tokens, at..end, &mut out);
            at = end;
        } else {
            at += 1;
        }
    }
    out
}

/// Behind the last token of the run that starts at `at`.
fn run_end(text: &str, tokens: &[Token<'_>], at: usize) -> usize {
    let mut end = at + 1;
    loop {
        let mut next = end;
        while next < tokens.len()
            && next - end < MAX_CONNECTORS
            && is_connector(tokens[next].text)
            && gap(text, tokens, next) == " "
        {
            next += 1;
        }
        // An ampersand is no word: it lies in the gap.
        let joined = next < tokens.len() && {
            let gap = gap(text, tokens, next);
            let token = &tokens[next];
            let fits = token.is_capitalised()
                || (next == end && token.is_number() && !is_year(token.text));
            fits && if next == end {
                joins(gap, &tokens[next - 1], token)
            } else {
                gap == " "
            }
        };
        if !joined {
            return end;
        }
        end = next + 1;
    }
}

fn gap<'t>(text: &'t str, tokens: &[Token<'_>], at: usize) -> &'t str {
    &text[tokens[at - 1].end..tokens[at].start]
}

/// Whether a gap lets a run of capitalised words go on.
fn joins(gap: &str, before: &Token<'_>, after: &Token<'_>) -> bool {
    match gap {
        " " => before.end_without_possessive() == before.end,
        ": " | " & " => true,
        ". " => is_abbreviated(&fold(before.text)),
        ", " => matches!(after.text, "Jr" | "Sr"),
        _ => false,
    }
}

/// Strips what is no part of a name and adds the name and, where it is a list, its parts.
fn push_span(text: &str, tokens: &[Token<'_>], span: Range<usize>, out: &mut Vec<Range<usize>>) {
    let stripped = strip(tokens, span);
    if stripped.is_empty() {
        return;
    }
    let bytes = |span: &Range<usize>| {
        tokens[span.start].start..tokens[span.end - 1].end_without_possessive()
    };
    out.push(bytes(&stripped));
    let mut part = stripped.start;
    let mut parts = Vec::new();
    for at in stripped.start + 1..stripped.end {
        let gap = gap(text, tokens, at);
        if is_separator(tokens[at].text) {
            parts.push(part..at);
            part = at + 1;
        } else if gap.contains('&') {
            parts.push(part..at);
            part = at;
        }
    }
    if !parts.is_empty() {
        parts.push(part..stripped.end);
        for part in parts {
            let part = strip(tokens, part);
            if !part.is_empty() {
                out.push(bytes(&part));
            }
        }
    }
}

/// Connectors that stand between two names as often as inside one: `Lothair in Metz`, `Gift to Women`.
fn is_separator(word: &str) -> bool {
    matches!(word, "and" | "at" | "for" | "in" | "on" | "to" | "with")
}

/// Without function words, question words, kinds of things, months and connectors at the start, and without connectors
/// at the end; empty when nothing is left, or a single letter.
fn strip(tokens: &[Token<'_>], mut span: Range<usize>) -> Range<usize> {
    while let Some(first) = tokens.get(span.start).filter(|_| !span.is_empty()) {
        if !is_stop_word(&fold(first.text)) && !is_connector(first.text) {
            break;
        }
        span.start += 1;
    }
    while !span.is_empty() && is_connector(tokens[span.end - 1].text) {
        span.end -= 1;
    }
    if span.len() == 1 && tokens[span.start].text.chars().count() < 2 {
        span.end = span.start;
    }
    span
}

/// Quotations of a few words, as byte ranges of what stands between the marks.
pub(crate) fn quoted_spans(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for (open, close) in [("\"", "\""), ("\u{201c}", "\u{201d}"), ("``", "''")] {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at + open.len()) {
            let Some(end) = text[start..].find(close).map(|at| start + at) else {
                break;
            };
            let inside = text[start..end]
                .trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '!' | '?'));
            let words = crate::token::tokens(inside);
            let name =
                words.len() > 1 || words.first().is_some_and(|w| !is_stop_word(&fold(w.text)));
            if name && words.len() <= MAX_QUOTED_TOKENS && !inside.contains('\n') {
                let offset = inside.as_ptr() as usize - text.as_ptr() as usize;
                out.push(offset..offset + inside.len());
            }
            from = end + close.len();
        }
    }
    out.sort_by_key(|span| (span.start, span.end));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    fn spans(text: &str) -> Vec<&str> {
        capitalised_spans(text, &tokens(text))
            .into_iter()
            .map(|span| &text[span])
            .collect()
    }

    #[test]
    fn runs_of_capitalised_words_are_names() {
        assert_eq!(
            spans("He met Lothair II in Metz."),
            ["Lothair II in Metz", "Lothair II", "Metz"]
        );
        assert_eq!(
            spans("the film Wrong Turn 5: Bloodlines"),
            ["Wrong Turn 5: Bloodlines"]
        );
        assert_eq!(
            spans("by Samuel L. Jackson, Jr."),
            ["Samuel L. Jackson, Jr"]
        );
        assert_eq!(spans("by John. Paul left"), ["John", "Paul"]);
        assert_eq!(spans("Lothair's Paris"), ["Lothair", "Paris"]);
    }

    #[test]
    fn connectors_join_and_lists_are_taken_apart() {
        assert_eq!(spans("see Lord of the Rings now"), ["Lord of the Rings"]);
        assert_eq!(
            spans("with Lothair and Teutberga."),
            ["Lothair and Teutberga", "Lothair", "Teutberga"]
        );
        assert_eq!(
            spans("Simon & Garfunkel"),
            ["Simon & Garfunkel", "Simon", "Garfunkel"]
        );
        assert_eq!(spans("University of the"), ["University"]);
    }

    #[test]
    fn question_words_kinds_and_months_are_stripped() {
        assert_eq!(spans("Which Film The Goose Woman"), ["Goose Woman"]);
        assert!(spans("What? The. In June. He. A").is_empty());
    }

    #[test]
    fn quotations_of_a_few_words_are_names() {
        let text = "the song \"me and you,\" and “Blue” but not \"the\" nor ``Old Song''";
        let found: Vec<&str> = quoted_spans(text).into_iter().map(|s| &text[s]).collect();
        assert_eq!(found, ["me and you", "Blue", "Old Song"]);
    }
}
