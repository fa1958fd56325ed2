//! What is a node called, and which nodes have this name? The label rules of the [`Graph`](crate::graph::Graph) seam.

use std::collections::{BTreeMap, BTreeSet};

use oxrdf::{Literal, Term};

use crate::graph::TermId;
use crate::text::normalise;

const RDFS_LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
const RDFS_COMMENT: &str = "http://www.w3.org/2000/01/rdf-schema#comment";
const PREF_LABEL: &str = "http://www.w3.org/2004/02/skos/core#prefLabel";
const ALT_LABEL: &str = "http://www.w3.org/2004/02/skos/core#altLabel";
const FOAF_NAME: &str = "http://xmlns.com/foaf/0.1/name";

/// Literals longer than this are prose, not names.
const NAME_CHARS: usize = 200;
/// From this length on, two edits are still the same name.
const TWO_EDITS_FROM: usize = 8;

/// Whether a predicate only says what a node is called and so is left out of local schemas.
pub(super) fn is_left_out(predicate: &Term) -> bool {
    matches!(predicate, Term::NamedNode(p) if matches!(p.as_str(), RDFS_LABEL | RDFS_COMMENT | PREF_LABEL | ALT_LABEL))
}

/// How good a label a predicate gives, the smaller the better; `None` when it gives none.
fn label_rank(predicate: &str) -> Option<u8> {
    match predicate {
        RDFS_LABEL => Some(0),
        PREF_LABEL => Some(1),
        "http://schema.org/name" | "https://schema.org/name" => Some(2),
        FOAF_NAME => Some(3),
        ALT_LABEL => Some(5),
        other => matches!(
            local_name(other).to_ascii_lowercase().as_str(),
            "name" | "label" | "title"
        )
        .then_some(4),
    }
}

/// Names of all terms, and the way back.
#[derive(Debug)]
pub(super) struct Labels {
    best: Vec<String>,
    named: BTreeMap<String, Vec<TermId>>,
}

impl Labels {
    /// Reads the labels off the triples (subject, predicate, object).
    pub(super) fn of(terms: &[Term], triples: &BTreeSet<[u32; 3]>) -> Self {
        let mut predicates = BTreeSet::new();
        let mut content = BTreeSet::new();
        let mut best: BTreeMap<u32, (u8, u8, &str)> = BTreeMap::new();
        let mut named: BTreeMap<String, BTreeSet<TermId>> = BTreeMap::new();
        for &[s, p, o] in triples {
            predicates.insert(p);
            let Term::NamedNode(predicate) = &terms[p as usize] else {
                continue;
            };
            match (label_rank(predicate.as_str()), &terms[o as usize]) {
                (Some(rank), Term::Literal(literal)) => {
                    let offered = (rank, language_rank(literal), literal.value());
                    let kept = best.entry(s).or_insert(offered);
                    *kept = offered.min(*kept);
                    named
                        .entry(normalise(literal.value()))
                        .or_default()
                        .insert(TermId(s));
                }
                (_, Term::Literal(_)) if predicate.as_str() != RDFS_COMMENT => {
                    content.insert(o);
                }
                (_, _) => {}
            }
        }
        let mut labels = Vec::with_capacity(terms.len());
        for (id, term) in (0_u32..).zip(terms) {
            let label = match term {
                Term::NamedNode(node) => match best.get(&id) {
                    Some((_, _, label)) => (*label).to_owned(),
                    None => {
                        let words = name_in_words(node.as_str());
                        named
                            .entry(normalise(&words))
                            .or_default()
                            .insert(TermId(id));
                        words
                    }
                },
                Term::BlankNode(node) => best
                    .get(&id)
                    .map_or_else(|| node.to_string(), |(_, _, label)| (*label).to_owned()),
                Term::Literal(literal) => {
                    if content.contains(&id) && literal.value().chars().nth(NAME_CHARS).is_none() {
                        named
                            .entry(normalise(literal.value()))
                            .or_default()
                            .insert(TermId(id));
                    }
                    literal.value().to_owned()
                }
            };
            labels.push(label);
        }
        named.remove("");
        let named = named.into_iter().filter_map(|(name, ids)| {
            let nodes: Vec<TermId> = ids
                .into_iter()
                .filter(|id| !predicates.contains(&id.0))
                .collect();
            (!nodes.is_empty()).then_some((name, nodes))
        });
        Self {
            best: labels,
            named: named.collect(),
        }
    }

    pub(super) fn label(&self, id: TermId) -> Option<&str> {
        self.best.get(id.0 as usize).map(String::as_str)
    }

    pub(super) fn exact(&self, normalised: &str, limit: usize) -> Vec<TermId> {
        self.named
            .get(normalised)
            .map(|ids| ids.iter().copied().take(limit).collect())
            .unwrap_or_default()
    }

    pub(super) fn fuzzy(&self, normalised: &str, limit: usize) -> Vec<(TermId, u32)> {
        let asked: Vec<char> = normalised.chars().collect();
        let bound = if asked.len() >= TWO_EDITS_FROM { 2 } else { 1 };
        let mut nearest: BTreeMap<TermId, u32> = BTreeMap::new();
        for (name, ids) in &self.named {
            if name.len().abs_diff(normalised.len()) > bound * 4 {
                continue;
            }
            if let Some(distance) = distance_within(&asked, name, bound) {
                for &id in ids {
                    let kept = nearest.entry(id).or_insert(distance);
                    *kept = distance.min(*kept);
                }
            }
        }
        let mut found: Vec<(TermId, u32)> = nearest.into_iter().collect();
        found.sort_by_key(|&(id, distance)| (distance, id));
        found.truncate(limit);
        found
    }
}

/// Plain before English before other languages.
fn language_rank(literal: &Literal) -> u8 {
    match literal.language() {
        None => 0,
        Some(tag) if tag == "en" || tag.starts_with("en-") => 1,
        Some(_) => 2,
    }
}

/// Edit distance (insert, delete, replace) when it is at most `bound`.
fn distance_within(asked: &[char], name: &str, bound: usize) -> Option<u32> {
    let length = name.chars().count();
    if length.abs_diff(asked.len()) > bound {
        return None;
    }
    let mut row: Vec<usize> = (0..=asked.len()).collect();
    for (i, c) in name.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, a) in asked.iter().enumerate() {
            let replaced = diagonal + usize::from(*a != c);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
        if row.iter().all(|&d| d > bound) {
            return None;
        }
    }
    row.last()
        .filter(|&&d| d <= bound)
        .and_then(|&d| u32::try_from(d).ok())
}

/// What stands behind the last `#`, `/` or `:`; trailing separators are ignored.
fn local_name(iri: &str) -> &str {
    let trimmed = iri.trim_end_matches(['#', '/', ':']);
    trimmed.rsplit(['#', '/', ':']).next().unwrap_or(trimmed)
}

/// An IRI's local name in words, with its capitals: percent-decoded, split at underscores and case changes.
fn name_in_words(iri: &str) -> String {
    let decoded = percent_decoded(local_name(iri));
    let chars: Vec<char> = decoded.chars().collect();
    let mut out = String::with_capacity(decoded.len() + 4);
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| chars[j]);
        let next_is_lower = chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        let turn = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || b.is_numeric() || (b.is_uppercase() && next_is_lower)
            });
        let gap = c == '_' || c.is_whitespace();
        if (turn || gap) && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        if !gap {
            out.push(c);
        }
    }
    if out.trim().is_empty() {
        iri.to_owned()
    } else {
        out.trim_end().to_owned()
    }
}

/// Decodes `%xx`; leaves the text as it is when the bytes are no UTF-8.
fn percent_decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits = match rest {
            [b'%', high, low, ..] => char::from(*high)
                .to_digit(16)
                .zip(char::from(*low).to_digit(16)),
            _ => None,
        };
        match digits.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            Some(decoded) => {
                out.push(decoded);
                rest = &rest[3..];
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
