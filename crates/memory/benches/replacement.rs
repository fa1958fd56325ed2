//! How long does a policy take to decide, when one has to leave?
//!
//! Corpus: items that are asked for at random. Newcomers come in 64 kinds, each of which has a random likeness to each place of
//! the store; the policies that want to know of all who are stored are told of all. The cache is full. `failing_step_at_100` is one failing step with a
//! newcomer, who may be refused; `evicting_step_at_100` one after which somebody leaves, with the gate left out;
//! `hundred_steps_at_10000` a hundred steps of which ten fail. Targets: an evicting step under 2 µs at capacity 100, under 20 µs
//! a step amortised at 10,000.

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

/// Kinds of newcomers.
const KINDS: u128 = 64;

fn main() {
    divan::main();
}

struct Cache {
    policy: Replacement,
    rng: ChaCha8Rng,
    stored: Vec<ExperienceId>,
    /// What is stored with its likeness to a newcomer of each kind, for the policies that want to know.
    nearest: Vec<Vec<(ExperienceId, f32)>>,
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
        if cache.policy.wants_all_neighbours() {
            cache.nearest = vec![Vec::new(); usize::try_from(KINDS).expect("a few kinds")];
        }
        while cache.stored.len() < capacity {
            let kind = usize::try_from(cache.next % KINDS).expect("a few kinds");
            let nearest = cache.nearest.get(kind).cloned().unwrap_or_default();
            let id = id(cache.next);
            cache.policy.inserted(id, &nearest);
            cache.stored.push(id);
            for nearest in &mut cache.nearest {
                let low = u16::try_from(cache.rng.next_u32() >> 17).unwrap_or(0);
                nearest.push((id, f32::from(low) / 65_536.0));
            }
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

    fn retrieved(&mut self) -> [(ExperienceId, f32); 3] {
        [(self.some(), 0.1), (self.some(), 0.1), (self.some(), 0.05)]
    }

    fn kind(&self) -> usize {
        usize::try_from(self.next % KINDS).expect("a few kinds")
    }

    /// A failing step with a newcomer, who may be refused.
    fn fail(&mut self) {
        let retrieved = self.retrieved();
        let offer = Offer {
            id: id(self.next),
            nearest: self.nearest.get(self.kind()).map_or(&[], Vec::as_slice),
            room: Room::Full(Scope::Anywhere {
                pinned: &self.pinned,
            }),
            stored: self.stored.len(),
        };
        let decision = self
            .policy
            .step(&failure(&retrieved), Some(&offer), &mut self.rng);
        if let Some(Decision::Admit { evict: Some(out) }) = decision {
            self.took_the_place_of(out);
        }
        self.next += 1;
        black_box(self.policy.take_dropped_ghosts());
    }

    /// A failing step after which one leaves and a newcomer enters, whatever a gate would say.
    fn replace(&mut self) {
        let retrieved = self.retrieved();
        self.policy.step(&failure(&retrieved), None, &mut self.rng);
        let among = Scope::Anywhere {
            pinned: &self.pinned,
        };
        if let Some(out) = self.policy.evict(among, &mut self.rng) {
            let nearest = self.nearest.get(self.kind()).map_or(&[][..], Vec::as_slice);
            self.policy.inserted(id(self.next), nearest);
            self.took_the_place_of(out);
        }
        self.next += 1;
        black_box(self.policy.take_dropped_ghosts());
    }

    fn took_the_place_of(&mut self, out: ExperienceId) {
        let Some(at) = self.stored.iter().position(|other| *other == out) else {
            return;
        };
        let id = id(self.next);
        self.stored[at] = id;
        for nearest in &mut self.nearest {
            nearest[at].0 = id;
        }
    }
}

fn failure(retrieved: &[(ExperienceId, f32)]) -> Step<'_> {
    Step {
        now: Timestamp(0),
        retrieved,
        ghosts: &[],
        quality: Some(0.0),
    }
}

/// One failing step at capacity 100.
#[divan::bench(args = POLICIES)]
fn failing_step_at_100(bencher: Bencher, name: &str) {
    let mut cache = Cache::full(name, 100);
    bencher.bench_local(|| cache.fail());
}

/// One failing step at capacity 100 for which one leaves.
#[divan::bench(args = POLICIES)]
fn evicting_step_at_100(bencher: Bencher, name: &str) {
    let mut cache = Cache::full(name, 100);
    bencher.bench_local(|| cache.replace());
}

/// Ninety successes and ten failures at capacity 10,000; time for all hundred.
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
