//! Episodes made up for tests.

use similarity::Embedding;

use crate::{
    AnswerId, AnswerText, Binding, Candidate, Episode, Evidence, ExperienceId, Grounding, Hit,
    Judge, Lifetime, Link, Namespace, Provenance, Signature, StoredPlan, Timestamp, Triple, Ulid,
    Value, Vector,
};

pub(crate) fn namespace() -> Namespace {
    Namespace::default()
}

/// A bag-of-letters vector: near for texts that are alike, and the same everywhere.
pub(crate) fn vector_of(text: &str) -> Vector {
    let mut values = vec![0.0_f32; 32];
    for pair in text.as_bytes().windows(2) {
        let place = (usize::from(pair[0]) * 31 + usize::from(pair[1]) * 17) % 32;
        values[place] += 1.0;
    }
    Embedding::new(values).map(Vector::from).unwrap_or_default()
}

/// A masked question with its one entity.
pub(crate) fn question(masked: &str, entity: &str) -> Signature {
    Signature::extract(masked, vec![entity.to_owned()])
}

/// Episode number `n`: the answer's id is `n`, the experience's `1000 + n`.
pub(crate) fn episode(n: u64, signature: &Signature, template: &str, aspect: &str) -> Episode {
    let entity = signature.slots.first().cloned().unwrap_or_default();
    let text = signature.masked.replace("⟨0⟩", &entity);
    let bindings = vec![Binding {
        slot: 0,
        value: format!("<{entity}>"),
        text: entity.clone(),
    }];
    let triple = Triple::new(
        &format!("<{entity}>"),
        &format!("<{template}>"),
        &format!("<value of {entity}>"),
    );
    Episode {
        at: Timestamp(1000 * n),
        answer: answer_id(n),
        question: text.clone(),
        embedder: "letters".to_owned(),
        vector: vector_of(&text),
        masked_vector: vector_of(&signature.masked),
        signature: signature.clone(),
        domain: "films".to_owned(),
        recalled: Vec::new(),
        hit: Hit::None,
        helped: Vec::new(),
        plan: Some(StoredPlan {
            template: template.to_owned(),
            body: "{}".to_owned(),
            bindings,
        }),
        links: vec![Link {
            phrase: aspect.to_owned(),
            predicate: template.to_owned(),
        }],
        quality: Some(0.9),
        lesson_weight: 0.5,
        candidate: Some(Box::new(Candidate {
            id: experience_id(n),
            aspect: aspect.to_owned(),
            payloads: Vec::new(),
            scaffold: vec![format!("{template} of {entity}")],
            answer: AnswerText {
                text: format!("value of {entity}"),
                values: vec![Value {
                    label: "v".to_owned(),
                    term: format!("<value of {entity}>"),
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

pub(crate) fn answer_id(n: u64) -> AnswerId {
    AnswerId(Ulid(u128::from(n)))
}

pub(crate) fn experience_id(n: u64) -> ExperienceId {
    ExperienceId(Ulid(1000 + u128::from(n)))
}
