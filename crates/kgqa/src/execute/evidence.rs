//! Which triples prove a value? The steps of an execution, recorded on the way out and read on the way back.

use std::collections::BTreeSet;

use crate::graph::TermId;

/// A subject, predicate, object.
pub(super) type Triple = [TermId; 3];

/// The rows of one hop.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) predicate: TermId,
    pub(super) inverse: bool,
    /// From and to, each pair once.
    pub(super) pairs: Vec<(TermId, TermId)>,
}

impl Level {
    fn triple(&self, (from, to): (TermId, TermId)) -> Triple {
        if self.inverse {
            [to, self.predicate, from]
        } else {
            [from, self.predicate, to]
        }
    }
}

/// How the values of a plan were found.
#[derive(Debug)]
pub(super) enum Proof {
    /// By a walk.
    Walk(Vec<Level>),
    /// By several proofs together.
    All(Vec<Proof>),
    /// By a proof and facts about each value, ascending by value.
    With(Box<Proof>, Vec<(TermId, Triple)>),
    /// By facts that are the same for all values.
    Facts(Vec<Triple>),
}

impl Proof {
    /// The triples that prove `kept` (ascending), each once, ascending, and whether there were more than `bound`.
    ///
    /// When there are too many, each value in turn gets one complete way, so that no kept triple hangs in the air.
    pub(super) fn triples(mut self, kept: &[TermId], bound: usize) -> (Vec<Triple>, bool) {
        let mut all = Vec::new();
        self.collect(kept, &mut all);
        all.sort_unstable();
        all.dedup();
        if all.len() <= bound {
            return (all, false);
        }
        self.sort_by_target();
        let mut some = BTreeSet::new();
        for &value in kept {
            let mut way = Vec::new();
            self.witness(value, &mut way);
            let new = way.iter().filter(|t| !some.contains(*t)).count();
            if some.len() + new > bound {
                break;
            }
            some.extend(way);
        }
        if let Self::Facts(facts) = &self {
            some.extend(facts.iter().take(bound).copied());
        }
        (some.into_iter().collect(), true)
    }

    fn collect(&self, kept: &[TermId], out: &mut Vec<Triple>) {
        match self {
            Self::Walk(levels) => {
                let mut kept = kept.to_vec();
                for level in levels.iter().rev() {
                    let mut before = Vec::new();
                    for &pair in &level.pairs {
                        if kept.binary_search(&pair.1).is_ok() {
                            out.push(level.triple(pair));
                            before.push(pair.0);
                        }
                    }
                    before.sort_unstable();
                    before.dedup();
                    kept = before;
                }
            }
            Self::All(proofs) => proofs.iter().for_each(|proof| proof.collect(kept, out)),
            Self::With(proof, facts) => {
                proof.collect(kept, out);
                let facts = facts.iter().filter(|(v, _)| kept.binary_search(v).is_ok());
                out.extend(facts.map(|(_, triple)| *triple));
            }
            Self::Facts(facts) => out.extend(facts),
        }
    }

    fn sort_by_target(&mut self) {
        match self {
            Self::Walk(levels) => levels
                .iter_mut()
                .for_each(|level| level.pairs.sort_unstable_by_key(|&(from, to)| (to, from))),
            Self::All(proofs) => proofs.iter_mut().for_each(Self::sort_by_target),
            Self::With(proof, _) => proof.sort_by_target(),
            Self::Facts(_) => {}
        }
    }

    /// One complete way to `value`; needs [`Self::sort_by_target`].
    fn witness(&self, value: TermId, out: &mut Vec<Triple>) {
        match self {
            Self::Walk(levels) => {
                let mut at = value;
                for level in levels.iter().rev() {
                    let found = level.pairs.partition_point(|&(_, to)| to < at);
                    let Some(&pair) = level.pairs.get(found).filter(|pair| pair.1 == at) else {
                        return;
                    };
                    out.push(level.triple(pair));
                    at = pair.0;
                }
            }
            Self::All(proofs) => proofs.iter().for_each(|proof| proof.witness(value, out)),
            Self::With(proof, facts) => {
                proof.witness(value, out);
                let first = facts.partition_point(|&(v, _)| v < value);
                out.extend(facts.get(first).filter(|fact| fact.0 == value).map(|f| f.1));
            }
            Self::Facts(_) => {}
        }
    }
}
