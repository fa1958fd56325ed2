//! Which things are called that, or nearly that?
//!
//! A label leads to its sources (`label_keys`), a source to the things it names: an IRI to itself, a literal to the
//! subjects that have it as a label and, where it is used as a value, to itself. What no statement mentions any more
//! is not found. Every search is bounded, whatever the graph.

use std::collections::{BTreeMap, BTreeSet};

use crate::block_set::{self, Scan};
use crate::error::StoreError;
use crate::id::TermId;
use crate::label_keys::{self, START_BYTES, exact_source, forgiven_errors};
use crate::order::{Order, split};
use crate::snapshot::Snapshot;

/// Sources looked at for one exact label.
const MAX_SOURCES: usize = 256;
/// Keys read for one prefix.
const MAX_PREFIX_KEYS: usize = 4_096;
/// Keys read for one piece in a fuzzy search.
const MAX_PIECE_KEYS: usize = 4_096;
/// Labels compared letter by letter in one fuzzy search.
const MAX_COMPARED: usize = 512;
/// A text with more characters is looked up exactly only.
const MAX_FUZZY_CHARS: usize = 96;

/// A thing whose label was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelMatch {
    /// Edits between the normalised label and the text: insertions, deletions, replacements, swaps of neighbours.
    pub distance: usize,
    /// The normalised label.
    pub label: String,
    /// The thing.
    pub id: TermId,
}

/// The label index of a snapshot. Texts are given normalised ([`crate::normalise`]).
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    snapshot: &'a Snapshot,
}

impl Snapshot {
    /// The label index.
    #[must_use]
    pub fn labels(&self) -> Labels<'_> {
        Labels { snapshot: self }
    }

    /// The label predicates in use, best first.
    #[must_use]
    pub fn label_predicates(&self) -> Vec<TermId> {
        let ids = self.inner.label_predicates.iter();
        ids.copied().map(TermId).collect()
    }

    fn mentions(&self, id: u32) -> Result<bool, StoreError> {
        Ok(self.scan(Order::Spog, &[id])?.next_key()?.is_some()
            || self.scan(Order::Opsg, &[id])?.next_key()?.is_some())
    }
}

impl Labels<'_> {
    /// The most words that any label has; a longer phrase is no label.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        usize::try_from(self.snapshot.inner.meta.max_label_tokens).unwrap_or(usize::MAX)
    }

    /// The things with exactly this normalised label: those it is stated for first, then those whose IRI says so, then
    /// literals with that text; each group by ascending id, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn exact(&self, normalised: &str, limit: usize) -> Result<Vec<TermId>, StoreError> {
        let (low, high) = label_keys::exact_range(normalised);
        let mut sources = Vec::new();
        block_set::visit(
            self.snapshot.inner.tables.labels.as_ref(),
            low,
            high,
            |key| {
                sources.push(exact_source(key));
                sources.len() < MAX_SOURCES
            },
        )?;
        self.named_by(&sources, limit)
    }

    /// The things that sources name, in the order that [`Self::exact`] promises.
    fn named_by(&self, sources: &[(bool, u32)], limit: usize) -> Result<Vec<TermId>, StoreError> {
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let mut stated = BTreeSet::new();
        let (mut by_iri, mut literals) = (Vec::new(), Vec::new());
        for (is_literal, source) in sources {
            if !*is_literal {
                if self.snapshot.mentions(*source)? {
                    by_iri.push(*source);
                }
                continue;
            }
            let mut is_value = false;
            let predicates = &self.snapshot.inner.label_predicates;
            self.snapshot
                .each_predicate(Order::Opsg, *source, |predicate| {
                    if predicates.contains(&predicate) {
                        let found = self.snapshot.subjects(
                            TermId(predicate),
                            TermId(*source),
                            None,
                            limit,
                        )?;
                        stated.extend(found.ids.into_iter().map(|id| id.0));
                    } else {
                        is_value = true;
                    }
                    Ok(true)
                })?;
            if is_value {
                literals.push(*source);
            }
        }
        let mut ids: Vec<TermId> = Vec::with_capacity(stated.len() + by_iri.len());
        by_iri.retain(|id| !stated.contains(id));
        let all = stated.into_iter().chain(by_iri).chain(literals);
        ids.extend(all.take(limit).map(TermId));
        Ok(ids)
    }

    /// Things whose normalised label starts with `normalised`, shorter labels first, at most `limit`.
    ///
    /// Looks at 4,096 labels at most: for a prefix of one or two letters on a large graph, not all are seen.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn prefix(&self, normalised: &str, limit: usize) -> Result<Vec<LabelMatch>, StoreError> {
        let (low, high) = label_keys::start_range(normalised);
        let mut sources = Vec::new();
        let mut scan = Scan::new(&self.snapshot.inner.tables.label_starts, low, high)?;
        while let Some(key) = scan.next_key()? {
            sources.push(split(key)[3]);
            if sources.len() >= MAX_PREFIX_KEYS {
                break;
            }
        }
        let enough = normalised.len() > START_BYTES;
        let mut labels: BTreeMap<(usize, String), Vec<(bool, u32)>> = BTreeMap::new();
        for source in sources {
            let Some((label, literal)) = label_keys::source_label(&self.snapshot.bytes(source)?)
            else {
                continue;
            };
            if enough && !label.starts_with(normalised) {
                continue;
            }
            labels
                .entry((label.len(), label))
                .or_default()
                .push((literal, source));
        }
        let mut matches = Vec::new();
        for ((_, label), sources) in labels {
            let distance =
                label.chars().count() - normalised.chars().count().min(label.chars().count());
            for id in self.named_by(&sources, limit - matches.len())? {
                matches.push(LabelMatch {
                    distance,
                    label: label.clone(),
                    id,
                });
            }
            if matches.len() >= limit {
                break;
            }
        }
        Ok(matches)
    }

    /// Things whose normalised label is `normalised` but for typing errors: one in labels of 4 to 7 characters, two in
    /// longer ones. Nearest first, then by label and id, at most `limit`.
    ///
    /// Looks at a bounded number of candidates; on a large graph, short labels may be missed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn fuzzy(&self, normalised: &str, limit: usize) -> Result<Vec<LabelMatch>, StoreError> {
        let text: Vec<char> = normalised.chars().collect();
        if text.len() < label_keys::MIN_FUZZY_CHARS || text.len() > MAX_FUZZY_CHARS {
            return Ok(Vec::new());
        }
        let mut labels: BTreeMap<(usize, String), Vec<(bool, u32)>> = BTreeMap::new();
        for source in self.similar_sources(&text)? {
            let Some((label, literal)) = label_keys::source_label(&self.snapshot.bytes(source)?)
            else {
                continue;
            };
            let chars: Vec<char> = label.chars().collect();
            let allowed = forgiven_errors(chars.len().min(text.len()));
            if let Some(distance) = edit_distance(&text, &chars, allowed) {
                labels
                    .entry((distance, label))
                    .or_default()
                    .push((literal, source));
            }
        }
        let mut matches = Vec::new();
        for ((distance, label), sources) in labels {
            for id in self.named_by(&sources, limit - matches.len())? {
                matches.push(LabelMatch {
                    distance,
                    label: label.clone(),
                    id,
                });
            }
            if matches.len() >= limit {
                break;
            }
        }
        Ok(matches)
    }

    /// Sources that share a piece with the text at about the same place, and have about the same letters.
    fn similar_sources(&self, text: &[char]) -> Result<BTreeSet<u32>, StoreError> {
        let table = self.snapshot.inner.tables.label_pieces.as_ref();
        let letters = label_keys::letters(text);
        let errors = forgiven_errors(text.len());
        let mut buffer = Vec::new();
        let mut sources = BTreeSet::new();
        // Lengths nearest to the text's own come first, so that the bound cuts the least likely.
        for gap in 0..=errors {
            for chars in [text.len().checked_sub(gap), Some(text.len() + gap)] {
                let Some(chars) = chars.filter(|chars| *chars >= label_keys::MIN_FUZZY_CHARS)
                else {
                    continue;
                };
                let allowed = forgiven_errors(chars);
                if gap > allowed || (gap == 0 && sources.len() >= MAX_COMPARED) {
                    continue;
                }
                for (at, (start, length)) in label_keys::pieces(chars).enumerate() {
                    for from in places(text.len(), chars, at, start, length, allowed) {
                        let hash = label_keys::piece_hash(
                            chars,
                            at,
                            &text[from..from + length],
                            &mut buffer,
                        );
                        let low = label_keys::piece_key(hash, 0, 0);
                        let high = label_keys::piece_key(hash, u32::MAX, u32::MAX);
                        let mut read = 0;
                        block_set::visit(table, low, high, |key| {
                            let [_, _, id, has] = split(key);
                            if (has ^ letters).count_ones() as usize <= 2 * allowed {
                                sources.insert(id);
                            }
                            read += 1;
                            read < MAX_PIECE_KEYS && sources.len() < MAX_COMPARED
                        })?;
                        if sources.len() >= MAX_COMPARED {
                            return Ok(sources);
                        }
                    }
                }
            }
        }
        Ok(sources)
    }
}

/// Where in a text of `text` characters piece `at` of a label of `chars` characters may be found, when the label is
/// within `errors` edits: the pieces before it can have moved it by at most `at`, those after it by `errors - at`.
fn places(
    text: usize,
    chars: usize,
    at: usize,
    start: usize,
    length: usize,
    errors: usize,
) -> std::ops::Range<usize> {
    let Some(last) = text.checked_sub(length) else {
        return 0..0;
    };
    let after = errors - at.min(errors);
    let low = start
        .saturating_sub(at)
        .max((start + text).saturating_sub(chars + after));
    let high = (start + at)
        .min((start + text + after).saturating_sub(chars))
        .min(last);
    low..high + 1
}

/// Edits from `a` to `b` (insertion, deletion, replacement, swap of neighbours), or `None` when more than `allowed`.
fn edit_distance(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let width = b.len() + 1;
    let mut rows = [
        vec![0; width],
        (0..width).collect::<Vec<_>>(),
        vec![0; width],
    ];
    for i in 1..=a.len() {
        let [before, above, row] = &mut rows;
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
        if row.iter().min().is_none_or(|best| *best > allowed) {
            return None;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][b.len()]).filter(|distance| *distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str, allowed: usize) -> Option<usize> {
        edit_distance(
            &a.chars().collect::<Vec<_>>(),
            &b.chars().collect::<Vec<_>>(),
            allowed,
        )
    }

    #[test]
    fn edits_are_counted_up_to_a_bound() {
        assert_eq!(distance("matrix", "matrix", 1), Some(0));
        assert_eq!(distance("matrix", "martix", 1), Some(1));
        assert_eq!(distance("matrix", "matrx", 1), Some(1));
        assert_eq!(distance("matrix", "mattrixx", 1), None);
        assert_eq!(distance("matrix", "mattrixx", 2), Some(2));
        assert_eq!(distance("", "ab", 2), Some(2));
        assert_eq!(distance("kitten", "sitting", 2), None);
    }
}
