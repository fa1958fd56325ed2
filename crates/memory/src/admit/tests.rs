use proptest::prelude::*;

use super::*;
use crate::event::{Event, Feedback, ForgetTargets, Hit, Verdict};
use crate::experience::{Judge, Lifetime};
use crate::state::State;
use crate::testing::{answer_id, episode, experience_id, namespace, question};
use crate::{ForgetSelector, Memory, PolicyName, Posterior};

fn with(policy: PolicyName, capacity: usize) -> State {
    State::new(Settings {
        policy,
        capacity,
        ..Settings::default()
    })
}

/// A question of its own kind, answered anew.
fn asked(n: u64) -> Episode {
    let kind = format!("kind{n}");
    let masked = format!("what is the {kind} of ⟨0⟩");
    episode(n, &question(&masked, "heat"), &kind, "aspect")
}

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

fn memory(state: &State) -> &Memory {
    state.memory(&namespace()).unwrap()
}

fn held(state: &State) -> Vec<u64> {
    let ids = memory(state).experiences().map(|s| s.experience.id);
    ids.map(|id| u64::try_from(id.0.0).unwrap() - 1000)
        .collect()
}

/// The question of `n` again, served by the experience that it left.
fn served(n: u64, again: u64) -> Episode {
    let first = asked(n);
    Episode {
        hit: Hit::Exact(experience_id(n)),
        candidate: None,
        answer: answer_id(again),
        at: Timestamp(1000 * again),
        ..first
    }
}

fn pin(state: &mut State, n: u64, pinned: bool) {
    let effect = state.apply(&Event::Pinned {
        namespace: namespace(),
        at: Timestamp(1),
        experience: experience_id(n),
        pinned,
    });
    assert_eq!(effect, Effect::Pinned { found: true });
}

#[test]
fn what_was_only_recalled_was_not_used() {
    let mut state = with(PolicyName::Lru, 2);
    learn(&mut state, asked(1));
    learn(&mut state, asked(2));
    let recalled = Episode {
        recalled: vec![(experience_id(1), 0.9)],
        ..asked(3)
    };
    learn(&mut state, recalled);
    assert_eq!(held(&state), [2, 3], "the recalled one did not serve");
    learn(&mut state, served(2, 4));
    learn(&mut state, asked(5));
    assert_eq!(held(&state), [2, 5], "the one that served stays");
}

#[test]
fn a_failure_lets_a_newcomer_in_where_a_success_does_not() {
    let mut state = with(PolicyName::Survival, 2);
    learn(&mut state, asked(1));
    learn(&mut state, asked(2));
    // Served by a remembered plan: nothing was missing, so the new binding stays out of a full memory.
    let plan = Episode {
        hit: Hit::Plan(experience_id(1)),
        ..asked(3)
    };
    let refused = learn(&mut state, plan);
    assert!(
        matches!(refused, GateVerdict::Refused(Refusal::NotAdmitted { .. })),
        "{refused:?}"
    );
    for n in 4..40 {
        learn(&mut state, served(1, n));
    }
    let mut entered = false;
    for n in 40..60 {
        learn(&mut state, served(1, 1000 + n));
        entered |= matches!(
            learn(&mut state, asked(n)),
            GateVerdict::Admitted {
                evicted: Some(_),
                ..
            }
        );
    }
    assert!(entered, "what was missing enters at last");
    assert!(held(&state).contains(&1), "what serves stays");
}

#[test]
fn a_near_duplicate_merges_into_the_entry_that_it_repeats() {
    let mut state = with(PolicyName::Survival, 10);
    learn(&mut state, asked(1));
    let trust = |state: &State| {
        let stored = memory(state).stored(experience_id(1)).unwrap();
        stored.usage.posterior.alpha
    };
    let before = trust(&state);
    let again = Episode {
        candidate: episode(2, &asked(1).signature, "kind1", "aspect").candidate,
        answer: answer_id(2),
        ..asked(1)
    };
    let verdict = learn(&mut state, again);
    assert!(
        matches!(verdict, GateVerdict::Duplicate { of, .. } if of == experience_id(1)),
        "{verdict:?}"
    );
    assert_eq!(held(&state), [1]);
    assert!(trust(&state) > before);
}

#[test]
fn the_pinned_are_never_evicted() {
    let mut state = with(PolicyName::Fifo, 2);
    learn(&mut state, asked(1));
    learn(&mut state, asked(2));
    pin(&mut state, 1, true);
    learn(&mut state, asked(3));
    assert_eq!(held(&state), [1, 3]);
    pin(&mut state, 3, true);
    let refused = learn(&mut state, asked(4));
    assert!(matches!(refused, GateVerdict::Refused(_)), "{refused:?}");
    assert_eq!(held(&state), [1, 3], "all are pinned");
    pin(&mut state, 1, false);
    learn(&mut state, asked(5));
    assert_eq!(held(&state), [3, 5]);
    assert_eq!(memory(&state).stats(Timestamp(0)).pinned, 1);
}

#[test]
fn a_pin_holds_when_the_memory_shrinks() {
    let mut state = with(PolicyName::Lru, 10);
    for n in 1..=6 {
        learn(&mut state, asked(n));
    }
    pin(&mut state, 1, true);
    learn(&mut state, served(3, 7));
    let settings = Settings {
        policy: PolicyName::Lru,
        capacity: 2,
        ..Settings::default()
    };
    let effect = state.apply(&Event::Defaults { settings });
    assert_eq!(effect, Effect::Shrunk { evicted: 4 });
    assert_eq!(held(&state), [1, 3], "the pinned and the last used");
    assert_eq!(memory(&state).counters().evicted, 4);
}

#[test]
fn a_bucket_has_a_bound_of_its_own() {
    let settings = |bucket_capacity| Settings {
        policy: PolicyName::Lru,
        bucket_capacity,
        ..Settings::default()
    };
    let mut state = State::new(settings(2));
    for n in 1..=5 {
        let mut one = asked(n);
        let aspect = if n == 1 { "other" } else { "aspect" };
        one.candidate.as_mut().unwrap().aspect = aspect.to_owned();
        learn(&mut state, one);
    }
    assert_eq!(held(&state), [1, 4, 5]);
    let settings = settings(1);
    assert_eq!(
        state.apply(&Event::Defaults { settings }),
        Effect::Shrunk { evicted: 1 }
    );
    assert_eq!(held(&state), [1, 5]);
}

/// A full memory of `survival` whose first experience was evicted and is a ghost.
fn haunted() -> State {
    let mut state = with(PolicyName::Survival, 3);
    for n in 1..=3 {
        learn(&mut state, asked(n));
    }
    let settings = Settings {
        policy: PolicyName::Survival,
        capacity: 2,
        ..Settings::default()
    };
    learn(&mut state, served(2, 10));
    learn(&mut state, served(3, 11));
    state.apply(&Event::Defaults { settings });
    assert_eq!(held(&state), [2, 3]);
    assert_eq!(memory(&state).stats(Timestamp(0)).ghosts, 1);
    state
}

#[test]
fn a_ghost_is_never_served() {
    let state = haunted();
    let memory = memory(&state);
    let gone = asked(1);
    assert!(memory.stored(experience_id(1)).is_none());
    let plan = gone.plan.as_ref().unwrap();
    let masked = &gone.signature.masked;
    assert!(
        memory
            .same_plan("films", plan, masked, Timestamp(0))
            .is_none()
    );
    assert!(
        memory
            .same_wording("films", masked, Timestamp(0))
            .is_empty()
    );
}

#[test]
fn ghosts_are_bounded() {
    let mut state = with(PolicyName::Survival, 2);
    for n in 1..=2 {
        learn(&mut state, asked(n));
    }
    for n in 3..200 {
        learn(&mut state, served(1, n + 1000));
        learn(&mut state, asked(n));
    }
    let ghosts = memory(&state).stats(Timestamp(0)).ghosts;
    assert!((1..=12).contains(&ghosts), "{ghosts}");
}

#[test]
fn forgetting_reaches_ghosts_and_what_shadows_hold() {
    for selector in [
        ForgetSelector::Question(asked(1).question),
        ForgetSelector::Experience(experience_id(1)),
        ForgetSelector::Answer(answer_id(1)),
        ForgetSelector::Evidence {
            source: "films".to_owned(),
            triple: crate::Triple::new("<heat>", "<kind1>", "<value of heat>"),
        },
    ] {
        let mut state = haunted();
        let targets = memory(&state).resolve(&selector);
        assert!(
            targets
                .questions
                .contains(&crate::index::question_key(&asked(1).question)),
            "{selector:?}: older entries of the journal are found by the question"
        );
        state.apply(&Event::Forget {
            namespace: namespace(),
            at: Timestamp(99),
            targets,
        });
        assert_eq!(memory(&state).stats(Timestamp(0)).ghosts, 0, "{selector:?}");
        // Not even its id is left anywhere.
        let bytes = postcard::to_stdvec(&state).unwrap();
        let id = postcard::to_stdvec(&experience_id(1)).unwrap();
        let found = bytes.windows(id.len()).any(|window| window == id);
        assert!(!found, "{selector:?} leaves the id in the state");
    }
}

#[test]
fn a_wrong_answer_leaves_no_ghost() {
    let mut state = haunted();
    state.apply(&Event::Feedback {
        namespace: namespace(),
        feedback: Feedback {
            at: Timestamp(50),
            answer: answer_id(1),
            verdict: Verdict::Bad,
            judge: Judge::Person,
        },
    });
    assert_eq!(memory(&state).stats(Timestamp(0)).ghosts, 0);
}

#[test]
fn expiry_and_forgetting_are_no_evictions() {
    let mut state = with(PolicyName::Survival, 10);
    let mut short = asked(1);
    short.candidate.as_mut().unwrap().lifetime = Lifetime::Absolute(Timestamp(1500));
    learn(&mut state, short);
    learn(&mut state, asked(2));
    learn(&mut state, asked(3));
    state.apply(&Event::Forget {
        namespace: namespace(),
        at: Timestamp(9),
        targets: ForgetTargets {
            experiences: vec![experience_id(2)],
            ..ForgetTargets::default()
        },
    });
    assert_eq!(held(&state), [3]);
    let stats = memory(&state).stats(Timestamp(0));
    let counters = &stats.counters;
    assert_eq!((counters.evicted, stats.ghosts), (0, 0));
    assert_eq!((counters.expired, counters.forgotten), (1, 1));
}

#[test]
fn a_person_outranks_grounding_which_outranks_the_judge() {
    let settings = Settings::default();
    let mut one = asked(1);
    one.quality = Some(0.9);
    assert_eq!(
        quality(&one, &settings),
        Some(0.9),
        "grounded: the judge is heard"
    );
    one.candidate.as_mut().unwrap().grounding.confidence = 0.2;
    assert_eq!(
        quality(&one, &settings),
        Some(0.2),
        "ungrounded: whatever the judge says"
    );
    one.quality = None;
    assert_eq!(quality(&one, &settings), None);
    // A person's word comes later and takes the place of what was heard: `solar` credits the good and not the bad.
    let life = |verdict| {
        let mut state = with(PolicyName::Solar, 10);
        learn(&mut state, asked(1));
        let plan = Episode {
            hit: Hit::Plan(experience_id(1)),
            ..asked(2)
        };
        learn(&mut state, plan);
        state.apply(&Event::Feedback {
            namespace: namespace(),
            feedback: Feedback {
                at: Timestamp(5000),
                answer: answer_id(2),
                verdict,
                judge: Judge::Person,
            },
        });
        postcard::to_stdvec(&state).unwrap()
    };
    assert_ne!(life(Verdict::Good), life(Verdict::Bad));
}

fn usage() -> impl Strategy<Value = Usage> {
    let counts = (0_u64..1 << 40, 0_u64..1 << 40, 0_u64..20_000);
    let figures = (0.0..1e12_f64, 0.0..1e12_f64, -2.0..2.0_f32);
    (counts, figures, any::<[bool; 3]>()).prop_map(|(counts, figures, flags)| Usage {
        posterior: Posterior {
            alpha: figures.0,
            beta: figures.1,
        },
        retrieved: counts.0,
        reused: counts.1,
        last_used: Timestamp(counts.2),
        likeness: flags[0].then_some(figures.2),
        suspect: flags[1],
        pinned: flags[2],
    })
}

proptest! {
    #[test]
    fn what_is_restored_fares_as_it_did_within_every_range(usages in prop::collection::vec(usage(), 1..6)) {
        let mut source = State::new(Settings::default());
        for n in 1..=usages.len() as u64 {
            let episode = episode(n, &question("who directed ⟨0⟩", &format!("film{n}")), "director", "director");
            source.apply(&Event::Episode { namespace: namespace(), episode: Box::new(episode) });
        }
        let memory = source.memory(&namespace()).unwrap();
        let entries: Vec<Stored> = memory
            .experiences()
            .zip(&usages)
            .map(|(stored, usage)| Stored { usage: *usage, ..stored.clone() })
            .collect();
        let text = serde_json::to_string(&entries).unwrap();
        let entries: Vec<Stored> = serde_json::from_str(&text).unwrap();
        let now = Timestamp(10_000);
        let restored = Event::Restored {
            namespace: Namespace::new("copy"),
            at: now,
            embedder: "letters".to_owned(),
            lesson_weight: 0.5,
            entries,
        };
        let bytes = crate::codec::encode_event(&restored).unwrap();
        let mut state = State::new(Settings::default());
        state.apply(&crate::codec::decode_event(&bytes).unwrap());
        let copy = state.memory(&Namespace::new("copy")).unwrap();
        prop_assert_eq!(copy.len(), usages.len());
        for (stored, usage) in copy.experiences().zip(&usages) {
            let own = stored.usage;
            prop_assert_eq!((own.suspect, own.pinned), (usage.suspect, usage.pinned));
            prop_assert_eq!(own.last_used, usage.last_used.min(now));
            prop_assert_eq!(own.reused, usage.reused.min(u64::from(u32::MAX)));
            let alpha = usage.posterior.alpha.clamp(1.0, f64::from(u32::MAX));
            prop_assert!((own.posterior.alpha / alpha - 1.0).abs() < 1e-12);
            prop_assert!(own.likeness.is_none_or(|likeness| (-1.0..=1.0).contains(&likeness)));
        }
        prop_assert_eq!(copy.stats(now).pinned, usages.iter().filter(|usage| usage.pinned).count());
    }
}
