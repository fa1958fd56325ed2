//! How often does each entity occur in each passage?
//!
//! One Aho-Corasick pass over all passages for all entities at once, instead of a search for each.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::Occurrences;
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

/// Counts occurrences that do not overlap, from the left.
pub(super) fn count(
    texts: &[&str],
    names: &[&str],
    mode: Occurrences,
) -> Result<Counts, GraphRagError> {
    let form = |text: &str| match mode {
        Occurrences::Words => Encoded::new(text).text,
        Occurrences::Substring => text.to_lowercase(),
    };
    let mut by_form: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (entity, name) in names.iter().enumerate() {
        by_form.entry(form(name)).or_default().push(entity);
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
        let text = form(text);
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
        let texts = ["Famous in the US. Us, U.S!", "aaaa"];
        let names = ["US", "aa", "aaaa"];
        let words = count(&texts, &names, Occurrences::Words).unwrap();
        assert_eq!(words.by_entity, [vec![(0, 2)], vec![], vec![(1, 1)]]);
        let letters = count(&texts, &names, Occurrences::Substring).unwrap();
        assert_eq!(
            letters.by_entity,
            [vec![(0, 3)], vec![(1, 2)], vec![(1, 1)]]
        );
        assert_eq!((letters.of(1, 1), letters.of(1, 0)), (2, 0));
    }
}
