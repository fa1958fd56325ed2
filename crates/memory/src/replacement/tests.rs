//! What every policy must hold; the classics against naive ones; the theorems.

mod classics;
mod properties;

use std::collections::BTreeSet;

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::Ulid;

pub(super) fn id(n: u128) -> ExperienceId {
    ExperienceId(Ulid(n))
}

/// A cache of keys: what is asked for is retrieved if it is there, else offered.
pub(super) struct Cache {
    pub(super) policy: Replacement,
    pub(super) rng: ChaCha8Rng,
    pub(super) evicted: Vec<u128>,
    pub(super) admitted: usize,
    stored: BTreeSet<u128>,
    pinned: BTreeSet<ExperienceId>,
    capacity: usize,
    now: u64,
}

impl Cache {
    pub(super) fn new(policy: Replacement, capacity: usize) -> Self {
        Self {
            policy,
            rng: ChaCha8Rng::seed_from_u64(1),
            evicted: Vec::new(),
            admitted: 0,
            stored: BTreeSet::new(),
            pinned: BTreeSet::new(),
            capacity,
            now: 0,
        }
    }

    /// Whether it was there. What is not the same key is at right angles.
    pub(super) fn ask(&mut self, key: u128) -> bool {
        self.now += 1;
        let hit = self.stored.contains(&key);
        let retrieved = [(id(key), 1.0)];
        let step = Step {
            now: Timestamp(self.now),
            retrieved: if hit { &retrieved } else { &[] },
            ghosts: &[],
            quality: Some(f64::from(u8::from(hit))),
        };
        let room = if self.stored.len() < self.capacity {
            Room::Free
        } else {
            Room::Full(Scope::Anywhere {
                pinned: &self.pinned,
            })
        };
        let nearest: Vec<(ExperienceId, f32)> = if self.policy.wants_all_neighbours() {
            self.stored.iter().map(|other| (id(*other), 0.0)).collect()
        } else {
            Vec::new()
        };
        let offer = Offer {
            id: id(key),
            nearest: &nearest,
            room,
            stored: self.stored.len(),
        };
        let decision = self
            .policy
            .step(&step, (!hit).then_some(&offer), &mut self.rng);
        if let Some(Decision::Admit { evict }) = decision {
            if let Some(victim) = evict {
                assert!(self.stored.remove(&victim.0.0), "it was not stored");
                self.evicted.push(victim.0.0);
            }
            self.stored.insert(key);
            self.admitted += 1;
        }
        assert!(self.stored.len() <= self.capacity);
        hit
    }

    pub(super) fn delete(&mut self, key: u128) {
        self.stored.remove(&key);
        self.policy.removed(id(key));
        assert!(
            !self.policy.is_ghost(id(key)),
            "nothing reminds of the deleted"
        );
    }
}

/// Who is evicted when these keys are asked for one after the other.
pub(super) fn evictions(name: PolicyName, capacity: usize, keys: &[u128]) -> Vec<u128> {
    let mut cache = Cache::new(Replacement::new(name, capacity), capacity);
    for key in keys {
        cache.ask(*key);
    }
    cache.evicted
}

/// Keys below `kinds`, the lower the more often.
pub(super) fn trace(length: usize, kinds: u64, seed: u64) -> Vec<u128> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || rng.next_u64() % kinds;
    (0..length)
        .map(|_| u128::from(draw().min(draw())))
        .collect()
}

#[test]
fn fifo_ignores_use_and_lru_does_not() {
    assert_eq!(evictions(PolicyName::Fifo, 2, &[1, 2, 1, 3]), [1]);
    assert_eq!(evictions(PolicyName::Lru, 2, &[1, 2, 1, 3]), [2]);
}

#[test]
fn the_pinned_stay_and_a_bucket_chooses_among_its_own() {
    for name in [PolicyName::Fifo, PolicyName::Lru] {
        let mut policy = Replacement::new(name, 3);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for n in 1..=3 {
            policy.inserted(id(n), &[]);
        }
        let pinned = BTreeSet::from([id(1)]);
        assert_eq!(
            policy.victim(Scope::Anywhere { pinned: &pinned }, &mut rng),
            Some(id(2))
        );
        assert_eq!(
            policy.victim(Scope::Bucket(&[id(3)]), &mut rng),
            Some(id(3))
        );
        let all = BTreeSet::from([id(1), id(2), id(3)]);
        let offer = Offer {
            id: id(9),
            nearest: &[],
            room: Room::Full(Scope::Anywhere { pinned: &all }),
            stored: 3,
        };
        let step = Step {
            now: Timestamp(1),
            retrieved: &[],
            ghosts: &[],
            quality: None,
        };
        assert_eq!(
            policy.step(&step, Some(&offer), &mut rng),
            Some(Decision::Reject),
            "nobody may leave"
        );
    }
}

#[test]
fn the_deleted_are_no_victims() {
    let mut policy = Replacement::new(PolicyName::Lru, 9);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    policy.inserted(id(1), &[]);
    policy.inserted(id(2), &[]);
    policy.removed(id(1));
    assert_eq!(
        policy.victim(
            Scope::Anywhere {
                pinned: &BTreeSet::new()
            },
            &mut rng
        ),
        Some(id(2))
    );
}

#[test]
fn a_large_bucket_and_a_small_one_choose_by_the_same_order() {
    let mut policy = Replacement::new(PolicyName::Fifo, 100);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Entered in the order 1, 0, 3, 2 …, so that age is not the order of ids.
    for n in 1..=100_u128 {
        policy.inserted(id((n - 1) ^ 1), &[]);
    }
    let evens: Vec<ExperienceId> = (0..100).step_by(2).map(id).collect();
    assert_eq!(policy.victim(Scope::Bucket(&evens), &mut rng), Some(id(0)));
    assert_eq!(
        policy.victim(Scope::Bucket(&evens[3..7]), &mut rng),
        Some(id(6))
    );
    assert_eq!(
        policy.victim(Scope::Bucket(&[id(10), id(11)]), &mut rng),
        Some(id(11))
    );
}

/// A newcomer was counted as asked for, whether or not anything had been missing, and two of a kind kept out a third that was.
#[test]
fn beside_what_serves_another_of_its_kind_is_the_first_to_leave() {
    let mut policy = Replacement::new(PolicyName::Survival, 3);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let none = BTreeSet::new();
    let full = Room::Full(Scope::Anywhere { pinned: &none });
    let mut step = |now: u64, retrieved: &[(ExperienceId, f32)], newcomer: u128, room| {
        let step = Step {
            now: Timestamp(now),
            retrieved,
            ghosts: &[],
            quality: Some(if retrieved.is_empty() { 0.0 } else { 1.0 }),
        };
        let offer = Offer {
            id: id(newcomer),
            nearest: &[],
            room,
            stored: 3,
        };
        policy.step(&step, Some(&offer), &mut rng)
    };
    step(1, &[], 1, Room::Free);
    step(2, &[(id(1), 0.9)], 2, Room::Free);
    step(3, &[], 3, Room::Free);
    assert_eq!(
        step(4, &[], 4, full),
        Some(Decision::Admit { evict: Some(id(2)) })
    );
    assert_eq!(step(5, &[(id(4), 0.9)], 5, full), Some(Decision::Reject));
}
