//! Which known names stand in a text?
//!
//! From the left, at each word the longest name that begins there, among folded names in order: whole words only, up to
//! nine. It guesses nothing: a name it was not given is not found.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::word_lists::is_function_word;
use crate::GraphRagError;
use crate::names::NameTable;
use crate::token::{Encoded, fold, tokens};

/// Longest name that is looked for, in words.
const MAX_TOKENS: usize = 9;

/// A known name, and what it names in a knowledge graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// The name.
    pub name: String,
    /// The IRI of what it names, where a knowledge graph gave it.
    pub iri: Option<String>,
}

impl Label {
    /// A name without a node in a knowledge graph, as a title is.
    #[must_use]
    pub fn title(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            iri: None,
        }
    }
}

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Where, in bytes.
    pub(crate) span: Range<usize>,
    /// Which label.
    pub(crate) label: usize,
}

/// Names, and where they lie in order.
#[derive(Debug, Clone, Default)]
pub struct Gazetteer {
    labels: Vec<Label>,
    /// Their folded forms, numbered as the labels.
    names: NameTable,
}

impl Gazetteer {
    /// A gazetteer of the given labels; for one that ends in a parenthesis, of what stands before it too. Names that
    /// fold alike are one: the one with an IRI, else the first in order. Names without letters or digits, of one
    /// function word or of more than nine words are left out.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::TooMany`] when the names have more than 4 GiB.
    pub fn new<'l>(labels: impl IntoIterator<Item = &'l Label>) -> Result<Self, GraphRagError> {
        let mut known: BTreeMap<String, Label> = BTreeMap::new();
        let mut shortened = Vec::new();
        for label in labels {
            add(label.clone(), &mut known);
            if let Some(short) = without_parenthesis(&label.name) {
                shortened.push(Label::title(short));
            }
        }
        for label in shortened {
            add(label, &mut known);
        }
        let (forms, labels): (Vec<String>, Vec<Label>) = known.into_iter().unzip();
        Ok(Self {
            names: NameTable::new(forms.into_iter().zip(0_u32..))?,
            labels,
        })
    }

    /// A gazetteer of the parts of one; nothing if they do not fit.
    pub(crate) fn from_parts(names: NameTable, labels: Vec<Label>) -> Option<Self> {
        let numbers = names.parts().2;
        let fits =
            names.len() == labels.len() && (0_u32..).zip(numbers).all(|(at, number)| at == *number);
        fits.then_some(Self { labels, names })
    }

    pub(crate) fn names(&self) -> &NameTable {
        &self.names
    }

    pub(crate) fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    pub(crate) fn label(&self, index: usize) -> Option<&Label> {
        self.labels.get(index)
    }

    /// The names in an encoded text, without overlaps. In `cased` text a name must show a capital or digit in a word
    /// that is no function word, or be written exactly as it was given.
    pub(crate) fn find(&self, text: &str, encoded: &Encoded, cased: bool) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut at = 0;
        while at < encoded.units.len() {
            let Some((end, label)) = self.names.longest_at(encoded, at) else {
                at += 1;
                continue;
            };
            let (units, label) = (&encoded.units[at..end], label as usize);
            let span = encoded.units[at].start..encoded.units[end - 1].end;
            at = end;
            let is_exact = || {
                self.labels
                    .get(label)
                    .is_some_and(|l| l.name == text[span.clone()])
            };
            let is_shown = || units.iter().any(|unit| shows(&text[unit.start..unit.end]));
            if !cased || is_shown() || is_exact() {
                hits.push(Hit { span, label });
            }
        }
        hits
    }
}

fn shows(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        && !is_function_word(&fold(word))
}

fn add(label: Label, known: &mut BTreeMap<String, Label>) {
    let words = tokens(&label.name);
    let empty = match words.as_slice() {
        [] => true,
        [word] => is_function_word(&fold(word.text)),
        _ => words.len() > MAX_TOKENS,
    };
    if empty {
        return;
    }
    let known = known
        .entry(Encoded::of(&words).text)
        .or_insert_with(|| label.clone());
    if known.iri.is_none() && label.iri.is_some() {
        *known = label;
    }
}

/// A name without the parenthesis it ends with, as in `Dark River (2017 film)`.
pub(crate) fn without_parenthesis(name: &str) -> Option<&str> {
    let inner = name.trim_end().strip_suffix(')')?;
    let (before, _) = inner.rsplit_once('(')?;
    let before = before.trim_end();
    (!before.is_empty()).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str], text: &str, cased: bool) -> Vec<String> {
        let labels: Vec<Label> = names.iter().map(|n| Label::title(n)).collect();
        let gazetteer = Gazetteer::new(&labels).unwrap();
        gazetteer
            .find(text, &Encoded::new(text), cased)
            .into_iter()
            .map(|hit| text[hit.span].to_owned())
            .collect()
    }

    #[test]
    fn the_longest_name_wins_whatever_its_case() {
        let names = [
            "God's Gift to Women",
            "Women",
            "Lothair II",
            "Dark River (2017 film)",
        ];
        assert_eq!(
            found(&names, "older, God'S Gift To Women?", true),
            ["God'S Gift To Women"]
        );
        assert_eq!(found(&names, "Lothair Ii's mother", true), ["Lothair Ii"]);
        assert_eq!(found(&names, "in Dark River and", true), ["Dark River"]);
        assert_eq!(
            found(&names, "film Dark River (2017 Film)", true),
            ["Dark River (2017 Film"]
        );
    }

    #[test]
    fn words_that_only_look_like_a_name_are_not_one_in_cased_text() {
        let names = ["The Man", "It", "Born", "iPhone"];
        assert!(found(&names, "The man was born. It is.", true).is_empty());
        assert_eq!(found(&names, "an iPhone", true), ["iPhone"]);
        assert_eq!(found(&names, "the man was here", false), ["the man"]);
    }

    #[test]
    fn no_names_find_nothing_and_a_node_of_the_graph_wins() {
        assert!(found(&[], "Paris", true).is_empty());
        let node = Label {
            name: "paris".to_owned(),
            iri: Some("http://example.org/Paris".to_owned()),
        };
        let gazetteer = Gazetteer::new([&Label::title("Paris"), &node]).unwrap();
        assert_eq!(gazetteer.label(0), Some(&node));
    }
}
