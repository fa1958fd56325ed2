use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use memory::{Effect, Feedback, ForgetTargets, Judge, Namespace, SourceChange, Verdict};

use super::*;
use memory::codec::encode_state;

use crate::journal::{RedbJournal, RedbOptions, VolatileJournal};
use crate::testing::{answer_id, episode, experience_id};

fn volatile() -> Box<dyn Journal> {
    Box::new(VolatileJournal::new(100))
}

fn durable(directory: &std::path::Path) -> Box<dyn Journal> {
    Box::new(
        RedbJournal::open(directory, RedbOptions::default())
            .unwrap()
            .0,
    )
}

fn here() -> Namespace {
    Namespace::default()
}

fn bad(answer: u64) -> Event {
    let feedback = Feedback {
        at: Timestamp(9_999),
        answer: answer_id(answer),
        verdict: Verdict::Bad,
        judge: Judge::Person,
    };
    Event::Feedback {
        namespace: here(),
        feedback,
    }
}

#[test]
fn what_was_handed_over_is_visible_after_settling() {
    let learner = Learner::start(volatile(), LearnerConfig::default()).unwrap();
    let before = learner.knowledge();
    assert_eq!(learner.learn(here(), episode(1, "heat")), Handed::Queued);
    assert_eq!(learner.settle().unwrap(), Position(2), "after the settings");
    assert_eq!(learner.knowledge().memory(&here()).len(), 1);
    assert!(
        before.memory(&here()).is_empty(),
        "a snapshot does not change while it is held"
    );
}

#[test]
fn feedback_is_visible_when_it_is_acknowledged() {
    let learner = Learner::start(volatile(), LearnerConfig::default()).unwrap();
    learner.learn(here(), episode(1, "heat"));
    let Effect::Judged(Ok(radius)) = learner.submit(bad(1)).unwrap() else {
        panic!("judged")
    };
    assert_eq!(radius.retracted, [experience_id(1)]);
    assert!(learner.knowledge().memory(&here()).is_empty());
}

#[test]
fn everything_is_there_after_a_restart_and_dropping_learns_what_waits() {
    let directory = tempfile::tempdir().unwrap();
    let config = LearnerConfig {
        checkpoint_every_events: 7,
        ..LearnerConfig::default()
    };
    let learner = Learner::start(durable(directory.path()), config.clone()).unwrap();
    for n in 1..=20 {
        learner.learn(here(), episode(n, &format!("film {n}")));
    }
    drop(learner);
    let learner = Learner::start(durable(directory.path()), config).unwrap();
    assert_eq!(learner.knowledge().memory(&here()).len(), 20);
    assert_eq!(learner.knowledge().position(), Position(21));
}

#[test]
fn forgetting_leaves_nothing_and_gives_a_receipt() {
    let directory = tempfile::tempdir().unwrap();
    let learner = Learner::start(durable(directory.path()), LearnerConfig::default()).unwrap();
    learner.learn(here(), episode(1, "zanzibar1x"));
    learner.learn(here(), episode(2, "public"));
    let receipt = learner
        .forget(
            here(),
            ForgetSelector::Question("who directed zanzibar1x".to_owned()),
            Timestamp(5),
        )
        .unwrap();
    assert_eq!(
        (
            receipt.experiences,
            receipt.answers,
            receipt.journal_entries
        ),
        (vec![experience_id(1)], vec![answer_id(1)], 1)
    );
    drop(learner);
    let bytes = std::fs::read(directory.path().join("journal.redb")).unwrap();
    assert!(!bytes.windows(10).any(|window| window == b"zanzibar1x"));
    let learner = Learner::start(durable(directory.path()), LearnerConfig::default()).unwrap();
    assert_eq!(learner.knowledge().memory(&here()).len(), 1);
}

#[test]
fn a_changed_source_makes_suspect_before_it_returns() {
    let learner = Learner::start(volatile(), LearnerConfig::default()).unwrap();
    learner.learn(here(), episode(1, "heat"));
    let event = Event::SourceChanged {
        at: Timestamp(5),
        source: "films".to_owned(),
        generation: 2,
        change: SourceChange::Everything,
    };
    assert_eq!(
        learner.submit(event).unwrap(),
        Effect::Suspected { experiences: 1 }
    );
    assert!(
        learner
            .knowledge()
            .memory(&here())
            .stored(experience_id(1))
            .unwrap()
            .usage
            .suspect
    );
}

#[test]
fn another_embedder_gets_the_texts_and_its_vectors_take_over() {
    let learner = Learner::start(volatile(), LearnerConfig::default()).unwrap();
    learner.learn(here(), episode(1, "heat"));
    assert_eq!(learner.texts_to_embed("letters").unwrap(), None);
    let texts = learner.texts_to_embed("other").unwrap().unwrap();
    assert_eq!(texts, ["who directed heat", "who directed ⟨0⟩"]);
    let vectors = texts
        .into_iter()
        .map(|text| (text.clone(), crate::testing::vector_of(&text, 16)))
        .collect();
    learner
        .submit(Event::Reembedded {
            embedder: "other".to_owned(),
            vectors,
        })
        .unwrap();
    let knowledge = learner.knowledge();
    assert_eq!(knowledge.embedder(), "other");
    assert_eq!(
        knowledge
            .memory(&here())
            .stored(experience_id(1))
            .unwrap()
            .experience
            .vector
            .dims(),
        16
    );
}

/// Holds every append until it is told to go on.
struct Gated {
    inner: VolatileJournal,
    entered: Sender<()>,
    go: Arc<Mutex<std::sync::mpsc::Receiver<()>>>,
}

impl Journal for Gated {
    fn append(&mut self, events: &[Event]) -> Result<Position, JournalError> {
        self.entered.send(()).unwrap();
        self.go.lock().unwrap().recv().unwrap();
        self.inner.append(events)
    }

    fn read_after(
        &self,
        after: Position,
        each: &mut dyn FnMut(Position, Event),
    ) -> Result<(), JournalError> {
        self.inner.read_after(after, each)
    }

    fn checkpoint(&mut self, state: &State) -> Result<(), JournalError> {
        self.inner.checkpoint(state)
    }

    fn last_checkpoint(&self) -> Result<Option<(Position, State)>, JournalError> {
        self.inner.last_checkpoint()
    }

    fn redact(
        &mut self,
        namespace: &Namespace,
        targets: &ForgetTargets,
        state: &State,
    ) -> Result<u64, JournalError> {
        self.inner.redact(namespace, targets, state)
    }
}

#[test]
fn a_full_queue_drops_and_counts_and_never_blocks() {
    let (entered, has_entered) = channel();
    let (go, may_go) = channel();
    let journal = Gated {
        inner: VolatileJournal::new(10),
        entered,
        go: Arc::new(Mutex::new(may_go)),
    };
    let config = LearnerConfig {
        queue_events: 2,
        batch_events: 1,
        ..LearnerConfig::default()
    };
    go.send(()).unwrap();
    let learner = Learner::start(Box::new(journal), config).unwrap();
    has_entered.recv().unwrap();
    learner.learn(here(), episode(1, "a"));
    has_entered.recv().unwrap();
    let handed: Vec<Handed> = (2..=5)
        .map(|n| learner.learn(here(), episode(n, "b")))
        .collect();
    assert_eq!(
        handed,
        [
            Handed::Queued,
            Handed::Queued,
            Handed::Dropped,
            Handed::Dropped
        ]
    );
    assert_eq!(learner.dropped(), 2);
    for _ in 0..3 {
        go.send(()).unwrap();
    }
    learner.settle().unwrap();
    assert_eq!(learner.knowledge().memory(&here()).counters().asked, 3);
}

/// Fails every append but the first, which holds the settings.
#[derive(Default)]
struct Broken(u64);

impl Journal for Broken {
    fn append(&mut self, _: &[Event]) -> Result<Position, JournalError> {
        self.0 += 1;
        if self.0 == 1 {
            Ok(Position(1))
        } else {
            Err(JournalError::Files(std::io::Error::other("disk full")))
        }
    }

    fn read_after(
        &self,
        _: Position,
        _: &mut dyn FnMut(Position, Event),
    ) -> Result<(), JournalError> {
        Ok(())
    }

    fn checkpoint(&mut self, _: &State) -> Result<(), JournalError> {
        Ok(())
    }

    fn last_checkpoint(&self) -> Result<Option<(Position, State)>, JournalError> {
        Ok(None)
    }

    fn redact(&mut self, _: &Namespace, _: &ForgetTargets, _: &State) -> Result<u64, JournalError> {
        Ok(0)
    }
}

#[test]
fn what_cannot_be_kept_is_not_shown_and_whoever_waits_is_told() {
    let learner = Learner::start(Box::new(Broken::default()), LearnerConfig::default()).unwrap();
    learner.learn(here(), episode(1, "a"));
    assert!(matches!(
        learner.submit(bad(1)),
        Err(LearnerError::Journal(_))
    ));
    assert!(matches!(learner.settle(), Err(LearnerError::Journal(_))));
    assert_eq!(learner.lost(), 1);
    assert!(learner.knowledge().memory(&here()).is_empty());
}

#[test]
fn batches_of_any_size_give_the_same_state() {
    let run = |batch_events| {
        let config = LearnerConfig {
            batch_events,
            checkpoint_every_events: 5,
            ..LearnerConfig::default()
        };
        let directory = tempfile::tempdir().unwrap();
        let learner = Learner::start(durable(directory.path()), config).unwrap();
        for n in 1..=12 {
            learner.learn(here(), episode(n, &format!("film {}", n % 5)));
        }
        learner.submit(bad(3)).unwrap();
        drop(learner);
        let mut journal = durable(directory.path());
        encode_state(&recover(journal.as_mut()).unwrap().state).unwrap()
    };
    assert_eq!(run(1), run(256));
}

#[test]
fn other_settings_hold_from_the_next_start_on_and_only_from_there() {
    let directory = tempfile::tempdir().unwrap();
    let config = |capacity| LearnerConfig {
        settings: Settings {
            capacity,
            ..Settings::default()
        },
        ..LearnerConfig::default()
    };
    let learner = Learner::start(durable(directory.path()), config(9)).unwrap();
    for n in 1..=5 {
        learner.learn(here(), episode(n, &format!("film {n}")));
    }
    drop(learner);
    let learner = Learner::start(durable(directory.path()), config(3)).unwrap();
    assert_eq!(learner.knowledge().memory(&here()).len(), 3);
    drop(learner);
    let learner = Learner::start(durable(directory.path()), config(9)).unwrap();
    assert_eq!(
        (
            learner.knowledge().memory(&here()).len(),
            learner.knowledge().memory(&here()).counters().evicted
        ),
        (3, 2)
    );
}
