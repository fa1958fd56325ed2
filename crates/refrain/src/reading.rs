//! Do two questions say the same under one plan? The planner's half of the reuse guards.
//!
//! Each content word is read as the predicate that it is most like among those that the plan's nodes could have gone by. A reading is the
//! sequence of slots, predicates and words that are no predicate, outward from the slot. Two questions mean the same plan when their
//! readings are equal: nothing is left over on either side, and the order of a chain counts. **Ours**; the guards of `memory` come first.

use std::collections::BTreeSet;

use kgqa::graph::{Edge, Graph};
use kgqa::local_schema::{Schema, SchemaError};
use kgqa::plan::{Hop, Plan};
use kgqa::text;
use language_model::Embedder;

/// The least likeness of a word and a predicate that counts as meaning it, in `[-1, 1]`.
const FLOOR: f32 = 0.34;

/// One part of a reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A slot.
    Slot(String),
    /// A predicate, by position in the schema, with the word's stem.
    Predicate(usize, String),
    /// A word that is no predicate.
    Word(String),
}

/// Reads questions under one plan.
pub(crate) struct Reader<'a> {
    graph: &'a dyn Graph,
    schema: &'a Schema,
    embedder: &'a dyn Embedder,
    /// Predicates that the plan's nodes could have gone by, by position.
    choices: BTreeSet<usize>,
    /// Predicates of the plan, by position.
    taken: BTreeSet<usize>,
}

impl<'a> Reader<'a> {
    /// A reader for `plan`.
    ///
    /// # Errors
    /// When the graph cannot be read.
    pub(crate) fn new(
        graph: &'a dyn Graph,
        schema: &'a Schema,
        embedder: &'a dyn Embedder,
        plan: &Plan,
    ) -> Result<Self, SchemaError> {
        let taken: BTreeSet<usize> = plan
            .predicates()
            .into_iter()
            .filter_map(|iri| schema.position_of(iri))
            .collect();
        let mut choices = taken.clone();
        for path in plan.paths() {
            for hop in &path.hops {
                choices.extend(alternatives(graph, schema, hop)?);
            }
        }
        Ok(Self {
            graph,
            schema,
            embedder,
            choices,
            taken,
        })
    }

    /// Whether `asked` says what `stored` says; both masked.
    ///
    /// # Errors
    /// When a word cannot be embedded or the graph not be read.
    pub(crate) fn same(&self, stored: &str, asked: &str) -> Result<bool, SchemaError> {
        if stored == asked {
            return Ok(true);
        }
        let (stored, asked) = (self.read(stored)?, self.read(asked)?);
        Ok(!stored.is_empty() && alike(&outward(stored), &outward(asked)))
    }

    fn read(&self, masked: &str) -> Result<Vec<Part>, SchemaError> {
        let mut parts = Vec::new();
        for token in masked.split_whitespace() {
            if token.starts_with('⟨') {
                parts.push(Part::Slot(token.to_owned()));
            } else if !is_empty_word(token) {
                parts.extend(self.part(token)?);
            }
        }
        Ok(parts)
    }

    /// What a content word is; nothing for the name of a class of nodes.
    fn part(&self, word: &str) -> Result<Option<Part>, SchemaError> {
        let stem = text::stem(word).to_owned();
        if self.schema.is_class_noun(self.graph, word, self.embedder)? {
            return Ok(None);
        }
        let similarities = self.schema.similarities(word, self.embedder)?;
        let best = self
            .choices
            .iter()
            .map(|position| (*position, similarities[*position]))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        Ok(Some(match best {
            Some((position, similarity)) if similarity >= FLOOR && self.taken.contains(&position) => {
                Part::Predicate(position, stem)
            }
            _ => Part::Word(stem),
        }))
    }
}

/// The predicates that stand beside `hop` at the nodes it starts from.
fn alternatives(graph: &dyn Graph, schema: &Schema, hop: &Hop) -> Result<Vec<usize>, SchemaError> {
    let Some(position) = schema.position_of(&hop.predicate) else {
        return Ok(Vec::new());
    };
    let predicate = schema.entries()[position].id;
    // Where a hop starts is where its opposite ends.
    let start = Edge {
        predicate,
        inverse: !hop.inverse,
    };
    let edges = schema.leads_to(graph, start)?;
    Ok(edges
        .iter()
        .filter_map(|edge| schema.position(edge.predicate))
        .collect())
}

/// With one slot, the parts outward from it: what follows it, then what precedes it, backwards.
fn outward(parts: Vec<Part>) -> Vec<Part> {
    let slots = parts.iter().filter(|part| matches!(part, Part::Slot(_))).count();
    if slots != 1 {
        return parts;
    }
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut passed = false;
    for part in parts {
        match part {
            Part::Slot(_) => passed = true,
            other if passed => after.push(other),
            other => before.push(other),
        }
    }
    before.reverse();
    after.extend(before);
    after
}

/// Whether two readings are equal: predicates by predicate, words by stem; different words for one predicate in a row count once.
fn alike(a: &[Part], b: &[Part]) -> bool {
    let (a, b) = (merged(a), merged(b));
    a.len() == b.len()
        && a.iter().zip(&b).all(|(a, b)| match (a, b) {
            (Part::Predicate(a, _), Part::Predicate(b, _)) => a == b,
            (a, b) => a == b,
        })
}

fn merged(parts: &[Part]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for part in parts {
        if let (Some(Part::Predicate(last, stem)), Part::Predicate(next, other)) = (out.last(), part)
            && last == next
            && stem != other
        {
            continue;
        }
        out.push(part.clone());
    }
    out
}

/// Words that say nothing of their own: articles, auxiliaries, prepositions and what a question opens with.
fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.binary_search(&word).is_ok()
}

/// Ascending. What changes a meaning (not, only, before, most, …) is `memory::guard`'s and must be equal anyway.
const EMPTY_WORDS: &[&str] = &[
    "a", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "could", "d", "did", "do",
    "does", "else", "find", "for", "from", "give", "had", "has", "have", "he", "her", "him", "his", "i", "in", "into", "is",
    "it", "its", "kind", "know", "list", "many", "may", "me", "name", "named", "of", "on", "or", "other", "others", "our",
    "out", "please", "s", "she", "show", "so", "some", "t", "tell", "that", "the", "their", "them", "there", "these", "they",
    "this", "those", "to", "together", "us", "was", "we", "were", "what", "which", "who", "whom", "whose", "with", "would",
    "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn predicate(position: usize, stem: &str) -> Part {
        Part::Predicate(position, stem.to_owned())
    }

    fn slot() -> Part {
        Part::Slot("⟨0⟩".to_owned())
    }

    #[test]
    fn the_empty_words_are_sorted() {
        assert!(EMPTY_WORDS.is_sorted());
    }

    #[test]
    fn possessive_and_prepositional_chains_read_alike_and_their_order_counts() {
        let (wife, mother) = (predicate(0, "wife"), predicate(1, "mother"));
        let possessive = vec![slot(), wife.clone(), mother.clone()];
        let of = vec![mother.clone(), wife.clone(), slot()];
        let swapped = vec![wife, mother, slot()];
        assert!(alike(&outward(possessive.clone()), &outward(of)));
        assert!(!alike(&outward(possessive), &outward(swapped)));
    }

    #[test]
    fn a_repeated_step_is_not_the_single_one_but_two_words_for_one_step_are() {
        let father = || predicate(0, "father");
        assert!(!alike(&[father(), father()], &[father()]));
        let (actor, star) = (predicate(1, "actor"), predicate(1, "star"));
        assert!(alike(&[actor, star.clone()], &[star]));
    }
}
