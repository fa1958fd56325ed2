//! When is an answer right?
//!
//! Exact-set comparison: every expected value is given, and nothing else. A value is an entity
//! (compared by IRI when both sides have one, by normalised label otherwise), a number (whole numbers
//! exactly, others within `RELATIVE_TOLERANCE`), or a boolean (`yes` is `true`).

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::system::Value;

/// Two decimal numbers are the same when they differ by less than this share: the sets print
/// computed averages with four significant digits.
const RELATIVE_TOLERANCE: f64 = 5e-4;

/// One expected value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// An entity or literal known by its label, and its IRI where the set gives one.
    Entity {
        /// The label as the set writes it.
        label: String,
        /// The IRI, if known.
        iri: Option<String>,
    },
    /// A number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
}

/// The answer the set expects.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gold {
    /// Exactly these values, in any order.
    Values(Vec<Expected>),
    /// These values and perhaps more: the set lists only the first ones.
    AtLeast(Vec<Expected>),
    /// Nothing: the right behaviour is to refuse.
    Refusal,
}

impl Expected {
    /// An entity known only by its label.
    pub fn label(label: impl Into<String>) -> Self {
        Self::Entity {
            label: label.into(),
            iri: None,
        }
    }

    /// Reads a cell whose kind only its text tells: IRI, number, boolean or label.
    pub fn from_cell(cell: &str) -> Self {
        if cell.starts_with("http://") || cell.starts_with("https://") {
            return Self::Entity {
                label: local_name(cell).to_owned(),
                iri: Some(cell.to_owned()),
            };
        }
        if let Some(truth) = boolean(cell) {
            return Self::Boolean(truth);
        }
        number(cell).map_or_else(|| Self::label(cell), Self::Number)
    }

    /// Is `value` this one?
    pub fn matches(&self, value: &Value) -> bool {
        match self {
            Self::Entity {
                iri: Some(expected),
                label,
            } => match &value.iri {
                Some(iri) => iri == expected,
                None => normalise_label(label) == normalise_label(&value.label),
            },
            Self::Entity { iri: None, label } => {
                normalise_label(label) == normalise_label(&value.label)
            }
            Self::Number(expected) => {
                number(&value.label).is_some_and(|given| same_number(*expected, given))
            }
            Self::Boolean(expected) => boolean(&value.label) == Some(*expected),
        }
    }
}

impl Gold {
    /// True when `values` are the expected ones: none missing, none too many.
    pub fn accepts(&self, values: &[Value], refused: bool) -> bool {
        match self {
            Self::Refusal => refused || values.is_empty(),
            Self::AtLeast(expected) => {
                !refused && !expected.is_empty() && self.recall(values) >= 1.0
            }
            Self::Values(expected) => {
                !refused
                    && !expected.is_empty()
                    && self.recall(values) >= 1.0
                    && values.iter().all(|value| self.contains(value))
            }
        }
    }

    /// The expected values that are listed.
    fn listed(&self) -> &[Expected] {
        match self {
            Self::Values(expected) | Self::AtLeast(expected) => expected,
            Self::Refusal => &[],
        }
    }

    /// True when `value` is one of the expected ones.
    pub fn contains(&self, value: &Value) -> bool {
        self.listed().iter().any(|one| one.matches(value))
    }

    /// The share of the expected values that are among `values`; 1 when none is expected.
    #[expect(
        clippy::cast_precision_loss,
        reason = "answer sets have thousands of values, not 2^52"
    )]
    pub fn recall(&self, values: &[Value]) -> f64 {
        let expected = self.listed();
        if expected.is_empty() {
            return 1.0;
        }
        let given = GivenIndex::new(values);
        let found = expected.iter().filter(|one| given.holds(one)).count();
        found as f64 / expected.len() as f64
    }

    /// The labels of the expected values, for reports.
    pub fn labels(&self) -> Vec<String> {
        self.listed()
            .iter()
            .map(|one| match one {
                Expected::Entity { label, .. } => label.clone(),
                Expected::Number(number) => number.to_string(),
                Expected::Boolean(truth) => if *truth { "yes" } else { "no" }.to_owned(),
            })
            .collect()
    }
}

/// Given values by IRI and by label, so that large answer sets are compared in linear time.
struct GivenIndex<'a> {
    values: &'a [Value],
    by_iri: HashSet<&'a str>,
    by_label: HashMap<String, bool>,
}

impl<'a> GivenIndex<'a> {
    fn new(values: &'a [Value]) -> Self {
        let mut by_label = HashMap::new();
        for value in values {
            let without_iri = by_label
                .entry(normalise_label(&value.label))
                .or_insert(false);
            *without_iri |= value.iri.is_none();
        }
        Self {
            values,
            by_iri: values
                .iter()
                .filter_map(|value| value.iri.as_deref())
                .collect(),
            by_label,
        }
    }

    fn holds(&self, expected: &Expected) -> bool {
        match expected {
            Expected::Entity {
                iri: Some(iri),
                label,
            } => {
                self.by_iri.contains(iri.as_str())
                    || self.by_label.get(&normalise_label(label)) == Some(&true)
            }
            Expected::Entity { iri: None, label } => {
                self.by_label.contains_key(&normalise_label(label))
            }
            Expected::Number(_) | Expected::Boolean(_) => {
                self.values.iter().any(|value| expected.matches(value))
            }
        }
    }
}

/// Lower case, underscores as blanks, white space collapsed: what two spellings of one label share.
pub fn normalise_label(label: &str) -> String {
    label
        .replace('_', " ")
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// A number as the sets and SPARQL engines print it; telephone numbers (`+49-…`) are none.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-' || first == '.') {
        return None;
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

fn same_number(a: f64, b: f64) -> bool {
    if a.fract() == 0.0 && b.fract() == 0.0 {
        return (a - b).abs() < 0.5;
    }
    (a - b).abs() <= RELATIVE_TOLERANCE * a.abs().max(b.abs())
}

fn local_name(iri: &str) -> &str {
    iri.rsplit(['#', '/']).next().unwrap_or(iri)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(label: &str, iri: Option<&str>) -> Value {
        Value {
            label: label.to_owned(),
            iri: iri.map(str::to_owned),
        }
    }

    fn labels(names: &[&str]) -> Gold {
        Gold::Values(names.iter().map(|name| Expected::label(*name)).collect())
    }

    #[test]
    fn a_partial_or_larger_set_is_wrong() {
        let gold = labels(&["Drama", "Family"]);
        assert!(gold.accepts(&[value("family", None), value("Drama", None)], false));
        assert!(!gold.accepts(&[value("Drama", None)], false));
        assert!(!gold.accepts(
            &[
                value("Drama", None),
                value("Family", None),
                value("War", None)
            ],
            false
        ));
        assert!(!gold.accepts(&[], false));
        assert!(!gold.accepts(&[value("family", None), value("Drama", None)], true));
    }

    #[test]
    fn iris_decide_where_both_sides_have_one() {
        let gold = Gold::Values(vec![Expected::Entity {
            label: "alice braga".into(),
            iri: Some("http://e/alice_braga".into()),
        }]);
        assert!(!gold.accepts(&[value("Alice Braga", Some("http://e/Alice_Braga"))], false));
        assert!(gold.accepts(&[value("x", Some("http://e/alice_braga"))], false));
        assert!(gold.accepts(&[value("Alice  Braga", None)], false));
    }

    #[test]
    fn whole_numbers_are_exact_and_averages_have_the_tolerance_of_four_digits() {
        let count = Gold::Values(vec![Expected::from_cell("7")]);
        assert!(count.accepts(&[value("7.0", None)], false));
        assert!(!count.accepts(&[value("8", None)], false));
        let average = Gold::Values(vec![Expected::from_cell("89.25373134328358208955223881")]);
        assert!(average.accepts(&[value("89.25", None)], false));
        assert!(!average.accepts(&[value("89.0", None)], false));
    }

    #[test]
    fn yes_is_true_and_a_telephone_number_is_no_number() {
        let yes = Gold::Values(vec![Expected::from_cell("true")]);
        assert!(yes.accepts(&[value("Yes", None)], false));
        assert!(!yes.accepts(&[value("no", None)], false));
        assert_eq!(
            Expected::from_cell("+49-620033"),
            Expected::label("+49-620033")
        );
    }

    #[test]
    fn where_nothing_is_expected_only_a_refusal_is_right() {
        assert!(Gold::Refusal.accepts(&[], true));
        assert!(!Gold::Refusal.accepts(&[value("x", None)], false));
    }

    #[test]
    fn recall_is_the_share_of_the_expected_values_that_were_reached() {
        let gold = labels(&["a", "b", "c", "d"]);
        assert!((gold.recall(&[value("A", None), value("z", None)]) - 0.25).abs() < 1e-9);
    }
}
