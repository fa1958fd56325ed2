//! Episodes made up for tests of the journal and the learner.

use memory::{
    AnswerId, AnswerText, Binding, Candidate, Episode, Evidence, ExperienceId, Grounding, Hit,
    Judge, Lifetime, Link, Provenance, Signature, StoredPlan, Timestamp, Triple, Ulid, Value,
    Vector,
};
use similarity::Embedding;

/// A bag-of-letters vector: near for texts that are alike, and the same everywhere.
pub(crate) fn vector_of(text: &str, dims: usize) -> Vector {
    let mut values = vec![0.0_f32; dims];
    for pair in text.as_bytes().windows(2) {
        values[(usize::from(pair[0]) * 31 + usize::from(pair[1]) * 17) % dims] += 1.0;
    }
    Embedding::new(values).map(Vector::from).unwrap_or_default()
}

pub(crate) fn answer_id(n: u64) -> AnswerId {
    AnswerId(Ulid(u128::from(n)))
}

pub(crate) fn experience_id(n: u64) -> ExperienceId {
    ExperienceId(Ulid((1 << 64) | u128::from(n)))
}

/// Episode number `n`: "who directed ENTITY", with vectors of 64 numbers.
pub(crate) fn episode(n: u64, entity: &str) -> Episode {
    let masked = "who directed ⟨0⟩";
    let text = format!("who directed {entity}");
    let triple = Triple::new(
        &format!("<{entity}>"),
        "<director>",
        &format!("<director of {entity}>"),
    );
    Episode {
        at: Timestamp(1_000 + n),
        answer: answer_id(n),
        question: text.clone(),
        embedder: "letters".to_owned(),
        vector: vector_of(&text, 64),
        masked_vector: vector_of(masked, 64),
        signature: Signature::extract(masked, vec![entity.to_owned()]),
        domain: "films".to_owned(),
        recalled: Vec::new(),
        hit: Hit::None,
        helped: Vec::new(),
        plan: Some(StoredPlan {
            template: "$0/<director>".to_owned(),
            body: "{}".to_owned(),
            bindings: vec![Binding {
                slot: 0,
                value: format!("<{entity}>"),
                text: entity.to_owned(),
            }],
        }),
        links: vec![Link {
            phrase: "directed".to_owned(),
            predicate: "<director>".to_owned(),
        }],
        quality: Some(0.9),
        lesson_weight: 0.5,
        candidate: Some(Box::new(Candidate {
            id: experience_id(n),
            aspect: "director".to_owned(),
            payloads: Vec::new(),
            scaffold: vec![format!("the director of {entity}")],
            answer: AnswerText {
                text: format!("The director of {entity}."),
                values: vec![Value {
                    label: format!("director of {entity}"),
                    term: format!("<director of {entity}>"),
                }],
            },
            evidence: Evidence::new("films", &[triple], &[]),
            grounding: Grounding {
                confidence: 1.0,
                judge: Judge::Evidence,
            },
            lifetime: Lifetime::Unlimited,
            generation: 1,
            provenance: Provenance::Online,
        })),
    }
}
