//! Which number or date does a term say? The rules by which attributes are compared and ordered.
//!
//! A literal speaks by its lexical form, an entity by its label (a year may be an entity called "1997"). Dates become
//! fractional years, so that a date and a bare year can be ordered together.

use oxrdf::Term;

use crate::graph::{Graph, GraphError, TermId};
use crate::plan::Operator;

/// A unit behind a number has at most so many characters and words ("square metres").
const UNIT_CHARS: usize = 24;
const UNIT_WORDS: usize = 2;

/// A number or a point in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// A plain number, its unit dropped. A bare year is one.
    Number(f64),
    /// A date or a typed year, in years: 1 July 1997 is about 1997.5.
    Date(f64),
}

impl Quantity {
    /// The number by which quantities are ordered.
    #[must_use]
    pub const fn key(self) -> f64 {
        match self {
            Self::Number(key) | Self::Date(key) => key,
        }
    }

    /// Whether `self operator other` holds. A date against a whole number is compared as a year, so that May 1997 is in
    /// 1997 and not after it.
    #[must_use]
    pub fn compares(self, operator: Operator, other: Self) -> bool {
        let whole = |number: f64| number.fract() == 0.0;
        match (self, other) {
            (Self::Date(date), Self::Number(year)) if whole(year) => {
                operator.holds(date.floor(), year)
            }
            (Self::Number(year), Self::Date(date)) if whole(year) => {
                operator.holds(year, date.floor())
            }
            (left, right) => operator.holds(left.key(), right.key()),
        }
    }
}

/// What a term says, `None` when it is neither a number nor a date.
pub(crate) fn quantity_of(graph: &dyn Graph, id: TermId) -> Result<Option<Quantity>, GraphError> {
    Ok(match graph.term(id)? {
        Term::Literal(literal) => {
            let datatype = literal.datatype();
            let typed_year = matches!(
                datatype.as_str(),
                "http://www.w3.org/2001/XMLSchema#gYear"
                    | "http://www.w3.org/2001/XMLSchema#gYearMonth"
            );
            if typed_year {
                date(literal.value().trim())
            } else {
                quantity_of_text(literal.value())
            }
        }
        Term::NamedNode(_) => quantity_of_text(&graph.label(id)?),
        Term::BlankNode(_) => None,
    })
}

/// What a text says: a date (`1997-05-01`, with or without a time), or a number with at most a unit behind it.
///
/// ```
/// use kgqa::execute::{Quantity, quantity_of_text};
/// assert_eq!(quantity_of_text("1,234 kg"), Some(Quantity::Number(1234.0)));
/// assert_eq!(quantity_of_text("1997-01-01"), Some(Quantity::Date(1997.0)));
/// assert_eq!(quantity_of_text("2001: A Space Odyssey"), None);
/// ```
#[must_use]
pub fn quantity_of_text(text: &str) -> Option<Quantity> {
    let text = text.trim();
    // A bare "1997" is a number; only with a month is a text a date.
    if text.get(1..).is_some_and(|rest| rest.contains('-'))
        && let Some(date) = date(text)
    {
        return Some(date);
    }
    number(text).map(Quantity::Number)
}

/// The number that a text begins with, when nothing but a unit follows.
fn number(text: &str) -> Option<f64> {
    let (sign, text) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let text = text.trim_start_matches(['$', '€', '£', '¥']).trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != ',')
        .unwrap_or(text.len());
    let whole = ungrouped(&text[..end])?;
    let mut rest = &text[end..];
    let mut digits = whole;
    if let Some(after) = rest.strip_prefix('.') {
        let end = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        digits.push('.');
        digits.push_str(&after[..end]);
        rest = &after[end..];
    }
    if let Some((exponent, after)) = exponent(rest) {
        digits.push_str(exponent);
        rest = after;
    }
    if !is_unit(rest) || !digits.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    digits
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite())
        .map(|n| sign * n)
}

/// The digits of a whole number without its thousands separators; `None` when they stand in the wrong places.
fn ungrouped(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let grouped = text.contains(',');
    if grouped && !(1..=3).contains(&first.len()) {
        return None;
    }
    let mut out = first.to_owned();
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        out.push_str(group);
    }
    Some(out)
}

/// An exponent (`e-3`) at the start of a text, and what follows it.
fn exponent(text: &str) -> Option<(&str, &str)> {
    let after = text.strip_prefix(['e', 'E'])?;
    let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
    let count = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    (count > 0).then(|| text.split_at(text.len() - digits.len() + count))
}

fn is_unit(text: &str) -> bool {
    let text = text.trim();
    text.chars().count() <= UNIT_CHARS
        && text.split_whitespace().count() <= UNIT_WORDS
        && text
            .chars()
            .all(|c| c.is_alphabetic() || c.is_whitespace() || "%°²³·/.'\"$€£¥".contains(c))
}

/// A date as a fractional year: `[-]YYYY[-MM[-DD[Thh:mm[:ss]]]][zone]`.
fn date(text: &str) -> Option<Quantity> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let year_end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    if !(4..=9).contains(&year_end) {
        return None;
    }
    let year: f64 = digits[..year_end].parse().ok()?;
    let year = sign * year;
    let (month, rest) = part(&digits[year_end..], '-')?;
    let (day, rest) = match month {
        Some(_) => part(rest, '-')?,
        None => (None, rest),
    };
    let (seconds, zone) = match (day, rest.strip_prefix(['T', ' '])) {
        (Some(_), Some(time)) => time_of_day(time)?,
        (_, _) => (0.0, rest),
    };
    let (month, day) = (month.unwrap_or(1), day.unwrap_or(1));
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let leap = (year % 4.0 == 0.0 && year % 100.0 != 0.0) || year % 400.0 == 0.0;
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_day = u32::from(leap && month > 2);
    let days = f64::from(before[month as usize - 1] + leap_day + day - 1)
        + (seconds - zone_seconds(zone)?) / 86_400.0;
    Some(Quantity::Date(
        year + days / if leap { 366.0 } else { 365.0 },
    ))
}

/// Two digits behind a separator, when the separator is there; `None` when it is and they are not.
fn part(text: &str, separator: char) -> Option<(Option<u32>, &str)> {
    let Some(rest) = text.strip_prefix(separator) else {
        return Some((None, text));
    };
    // A zone such as -05:00 also begins with a minus.
    if separator == '-' && rest.get(2..3) == Some(":") {
        return Some((None, text));
    }
    let (two, rest) = two_digits(rest)?;
    Some((Some(two), rest))
}

fn two_digits(text: &str) -> Option<(u32, &str)> {
    let two = text
        .get(..2)
        .filter(|t| t.bytes().all(|b| b.is_ascii_digit()))?;
    Some((two.parse().ok()?, &text[2..]))
}

/// Seconds since midnight, and the rest (the zone).
fn time_of_day(text: &str) -> Option<(f64, &str)> {
    let (hours, rest) = two_digits(text)?;
    let (minutes, rest) = two_digits(rest.strip_prefix(':')?)?;
    let mut seconds = f64::from(hours * 3600 + minutes * 60);
    let Some(rest) = rest.strip_prefix(':') else {
        return Some((seconds, rest));
    };
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    seconds += rest[..end].parse::<f64>().ok()?;
    Some((seconds, &rest[end..]))
}

/// The offset of a zone in seconds.
fn zone_seconds(zone: &str) -> Option<f64> {
    if matches!(zone, "" | "Z") {
        return Some(0.0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1.0,
        b'-' => -1.0,
        _ => return None,
    };
    let (hours, rest) = two_digits(zone.get(1..)?)?;
    let (minutes, rest) = two_digits(rest.strip_prefix(':')?)?;
    rest.is_empty()
        .then(|| sign * f64::from(hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests;
