//! Which predicates say what a thing is called?

use redb::{ReadableTable, WriteTransaction};

use crate::dictionary;
use crate::error::StoreError;
use crate::tables;
use crate::term_codec::{self, TermText};
use crate::text::local_name;

/// The most label predicates that are used; the best-ranked ones are.
pub(crate) const MAX_LABEL_PREDICATES: usize = 16;

/// Best first: a name for display comes before alternative names.
const WELL_KNOWN: [&str; 8] = [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2004/02/skos/core#altLabel",
];
const WELL_KNOWN_LOCAL_NAMES: [&str; 3] = ["label", "name", "title"];
/// The rank of a predicate that is known by its local name only.
const BY_LOCAL_NAME: u64 = 100;

/// The rank of a predicate as a source of labels, or `None` when it is none. Smaller is better.
pub(crate) fn rank(iri: &str) -> Option<u64> {
    if let Some(at) = WELL_KNOWN.iter().position(|known| *known == iri) {
        // Alternative names come after everything else.
        let last = at + 1 == WELL_KNOWN.len();
        return Some(at as u64 + if last { 2 * BY_LOCAL_NAME } else { 0 });
    }
    let name = local_name(iri);
    let at = WELL_KNOWN_LOCAL_NAMES
        .iter()
        .position(|known| *known == name)?;
    Some(BY_LOCAL_NAME + at as u64)
}

/// Notes which of the predicates whose counts changed are label predicates.
pub(crate) fn update(
    transaction: &WriteTransaction,
    changed: impl Iterator<Item = u32>,
) -> Result<(), StoreError> {
    let terms = transaction.open_table(tables::TERMS)?;
    let predicates = transaction.open_table(tables::PREDICATES)?;
    let mut table = transaction.open_table(tables::LABEL_PREDICATES)?;
    for id in changed {
        if predicates.get(id)?.is_none() {
            table.remove(id)?;
            continue;
        }
        let bytes = dictionary::term_bytes(&terms, id)?
            .ok_or_else(|| StoreError::corrupt("a predicate is not in the dictionary"))?;
        if let Some(TermText::Iri(iri)) = term_codec::text(&bytes)
            && let Some(rank) = rank(iri)
        {
            table.insert(id, rank)?;
        }
    }
    Ok(())
}

/// The label predicates, best first.
pub(crate) fn ranked(table: &impl ReadableTable<u32, u64>) -> Result<Vec<u32>, StoreError> {
    let mut ranked = Vec::new();
    for entry in table.iter()? {
        let (id, rank) = entry?;
        ranked.push((rank.value(), id.value()));
    }
    ranked.sort_unstable();
    ranked.truncate(MAX_LABEL_PREDICATES);
    Ok(ranked.into_iter().map(|(_, id)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_display_name_is_better_than_an_alternative_name() {
        let rdfs = rank("http://www.w3.org/2000/01/rdf-schema#label");
        let own = rank("http://example.org/vocab/name");
        let other = rank("http://www.w3.org/2004/02/skos/core#altLabel");
        assert!(rdfs < own && own < other);
        assert_eq!(rank("http://example.org/vocab/surname"), None);
    }
}
