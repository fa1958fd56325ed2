//! Does this full stop end a sentence, or only a word?
//!
//! Lists for English, with the commonest of German, French and Spanish. Not every abbreviation is known: an unknown one
//! before an upper-case word cuts a sentence in two, which costs a passage little.

/// Titles and the like: what follows them belongs to them.
const NEVER_LAST: &[&str] = &[
    "adm", "approx", "bzw", "ca", "capt", "cf", "cmdr", "col", "dipl", "dott", "dr", "dra", "e.g",
    "esp", "fr", "ft", "gen", "gov", "hon", "hr", "i.e", "incl", "lt", "maj", "messrs", "mlle",
    "mme", "mr", "mrs", "ms", "mt", "pres", "prof", "rep", "resp", "rev", "sen", "sgt", "sra",
    "sta", "viz", "vs",
];

/// Abbreviations that stand before a number.
const BEFORE_NUMBER: &[&str] = &[
    "abb", "abs", "apr", "art", "aug", "ch", "dec", "ed", "eq", "eqs", "feb", "fig", "figs", "jan",
    "jul", "jun", "mar", "no", "nos", "nov", "nr", "núm", "oct", "p", "par", "pp", "ref", "refs",
    "sec", "sep", "sept", "tab", "vol", "vols",
];

/// Abbreviations that may stand last: the next word decides.
const MAY_BE_LAST: &[&str] = &[
    "al", "ave", "blvd", "bros", "co", "corp", "dept", "est", "etc", "inc", "jr", "ltd", "rd",
    "sr", "st", "univ", "usw",
];

/// Words that begin sentences and, written upper-case, hardly anything else.
const STARTERS: &[&str] = &[
    "a",
    "according",
    "after",
    "all",
    "although",
    "an",
    "and",
    "as",
    "at",
    "because",
    "before",
    "both",
    "but",
    "by",
    "during",
    "each",
    "finally",
    "for",
    "from",
    "he",
    "her",
    "here",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "it",
    "its",
    "later",
    "many",
    "meanwhile",
    "most",
    "my",
    "no",
    "not",
    "on",
    "one",
    "other",
    "our",
    "several",
    "she",
    "since",
    "some",
    "such",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "today",
    "under",
    "we",
    "what",
    "when",
    "where",
    "while",
    "who",
    "why",
    "with",
    "you",
];

/// Longest word, in characters, that is looked at.
const MAX_WORD_CHARS: usize = 16;

/// Characters that are looked at behind the space.
const MAX_LOOK_AHEAD_CHARS: usize = 32;

/// Is the full stop after `before` (the sentence so far) part of an abbreviation, an initial or a list number, given
/// that `after` follows the space?
pub(crate) fn is_abbreviated(before: &str, after: &str) -> bool {
    let word = last_word(before);
    let after = first_chars(after, MAX_LOOK_AHEAD_CHARS);
    if word.is_empty() {
        return false;
    }
    let whole_sentence = word.len() == before.trim_start().len();
    if whole_sentence && word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    if initial || word.contains('.') {
        let lower = word.to_lowercase();
        return NEVER_LAST.contains(&lower.as_str()) || !begins_with_starter(after);
    }
    let lower = word.to_lowercase();
    let lower = lower.as_str();
    if NEVER_LAST.contains(&lower) {
        return true;
    }
    if BEFORE_NUMBER.contains(&lower) {
        return after.starts_with(|c: char| c.is_numeric());
    }
    MAY_BE_LAST.contains(&lower) && !begins_with_starter(after)
}

/// The letters, digits and inner full stops at the end of `text`; empty when the word is too long to matter.
fn last_word(text: &str) -> &str {
    let mut start = text.len();
    for (count, (at, c)) in text.char_indices().rev().enumerate() {
        if !c.is_alphanumeric() && c != '.' {
            break;
        }
        if count >= MAX_WORD_CHARS {
            return "";
        }
        start = at;
    }
    text[start..].trim_start_matches('.')
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .map_or(text, |(at, _)| &text[..at])
}

fn begins_with_starter(after: &str) -> bool {
    let after = after.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = after.trim_start_matches(char::is_alphabetic);
    let word = &after[..after.len() - rest.len()];
    !rest.starts_with('.') && STARTERS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_and_what_follows_decide() {
        for (before, after, abbreviated) in [
            ("He met Dr", "Watson", true),
            ("It was built by J", "R. Smith", true),
            ("This is plan B", "The next one", false),
            ("See fig", "3 for this", true),
            ("He ate a fig", "The next day", false),
            ("He said no", "Nobody heard", false),
            ("pens, paper, etc", "The rest", false),
            ("Acme Inc", "Board", true),
            ("in the U.S", "President", true),
            ("in the U.S", "It rained", false),
            ("1", "Introduction", true),
            ("in 1990", "The", false),
            ("the end", "Now", false),
            ("", "Now", false),
            ("...", "Now", false),
        ] {
            assert_eq!(
                is_abbreviated(before, after),
                abbreviated,
                "{before:?} {after:?}"
            );
        }
    }
}
