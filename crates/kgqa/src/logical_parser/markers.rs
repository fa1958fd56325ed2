//! Which markers does the question hold? Conditions on numbers and most extreme values.

use crate::isr::{Comparator, Mention, Superlative};
use crate::plan::{Extreme, Operator, Slot};
use crate::text::Token;
use crate::vocabulary;

/// The condition on a number that the question holds: "before 1973", "1973 or earlier", "more than 2 million".
pub(super) fn find_comparator(tokens: &[Token]) -> Option<Comparator> {
    let folded = |i: usize| tokens.get(i).map_or("", |t| t.folded.as_str());
    for (i, token) in tokens.iter().enumerate().skip(1) {
        let Ok(number) = token.folded.parse::<f64>() else {
            continue;
        };
        let (factor, length) = match vocabulary::multiplier(folded(i + 1)) {
            Some(factor) => (factor, 2),
            None => (1.0, 1),
        };
        let end = i + length;
        let from = i.saturating_sub(4);
        let mut before: Vec<&str> = tokens[from..i].iter().map(|t| t.folded.as_str()).collect();
        while matches!(before.last(), Some(&"the" | &"year")) {
            before.pop();
        }
        // "148 minutes or longer".
        let unit = usize::from(vocabulary::is_unit(folded(end)));
        let after = [folded(end + unit), folded(end + unit + 1)];
        let (operator, temporal, first, end) = if let Some((operator, temporal, length)) =
            vocabulary::comparator(&before)
        {
            (operator, temporal, from + before.len() - length, end)
        } else if let Some((operator, temporal, length)) = vocabulary::comparator_behind(after) {
            (operator, temporal, i, end + unit + length)
        } else if before.last() == Some(&"by") && is_year(number) && factor == 1.0 {
            (Operator::LessOrEqual, true, from + before.len() - 1, end)
        } else {
            continue;
        };
        return Some(Comparator {
            operator,
            number: number * factor,
            text: tokens[i..i + length]
                .iter()
                .map(|t| t.text.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            slot: Slot(0),
            temporal,
            first,
            at: i,
            end,
        });
    }
    None
}

/// Whether a number is written as a year is: "released by 2010" names a time, not who released it.
fn is_year(number: f64) -> bool {
    (1000.0..2200.0).contains(&number) && number.fract() == 0.0
}

pub(super) fn find_superlative(
    tokens: &[Token],
    free: &[usize],
    compared: &dyn Fn(usize) -> bool,
) -> Option<Superlative> {
    for &i in free.iter().filter(|&&i| !compared(i)) {
        let Some((extreme, temporal, noun)) = vocabulary::superlative(&tokens[i].folded) else {
            continue;
        };
        let mut attribute = noun.to_owned();
        let mut end = i + 1;
        let mut temporal = temporal;
        let mut extreme = extreme;
        if noun.is_empty() && !temporal {
            // "most expensive", "most recent", "the maximum attack", "more special abilities".
            if let Some(&next) = free.iter().find(|&&j| j == i + 1) {
                end = next + 1;
                match vocabulary::superlative(&tokens[next].folded) {
                    Some((adjective, time, noun)) => {
                        temporal = time;
                        attribute = noun.to_owned();
                        if matches!(extreme, Extreme::Most) {
                            extreme = adjective;
                        }
                    }
                    None => attribute.clone_from(&tokens[next].folded),
                }
            }
        }
        return Some(Superlative {
            extreme,
            temporal,
            attribute,
            first: i,
            end,
        });
    }
    None
}

/// By what two names are compared in a yes/no question: "was A born *before* B", "is A *longer* than B".
pub(super) fn find_comparison(
    tokens: &[Token],
    mentions: &[Mention],
    superlative: Option<&Superlative>,
) -> Option<Superlative> {
    let [first, second] = mentions else {
        return None;
    };
    let mut last = second.first.checked_sub(1)?;
    while last > first.end && matches!(tokens[last].folded.as_str(), "the" | "a" | "an") {
        last -= 1;
    }
    if last < first.end {
        return None;
    }
    let extreme = match tokens[last].folded.as_str() {
        "than" => return superlative.filter(|s| s.first < last).cloned(),
        "before" => Extreme::Least,
        "after" => Extreme::Most,
        _ => return None,
    };
    Some(Superlative {
        extreme,
        temporal: true,
        attribute: String::new(),
        first: last,
        end: last + 1,
    })
}
