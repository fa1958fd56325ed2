//! Is what is stored whole and consistent?
//!
//! Reads everything once. Sets that must hold the same things are compared by their size and by the sum of a 128-bit
//! hash of each member, so that no memory is needed for graphs of any size.

use std::collections::BTreeMap;

use redb::ReadableTable;
use xxhash_rust::xxh3::xxh3_128;

use crate::block_set::{BlockTable, Scan};
use crate::dictionary::{self, TermBlockReader, hash_key};
use crate::error::StoreError;
use crate::label_keys;
use crate::order::{Key, Order, split};
use crate::snapshot::Snapshot;
use crate::term_codec;

/// Something in a store that is not as it must be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A part of the store cannot be read to its end.
    #[error("{part} cannot be read: {reason}")]
    Unreadable {
        /// The table.
        part: &'static str,
        /// The error's text.
        reason: String,
    },
    /// Keys are out of order or double.
    #[error("{part} is out of order")]
    OutOfOrder {
        /// The table.
        part: &'static str,
    },
    /// Two parts that must agree do not.
    #[error("{part} has {found} entries that differ from the {expected} expected")]
    Differs {
        /// The table.
        part: &'static str,
        /// Entries it should have.
        expected: u64,
        /// Entries it has.
        found: u64,
    },
    /// A term cannot be decoded.
    #[error("the term with id {id} is damaged")]
    DamagedTerm {
        /// Its id.
        id: u32,
    },
    /// Two ids have the same term.
    #[error("the ids {first} and {second} have the same term")]
    DoubleTerm {
        /// One id.
        first: u32,
        /// The other.
        second: u32,
    },
    /// Statements use ids that no term has.
    #[error("{statements} statements use ids that no term has")]
    UnknownTerms {
        /// How many statements.
        statements: u64,
    },
    /// A stored count is not the number of statements.
    #[error("{what} is stored as {stored} but is {found}")]
    WrongCount {
        /// Which count.
        what: String,
        /// What the store says.
        stored: u64,
        /// What there is.
        found: u64,
    },
}

/// The most problems that are listed.
const MAX_PROBLEMS: usize = 100;

/// A set's size and the sum of its members' hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    members: u64,
    hash: u128,
}

impl Sum {
    fn add(&mut self, key: Key) {
        self.members += 1;
        self.hash = self.hash.wrapping_add(xxh3_128(&key.to_le_bytes()));
    }
}

#[derive(Default)]
struct Terms {
    hashes: Sum,
    labels: Sum,
    starts: Sum,
    pieces: Sum,
}

struct Check<'a> {
    snapshot: &'a Snapshot,
    problems: Vec<Problem>,
}

impl Snapshot {
    /// Reads the whole store and lists what is wrong with it; nothing, when all is well.
    #[must_use]
    pub fn verify(&self) -> Vec<Problem> {
        let mut check = Check {
            snapshot: self,
            problems: Vec::new(),
        };
        check.quads();
        check.terms();
        check.problems
    }
}

impl Check<'_> {
    fn report(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn unreadable(&mut self, part: &'static str, error: &StoreError) {
        self.report(Problem::Unreadable {
            part,
            reason: error.to_string(),
        });
    }

    /// Reads a set in order.
    fn scan(&mut self, part: &'static str, table: &BlockTable, mut each: impl FnMut(Key)) -> Sum {
        let mut sum = Sum::default();
        let mut last = None;
        let mut ordered = true;
        let keys = Scan::new(table, 0, Key::MAX).and_then(|scan| {
            for key in scan {
                let key = key?;
                ordered &= last.is_none_or(|last| last < key);
                last = Some(key);
                sum.add(key);
                each(key);
            }
            Ok(())
        });
        if let Err(error) = keys {
            self.unreadable(part, &error);
        }
        if !ordered {
            self.report(Problem::OutOfOrder { part });
        }
        sum
    }

    fn quads(&mut self) {
        let tables = &self.snapshot.inner.tables;
        let meta = self.snapshot.inner.meta;
        let mut all = Sum::default();
        let mut named = Sum::default();
        let mut unknown = 0;
        let mut predicates: BTreeMap<u32, u64> = BTreeMap::new();
        let mut graphs: BTreeMap<u32, u64> = BTreeMap::new();
        self.scan(Order::Spog.name(), tables.index(Order::Spog), |key| {
            let [s, p, o, g] = Order::Spog.unpack(key);
            all.add(key);
            *predicates.entry(p).or_default() += 1;
            if g != 0 {
                named.add(key);
                *graphs.entry(g).or_default() += 1;
            }
            let known = |id: u32| id > 0 && id < meta.next_term;
            if !(known(s) && known(p) && known(o) && g < meta.next_term) {
                unknown += 1;
            }
        });
        if unknown > 0 {
            self.report(Problem::UnknownTerms {
                statements: unknown,
            });
        }
        for order in [Order::Posg, Order::Opsg, Order::Gspo] {
            let mut found = Sum::default();
            self.scan(order.name(), tables.index(order), |key| {
                found.add(Order::Spog.pack(order.unpack(key)));
            });
            let expected = if order == Order::Gspo { named } else { all };
            self.compare(order.name(), expected, found);
        }
        self.count("the number of statements", meta.statements, all.members);
        self.count(
            "the number of named statements",
            meta.named_statements,
            named.members,
        );
        for (part, table, found) in [
            ("predicates", &tables.predicates, &predicates),
            ("graphs", &tables.graphs, &graphs),
        ] {
            self.counts(part, table, found);
        }
    }

    fn count(&mut self, what: &str, stored: u64, found: u64) {
        if stored != found {
            self.report(Problem::WrongCount {
                what: what.to_owned(),
                stored,
                found,
            });
        }
    }

    fn counts(
        &mut self,
        part: &'static str,
        table: &redb::ReadOnlyTable<u32, u64>,
        found: &BTreeMap<u32, u64>,
    ) {
        let stored = table.iter().and_then(|entries| {
            entries
                .map(|entry| entry.map(|(id, count)| (id.value(), count.value())))
                .collect::<Result<BTreeMap<u32, u64>, _>>()
        });
        match stored {
            Err(error) => self.unreadable(part, &error.into()),
            Ok(stored) => {
                for id in stored.keys().chain(found.keys()) {
                    let get = |counts: &BTreeMap<u32, u64>| counts.get(id).copied().unwrap_or(0);
                    self.count(
                        &format!("the count of {part} #{id}"),
                        get(&stored),
                        get(found),
                    );
                }
            }
        }
    }

    fn compare(&mut self, part: &'static str, expected: Sum, found: Sum) {
        if expected != found {
            self.report(Problem::Differs {
                part,
                expected: expected.members,
                found: found.members,
            });
        }
    }

    fn terms(&mut self) {
        let tables = &self.snapshot.inner.tables;
        let mut sums = Terms::default();
        if let Err(error) = self.each_term(&mut sums) {
            self.unreadable("terms", &error);
        }
        let mut doubles = Vec::new();
        let mut last: Option<[u32; 4]> = None;
        let found = self.scan("term_hashes", &tables.term_hashes, |key| {
            let parts = split(key);
            if let Some(before) = last
                && before[..2] == parts[..2]
            {
                doubles.push((before[2], parts[2]));
            }
            last = Some(parts);
        });
        self.compare("term_hashes", sums.hashes, found);
        for (first, second) in doubles {
            let (a, b) = (self.snapshot.bytes(first), self.snapshot.bytes(second));
            if let (Ok(a), Ok(b)) = (a, b)
                && a == b
            {
                self.report(Problem::DoubleTerm { first, second });
            }
        }
        for (part, table, expected) in [
            ("labels", &tables.labels, sums.labels),
            ("label_starts", &tables.label_starts, sums.starts),
            ("label_pieces", &tables.label_pieces, sums.pieces),
        ] {
            let found = self.scan(part, table, |_| {});
            self.compare(part, expected, found);
        }
    }

    fn each_term(&mut self, sums: &mut Terms) -> Result<(), StoreError> {
        let mut next = 1;
        for entry in self.snapshot.inner.tables.terms.iter()? {
            let (first, value) = entry?;
            if first.value() != next {
                self.report(Problem::OutOfOrder { part: "terms" });
            }
            let mut id = first.value();
            let mut reader = TermBlockReader::new(value.value());
            while reader.next()? {
                self.term(id, &reader.term, sums);
                id += 1;
            }
            next = id;
        }
        let expected = u64::from(self.snapshot.inner.meta.next_term);
        self.count("the next term id", expected, u64::from(next));
        Ok(())
    }

    fn term(&mut self, id: u32, bytes: &[u8], sums: &mut Terms) {
        if term_codec::decode(bytes).is_none() {
            self.report(Problem::DamagedTerm { id });
        }
        sums.hashes.add(hash_key(dictionary::hash(bytes), id));
        if let Some(keys) = label_keys::keys_of(bytes, id) {
            sums.labels.add(keys.exact);
            sums.starts.add(keys.start);
            // A label may have the same piece twice at most when its key says so; keys are distinct as stored.
            let mut pieces = keys.pieces;
            pieces.sort_unstable();
            pieces.dedup();
            for piece in pieces {
                sums.pieces.add(piece);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use redb::{Database, ReadableDatabase};

    use super::*;
    use crate::order::join;
    use crate::tables::{self, Meta, Tables, index};
    use crate::{GraphStore, LoadOptions, Options, Source};

    fn filled(directory: &std::path::Path) {
        let store = GraphStore::open_or_create(directory, Options::default()).unwrap();
        let text = "<urn:a> <urn:p> \"Some label\" <urn:g> .\n<urn:b> <urn:p> <urn:a> .\n";
        store
            .load(vec![Source::text("x.nq", text)], &LoadOptions::default())
            .unwrap();
        assert_eq!(store.snapshot().unwrap().verify(), vec![]);
    }

    /// Breaks a store behind its back and says what is found.
    fn broken(harm: impl FnOnce(&redb::WriteTransaction)) -> Vec<Problem> {
        let directory = tempfile::tempdir().unwrap();
        filled(directory.path());
        let database = Database::open(directory.path().join("graph.redb")).unwrap();
        let transaction = database.begin_write().unwrap();
        harm(&transaction);
        transaction.commit().unwrap();
        let read = database.begin_read().unwrap();
        let meta = Meta::read(&read.open_table(tables::META).unwrap()).unwrap();
        Snapshot::open(
            Tables::open(&read).unwrap(),
            meta,
            None,
            std::sync::Arc::from([]),
            0,
        )
        .unwrap()
        .verify()
    }

    #[test]
    fn a_missing_index_entry_is_found() {
        for order in [Order::Posg, Order::Opsg, Order::Gspo] {
            let problems = broken(|transaction| {
                let mut table = transaction.open_table(index(order)).unwrap();
                let first = table.first().unwrap().unwrap().0.value();
                crate::block_write::remove(&mut table, &[first], |_| {}).unwrap();
            });
            assert!(
                matches!(problems.as_slice(), [Problem::Differs { .. }]),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn a_lost_dictionary_entry_label_or_count_is_found() {
        for definition in [
            tables::TERM_HASHES,
            tables::LABELS,
            tables::LABEL_PIECES,
            tables::LABEL_STARTS,
        ] {
            let problems = broken(|transaction| {
                let mut table = transaction.open_table(definition).unwrap();
                let first = table.first().unwrap().unwrap().0.value();
                crate::block_write::remove(&mut table, &[first], |_| {}).unwrap();
            });
            assert!(
                matches!(problems.as_slice(), [Problem::Differs { .. }]),
                "{problems:?}"
            );
        }
        let problems = broken(|transaction| {
            let mut table = transaction.open_table(tables::PREDICATES).unwrap();
            let id = table.first().unwrap().unwrap().0.value();
            table.insert(id, 77).unwrap();
        });
        assert!(
            matches!(problems.as_slice(), [Problem::WrongCount { .. }, ..]),
            "{problems:?}"
        );
    }

    #[test]
    fn a_statement_with_an_unknown_term_and_a_damaged_block_are_found() {
        let problems = broken(|transaction| {
            let mut table = transaction.open_table(index(Order::Spog)).unwrap();
            let key = join([999, 1, 1, 0]);
            crate::block_write::merge(&mut table, std::iter::once(Ok(key)), |_| {}).unwrap();
        });
        assert!(
            problems.contains(&Problem::UnknownTerms { statements: 1 }),
            "{problems:?}"
        );
        let problems = broken(|transaction| {
            let mut table = transaction.open_table(index(Order::Spog)).unwrap();
            table
                .insert(join([1, 0, 0, 0]), [200u8].as_slice())
                .unwrap();
        });
        assert!(
            problems
                .iter()
                .any(|p| matches!(p, Problem::Unreadable { part: "spog", .. })),
            "{problems:?}"
        );
    }
}
