//! How long does a policy take to decide, when one has to leave?
//!
//! Corpus: items of 100 groups that are asked for at random, a tenth of the questions failing; the cache is full. Each iteration
//! is one failing step with a newcomer, and, in `amortised`, ten steps of which one fails. Targets: an evicting step under 2 µs at
//! capacity 100, under 20 µs amortised at 10,000.

use std::collections::BTreeSet;

use divan::{Bencher, black_box};
use memory::replacement::{Decision, Offer, Replacement, Room, Scope, Step};
use memory::{ExperienceId, PolicyName, Timestamp, Ulid};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const POLICIES: [&str; 16] = [
    "fifo",
    "lru",
    "lfu",
    "arc",
    "arc-classic",
    "sieve",
    "s3-fifo",
    "tiny-lfu",
    "2q",
    "solar-a-reference",
    "solar-e-reference",
    "solar-reference",
    "solar-paper",
    "solar-fixed",
    "solar",
    "survival",
];

/// The policies that can hold 10,000: those of the reference code keep the similarity of every pair.
const LARGE: [&str; 13] = [
    "fifo",
    "lru",
    "lfu",
    "arc",
    "arc-classic",
    "sieve",
    "s3-fifo",
    "tiny-lfu",
    "2q",
    "solar-paper",
    "solar-fixed",
    "solar",
    "survival",
];

fn main() {
    divan::main();
}

struct Cache {
    policy: Replacement,
    rng: ChaCha8Rng,
    stored: Vec<ExperienceId>,
    nearest: Vec<(ExperienceId, f32)>,
    pinned: BTreeSet<ExperienceId>,
    next: u128,
}

fn id(n: u128) -> ExperienceId {
    ExperienceId(Ulid(n))
}

impl Cache {
    fn full(name: &str, capacity: usize) -> Self {
        let name = PolicyName::parse(name).expect("a member of the family");
        let mut cache = Self {
            policy: Replacement::new(name, capacity),
            rng: ChaCha8Rng::seed_from_u64(7),
            stored: Vec::with_capacity(capacity),
            nearest: Vec::new(),
            pinned: BTreeSet::new(),
            next: 0,
        };
        while cache.stored.len() < capacity {
            cache.policy.inserted(id(cache.next), &[]);
            cache.stored.push(id(cache.next));
            cache.next += 1;
        }
        for _ in 0..capacity {
            cache.succeed();
        }
        cache
    }

    fn some(&mut self) -> ExperienceId {
        let at = self.rng.next_u64() % self.stored.len() as u64;
        self.stored[usize::try_from(at).expect("a place")]
    }

    fn succeed(&mut self) {
        let retrieved = [(self.some(), 0.7), (self.some(), 0.3), (self.some(), 0.2)];
        let step = Step {
            now: Timestamp(0),
            retrieved: &retrieved,
            ghosts: &[],
            quality: Some(1.0),
        };
        black_box(self.policy.step(&step, None, &mut self.rng));
    }

    /// What the caller knows before the step: not part of the policy's time.
    fn look_around(&mut self) {
        if self.policy.wants_all_neighbours() {
            self.nearest = self.stored.iter().map(|other| (*other, 0.3)).collect();
        }
    }

    fn fail(&mut self) {
        let retrieved = [(self.some(), 0.1), (self.some(), 0.1), (self.some(), 0.05)];
        let step = Step {
            now: Timestamp(0),
            retrieved: &retrieved,
            ghosts: &[],
            quality: Some(0.0),
        };
        let offer = Offer {
            id: id(self.next),
            nearest: &self.nearest,
            room: Room::Full(Scope::Anywhere {
                pinned: &self.pinned,
            }),
            stored: self.stored.len(),
        };
        let decision = self.policy.step(&step, Some(&offer), &mut self.rng);
        if let Some(Decision::Admit { evict: Some(out) }) = decision
            && let Some(at) = self.stored.iter().position(|other| *other == out)
        {
            self.stored[at] = offer.id;
        }
        self.next += 1;
        black_box(self.policy.take_dropped_ghosts());
    }
}

/// One failing step at capacity 100.
#[divan::bench(args = POLICIES)]
fn failing_step_at_100(bencher: Bencher, name: &str) {
    let mut cache = Cache::full(name, 100);
    cache.look_around();
    bencher.bench_local(|| cache.fail());
}

/// One retrieval and ten failures in a hundred steps at capacity 10,000; time for all hundred.
#[divan::bench(args = LARGE, sample_size = 1, sample_count = 200)]
fn hundred_steps_at_10000(bencher: Bencher, name: &str) {
    let mut cache = Cache::full(name, 10_000);
    bencher.bench_local(|| {
        for n in 0..100 {
            if n % 10 == 0 {
                cache.fail();
            } else {
                cache.succeed();
            }
        }
    });
}
