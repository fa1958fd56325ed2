use proptest::prelude::*;

use super::*;
use crate::event::{Episode, Feedback, ForgetTargets, Hit, Verdict};
use crate::experience::{AnswerText, Judge, Lifetime, Value};
use crate::testing::{answer_id, episode, experience_id, namespace, question, vector_of};
use crate::{EvidenceKey, ForgetSelector, PolicyName, Timestamp, Triple};

const MASKED: [&str; 4] = [
    "who directed ⟨0⟩",
    "who wrote ⟨0⟩",
    "when was ⟨0⟩ released",
    "which films did ⟨0⟩ direct",
];
const TEMPLATES: [&str; 3] = ["director", "writer", "year"];

fn small() -> Settings {
    Settings {
        capacity: 6,
        bucket_capacity: 4,
        lessons_capacity: 5,
        lexicon_capacity: 3,
        answers_capacity: 12,
        vetoes_capacity: 2,
        ..Settings::default()
    }
}

/// One of everything that can happen, from a few numbers.
fn event(n: u64, kind: u8, a: u8, b: u8, other_tenant: bool) -> Event {
    let namespace = if other_tenant {
        Namespace::new("other")
    } else {
        namespace()
    };
    let at = Timestamp(1000 * n);
    let answer = answer_id(u64::from(b) % n.max(1) + 1);
    match kind {
        0..=5 => {
            let masked = MASKED[usize::from(a) % MASKED.len()];
            let mut episode = episode(
                n,
                &question(masked, &format!("e{}", b % 5)),
                TEMPLATES[usize::from(b) % TEMPLATES.len()],
                "aspect",
            );
            vary(&mut episode, n, a, b);
            Event::Episode {
                namespace,
                episode: Box::new(episode),
            }
        }
        6 => Event::Feedback {
            namespace,
            feedback: Feedback {
                at,
                answer,
                verdict: Verdict::Good,
                judge: if a.is_multiple_of(2) {
                    Judge::Person
                } else {
                    Judge::Model
                },
            },
        },
        7 => Event::Feedback {
            namespace,
            feedback: Feedback {
                at,
                answer,
                verdict: Verdict::Bad,
                judge: if a.is_multiple_of(3) {
                    Judge::Model
                } else {
                    Judge::Person
                },
            },
        },
        8 => {
            let text = AnswerText {
                text: format!("edited {a}"),
                values: vec![Value {
                    label: String::new(),
                    term: format!("<value of e{}>", b % 5),
                }],
            };
            Event::Feedback {
                namespace,
                feedback: Feedback {
                    at,
                    answer,
                    verdict: Verdict::Edit(text),
                    judge: Judge::Person,
                },
            }
        }
        9 => {
            let mut ids = vec![
                experience_id(u64::from(a) % 20),
                experience_id(u64::from(b) % 20),
            ];
            ids.sort();
            Event::Forget {
                namespace,
                at,
                targets: ForgetTargets {
                    experiences: ids,
                    answers: vec![answer],
                    questions: Vec::new(),
                    everything: a > 250,
                },
            }
        }
        10 => {
            let triple = Triple::new(&format!("<e{}>", a % 5), "<director>", "<x>");
            let change = if b.is_multiple_of(4) {
                SourceChange::Everything
            } else {
                SourceChange::Keys(EvidenceKey::touched_by("films", &triple).to_vec())
            };
            Event::SourceChanged {
                at,
                source: "films".to_owned(),
                generation: n,
                change,
            }
        }
        11 if b.is_multiple_of(4) => Event::Defaults {
            settings: Settings {
                capacity: usize::from(a % 6) + 1,
                ..small()
            },
        },
        11 => {
            let policy = PolicyName::ALL[usize::from(a) % PolicyName::ALL.len()];
            Event::Settings {
                namespace,
                settings: Settings {
                    policy,
                    capacity: usize::from(b % 6) + 1,
                    ..small()
                },
            }
        }
        13 => Event::Pinned {
            namespace,
            at,
            experience: experience_id(u64::from(a) % n.max(1) + 1),
            pinned: b.is_multiple_of(2),
        },
        14 => {
            let text = format!("note {}", a % 5);
            let note =
                crate::Experience::note(experience_id(n), &namespace, at, &text, vector_of(&text));
            Event::Noted {
                namespace,
                at,
                embedder: "letters".to_owned(),
                notes: vec![note],
            }
        }
        15 => Event::Recalled {
            namespace,
            at,
            embedder: "letters".to_owned(),
            vector: vector_of(&format!("note {}", b % 5)),
            notes: vec![experience_id(u64::from(a) % n.max(1) + 1)],
        },
        16 => Event::NoteJudged {
            namespace,
            at,
            note: experience_id(u64::from(a) % n.max(1) + 1),
            good: b.is_multiple_of(2),
        },
        _ => {
            let texts = (0..5).flat_map(|e| {
                MASKED
                    .iter()
                    .map(move |m| m.replace("⟨0⟩", &format!("e{e}")))
            });
            let mut vectors: Vec<(String, Vector)> = texts
                .chain(MASKED.iter().map(ToString::to_string))
                .map(|t| (t.clone(), vector_of(&t)))
                .collect();
            vectors.sort_by(|x, y| x.0.cmp(&y.0));
            Event::Reembedded {
                embedder: "letters".to_owned(),
                vectors,
            }
        }
    }
}

fn vary(episode: &mut Episode, n: u64, a: u8, b: u8) {
    let earlier = experience_id(u64::from(a) % n.max(1) + 1);
    episode.recalled = vec![
        (earlier, 0.8),
        (experience_id(u64::from(b) % n.max(1) + 1), 0.5),
    ];
    episode.helped = vec![earlier];
    episode.hit = match a % 5 {
        0 => Hit::Plan(earlier),
        1 => Hit::Exact(earlier),
        _ => Hit::None,
    };
    episode.quality = (!b.is_multiple_of(3)).then_some(f64::from(b) / 255.0);
    let drop_candidate = a.is_multiple_of(7);
    if let Some(candidate) = &mut episode.candidate {
        candidate.grounding.confidence = f64::from(b % 10) / 9.0;
        candidate.lifetime = match b % 6 {
            0 => Lifetime::Absolute(Timestamp(1000 * n + 4000)),
            1 => Lifetime::SlidingMillis(3000),
            _ => Lifetime::Unlimited,
        };
    }
    if drop_candidate {
        episode.candidate = None;
    }
}

fn bytes(state: &State) -> Vec<u8> {
    postcard::to_stdvec(state).unwrap()
}

fn reread(state: &State) -> State {
    postcard::from_bytes(&bytes(state)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Replay equals live, from the start and from any checkpoint, bit for bit; what queries see is equal too.
    #[test]
    fn replay_equals_live(
        script in prop::collection::vec((0_u8..18, any::<u8>(), any::<u8>(), any::<bool>()), 1..80),
        cut in any::<prop::sample::Index>(),
    ) {
        let events: Vec<Event> = script.iter().enumerate().map(|(n, (kind, a, b, t))| event(n as u64 + 1, *kind, *a, *b, *t)).collect();
        let mut live = State::new(small());
        let effects: Vec<Effect> = events.iter().map(|e| live.apply(e)).collect();
        let mut replayed = State::new(small());
        let again: Vec<Effect> = events.iter().map(|e| replayed.apply(e)).collect();
        prop_assert_eq!(&effects, &again);
        prop_assert_eq!(bytes(&live), bytes(&replayed));
        let cut = cut.index(events.len());
        let mut checkpointed = State::new(small());
        events[..cut].iter().for_each(|e| { checkpointed.apply(e); });
        let mut checkpointed = reread(&checkpointed);
        for (event, expected) in events[cut..].iter().zip(&effects[cut..]) {
            prop_assert_eq!(&checkpointed.apply(event), expected);
        }
        prop_assert_eq!(bytes(&live), bytes(&checkpointed));
        for tenant in [namespace(), Namespace::new("other")] {
            let (Some(a), Some(b)) = (live.memory(&tenant), checkpointed.memory(&tenant)) else { continue };
            prop_assert!(a.len() <= a.settings().capacity);
            prop_assert!(a.lexicon().len() <= 3);
            for masked in MASKED {
                let v = vector_of(masked);
                let query = crate::RecallQuery { domain: "films", aspect: "aspect", masked, vector: v.as_slice(), now: Timestamp(0) };
                let ids = |m: &Memory| -> Vec<_> { m.recall(&query, &crate::RecallSettings::default()).iter().map(|r| (r.stored.experience.id, r.similarity.to_bits())).collect() };
                prop_assert_eq!(ids(a), ids(b));
                let near = |m: &Memory| m.lessons("films").map(|l| l.kernel(v.as_slice(), 9, -1.0));
                prop_assert_eq!(near(a), near(b));
            }
        }
    }

    /// The derived index holds exactly what the experiences say, whatever happened.
    #[test]
    fn the_index_agrees_with_the_experiences(script in prop::collection::vec((0_u8..13, any::<u8>(), any::<u8>()), 1..60)) {
        let mut state = State::new(small());
        for (n, (kind, a, b)) in script.iter().enumerate() {
            state.apply(&event(n as u64 + 1, *kind, *a, *b, false));
            let Some(memory) = state.memory(&namespace()) else { continue };
            let buckets: usize = memory.aspects("films").iter().map(|(_, count)| count).sum();
            prop_assert_eq!(buckets, memory.len());
            prop_assert_eq!(memory.domains().values().sum::<usize>(), memory.len());
            for (_, count) in memory.aspects("films") {
                prop_assert!(count <= 4, "bucket over capacity");
            }
            for stored in memory.experiences() {
                let e = &stored.experience;
                let plan = e.plan().unwrap();
                prop_assert!(memory.same_plan("films", plan, &e.signature.masked, Timestamp(0)).is_some());
                prop_assert!(!memory.same_wording("films", &e.signature.masked, Timestamp(0)).is_empty());
            }
        }
    }
}

fn apply(state: &mut State, episode: Episode) -> Effect {
    state.apply(&Event::Episode {
        namespace: namespace(),
        episode: Box::new(episode),
    })
}

#[test]
fn ten_thousand_interleaved_requests_of_two_tenants_never_cross() {
    let tenants = [Namespace::new("red"), Namespace::new("blue")];
    let settings = Settings {
        capacity: 300,
        ..Settings::default()
    };
    let mut state = State::new(settings);
    for n in 0..10_000_u64 {
        let which = usize::from((n / 3 + n) % 2 == 1);
        let tenant = &tenants[which];
        let own = if which == 0 { "red" } else { "blue" };
        // Both ask the same questions about the same names; only the answers tell whose they are.
        let signature = question(MASKED[(n % 4) as usize], &format!("name{}", n % 97));
        let mut one = episode(n + 1, &signature, TEMPLATES[(n % 3) as usize], "aspect");
        if let Some(memory) = state.memory(tenant) {
            let query = crate::RecallQuery {
                domain: "films",
                aspect: "aspect",
                masked: &one.signature.masked.clone(),
                vector: one.masked_vector.as_slice(),
                now: one.at,
            };
            for recalled in memory.recall(&query, &crate::RecallSettings::default()) {
                assert_eq!(recalled.stored.experience.namespace, *tenant);
                assert!(recalled.stored.experience.answer.text.starts_with(own));
                one.recalled
                    .push((recalled.stored.experience.id, recalled.similarity));
            }
            if let Some(twin) = memory.same_plan(
                "films",
                one.plan.as_ref().unwrap(),
                &one.signature.masked,
                one.at,
            ) {
                assert!(
                    twin.experience.answer.text.starts_with(own),
                    "a hit crossed"
                );
                one.hit = Hit::Plan(twin.experience.id);
            }
        }
        one.candidate.as_mut().unwrap().answer.text = format!("{own} {n}");
        state.apply(&Event::Episode {
            namespace: tenant.clone(),
            episode: Box::new(one),
        });
    }
    for (tenant, own) in tenants.iter().zip(["red", "blue"]) {
        let memory = state.memory(tenant).unwrap();
        assert!(memory.len() > 100);
        assert!(
            memory
                .experiences()
                .all(|s| s.experience.answer.text.starts_with(own))
        );
        assert!(
            memory
                .answers()
                .all(|(_, record)| record.experience.is_none_or(|id| state
                    .memory(tenant)
                    .unwrap()
                    .stored(id)
                    .is_none_or(|s| s.experience.namespace == *tenant)))
        );
    }
    let (red, blue) = (
        state.memory(&tenants[0]).unwrap().counters().asked,
        state.memory(&tenants[1]).unwrap().counters().asked,
    );
    assert_eq!(red + blue, 10_000);
}

#[test]
fn a_verdict_in_one_namespace_does_not_know_the_answers_of_another() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    let feedback = Feedback {
        at: Timestamp(5),
        answer: answer_id(1),
        verdict: Verdict::Bad,
        judge: Judge::Person,
    };
    let effect = state.apply(&Event::Feedback {
        namespace: Namespace::new("other"),
        feedback,
    });
    assert_eq!(
        effect,
        Effect::Judged(Err(crate::FeedbackRefusal::UnknownAnswer {
            answer: answer_id(1)
        }))
    );
    assert_eq!(state.memory(&namespace()).unwrap().len(), 1);
}

#[test]
fn another_embedder_teaches_nothing_and_is_refused() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    let mut other = episode(2, &question(MASKED[1], "heat"), "writer", "writer");
    other.embedder = "another".to_owned();
    let Effect::Learned {
        gate: GateVerdict::Refused(refusal),
        ..
    } = apply(&mut state, other)
    else {
        panic!("refused")
    };
    assert_eq!(refusal.name(), "other_embedder");
    assert_eq!(
        state
            .memory(&namespace())
            .unwrap()
            .lessons("films")
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_new_embedder_takes_over_all_vectors_at_once() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    let vectors = state
        .texts()
        .into_iter()
        .map(|t| (t.clone(), vector_of(&t.to_uppercase())))
        .collect();
    state.apply(&Event::Reembedded {
        embedder: "upper".to_owned(),
        vectors,
    });
    let memory = state.memory(&namespace()).unwrap();
    let query = vector_of(&MASKED[0].to_uppercase());
    assert_eq!(
        memory
            .lessons("films")
            .unwrap()
            .kernel(query.as_slice(), 1, 0.99)
            .len(),
        1
    );
    assert_eq!(
        memory
            .stored(experience_id(1))
            .unwrap()
            .experience
            .masked_vector,
        query
    );
    assert_eq!(state.embedder(), "upper");
}

#[test]
fn staleness_reaches_what_rests_on_the_change_and_a_fresh_answer_supersedes() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    apply(
        &mut state,
        episode(2, &question(MASKED[0], "ran"), "director", "director"),
    );
    let added = Triple::new("<heat>", "<director>", "<someone else>");
    let change = SourceChange::Keys(EvidenceKey::touched_by("films", &added).to_vec());
    let effect = state.apply(&Event::SourceChanged {
        at: Timestamp(9),
        source: "films".to_owned(),
        generation: 2,
        change,
    });
    assert_eq!(effect, Effect::Suspected { experiences: 1 });
    let suspect = |state: &State, n| {
        state
            .memory(&namespace())
            .unwrap()
            .stored(experience_id(n))
            .map(|s| s.usage.suspect)
    };
    assert_eq!(
        (suspect(&state, 1), suspect(&state, 2)),
        (Some(true), Some(false))
    );
    // Asked again: the plan is run again and gives another set of facts.
    let mut again = episode(3, &question(MASKED[0], "heat"), "director", "director");
    again.hit = Hit::Plan(experience_id(1));
    let facts = [
        added,
        Triple::new("<heat>", "<director>", "<value of heat>"),
    ];
    again.candidate.as_mut().unwrap().evidence = crate::Evidence::new("films", &facts, &[]);
    let Effect::Learned { gate, .. } = apply(&mut state, again) else {
        panic!("learned")
    };
    assert_eq!(
        gate,
        GateVerdict::Superseded {
            old: experience_id(1),
            id: experience_id(3)
        }
    );
    assert_eq!(
        (suspect(&state, 1), suspect(&state, 3)),
        (None, Some(false))
    );
}

#[test]
fn a_source_that_changed_altogether_makes_only_its_own_experiences_suspect() {
    let mut state = State::new(Settings::default());
    let mut other = episode(1, &question(MASKED[0], "heat"), "director", "director");
    other.domain = "books".to_owned();
    apply(&mut state, other);
    apply(
        &mut state,
        episode(2, &question(MASKED[0], "ran"), "director", "director"),
    );
    let effect = state.apply(&Event::SourceChanged {
        at: Timestamp(9),
        source: "films".to_owned(),
        generation: 2,
        change: SourceChange::Everything,
    });
    assert_eq!(effect, Effect::Suspected { experiences: 1 });
    let stored = |n| state.memory(&namespace())?.stored(experience_id(n));
    assert!(stored(1).is_some_and(|s| !s.usage.suspect));
    assert!(stored(2).is_some_and(|s| s.usage.suspect));
}

#[test]
fn a_suspect_that_proves_unchanged_is_trusted_again() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    state.apply(&Event::SourceChanged {
        at: Timestamp(9),
        source: "films".to_owned(),
        generation: 2,
        change: SourceChange::Everything,
    });
    let mut again = episode(2, &question(MASKED[0], "heat"), "director", "director");
    (again.hit, again.candidate) = (Hit::Exact(experience_id(1)), None);
    apply(&mut state, again);
    assert!(
        !state
            .memory(&namespace())
            .unwrap()
            .stored(experience_id(1))
            .unwrap()
            .usage
            .suspect
    );
}

#[test]
fn lifetimes_end_absolutely_or_when_unused() {
    let mut state = State::new(Settings::default());
    for (n, lifetime) in [
        (1, Lifetime::Absolute(Timestamp(5_000))),
        (2, Lifetime::SlidingMillis(5_000)),
    ] {
        let mut one = episode(
            n,
            &question(MASKED[0], &format!("film{n}")),
            "director",
            "director",
        );
        one.candidate.as_mut().unwrap().lifetime = lifetime;
        apply(&mut state, one);
    }
    let mut use_both = episode(4, &question(MASKED[1], "x"), "writer", "writer");
    use_both.recalled = vec![(experience_id(1), 0.9), (experience_id(2), 0.9)];
    apply(&mut state, use_both);
    let wording = |state: &State, at| {
        state
            .memory(&namespace())
            .unwrap()
            .same_wording("films", MASKED[0], Timestamp(at))
            .iter()
            .map(|s| s.experience.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        wording(&state, 5_500),
        [experience_id(2)],
        "an expired one is not served even before it is swept"
    );
    let Effect::Learned { expired, .. } = apply(
        &mut state,
        episode(6, &question(MASKED[2], "y"), "year", "year"),
    ) else {
        panic!("learned")
    };
    assert_eq!(
        expired,
        [experience_id(1)],
        "use prolonged only the sliding one"
    );
    let Effect::Learned { expired, .. } = apply(
        &mut state,
        episode(10, &question(MASKED[2], "z"), "year", "year"),
    ) else {
        panic!("learned")
    };
    assert_eq!(expired, [experience_id(2)]);
    assert_eq!(state.memory(&namespace()).unwrap().counters().expired, 2);
}

#[test]
fn forgetting_by_each_selector_takes_what_it_names_and_its_lessons() {
    let fresh = || {
        let mut state = State::new(Settings::default());
        apply(
            &mut state,
            episode(1, &question(MASKED[0], "heat"), "director", "director"),
        );
        apply(
            &mut state,
            episode(2, &question(MASKED[1], "ran"), "writer", "writer"),
        );
        state
    };
    let triple = Triple::new("<heat>", "<director>", "<value of heat>");
    let selectors = [
        ForgetSelector::Experience(experience_id(1)),
        ForgetSelector::Answer(answer_id(1)),
        ForgetSelector::Question("WHO directed heat?!".to_owned()),
        ForgetSelector::Evidence {
            source: "films".to_owned(),
            triple,
        },
    ];
    for selector in selectors {
        let mut state = fresh();
        let targets = state.memory(&namespace()).unwrap().resolve(&selector);
        let Effect::Forgotten(receipt) = state.apply(&Event::Forget {
            namespace: namespace(),
            at: Timestamp(9),
            targets,
        }) else {
            panic!("forgotten")
        };
        assert_eq!(
            (
                receipt.experiences,
                receipt.answers,
                receipt.lessons,
                receipt.links
            ),
            (vec![experience_id(1)], vec![answer_id(1)], 1, 1),
            "{selector:?}"
        );
        let left = String::from_utf8_lossy(&bytes(&state)).into_owned();
        assert!(
            !left.contains("heat") && !left.contains("directed"),
            "{selector:?}"
        );
        assert!(left.contains("ran"));
    }
    let mut state = fresh();
    let targets = state
        .memory(&namespace())
        .unwrap()
        .resolve(&ForgetSelector::Namespace);
    state.apply(&Event::Forget {
        namespace: namespace(),
        at: Timestamp(9),
        targets,
    });
    assert!(state.memory(&namespace()).is_none());
}

#[test]
fn a_wording_that_others_share_keeps_what_they_taught() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    apply(
        &mut state,
        episode(2, &question(MASKED[0], "ran"), "director", "director"),
    );
    let targets = state
        .memory(&namespace())
        .unwrap()
        .resolve(&ForgetSelector::Answer(answer_id(1)));
    state.apply(&Event::Forget {
        namespace: namespace(),
        at: Timestamp(9),
        targets,
    });
    let tally = state
        .memory(&namespace())
        .unwrap()
        .lessons("films")
        .unwrap()
        .tally(MASKED[0], "director")
        .unwrap();
    assert!(
        (tally.successes - 0.5).abs() < 1e-9,
        "one answer's share is gone, the other's stays"
    );
}

#[test]
fn an_import_goes_through_the_gates_and_keeps_its_origin() {
    let mut state = State::new(Settings::default());
    apply(
        &mut state,
        episode(1, &question(MASKED[0], "heat"), "director", "director"),
    );
    apply(
        &mut state,
        episode(2, &question(MASKED[1], "ran"), "writer", "writer"),
    );
    let exported: Vec<crate::Experience> = state
        .memory(&namespace())
        .unwrap()
        .experiences()
        .map(|s| s.experience.as_ref().clone())
        .collect();
    let import = |embedder: &str| Event::Import {
        namespace: Namespace::new("copy"),
        at: Timestamp(9),
        embedder: embedder.to_owned(),
        lesson_weight: 0.5,
        experiences: exported.clone(),
    };
    let Effect::Imported { taken, .. } = state.apply(&import("letters")) else {
        panic!("imported")
    };
    assert_eq!(taken, 2);
    let Effect::Imported {
        taken, duplicates, ..
    } = state.apply(&import("letters"))
    else {
        panic!("imported")
    };
    assert_eq!((taken, duplicates), (0, 2));
    let Effect::Imported { refused, .. } = state.apply(&import("another")) else {
        panic!("imported")
    };
    assert_eq!(refused["other_embedder"], 2);
    let copy = state.memory(&Namespace::new("copy")).unwrap();
    assert!(
        copy.experiences()
            .all(|s| s.experience.namespace.as_str() == "copy")
    );
    assert_eq!(copy.lessons("films").unwrap().len(), 2);
}

#[test]
fn a_smaller_capacity_evicts_at_once() {
    let mut state = State::new(Settings::default());
    for n in 1..=5 {
        apply(
            &mut state,
            episode(
                n,
                &question(MASKED[0], &format!("film{n}")),
                "director",
                "director",
            ),
        );
    }
    state.apply(&Event::Settings {
        namespace: namespace(),
        settings: Settings {
            capacity: 2,
            ..Settings::default()
        },
    });
    let memory = state.memory(&namespace()).unwrap();
    assert_eq!(
        memory
            .experiences()
            .map(|s| s.experience.id)
            .collect::<Vec<_>>(),
        [experience_id(4), experience_id(5)]
    );
}
