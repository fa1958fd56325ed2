use std::collections::BTreeSet;

use proptest::prelude::*;
use redb::{Database, ReadableDatabase};

use super::*;
use crate::block_write::{merge, remove};
use crate::order::{join, prefix_range};

const TABLE: BlockDefinition = BlockDefinition::new("t");

fn database() -> Database {
    Database::builder()
        .create_with_backend(redb::backends::InMemoryBackend::new())
        .expect("an in-memory database")
}

fn apply(database: &Database, insert: &[Key], delete: &[Key]) -> (Vec<Key>, Vec<Key>) {
    let transaction = database.begin_write().unwrap();
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    {
        let mut table = transaction.open_table(TABLE).unwrap();
        merge(&mut table, insert.iter().map(|k| Ok(*k)), |k| added.push(k)).unwrap();
        remove(&mut table, delete, |k| removed.push(k)).unwrap();
    }
    transaction.commit().unwrap();
    (added, removed)
}

fn open(database: &Database) -> BlockTable {
    Arc::new(database.begin_read().unwrap().open_table(TABLE).unwrap())
}

fn keys() -> impl Strategy<Value = Vec<Key>> {
    prop::collection::btree_set(
        (0..3u32, 0..6u32, 0..40u32, 0..2u32).prop_map(|(a, b, c, d)| join([a, b, c, d])),
        0..400,
    )
    .prop_map(|set| set.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn blocks_behave_as_an_ordered_set(
        steps in prop::collection::vec((keys(), keys()), 1..5),
        probes in prop::collection::vec((0..4u32, 0..7u32), 1..12),
        limit in 0..300u64,
    ) {
        let database = database();
        let mut model = BTreeSet::new();
        for (insert, delete) in &steps {
            let (added, removed) = apply(&database, insert, delete);
            let new: Vec<Key> = insert.iter().copied().filter(|k| model.insert(*k)).collect();
            let gone: Vec<Key> = delete.iter().copied().filter(|k| model.remove(k)).collect();
            prop_assert_eq!(added, new);
            prop_assert_eq!(removed, gone);
        }
        let table = open(&database);
        let all: Vec<Key> = Scan::new(&table, 0, Key::MAX).unwrap().map(Result::unwrap).collect();
        prop_assert_eq!(&all, &model.iter().copied().collect::<Vec<_>>());
        for (a, b) in probes {
            let (low, high) = prefix_range(&[a, b]);
            let expected: Vec<Key> = model.range(low..=high).copied().collect();
            let scanned: Vec<Key> = Scan::new(&table, low, high).unwrap().map(Result::unwrap).collect();
            prop_assert_eq!(&scanned, &expected);
            let mut visited = Vec::new();
            visit(table.as_ref(), low, high, |k| { visited.push(k); true }).unwrap();
            prop_assert_eq!(&visited, &expected);
            let (count, exact) = Scan::new(&table, low, high).unwrap().count(limit).unwrap();
            if exact {
                prop_assert_eq!(count, expected.len() as u64);
            } else {
                prop_assert!(count > limit && count <= expected.len() as u64);
            }
            let mut scan = Scan::new(&table, low, Key::MAX).unwrap();
            if scan.next_key().unwrap().is_some_and(|key| key <= high) {
                let (count, exact) = scan.count_to(high, limit).unwrap();
                if exact {
                    prop_assert_eq!(count, expected.len() as u64);
                } else {
                    prop_assert!(count > limit && count <= expected.len() as u64);
                }
                prop_assert_eq!(scan.next_key().unwrap(), model.range(high + 1..).next().copied());
            }
            let mut scan = Scan::new(&table, 0, Key::MAX).unwrap();
            scan.next_key().unwrap();
            scan.seek(low).unwrap();
            prop_assert_eq!(scan.next_key().unwrap(), model.range(low..).next().copied());
        }
    }
}

#[test]
fn a_key_before_the_first_block_becomes_the_first() {
    let database = database();
    let many: Vec<Key> = (1_000..2_000).collect();
    apply(&database, &many, &[]);
    apply(&database, &[5], &[]);
    let table = open(&database);
    assert_eq!(
        Scan::new(&table, 0, Key::MAX).unwrap().next_key().unwrap(),
        Some(5)
    );
    assert_eq!(
        Scan::new(&table, 0, Key::MAX)
            .unwrap()
            .count(u64::MAX - 1)
            .unwrap(),
        (1_001, true)
    );
}
