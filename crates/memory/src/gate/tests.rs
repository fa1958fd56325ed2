use crate::event::{Episode, Event};
use crate::testing::{episode, experience_id, namespace, question, vector_of};
use crate::{Effect, GateVerdict, Refusal, Settings, State};

fn learn(state: &mut State, episode: Episode) -> GateVerdict {
    let effect = state.apply(&Event::Episode {
        namespace: namespace(),
        episode: Box::new(episode),
    });
    let Effect::Learned { gate, .. } = effect else {
        panic!("{effect:?}")
    };
    gate
}

#[test]
fn the_same_question_again_is_a_duplicate_and_the_entry_gets_the_credit() {
    let mut state = State::new(Settings::default());
    learn(
        &mut state,
        episode(
            1,
            &question("who directed ⟨0⟩", "heat"),
            "director",
            "director",
        ),
    );
    let before = state
        .memory(&namespace())
        .unwrap()
        .stored(experience_id(1))
        .unwrap()
        .usage
        .posterior;
    let again = learn(
        &mut state,
        episode(
            2,
            &question("who directed ⟨0⟩", "heat"),
            "director",
            "director",
        ),
    );
    assert_eq!(
        again,
        GateVerdict::Duplicate {
            of: experience_id(1),
            similarity: 1.0
        }
    );
    let memory = state.memory(&namespace()).unwrap();
    assert!(
        memory
            .stored(experience_id(1))
            .unwrap()
            .usage
            .posterior
            .alpha
            > before.alpha
    );
    assert_eq!((memory.len(), memory.counters().duplicates), (1, 1));
}

#[test]
fn another_entity_and_another_wording_are_both_kept() {
    let mut state = State::new(Settings::default());
    learn(
        &mut state,
        episode(
            1,
            &question("who directed ⟨0⟩", "heat"),
            "director",
            "director",
        ),
    );
    assert!(matches!(
        learn(
            &mut state,
            episode(
                2,
                &question("who directed ⟨0⟩", "ran"),
                "director",
                "director"
            )
        ),
        GateVerdict::Admitted { .. }
    ));
    assert!(matches!(
        learn(
            &mut state,
            episode(
                3,
                &question("the film maker behind ⟨0⟩ is", "heat"),
                "director",
                "director"
            )
        ),
        GateVerdict::Admitted { .. }
    ));
    let lessons = state
        .memory(&namespace())
        .unwrap()
        .lessons("films")
        .unwrap();
    assert_eq!(
        lessons.len(),
        2,
        "what they say of the template is shared by wording"
    );
}

#[test]
fn the_threshold_of_novelty_decides_what_another_wording_is() {
    let learned = |minimum_novelty: f64| {
        let mut state = State::new(Settings {
            minimum_novelty,
            ..Settings::default()
        });
        learn(
            &mut state,
            episode(
                1,
                &question("who directed ⟨0⟩", "heat"),
                "director",
                "director",
            ),
        );
        learn(
            &mut state,
            episode(
                2,
                &question("who directed the ⟨0⟩", "heat"),
                "director",
                "director",
            ),
        )
    };
    assert!(vector_of("who directed ⟨0⟩").cosine(&vector_of("who directed the ⟨0⟩")) > 0.5);
    assert!(matches!(learned(0.01), GateVerdict::Admitted { .. }));
    assert!(matches!(learned(0.5), GateVerdict::Duplicate { .. }));
}

#[test]
fn what_is_not_grounded_is_refused_counted_and_explained() {
    let mut state = State::new(Settings::default());
    let mut weak = episode(
        1,
        &question("who directed ⟨0⟩", "heat"),
        "director",
        "director",
    );
    weak.candidate.as_mut().unwrap().grounding.confidence = 0.59;
    let gate = learn(&mut state, weak);
    assert_eq!(
        gate,
        GateVerdict::Refused(Refusal::Ungrounded {
            confidence: 0.59,
            needed: 0.6
        })
    );
    let memory = state.memory(&namespace()).unwrap();
    assert_eq!(memory.counters().refused["ungrounded"], 1);
    assert_eq!(
        memory.answer(crate::testing::answer_id(1)).unwrap().gate,
        gate,
        "the answer's record says why"
    );
}

#[test]
fn an_id_that_is_taken_is_refused_and_its_owner_stays() {
    let mut state = State::new(Settings::default());
    let of = |n, masked, template| episode(n, &question(masked, "heat"), template, template);
    learn(&mut state, of(1, "who directed ⟨0⟩", "director"));
    let mut other = of(2, "who wrote ⟨0⟩", "writer");
    other.candidate.as_mut().unwrap().id = experience_id(1);
    let gate = learn(&mut state, other);
    let id = experience_id(1);
    assert_eq!(gate, GateVerdict::Refused(Refusal::SameId { id }));
    let memory = state.memory(&namespace()).unwrap();
    let kept = memory.stored(id).unwrap();
    assert_eq!(kept.experience.template(), "director");
}

#[test]
fn not_a_number_is_not_grounded() {
    let mut state = State::new(Settings::default());
    let mut odd = episode(
        1,
        &question("who directed ⟨0⟩", "heat"),
        "director",
        "director",
    );
    odd.candidate.as_mut().unwrap().grounding.confidence = f64::NAN;
    odd.quality = Some(f64::NAN);
    odd.lesson_weight = f64::INFINITY;
    assert!(matches!(learn(&mut state, odd), GateVerdict::Refused(_)));
}

#[test]
fn nothing_to_use_again_is_refused() {
    let mut state = State::new(Settings::default());
    let mut empty = episode(
        1,
        &question("who directed ⟨0⟩", "heat"),
        "director",
        "director",
    );
    empty.plan = None;
    assert_eq!(
        learn(&mut state, empty),
        GateVerdict::Refused(Refusal::Empty)
    );
}

#[test]
fn notes_that_say_the_same_are_duplicates_too() {
    let mut state = State::new(Settings::default());
    let note = |n: u64, masked: &str| {
        let mut one = episode(n, &question(masked, "x"), "", "notes");
        one.plan = None;
        one.candidate.as_mut().unwrap().payloads = vec![crate::Payload::Note("text".to_owned())];
        one.candidate.as_mut().unwrap().evidence = crate::Evidence::none();
        one
    };
    assert!(matches!(
        learn(&mut state, note(1, "she likes tea")),
        GateVerdict::Admitted { .. }
    ));
    assert!(matches!(
        learn(&mut state, note(2, "she likes tea")),
        GateVerdict::Duplicate { .. }
    ));
    assert!(matches!(
        learn(&mut state, note(3, "an umbrella stands in the hall")),
        GateVerdict::Admitted { .. }
    ));
}

#[test]
fn a_full_bucket_evicts_its_own_and_a_full_memory_any() {
    let settings = Settings {
        capacity: 4,
        bucket_capacity: 2,
        ..Settings::default()
    };
    let mut state = State::new(settings);
    for (n, aspect) in [(1, "a"), (2, "b"), (3, "b")] {
        learn(
            &mut state,
            episode(
                n,
                &question("who directed ⟨0⟩", &format!("film{n}")),
                "director",
                aspect,
            ),
        );
    }
    let gate = learn(
        &mut state,
        episode(4, &question("who directed ⟨0⟩", "film4"), "director", "b"),
    );
    assert_eq!(
        gate,
        GateVerdict::Admitted {
            id: experience_id(4),
            evicted: Some(experience_id(2))
        }
    );
    learn(
        &mut state,
        episode(5, &question("who directed ⟨0⟩", "film5"), "director", "c"),
    );
    let gate = learn(
        &mut state,
        episode(6, &question("who directed ⟨0⟩", "film6"), "director", "d"),
    );
    assert_eq!(
        gate,
        GateVerdict::Admitted {
            id: experience_id(6),
            evicted: Some(experience_id(1))
        }
    );
}
