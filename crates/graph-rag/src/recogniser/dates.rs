//! Which words of a sentence are a date?
//!
//! `12 June 1967`, `June 12, 1967`, `June 1967`, years from 1000 to 2099, decades as `1980s`. It does not compute with
//! them.

use std::ops::Range;

use super::word_lists::is_month;
use crate::token::{Token, fold};

/// Whether a word is a year from 1000 to 2099.
pub(crate) fn is_year(word: &str) -> bool {
    word.len() == 4
        && word.bytes().all(|b| b.is_ascii_digit())
        && (word.starts_with('1') || word.starts_with("20"))
}

fn is_decade(word: &str) -> bool {
    word.strip_suffix('s')
        .is_some_and(|year| is_year(year) && year.ends_with('0'))
}

fn is_day(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    matches!(ending, "" | "st" | "nd" | "rd" | "th")
        && digits.len() <= 2
        && digits
            .parse::<u8>()
            .is_ok_and(|day| (1..=31).contains(&day))
}

/// The dates of a sentence, in order, longest first where two begin together, as ranges of tokens.
pub(crate) fn dates(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let length = date_length(&tokens[at..]);
        if length > 0 {
            out.push(at..at + length);
        }
        at += length.max(1);
    }
    out
}

/// How many tokens the date at the start of `tokens` has; 0 when there is none.
fn date_length(tokens: &[Token<'_>]) -> usize {
    let word = |at: usize| tokens.get(at).map_or("", |t| t.text);
    let near = |at: usize| {
        at < tokens.len() && (1..at + 1).all(|i| tokens[i].start - tokens[i - 1].end <= 2)
    };
    let month = |at: usize| is_month(&fold(word(at)));
    let day_and_month = (is_day(word(0)) && month(1)) || (month(0) && is_day(word(1)));
    if day_and_month && near(2) && is_year(word(2)) {
        3
    } else if month(0) && near(1) && is_year(word(1)) {
        2
    } else {
        usize::from(is_year(word(0)) || is_decade(word(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn dates_are_found_in_their_usual_forms() {
        let found = |text: &str| -> Vec<String> {
            let tokens = tokens(text);
            dates(&tokens)
                .into_iter()
                .map(|r| text[tokens[r.start].start..tokens[r.end - 1].end].to_owned())
                .collect()
        };
        assert_eq!(found("born 12 June 1967 in"), ["12 June 1967"]);
        assert_eq!(
            found("June 12, 1967 and June 1968"),
            ["June 12, 1967", "June 1968"]
        );
        assert_eq!(found("in 1999, the 1980s, 3 men, 12345"), ["1999", "1980s"]);
        assert_eq!(found("May 35, 1500"), ["1500"]);
    }
}
