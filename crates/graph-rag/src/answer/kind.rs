//! What kind of thing does a question ask for?

use crate::recogniser::word_lists::is_month;
use crate::token::fold;

/// What kind of thing a question asks for, as its first question word says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Date,
    Number,
    Other,
}

pub(super) fn asked(question: &str) -> Asked {
    let words = language_model::words::words(question);
    let pairs = words.windows(2);
    let how_much = pairs
        .into_iter()
        .any(|w| w[0] == "how" && matches!(w[1].as_str(), "many" | "much" | "old" | "long"));
    if how_much {
        Asked::Number
    } else if words
        .iter()
        .any(|w| matches!(w.as_str(), "when" | "date" | "year"))
    {
        Asked::Date
    } else {
        Asked::Other
    }
}

/// A month or a number as long as a year: what a sentence that gives a date has.
pub(super) fn is_date_word(word: &str) -> bool {
    is_month(&fold(word))
        || ((3..=4).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit()))
}
