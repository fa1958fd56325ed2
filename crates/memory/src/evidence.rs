//! What does an answer rest on, and which change in the source touches it?
//!
//! An experience is found again by the *patterns* of its evidence, not by whole triples: a triple that is added or
//! removed touches every experience that used its subject or its object with its predicate. So a new film of a director
//! makes "films of this director" suspect, though no triple of the old answer changed. Too many patterns fall back to
//! the predicate alone, which is coarser and never misses.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A hash of evidence in canonical form, independent of order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a set of facts, each given in a canonical form; order and repetition do not matter.
    ///
    /// ```
    /// use memory::Fingerprint;
    /// assert_eq!(Fingerprint::of(["a", "b", "a"]), Fingerprint::of(["b", "a"]));
    /// ```
    pub fn of<T: AsRef<[u8]>>(facts: impl IntoIterator<Item = T>) -> Self {
        let digests: BTreeSet<[u8; 32]> = facts
            .into_iter()
            .map(|fact| *blake3::hash(fact.as_ref()).as_bytes())
            .collect();
        let mut hasher = blake3::Hasher::new();
        for digest in &digests {
            hasher.update(digest);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The fingerprint of a set of triples in N-Triples terms.
    pub fn of_triples<'t>(triples: impl IntoIterator<Item = &'t Triple>) -> Self {
        Self::of(
            triples
                .into_iter()
                .map(|t| format!("{}\u{1f}{}\u{1f}{}", t.subject, t.predicate, t.object)),
        )
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A triple, its terms as N-Triples writes them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Triple {
    /// `<iri>` or `_:node`.
    pub subject: String,
    /// `<iri>`.
    pub predicate: String,
    /// `<iri>`, `_:node` or `"literal"`.
    pub object: String,
}

impl Triple {
    /// The triple of these terms.
    #[must_use]
    pub fn new(subject: &str, predicate: &str, object: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            predicate: predicate.to_owned(),
            object: object.to_owned(),
        }
    }
}

/// A hashed pattern of a source: a node with a predicate, or a predicate. A collision costs a needless re-verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EvidenceKey(u64);

impl EvidenceKey {
    /// Everything at `node` along `predicate`, either way.
    #[must_use]
    pub fn node(source: &str, node: &str, predicate: &str) -> Self {
        Self::hashed(&["n", source, node, predicate])
    }

    /// Everything along `predicate`: for filters, orders and other reads that are not tied to a node.
    #[must_use]
    pub fn predicate(source: &str, predicate: &str) -> Self {
        Self::hashed(&["p", source, predicate])
    }

    /// A passage, by its id.
    #[must_use]
    pub fn passage(source: &str, passage: &str) -> Self {
        Self::hashed(&["t", source, passage])
    }

    /// The keys that a change of `triple` touches.
    #[must_use]
    pub fn touched_by(source: &str, triple: &Triple) -> [Self; 3] {
        [
            Self::node(source, &triple.subject, &triple.predicate),
            Self::node(source, &triple.object, &triple.predicate),
            Self::predicate(source, &triple.predicate),
        ]
    }

    fn hashed(parts: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Self(u64::from_le_bytes(first))
    }
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The triples shown as citations, at most [`Evidence::MAX_TRIPLES`].
    pub triples: Vec<Triple>,
    /// How many triples support the answer in all.
    pub total: u64,
    /// The patterns under which a change is noticed, ascending.
    pub keys: Vec<EvidenceKey>,
    /// Hash of the whole evidence.
    pub fingerprint: Fingerprint,
}

impl Evidence {
    /// Most triples kept as text.
    pub const MAX_TRIPLES: usize = 64;
    /// Most patterns kept; beyond it only predicates are.
    pub const MAX_KEYS: usize = 512;

    /// Evidence of `triples` in `source`. `scanned` are the predicates that the plan reads without being tied to a node
    /// (filters, orders, comparisons): any change along them makes the answer suspect.
    #[must_use]
    pub fn new(source: &str, triples: &[Triple], scanned: &[&str]) -> Self {
        let mut keys: BTreeSet<EvidenceKey> = scanned
            .iter()
            .map(|p| EvidenceKey::predicate(source, p))
            .collect();
        let scans = keys.clone();
        for triple in triples {
            keys.insert(EvidenceKey::node(
                source,
                &triple.subject,
                &triple.predicate,
            ));
            keys.insert(EvidenceKey::node(source, &triple.object, &triple.predicate));
            if keys.len() > Self::MAX_KEYS {
                keys = scans;
                keys.extend(
                    triples
                        .iter()
                        .map(|t| EvidenceKey::predicate(source, &t.predicate)),
                );
                break;
            }
        }
        Self {
            triples: triples.iter().take(Self::MAX_TRIPLES).cloned().collect(),
            total: triples.len() as u64,
            keys: keys.into_iter().take(Self::MAX_KEYS).collect(),
            fingerprint: Fingerprint::of_triples(triples),
        }
    }

    /// Evidence that consists of nothing, as for a note without a source.
    #[must_use]
    pub fn none() -> Self {
        Self::new("", &[], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_triple_touches_the_answer_it_would_change() {
        let known = Triple::new("<inception>", "<director>", "<nolan>");
        let evidence = Evidence::new("films", &[known], &[]);
        let added = Triple::new("<tenet>", "<director>", "<nolan>");
        assert!(
            EvidenceKey::touched_by("films", &added)
                .iter()
                .any(|key| evidence.keys.contains(key))
        );
        let elsewhere = Triple::new("<tenet>", "<writer>", "<nolan>");
        assert!(
            !EvidenceKey::touched_by("films", &elsewhere)
                .iter()
                .any(|key| evidence.keys.contains(key))
        );
    }

    #[test]
    fn a_scanned_predicate_is_touched_at_any_node() {
        let evidence = Evidence::new("films", &[], &["<year>"]);
        let added = Triple::new("<anything>", "<year>", "\"1999\"");
        assert!(
            EvidenceKey::touched_by("films", &added)
                .iter()
                .any(|key| evidence.keys.contains(key))
        );
    }

    #[test]
    fn too_many_patterns_fall_back_to_the_predicate_and_never_miss() {
        let triples: Vec<Triple> = (0..1000)
            .map(|i| Triple::new(&format!("<f{i}>"), "<star>", "<x>"))
            .collect();
        let evidence = Evidence::new("films", &triples, &[]);
        assert!(evidence.keys.len() <= Evidence::MAX_KEYS);
        assert_eq!(
            (evidence.triples.len(), evidence.total),
            (Evidence::MAX_TRIPLES, 1000)
        );
        for triple in &triples {
            assert!(
                EvidenceKey::touched_by("films", triple)
                    .iter()
                    .any(|key| evidence.keys.contains(key))
            );
        }
    }

    #[test]
    fn the_fingerprint_tells_boundaries_apart() {
        let a = Triple::new("<ab>", "<c>", "<d>");
        let b = Triple::new("<a>", "<bc>", "<d>");
        assert_ne!(Fingerprint::of_triples([&a]), Fingerprint::of_triples([&b]));
    }
}
