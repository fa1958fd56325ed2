use std::sync::Arc;

use super::*;
use crate::testing::{episode, namespace, question, vector_of};
use crate::{Event, Settings, State};

fn memory(questions: &[(&str, &str, &str)]) -> Memory {
    let mut state = State::new(Settings::default());
    for (n, (masked, aspect, template)) in questions.iter().enumerate() {
        let episode = episode(
            n as u64,
            &question(masked, &format!("entity{n}")),
            template,
            aspect,
        );
        state.apply(&Event::Episode {
            namespace: namespace(),
            episode: Box::new(episode),
        });
    }
    state.memory(&namespace()).unwrap().clone()
}

fn recalled(memory: &Memory, masked: &str, aspect: &str, settings: &RecallSettings) -> Vec<String> {
    let vector = vector_of(masked);
    let query = RecallQuery {
        domain: "films",
        aspect,
        masked,
        vector: vector.as_slice(),
        now: Timestamp(1_000_000),
    };
    memory
        .recall(&query, settings)
        .into_iter()
        .map(|r| r.stored.experience.template().to_owned())
        .collect()
}

const FILMS: [(&str, &str, &str); 6] = [
    ("who directed ⟨0⟩", "director", "director"),
    ("who directed the movie ⟨0⟩", "director", "director"),
    ("who wrote ⟨0⟩", "writer", "writer"),
    ("when was ⟨0⟩ released", "year", "year"),
    ("which films did ⟨0⟩ direct", "director", "^director"),
    ("what language is ⟨0⟩ in", "language", "language"),
];

#[test]
fn no_way_in_gives_what_has_expired_before_it_is_swept() {
    let mut state = State::new(Settings::default());
    let (masked, _, template) = FILMS[0];
    let mut short = episode(1, &question(masked, "heat"), template, "director");
    short.candidate.as_mut().unwrap().lifetime = crate::Lifetime::Absolute(Timestamp(5_000));
    let plan = short.plan.clone().unwrap();
    state.apply(&Event::Episode {
        namespace: namespace(),
        episode: Box::new(short),
    });
    let memory = state.memory(&namespace()).unwrap();
    let vector = vector_of(masked);
    let given = |at| {
        let now = Timestamp(at);
        let query = RecallQuery {
            domain: "films",
            aspect: "director",
            masked,
            vector: vector.as_slice(),
            now,
        };
        [
            memory.same_wording("films", masked, now).len(),
            usize::from(memory.same_plan("films", &plan, masked, now).is_some()),
            memory.same_template("films", template, 9, now).len(),
            memory.recall(&query, &RecallSettings::default()).len(),
        ]
    };
    assert_eq!(given(4_999), [1; 4]);
    assert_eq!(given(5_001), [0; 4]);
}

#[test]
fn a_second_example_with_the_same_template_comes_after_others() {
    let memory = memory(&FILMS);
    let settings = RecallSettings {
        examples: 2,
        minimum_relevance: 0.0,
        ..RecallSettings::default()
    };
    let diverse = recalled(&memory, "who directed ⟨0⟩", "director", &settings);
    assert_eq!(diverse[0], "director");
    assert_ne!(diverse[1], "director");
    let plain = RecallSettings {
        ranking: Ranking::Relevance,
        ..settings
    };
    assert_eq!(
        recalled(&memory, "who directed ⟨0⟩", "director", &plain),
        ["director", "director"]
    );
}

#[test]
fn what_is_not_relevant_is_not_recalled() {
    let memory = memory(&FILMS);
    let settings = RecallSettings {
        minimum_relevance: 0.99,
        ..RecallSettings::default()
    };
    assert!(recalled(&memory, "an entirely different matter", "none", &settings).is_empty());
    assert_eq!(
        recalled(&memory, "who wrote ⟨0⟩", "writer", &settings),
        ["writer"]
    );
}

#[test]
fn each_similarity_finds_the_same_wording_first() {
    let memory = memory(&FILMS);
    for similarity in [Similarity::Bm25, Similarity::Cosine, Similarity::Hybrid] {
        let settings = RecallSettings {
            similarity,
            minimum_relevance: 0.1,
            ..RecallSettings::default()
        };
        assert_eq!(
            recalled(&memory, "when was ⟨0⟩ released", "year", &settings)[0],
            "year",
            "{similarity:?}"
        );
    }
}

#[test]
fn a_large_bucket_gives_its_nearest_and_layers_tell_who_is_in_it() {
    let memory = memory(&FILMS);
    let vector = vector_of("who directed ⟨0⟩");
    let query = RecallQuery {
        domain: "films",
        aspect: "director",
        masked: "who directed ⟨0⟩",
        vector: vector.as_slice(),
        now: Timestamp(0),
    };
    let settings = RecallSettings {
        pool: 1,
        minimum_relevance: 0.0,
        ..RecallSettings::default()
    };
    let two = memory.recall(&query, &settings);
    assert!(two[0].in_bucket && two[0].stored.experience.template() == "director");
    let one = memory.recall(
        &query,
        &RecallSettings {
            layers: Layers::One,
            ..settings
        },
    );
    assert!(one.iter().all(|r| !r.in_bucket));
}

#[test]
fn another_domain_gives_nothing() {
    let memory = memory(&FILMS);
    let vector = vector_of("who directed ⟨0⟩");
    let query = RecallQuery {
        domain: "books",
        aspect: "director",
        masked: "who directed ⟨0⟩",
        vector: vector.as_slice(),
        now: Timestamp(0),
    };
    assert!(memory.recall(&query, &RecallSettings::default()).is_empty());
}

/// The scores here and those of `similarity::bm25` are one formula.
#[test]
fn bm25_equals_the_reference() {
    let memory = memory(&FILMS);
    let domain = memory.index().domain("films").unwrap();
    let texts: Vec<(&Arc<str>, &Text)> = domain.texts.iter().collect();
    let plain = |text: &str| -> Vec<String> {
        crate::words::tokens(text)
            .into_iter()
            .filter(|t| !crate::words::is_slot(t))
            .collect()
    };
    let reference = similarity::bm25::Bm25::new(texts.iter().map(|(text, _)| plain(text)));
    for query in [
        "who directed ⟨0⟩",
        "what language is the film in",
        "unknown words only",
    ] {
        let words = Words::new(domain, query);
        for (place, (_, text)) in texts.iter().enumerate() {
            let expected = reference.normalised(&plain(query), place);
            assert!((words.bm25(text) - expected).abs() < 1e-5, "{query}");
        }
    }
}
