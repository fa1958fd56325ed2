use memory::codec::encode_state;
use memory::{Event, ForgetSelector, ForgetTargets, Namespace, Settings, State, Timestamp};

use super::*;
use crate::testing::{episode, experience_id};

fn event(n: u64, entity: &str) -> Event {
    Event::Episode {
        namespace: Namespace::default(),
        episode: Box::new(episode(n, entity)),
    }
}

fn state_of(events: &[Event]) -> State {
    let mut state = State::new(Settings::default());
    for event in events {
        state.apply(event);
    }
    state
}

fn open(directory: &std::path::Path) -> RedbJournal {
    RedbJournal::open(directory, RedbOptions::default())
        .unwrap()
        .0
}

fn read(journal: &dyn Journal, after: u64) -> Vec<(u64, Event)> {
    let mut out = Vec::new();
    journal
        .read_after(Position(after), &mut |position, event| {
            out.push((position.0, event))
        })
        .unwrap();
    out
}

fn targets_of(state: &State, question: &str) -> ForgetTargets {
    state
        .memory(&Namespace::default())
        .unwrap()
        .resolve(&ForgetSelector::Question(question.to_owned()))
}

/// One contract, both journals.
fn each_journal(retention_events: u64, check: impl Fn(&mut dyn Journal)) {
    let directory = tempfile::tempdir().unwrap();
    let options = RedbOptions {
        retention_events,
        ..RedbOptions::default()
    };
    check(&mut RedbJournal::open(directory.path(), options).unwrap().0);
    check(&mut VolatileJournal::new(retention_events));
}

#[test]
fn what_is_appended_is_read_in_order_from_any_position() {
    each_journal(100, |journal| {
        assert!(journal.last_checkpoint().unwrap().is_none());
        let events = [event(1, "a"), event(2, "b"), event(3, "c")];
        assert_eq!(journal.append(&events[..2]).unwrap(), Position(2));
        assert_eq!(journal.append(&events[2..]).unwrap(), Position(3));
        assert_eq!(
            read(journal, 1),
            [(2, events[1].clone()), (3, events[2].clone())]
        );
        assert!(read(journal, 3).is_empty());
    });
}

#[test]
fn a_checkpoint_bounds_replay_and_retention_bounds_the_rest() {
    each_journal(2, |journal| {
        let events: Vec<Event> = (1..=5).map(|n| event(n, &format!("film {n}"))).collect();
        journal.append(&events).unwrap();
        journal.checkpoint(&state_of(&events)).unwrap();
        journal.append(&[event(6, "film 6")]).unwrap();
        assert_eq!(
            read(journal, 0).iter().map(|(p, _)| *p).collect::<Vec<_>>(),
            [4, 5, 6]
        );
        let recovered = recover(journal).unwrap();
        assert_eq!((recovered.position, recovered.replayed), (Position(6), 1));
        let mut expected = state_of(&events);
        expected.apply(&event(6, "film 6"));
        assert_eq!(
            encode_state(&recovered.state).unwrap(),
            encode_state(&expected).unwrap()
        );
    });
}

#[test]
fn a_redaction_blanks_only_what_is_meant() {
    each_journal(100, |journal| {
        let events = [event(1, "secret"), event(2, "public")];
        journal.append(&events).unwrap();
        let mut state = state_of(&events);
        let targets = targets_of(&state, "Who directed SECRET?");
        let namespace = Namespace::default();
        let forget = Event::Forget {
            namespace: namespace.clone(),
            at: Timestamp(9),
            targets: targets.clone(),
        };
        journal.append(std::slice::from_ref(&forget)).unwrap();
        state.apply(&forget);
        assert_eq!(journal.redact(&namespace, &targets, &state).unwrap(), 1);
        let kept = read(journal, 1);
        assert_eq!(kept, [(2, events[1].clone()), (3, forget)]);
        let recovered = recover(journal).unwrap();
        let memory = recovered.state.memory(&namespace).unwrap();
        assert!(
            memory.stored(experience_id(1)).is_none() && memory.stored(experience_id(2)).is_some()
        );
        assert_eq!(
            journal.append(&[event(4, "later")]).unwrap(),
            Position(4),
            "positions go on"
        );
    });
}

#[test]
fn reopening_finds_everything() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).append(&[event(1, "a")]).unwrap();
    let mut again = open(directory.path());
    assert_eq!(read(&again, 0), [(1, event(1, "a"))]);
    assert_eq!(again.append(&[event(2, "b")]).unwrap(), Position(2));
    assert!(again.check().unwrap().is_empty());
}

#[test]
fn a_second_opener_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let _held = open(directory.path());
    let refused = RedbJournal::open(directory.path(), RedbOptions::default()).unwrap_err();
    assert!(matches!(refused, JournalError::InUse { .. }), "{refused}");
    assert!(refused.to_string().contains("journal.redb"));
}

#[test]
fn forgotten_text_is_in_no_byte_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut journal = open(directory.path());
    let events: Vec<Event> = (1..=20)
        .map(|n| event(n, &format!("zanzibar{n}x")))
        .collect();
    journal.append(&events).unwrap();
    let mut state = state_of(&events);
    journal.checkpoint(&state).unwrap();
    let holds = |needle: &str| {
        std::fs::read_dir(directory.path()).unwrap().any(|entry| {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            bytes
                .windows(needle.len())
                .any(|window| window == needle.as_bytes())
        })
    };
    assert!(holds("zanzibar7x"));
    let targets = targets_of(&state, "who directed zanzibar7x");
    let namespace = Namespace::default();
    let forget = Event::Forget {
        namespace: namespace.clone(),
        at: Timestamp(99),
        targets: targets.clone(),
    };
    journal.append(std::slice::from_ref(&forget)).unwrap();
    state.apply(&forget);
    assert_eq!(journal.redact(&namespace, &targets, &state).unwrap(), 1);
    assert!(!holds("zanzibar7x") && holds("zanzibar8x"));
    drop(journal);
    let recovered = recover(&mut open(directory.path())).unwrap();
    assert!(
        !encode_state(&recovered.state)
            .unwrap()
            .windows(10)
            .any(|w| w == b"zanzibar7x")
    );
}

/// The process dies after the event of forgetting is durable and before the file is rewritten: the next start finishes.
#[test]
fn a_redaction_cut_short_is_finished_at_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let mut journal = open(directory.path());
    let events = [event(1, "zanzibar1x"), event(2, "public")];
    journal.append(&events).unwrap();
    let targets = targets_of(&state_of(&events), "who directed zanzibar1x");
    journal
        .append(&[Event::Forget {
            namespace: Namespace::default(),
            at: Timestamp(9),
            targets,
        }])
        .unwrap();
    std::fs::write(directory.path().join("journal.redb.draft"), "half a draft").unwrap();
    drop(journal);
    let mut journal = open(directory.path());
    recover(&mut journal).unwrap();
    let bytes = std::fs::read(journal.path()).unwrap();
    assert!(!bytes.windows(10).any(|window| window == b"zanzibar1x"));
    assert!(!directory.path().join("journal.redb.draft").exists());
}

mod damage {
    use super::*;
    use ::redb::{Database, ReadableTable, TableDefinition};

    const EVENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("events");

    fn change(directory: &std::path::Path, change: impl FnOnce(&::redb::WriteTransaction)) {
        let database = Database::open(directory.join("journal.redb")).unwrap();
        let tx = database.begin_write().unwrap();
        change(&tx);
        tx.commit().unwrap();
    }

    fn flip(directory: &std::path::Path, position: u64) {
        change(directory, |tx| {
            let mut table = tx.open_table(EVENTS).unwrap();
            let mut bytes = table.get(position).unwrap().unwrap().value().to_vec();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xFF;
            table.insert(position, bytes.as_slice()).unwrap();
        });
    }

    fn three() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        open(directory.path())
            .append(&[event(1, "a"), event(2, "b"), event(3, "c")])
            .unwrap();
        directory
    }

    #[test]
    fn a_torn_tail_is_cut_off_and_reported() {
        let directory = three();
        flip(directory.path(), 3);
        let (mut journal, torn) =
            RedbJournal::open(directory.path(), RedbOptions::default()).unwrap();
        assert_eq!(torn, Some(TornTail { positions: 3..=3 }));
        assert_eq!(read(&journal, 0).len(), 2);
        assert_eq!(journal.append(&[event(3, "again")]).unwrap(), Position(3));
        drop(journal);
        assert_eq!(
            RedbJournal::open(directory.path(), RedbOptions::default())
                .unwrap()
                .1,
            None
        );
    }

    #[test]
    fn a_missing_tail_is_reported_too() {
        let directory = three();
        change(directory.path(), |tx| {
            tx.open_table(EVENTS).unwrap().remove(3).unwrap();
        });
        let (_, torn) = RedbJournal::open(directory.path(), RedbOptions::default()).unwrap();
        assert_eq!(torn, Some(TornTail { positions: 3..=3 }));
    }

    #[test]
    fn damage_before_whole_events_is_an_error_not_a_silent_loss() {
        let directory = three();
        flip(directory.path(), 2);
        let refused = RedbJournal::open(directory.path(), RedbOptions::default()).unwrap_err();
        assert!(
            matches!(
                refused,
                JournalError::Damaged {
                    position: Position(2),
                    ..
                }
            ),
            "{refused}"
        );
    }

    #[test]
    fn a_journal_of_the_format_before_is_read_and_raised() {
        let directory = three();
        let format = |to: u64| {
            change(directory.path(), |tx| {
                let table = TableDefinition::<'_, &str, u64>::new("meta");
                tx.open_table(table).unwrap().insert("format", to).unwrap();
            });
        };
        format(4);
        let journal = open(directory.path());
        assert_eq!(read(&journal, 0).len(), 3);
        drop(journal);
        change(directory.path(), |tx| {
            let table = TableDefinition::<'_, &str, u64>::new("meta");
            let meta = tx.open_table(table).unwrap();
            let found = meta.get("format").unwrap().unwrap().value();
            assert_eq!(found, FORMAT);
        });
        format(3);
        assert!(RedbJournal::open(directory.path(), RedbOptions::default()).is_err());
    }

    #[test]
    fn another_format_is_refused() {
        let directory = three();
        change(directory.path(), |tx| {
            tx.open_table(TableDefinition::<'_, &str, u64>::new("meta"))
                .unwrap()
                .insert("format", 99)
                .unwrap();
        });
        let refused = RedbJournal::open(directory.path(), RedbOptions::default()).unwrap_err();
        assert!(
            matches!(
                refused,
                JournalError::Format {
                    found: 99,
                    known: FORMAT,
                    ..
                }
            ),
            "{refused}"
        );
    }

    #[test]
    fn a_file_that_is_no_journal_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("journal.redb"), vec![7_u8; 5_000]).unwrap();
        assert!(matches!(
            RedbJournal::open(directory.path(), RedbOptions::default()),
            Err(JournalError::Database { .. })
        ));
    }
}

#[test]
fn a_bit_that_flips_while_the_journal_is_closed_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path())
        .append(&[event(1, "a"), event(2, "b")])
        .unwrap();
    let path = directory.path().join("journal.redb");
    let seal = directory.path().join("journal.seal");
    let (whole, sealed) = (std::fs::read(&path).unwrap(), std::fs::read(&seal).unwrap());
    // Every page, and in each the bytes that redb would believe.
    for at in (512..whole.len()).step_by(509) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x80;
        std::fs::write(&path, &bytes).unwrap();
        std::fs::write(&seal, &sealed).unwrap();
        let error = RedbJournal::open(directory.path(), RedbOptions::default()).unwrap_err();
        assert!(
            matches!(error, JournalError::Altered { .. }),
            "{at}: {error}"
        );
    }
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let error = RedbJournal::open(directory.path(), RedbOptions::default()).unwrap_err();
    assert!(matches!(error, JournalError::Altered { .. }), "{error}");
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(read(&open(directory.path()), 0).len(), 2);
}

#[test]
fn a_seal_of_an_earlier_state_or_none_is_no_damage() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).append(&[event(1, "a")]).unwrap();
    let seal = directory.path().join("journal.seal");
    let earlier = std::fs::read(&seal).unwrap();
    open(directory.path()).append(&[event(2, "b")]).unwrap();
    std::fs::write(&seal, &earlier).unwrap();
    assert_eq!(read(&open(directory.path()), 0).len(), 2);
    std::fs::remove_file(&seal).unwrap();
    assert_eq!(read(&open(directory.path()), 0).len(), 2);
}

#[test]
fn while_the_journal_is_open_there_is_no_seal() {
    let directory = tempfile::tempdir().unwrap();
    let seal = directory.path().join("journal.seal");
    let mut journal = open(directory.path());
    assert!(!seal.exists());
    journal.append(&[event(1, "a")]).unwrap();
    assert!(!seal.exists());
    drop(journal);
    assert!(seal.exists());
}
