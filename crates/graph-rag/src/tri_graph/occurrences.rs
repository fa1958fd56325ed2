//! How often does each entity occur in each passage?
//!
//! Words: runs of a passage's folded words are looked up among the names, so that a changed passage costs only itself.
//! Substrings: one Aho-Corasick pass over all passages for all names.

use std::collections::{BTreeMap, HashMap};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::GraphRagError;
use crate::csr::id32;
use crate::token::Encoded;

/// Entity → (passage, occurrences), by passage.
pub(super) struct Counts {
    pub(super) by_entity: Vec<Vec<(u32, u32)>>,
}

impl Counts {
    /// How often an entity occurs in a passage.
    pub(super) fn of(&self, entity: u32, passage: usize) -> u32 {
        let row = &self.by_entity[entity as usize];
        row.binary_search_by_key(&passage, |(p, _)| *p as usize)
            .map_or(0, |place| row[place].1)
    }
}

/// Names to look for, as they are encoded.
struct Forms<'n> {
    owners: HashMap<&'n str, Vec<u32>>,
    /// How many words the longest name has that begins with a word.
    longest: HashMap<&'n str, usize>,
}

impl<'n> Forms<'n> {
    fn new(names: impl Iterator<Item = (u32, &'n str)>) -> Self {
        let mut forms = Self {
            owners: HashMap::new(),
            longest: HashMap::new(),
        };
        for (entity, form) in names.filter(|(_, form)| !form.is_empty()) {
            let first = form.find('\u{2}').map_or(form, |end| &form[..=end]);
            let longest = forms.longest.entry(first).or_default();
            *longest = (*longest).max(form.matches('\u{2}').count());
            forms.owners.entry(form).or_default().push(entity);
        }
        forms
    }

    /// How often each name occurs in a text without overlaps, from the left; by entity.
    fn count(&self, text: &Encoded) -> BTreeMap<u32, u32> {
        let ends: Vec<usize> = text
            .units
            .iter()
            .skip(1)
            .map(|u| u.encoded)
            .chain([text.text.len()])
            .collect();
        let mut found: HashMap<u32, (usize, u32)> = HashMap::new();
        for (place, unit) in text.units.iter().enumerate() {
            let word = &text.text[unit.encoded..ends[place]];
            let longest = self.longest.get(word).copied().unwrap_or_default();
            for end in ends.iter().skip(place).take(longest) {
                for entity in self
                    .owners
                    .get(&text.text[unit.encoded..*end])
                    .into_iter()
                    .flatten()
                {
                    let state = found.entry(*entity).or_insert((0, 0));
                    if unit.encoded >= state.0 {
                        *state = (*end, state.1 + 1);
                    }
                }
            }
        }
        found
            .into_iter()
            .map(|(entity, (_, times))| (entity, times))
            .collect()
    }
}

/// Counts of before that still hold.
pub(super) struct Known<'k> {
    /// Rows of entities that were known, by their numbers now.
    pub(super) rows: Vec<Option<&'k [(u32, u32)]>>,
    /// Where each passage of before is now.
    pub(super) places: &'k [Option<u32>],
    /// Whether each passage of now was not there before.
    pub(super) fresh: &'k [bool],
}

/// Counts whole words. `forms` are the entities' encoded names.
pub(super) fn count_words(
    texts: &[&Encoded],
    forms: &[String],
    known: Option<&Known<'_>>,
) -> Result<Counts, GraphRagError> {
    let numbered = || (0_u32..).zip(forms.iter().map(String::as_str));
    let all = Forms::new(numbered());
    let mut by_entity = vec![Vec::new(); forms.len()];
    let mut added = None;
    if let Some(known) = known {
        for (row, before) in by_entity.iter_mut().zip(&known.rows) {
            let kept = before.unwrap_or_default().iter();
            row.extend(kept.filter_map(|(place, times)| {
                Some((known.places.get(*place as usize).copied()??, *times))
            }));
        }
        added = Some(Forms::new(
            numbered().filter(|(e, _)| known.rows[*e as usize].is_none()),
        ));
    }
    for (passage, text) in texts.iter().enumerate() {
        let old = known.is_some_and(|k| !k.fresh[passage]);
        let forms = if old {
            added.as_ref().unwrap_or(&all)
        } else {
            &all
        };
        if forms.owners.is_empty() {
            continue;
        }
        let place = id32(passage, "passages")?;
        for (entity, times) in forms.count(text) {
            by_entity[entity as usize].push((place, times));
        }
    }
    if known.is_some() {
        for row in &mut by_entity {
            row.sort_unstable();
        }
    }
    Ok(Counts { by_entity })
}

/// Counts substrings of the lower-case text, whatever words they stand in.
pub(super) fn count_substrings(texts: &[&str], names: &[&str]) -> Result<Counts, GraphRagError> {
    let mut by_form: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (entity, name) in names.iter().enumerate() {
        by_form.entry(name.to_lowercase()).or_default().push(entity);
    }
    by_form.remove("");
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(by_form.keys())
        .map_err(|source| GraphRagError::Gazetteer {
            names: names.len(),
            source: Box::new(source),
        })?;
    let owners: Vec<Vec<usize>> = by_form.into_values().collect();
    let mut by_entity = vec![Vec::new(); names.len()];
    // For each form: the passage it was last seen in, the end of its last match there, and how often so far.
    let mut seen = vec![(usize::MAX, 0_usize, 0_u32); owners.len()];
    let mut touched = Vec::new();
    for (passage, text) in texts.iter().enumerate() {
        let text = text.to_lowercase();
        for found in automaton.find_overlapping_iter(&text) {
            let pattern = found.pattern().as_usize();
            let state = &mut seen[pattern];
            if state.0 != passage {
                *state = (passage, 0, 0);
                touched.push(pattern);
            }
            if found.start() >= state.1 {
                state.1 = found.end();
                state.2 += 1;
            }
        }
        let place = id32(passage, "passages")?;
        for pattern in touched.drain(..) {
            for entity in &owners[pattern] {
                by_entity[*entity].push((place, seen[pattern].2));
            }
        }
    }
    Ok(Counts { by_entity })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_and_substrings_are_not() {
        let texts = ["Famous in the US. Us, U.S!", "aaaa", "Oak Oak Oak Hill"];
        let names = ["US", "aa", "aaaa", "Oak Oak", "Oak Hill"];
        let encoded: Vec<Encoded> = texts.iter().map(|t| Encoded::new(t)).collect();
        let encoded: Vec<&Encoded> = encoded.iter().collect();
        let forms: Vec<String> = names.iter().map(|n| Encoded::new(n).text).collect();
        let words = count_words(&encoded, &forms, None).unwrap();
        assert_eq!(
            words.by_entity,
            [
                vec![(0, 2)],
                vec![],
                vec![(1, 1)],
                vec![(2, 1)],
                vec![(2, 1)]
            ]
        );
        let letters = count_substrings(&texts, &names).unwrap();
        assert_eq!(
            letters.by_entity[..3],
            [vec![(0, 3)], vec![(1, 2)], vec![(1, 1)]]
        );
        assert_eq!((letters.of(1, 1), letters.of(1, 0)), (2, 0));
    }
}
