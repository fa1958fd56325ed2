//! Which predicate did a phrase turn out to mean?
//!
//! Counts generalise across compositions: what "other half" means in a two-hop question helps in a three-hop one. A
//! wrong chain does not say which of its links was wrong, so the blame is shared, and the links trusted least bear most.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::experience::Link;
use crate::tally::{Tallies, Tally};

type Key = (Arc<str>, Arc<str>);

/// What phrases were found to mean.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lexicon {
    tallies: Tallies<Key>,
}

impl Lexicon {
    /// How many pairs of phrase and predicate there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tallies.len()
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The predicates that `phrase` was taken for, with their counts, by predicate.
    #[must_use]
    pub fn predicates(&self, phrase: &str) -> Vec<(Arc<str>, Tally)> {
        let from: Key = (Arc::from(phrase), Arc::from(""));
        let pairs = self
            .tallies
            .map()
            .range(from..)
            .take_while(|((text, _), _)| text.as_ref() == phrase);
        pairs
            .map(|((_, predicate), tally)| (Arc::clone(predicate), *tally))
            .collect()
    }

    /// What was learned of one pair.
    #[must_use]
    pub fn tally(&self, phrase: &str, predicate: &str) -> Option<Tally> {
        self.tallies
            .get(&(Arc::from(phrase), Arc::from(predicate)))
            .copied()
    }

    /// How a failure of weight `failures` is shared among the links of a chain: in proportion to how little each is
    /// trusted. The shares add up to `failures`.
    #[must_use]
    pub fn blame(&self, links: &[Link], failures: f64) -> Vec<f64> {
        let doubt = |link: &Link| {
            let tally = self
                .tally(&link.phrase, &link.predicate)
                .unwrap_or_default();
            (tally.failures + 1.0) / (tally.evidence() + 2.0)
        };
        let doubts: Vec<f64> = links.iter().map(doubt).collect();
        let total: f64 = doubts.iter().sum();
        doubts.into_iter().map(|d| failures * d / total).collect()
    }

    /// Gives how many pairs had to leave for it.
    pub(crate) fn add(
        &mut self,
        link: &Link,
        evidence: (f64, f64),
        step: u64,
        capacity: usize,
    ) -> usize {
        self.tallies
            .add(&key(link), evidence.0, evidence.1, step, capacity)
            .len()
    }

    pub(crate) fn subtract(&mut self, link: &Link, evidence: (f64, f64)) {
        self.tallies.subtract(&key(link), evidence.0, evidence.1);
    }
}

fn key(link: &Link) -> Key {
    (
        Arc::from(link.phrase.as_str()),
        Arc::from(link.predicate.as_str()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(phrase: &str, predicate: &str) -> Link {
        Link {
            phrase: phrase.to_owned(),
            predicate: predicate.to_owned(),
        }
    }

    #[test]
    fn the_link_trusted_least_bears_most_of_the_blame() {
        let mut lexicon = Lexicon::default();
        let (proven, fresh) = (link("mother", "p:mother"), link("other half", "p:child"));
        for step in 0..8 {
            lexicon.add(&proven, (1.0, 0.0), step, 100);
        }
        let shares = lexicon.blame(&[proven, fresh], 1.0);
        assert!(shares[0] < 0.2 && shares[1] > 0.8, "{shares:?}");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_phrase_lists_its_own_predicates_only() {
        let mut lexicon = Lexicon::default();
        lexicon.add(&link("dad", "p:father"), (1.0, 0.0), 1, 100);
        lexicon.add(&link("dad", "p:child"), (0.0, 1.0), 2, 100);
        lexicon.add(&link("dada", "p:art"), (1.0, 0.0), 3, 100);
        let names: Vec<Arc<str>> = lexicon
            .predicates("dad")
            .into_iter()
            .map(|(p, _)| p)
            .collect();
        assert_eq!(names, [Arc::from("p:child"), Arc::from("p:father")]);
    }
}
