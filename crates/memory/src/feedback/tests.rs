use crate::event::{Episode, Event, Hit, Verdict};
use crate::experience::{AnswerText, Judge, Provenance, Value};
use crate::testing::{answer_id, episode, experience_id, namespace, question};
use crate::{
    BlastRadius, Effect, ExperienceId, Feedback, FeedbackRefusal, GateVerdict, Memory, Refusal,
    Settings, State, Timestamp,
};

const MASKED: &str = "who directed ⟨0⟩";

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

fn judge_as(
    state: &mut State,
    answer: u64,
    verdict: Verdict,
    judge: Judge,
) -> Result<BlastRadius, FeedbackRefusal> {
    let feedback = Feedback {
        at: Timestamp(90_000),
        answer: answer_id(answer),
        verdict,
        judge,
    };
    let effect = state.apply(&Event::Feedback {
        namespace: namespace(),
        feedback,
    });
    let Effect::Judged(result) = effect else {
        panic!("{effect:?}")
    };
    result
}

fn judge(state: &mut State, answer: u64, verdict: Verdict) -> BlastRadius {
    judge_as(state, answer, verdict, Judge::Person).unwrap()
}

fn memory(state: &State) -> &Memory {
    state.memory(&namespace()).unwrap()
}

fn mean(state: &State, n: u64) -> f64 {
    memory(state)
        .stored(experience_id(n))
        .unwrap()
        .usage
        .posterior
        .mean()
}

/// 1 is asked; 2 rebinds its plan; 3 rebinds 2's; 4 had 1 as an example.
fn chain() -> State {
    let mut state = State::new(Settings::default());
    let ask = |n: u64, hit: Hit, helped: Vec<ExperienceId>| {
        let mut one = episode(
            n,
            &question(MASKED, &format!("film{n}")),
            "director",
            "director",
        );
        (one.hit, one.helped) = (hit, helped);
        one
    };
    learn(&mut state, ask(1, Hit::None, vec![]));
    learn(&mut state, ask(2, Hit::Plan(experience_id(1)), vec![]));
    learn(&mut state, ask(3, Hit::Plan(experience_id(2)), vec![]));
    learn(&mut state, ask(4, Hit::None, vec![experience_id(1)]));
    state
}

#[test]
fn bad_takes_back_the_answer_and_what_derived_from_it_and_lowers_what_it_used() {
    let mut state = chain();
    let before = mean(&state, 1);
    let radius = judge(&mut state, 2, Verdict::Bad);
    assert_eq!(
        (radius.retracted, radius.dropped, radius.lowered),
        (
            vec![experience_id(2)],
            vec![experience_id(3)],
            vec![experience_id(1)]
        )
    );
    assert!(mean(&state, 1) < before);
    assert!(
        memory(&state).stored(experience_id(4)).is_some(),
        "an example is not a parent"
    );
}

#[test]
fn bad_on_the_first_reaches_the_whole_chain() {
    let mut state = chain();
    let radius = judge(&mut state, 1, Verdict::Bad);
    assert_eq!(
        (radius.retracted, radius.dropped),
        (
            vec![experience_id(1)],
            vec![experience_id(2), experience_id(3)]
        )
    );
}

#[test]
fn good_raises_and_counts_as_a_success_of_the_template() {
    let mut state = chain();
    let before = (mean(&state, 1), mean(&state, 2));
    let radius = judge(&mut state, 2, Verdict::Good);
    assert_eq!(radius.raised, [experience_id(2), experience_id(1)]);
    assert!(mean(&state, 1) > before.0 && mean(&state, 2) > before.1);
    let tally = memory(&state)
        .lessons("films")
        .unwrap()
        .tally(MASKED, "director")
        .unwrap();
    assert!(
        (tally.successes - 2.5).abs() < 1e-9,
        "three answers of weight one half, one of weight one: {tally:?}"
    );
}

#[test]
fn a_verdict_replaces_the_answers_own_lesson_and_an_earlier_verdict() {
    let mut state = State::new(Settings::default());
    learn(
        &mut state,
        episode(1, &question(MASKED, "heat"), "director", "director"),
    );
    for (verdict, expected) in [
        (Verdict::Good, (1.0, 0.0)),
        (Verdict::Good, (1.0, 0.0)),
        (Verdict::Bad, (0.0, 1.0)),
        (Verdict::Good, (1.0, 0.0)),
    ] {
        judge(&mut state, 1, verdict);
        let tally = memory(&state)
            .lessons("films")
            .unwrap()
            .tally(MASKED, "director")
            .unwrap();
        assert!(
            (tally.successes - expected.0).abs() < 1e-9
                && (tally.failures - expected.1).abs() < 1e-9,
            "{tally:?}"
        );
        let link = memory(&state)
            .lexicon()
            .tally("director", "director")
            .unwrap();
        assert!(
            (link.successes - expected.0).abs() < 1e-9 && (link.failures - expected.1).abs() < 1e-9,
            "{link:?}"
        );
    }
}

#[test]
fn what_a_person_rejected_does_not_come_back_until_a_person_says_so() {
    let mut state = State::new(Settings::default());
    learn(
        &mut state,
        episode(1, &question(MASKED, "heat"), "director", "director"),
    );
    assert!(judge(&mut state, 1, Verdict::Bad).vetoed);
    let again = learn(
        &mut state,
        episode(2, &question(MASKED, "heat"), "director", "director"),
    );
    assert_eq!(
        again,
        GateVerdict::Refused(Refusal::Vetoed {
            answer: answer_id(1)
        })
    );
    let other_film = learn(
        &mut state,
        episode(3, &question(MASKED, "ran"), "director", "director"),
    );
    assert!(
        matches!(other_film, GateVerdict::Admitted { .. }),
        "only this answer to this question is kept out"
    );
    judge(&mut state, 1, Verdict::Good);
    let now = learn(
        &mut state,
        episode(4, &question(MASKED, "heat"), "director", "director"),
    );
    assert!(matches!(now, GateVerdict::Admitted { .. }));
}

#[test]
fn a_persons_word_outranks_a_models() {
    let mut state = State::new(Settings::default());
    learn(
        &mut state,
        episode(1, &question(MASKED, "heat"), "director", "director"),
    );
    judge(&mut state, 1, Verdict::Good);
    let refused = judge_as(&mut state, 1, Verdict::Bad, Judge::Model);
    assert_eq!(
        refused,
        Err(FeedbackRefusal::Outranked {
            answer: answer_id(1),
            by: Judge::Person
        })
    );
    assert_eq!(memory(&state).len(), 1);
    learn(
        &mut state,
        episode(2, &question(MASKED, "ran"), "director", "director"),
    );
    assert!(
        !judge_as(&mut state, 2, Verdict::Bad, Judge::Model)
            .unwrap()
            .vetoed,
        "only a person keeps an answer out"
    );
}

#[test]
fn bad_on_an_answer_served_from_memory_takes_that_memory_back() {
    let mut state = State::new(Settings::default());
    learn(
        &mut state,
        episode(1, &question(MASKED, "heat"), "director", "director"),
    );
    let mut served = episode(2, &question(MASKED, "heat"), "director", "director");
    (served.hit, served.candidate) = (Hit::Exact(experience_id(1)), None);
    learn(&mut state, served);
    assert_eq!(
        judge(&mut state, 2, Verdict::Bad).retracted,
        [experience_id(1)]
    );
}

#[test]
fn an_edit_with_the_same_values_rewords_and_with_others_corrects() {
    for (term, successes) in [("<value of heat>", 1.0), ("<michael mann>", 0.0)] {
        let mut state = State::new(Settings::default());
        learn(
            &mut state,
            episode(1, &question(MASKED, "heat"), "director", "director"),
        );
        let text = AnswerText {
            text: "It was him.".to_owned(),
            values: vec![Value {
                label: "him".to_owned(),
                term: term.to_owned(),
            }],
        };
        let radius = judge(&mut state, 1, Verdict::Edit(text.clone()));
        assert_eq!(radius.corrected, Some(experience_id(1)));
        let stored = memory(&state).stored(experience_id(1)).unwrap();
        assert_eq!(
            (
                &stored.experience.answer,
                stored.experience.provenance,
                stored.usage.pinned
            ),
            (&text, Provenance::Edited, true)
        );
        let tally = memory(&state)
            .lessons("films")
            .unwrap()
            .tally(MASKED, "director")
            .unwrap();
        assert!((tally.successes - successes).abs() < 1e-9, "{tally:?}");
    }
}

#[test]
fn what_a_person_edited_is_not_evicted() {
    let small = |capacity, bucket_capacity| Settings {
        capacity,
        bucket_capacity,
        ..Settings::default()
    };
    for settings in [small(2, 100), small(100, 2)] {
        let mut state = State::new(settings);
        for n in 1..=6 {
            let asked = question(MASKED, &format!("film{n}"));
            learn(&mut state, episode(n, &asked, "director", "director"));
            if n == 1 {
                judge(&mut state, 1, Verdict::Edit(AnswerText::default()));
            }
        }
        assert!(memory(&state).stored(experience_id(1)).is_some());
        assert_eq!(memory(&state).len(), 2);
    }
}

#[test]
fn an_unknown_answer_is_said_to_be_unknown() {
    let mut state = State::new(Settings {
        answers_capacity: 1,
        ..Settings::default()
    });
    learn(
        &mut state,
        episode(1, &question(MASKED, "heat"), "director", "director"),
    );
    learn(
        &mut state,
        episode(2, &question(MASKED, "ran"), "director", "director"),
    );
    let refused = judge_as(&mut state, 1, Verdict::Good, Judge::Person);
    assert_eq!(
        refused,
        Err(FeedbackRefusal::UnknownAnswer {
            answer: answer_id(1)
        })
    );
}

#[test]
fn an_edit_belongs_to_the_question_that_was_asked() {
    let mut state = State::new(Settings::default());
    let first = episode(1, &question(MASKED, "heat"), "director", "director");
    let mut second = episode(
        2,
        &question("who was directing ⟨0⟩", "heat"),
        "director",
        "director",
    );
    second.masked_vector = first.masked_vector.clone();
    learn(&mut state, first);
    assert!(matches!(
        learn(&mut state, second),
        GateVerdict::Duplicate { .. }
    ));
    let text = AnswerText {
        text: "Nobody.".to_owned(),
        values: Vec::new(),
    };
    let corrected = judge(&mut state, 2, Verdict::Edit(text.clone()))
        .corrected
        .unwrap();
    let answer = |id| &memory(&state).stored(id).unwrap().experience.answer;
    assert_ne!(corrected, experience_id(1));
    assert_eq!(answer(corrected), &text);
    assert_ne!(answer(experience_id(1)), &text);
    let own = memory(&state).stored(corrected).unwrap();
    assert_eq!(own.experience.signature.masked, "who was directing ⟨0⟩");
    assert!(own.usage.pinned);
}
