use super::*;
use crate::event::{Event, ForgetTargets};
use crate::state::{Effect, State};
use crate::testing::{namespace, vector_of};
use crate::{ForgetSelector, PolicyName, Settings, Ulid};

fn id(n: u64) -> ExperienceId {
    ExperienceId(Ulid(u128::from(n)))
}

fn with(policy: PolicyName, capacity: usize) -> State {
    State::new(Settings {
        policy,
        capacity,
        ..Settings::default()
    })
}

fn note(state: &mut State, n: u64, text: &str) -> GateVerdict {
    let at = Timestamp(n);
    let effect = state.apply(&Event::Noted {
        namespace: namespace(),
        at,
        embedder: "letters".to_owned(),
        notes: vec![Experience::note(
            id(n),
            &namespace(),
            at,
            text,
            vector_of(text),
        )],
    });
    let Effect::Noted { mut gates } = effect else {
        panic!("{effect:?}")
    };
    gates.remove(0)
}

fn recall(state: &mut State, query: &str, count: usize) -> Vec<String> {
    let (vector, at) = (vector_of(query), Timestamp(1000));
    let memory = state.memory(&namespace()).unwrap();
    let found = memory.recall_notes(query, &vector, count, at);
    state.apply(&Event::Recalled {
        namespace: namespace(),
        at,
        embedder: "letters".to_owned(),
        vector,
        notes: found.iter().map(|n| n.stored.experience.id).collect(),
    });
    found.iter().map(|note| note.text().to_owned()).collect()
}

fn judge(state: &mut State, n: u64, good: bool) -> Effect {
    state.apply(&Event::NoteJudged {
        namespace: namespace(),
        at: Timestamp(2000),
        note: id(n),
        good,
    })
}

#[test]
fn the_nearest_notes_are_recalled_most_relevant_first() {
    let mut state = with(PolicyName::Survival, 10);
    note(&mut state, 1, "the deployment key lies in the vault");
    note(&mut state, 2, "anna prefers tea to coffee");
    note(&mut state, 3, "the vault opens at nine");
    let found = recall(&mut state, "where is the deployment key", 2);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], "the deployment key lies in the vault");
    let memory = state.memory(&namespace()).unwrap();
    let stored = memory.stored(id(1)).unwrap();
    assert_eq!(stored.usage.retrieved, 1);
    assert!(stored.usage.likeness.is_some());
}

#[test]
fn the_same_words_are_one_note_and_a_name_makes_another() {
    let mut state = with(PolicyName::Survival, 10);
    note(&mut state, 1, "Anna prefers tea.");
    let again = note(&mut state, 2, "anna prefers tea");
    assert!(
        matches!(again, GateVerdict::Duplicate { of, .. } if of == id(1)),
        "{again:?}"
    );
    let other = note(&mut state, 3, "Anne prefers tea.");
    assert!(matches!(other, GateVerdict::Admitted { .. }), "{other:?}");
    assert_eq!(state.memory(&namespace()).unwrap().len(), 2);
}

#[test]
fn the_policy_keeps_what_was_recalled_and_found_useful() {
    let texts = ["alpha beta gamma", "delta epsilon zeta", "eta theta iota"];
    let kept = |policy| {
        let mut state = with(policy, 3);
        for (n, text) in (1..).zip(texts) {
            note(&mut state, n, text);
        }
        for _ in 0..3 {
            assert_eq!(recall(&mut state, texts[0], 1), [texts[0]]);
            assert_eq!(
                judge(&mut state, 1, true),
                Effect::NoteJudged { found: true }
            );
        }
        for n in 10..14 {
            note(&mut state, n, &format!("filler number {n} of some words"));
        }
        let memory = state.memory(&namespace()).unwrap();
        assert_eq!(memory.len(), 3);
        memory.stored(id(1)).is_some()
    };
    assert!(kept(PolicyName::Survival));
    assert!(!kept(PolicyName::Fifo));
}

#[test]
fn a_verdict_moves_trust_and_an_unknown_note_is_said_to_be_unknown() {
    let mut state = with(PolicyName::Survival, 10);
    note(&mut state, 1, "the vault opens at nine");
    let trust = |state: &State| {
        let memory = state.memory(&namespace()).unwrap();
        memory.stored(id(1)).unwrap().usage.posterior.mean()
    };
    let before = trust(&state);
    judge(&mut state, 1, false);
    assert!(trust(&state) < before);
    assert_eq!(
        judge(&mut state, 9, true),
        Effect::NoteJudged { found: false }
    );
}

#[test]
fn another_embedder_notes_nothing() {
    let mut state = with(PolicyName::Survival, 10);
    note(&mut state, 1, "first");
    let text = "second";
    let effect = state.apply(&Event::Noted {
        namespace: namespace(),
        at: Timestamp(2),
        embedder: "another".to_owned(),
        notes: vec![Experience::note(
            id(2),
            &namespace(),
            Timestamp(2),
            text,
            vector_of(text),
        )],
    });
    let Effect::Noted { gates } = effect else {
        panic!("noted")
    };
    assert!(matches!(gates[0], GateVerdict::Refused(_)), "{gates:?}");
}

#[test]
fn a_forgotten_note_leaves_neither_state_nor_journal() {
    let mut state = with(PolicyName::Survival, 10);
    note(&mut state, 1, "the deployment key is hunter2");
    note(&mut state, 2, "anna prefers tea");
    recall(&mut state, "deployment key", 1);
    let memory = state.memory(&namespace()).unwrap();
    let targets = memory.resolve(&ForgetSelector::Experience(id(1)));
    let notes = [
        (1, "the deployment key is hunter2"),
        (2, "anna prefers tea"),
    ]
    .map(|(n, text)| Experience::note(id(n), &namespace(), Timestamp(n), text, vector_of(text)));
    let event = Event::Noted {
        namespace: namespace(),
        at: Timestamp(1),
        embedder: "letters".to_owned(),
        notes: notes.to_vec(),
    };
    assert!(event.mentions(&namespace(), &targets));
    let Event::Noted { notes, .. } = event.redacted(&namespace(), &targets) else {
        panic!("the other note stays")
    };
    assert_eq!(notes.len(), 1);
    let recalled = Event::Recalled {
        namespace: namespace(),
        at: Timestamp(1),
        embedder: "letters".to_owned(),
        vector: vector_of("deployment key"),
        notes: vec![id(1)],
    };
    assert!(recalled.mentions(&namespace(), &targets));
    assert_eq!(recalled.redacted(&namespace(), &targets), Event::Redacted);
    state.apply(&Event::Forget {
        namespace: namespace(),
        at: Timestamp(9),
        targets: ForgetTargets { ..targets },
    });
    let bytes = String::from_utf8_lossy(&postcard::to_stdvec(&state).unwrap()).into_owned();
    assert!(!bytes.contains("hunter2"));
    assert!(bytes.contains("anna prefers tea"));
}

#[test]
fn notes_and_answers_do_not_meet() {
    let mut state = with(PolicyName::Survival, 10);
    note(&mut state, 1, "who directed heat");
    let memory = state.memory(&namespace()).unwrap();
    let vector = vector_of("who directed heat");
    let query = RecallQuery {
        domain: "films",
        aspect: ASPECT,
        masked: "who directed heat",
        vector: vector.as_slice(),
        now: Timestamp(0),
    };
    assert!(memory.recall(&query, &RecallSettings::default()).is_empty());
    assert!(
        memory
            .same_wording("films", "who directed heat", Timestamp(0))
            .is_empty()
    );
}
