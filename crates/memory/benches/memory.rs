//! How fast are the paths a question and the learner take, at 10,000 experiences?
//!
//! Corpus: 10,000 experiences with 10,000 distinct masked questions of about ten words, vectors of 256 numbers, 40
//! aspects: the worst case for sharing. Targets: recall under 1 ms, applying an episode under 200 µs.

use divan::{Bencher, black_box};
use memory::{
    AnswerId, AnswerText, Binding, Candidate, Episode, Event, Evidence, ExperienceId, Grounding,
    Hit, Judge, Lifetime, Link, Memory, Namespace, Provenance, RecallQuery, RecallSettings,
    Settings, Signature, State, StoredPlan, Timestamp, Triple, Ulid, Vector, codec,
};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use similarity::Embedding;

const SIZE: u64 = 10_000;
const DIMS: usize = 256;

fn main() {
    divan::main();
}

fn vector(rng: &mut ChaCha8Rng) -> Vector {
    let values = (0..DIMS)
        .map(|_| f32::from(u16::try_from(rng.next_u32() >> 16).unwrap_or(0)) / 32_768.0 - 1.0)
        .collect();
    Embedding::new(values)
        .map(Vector::from)
        .expect("random numbers are not all zero")
}

fn words(rng: &mut ChaCha8Rng) -> String {
    (0..9)
        .map(|_| format!("w{} ", rng.next_u32() % 2_000))
        .collect::<String>()
        + "⟨0⟩"
}

fn episode(n: u64, rng: &mut ChaCha8Rng) -> Episode {
    let masked = words(rng);
    let template = format!("$0/<p{}>", n % 50);
    let triples: Vec<Triple> = (0..10)
        .map(|i| {
            Triple::new(
                &format!("<e{n}>"),
                &format!("<p{}>", i % 3),
                &format!("<v{n}-{i}>"),
            )
        })
        .collect();
    Episode {
        at: Timestamp(n),
        answer: AnswerId(Ulid(u128::from(n))),
        question: masked.replace("⟨0⟩", &format!("entity {n}")),
        embedder: "random".to_owned(),
        vector: vector(rng),
        masked_vector: vector(rng),
        signature: Signature::extract(&masked, vec![format!("entity {n}")]),
        domain: "films".to_owned(),
        recalled: Vec::new(),
        hit: Hit::None,
        helped: Vec::new(),
        plan: Some(StoredPlan {
            template,
            body: "{}".repeat(50),
            bindings: vec![Binding {
                slot: 0,
                value: format!("<e{n}>"),
                text: format!("entity {n}"),
            }],
        }),
        links: vec![Link {
            phrase: format!("w{}", n % 500),
            predicate: format!("<p{}>", n % 50),
        }],
        quality: Some(0.9),
        lesson_weight: 0.5,
        candidate: Some(Box::new(Candidate {
            id: ExperienceId(Ulid((1 << 64) | u128::from(n))),
            aspect: format!("aspect {}", n % 40),
            payloads: Vec::new(),
            scaffold: vec!["a sentence".to_owned()],
            answer: AnswerText {
                text: "an answer".to_owned(),
                values: Vec::new(),
            },
            evidence: Evidence::new("films", &triples, &[]),
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

fn event(n: u64, rng: &mut ChaCha8Rng) -> Event {
    Event::Episode {
        namespace: Namespace::default(),
        episode: Box::new(episode(n, rng)),
    }
}

fn full() -> (State, ChaCha8Rng) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut state = State::new(Settings {
        bucket_capacity: 10_000,
        ..Settings::default()
    });
    for n in 0..SIZE {
        state.apply(&event(n, &mut rng));
    }
    (state, rng)
}

fn memory(state: &State) -> &Memory {
    state.memory(&Namespace::default()).expect("it was filled")
}

#[divan::bench]
fn recall(bencher: Bencher) {
    let (state, mut rng) = full();
    let (masked, query) = (words(&mut rng), vector(&mut rng));
    let settings = RecallSettings {
        minimum_relevance: 0.0,
        ..RecallSettings::default()
    };
    bencher.bench_local(|| {
        let query = RecallQuery {
            domain: "films",
            aspect: "aspect 7",
            masked: &masked,
            vector: query.as_slice(),
            now: Timestamp(0),
        };
        black_box(memory(&state).recall(&query, &settings))
    });
}

#[divan::bench]
fn kernel(bencher: Bencher) {
    let (state, mut rng) = full();
    let query = vector(&mut rng);
    let lessons = memory(&state).lessons("films").expect("it was taught");
    bencher.bench_local(|| black_box(lessons.kernel(query.as_slice(), 32, -1.0)));
}

#[divan::bench]
fn same_wording(bencher: Bencher) {
    let (state, _) = full();
    let masked = memory(&state)
        .experiences()
        .next()
        .expect("it was filled")
        .experience
        .signature
        .masked
        .clone();
    bencher.bench_local(|| black_box(memory(&state).same_wording("films", &masked, Timestamp(0))));
}

/// A full memory: each episode evicts one. A snapshot is held all the time, so every touched part is copied.
#[divan::bench(sample_size = 1, sample_count = 2_000)]
fn apply_and_publish(bencher: Bencher) {
    let (mut state, mut rng) = full();
    let mut n = SIZE;
    let mut held = state.memories();
    bencher
        .with_inputs(|| {
            n += 1;
            event(n, &mut rng)
        })
        .bench_local_values(|event| {
            state.apply(&event);
            held = state.memories();
            black_box(held.len())
        });
}

#[divan::bench(sample_size = 1, sample_count = 5)]
fn encode_checkpoint(bencher: Bencher) {
    let (state, _) = full();
    bencher.bench_local(|| black_box(codec::encode_state(&state).map(|bytes| bytes.len())));
}

#[divan::bench(sample_size = 1, sample_count = 5)]
fn decode_checkpoint(bencher: Bencher) {
    let bytes = codec::encode_state(&full().0).expect("a state can be encoded");
    bencher.bench_local(|| black_box(codec::decode_state(&bytes).is_ok()));
}
