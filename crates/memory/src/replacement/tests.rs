use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::Ulid;

fn id(n: u128) -> ExperienceId {
    ExperienceId(Ulid(n))
}

/// Runs a cache of `capacity`: each step retrieves `asked` if it is there, else offers it. Returns who was evicted.
fn run(name: PolicyName, capacity: usize, asked: &[u128]) -> Vec<u128> {
    let mut policy = Replacement::new(name, capacity);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut stored, pinned, mut evicted) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (at, n) in asked.iter().enumerate() {
        let hits: Vec<(ExperienceId, f32)> = stored
            .contains(n)
            .then_some((id(*n), 1.0))
            .into_iter()
            .collect();
        let step = Step {
            now: Timestamp(at as u64),
            retrieved: &hits,
            ghosts: &[],
            quality: None,
        };
        let room = if stored.len() < capacity {
            Room::Free
        } else {
            Room::Full(Scope::Anywhere { pinned: &pinned })
        };
        let offer = Offer {
            id: id(*n),
            nearest: &[],
            room,
            stored: stored.len(),
        };
        if let Some(Decision::Admit { evict }) =
            policy.step(&step, hits.is_empty().then_some(&offer), &mut rng)
        {
            stored.insert(*n);
            if let Some(victim) = evict {
                stored.remove(&victim.0.0);
                evicted.push(victim.0.0);
            }
        }
        assert!(stored.len() <= capacity);
    }
    evicted
}

#[test]
fn fifo_ignores_use_and_lru_does_not() {
    assert_eq!(run(PolicyName::Fifo, 2, &[1, 2, 1, 3]), [1]);
    assert_eq!(run(PolicyName::Lru, 2, &[1, 2, 1, 3]), [2]);
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

proptest! {
    #[test]
    fn both_equal_a_naive_list(asked in prop::collection::vec(0_u128..8, 0..80), capacity in 1_usize..6) {
        for name in [PolicyName::Fifo, PolicyName::Lru] {
            let (mut list, mut evicted): (Vec<u128>, Vec<u128>) = (Vec::new(), Vec::new());
            for n in &asked {
                let place = list.iter().position(|m| m == n);
                match (place, name) {
                    (Some(place), PolicyName::Lru) => {
                        list.remove(place);
                        list.push(*n);
                    }
                    (Some(_), PolicyName::Fifo) => {}
                    (None, _) => {
                        if list.len() == capacity {
                            evicted.push(list.remove(0));
                        }
                        list.push(*n);
                    }
                }
            }
            prop_assert_eq!(run(name, capacity, &asked), evicted);
        }
    }
}
