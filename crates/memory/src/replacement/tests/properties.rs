//! What every policy must hold, and what the theorems promise.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Cache, evictions, id};
use crate::replacement::{Offer, RegretGate, Replacement, Room, Scope, Step};
use crate::{ExperienceId, PolicyName, Timestamp};

#[derive(Debug, Clone)]
enum Action {
    Ask(u128),
    Delete(u128),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        8 => (0_u128..20).prop_map(Action::Ask),
        1 => (0_u128..20).prop_map(Action::Delete),
    ];
    prop::collection::vec(action, 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn capacity_holds_and_the_deleted_are_never_evicted(actions in actions(), capacity in 1_usize..8) {
        for name in PolicyName::ALL {
            let mut cache = Cache::new(Replacement::new(name, capacity), capacity);
            for action in &actions {
                match action {
                    // `Cache` panics when a victim is not stored or the capacity is passed.
                    Action::Ask(key) => { cache.ask(*key); }
                    Action::Delete(key) => cache.delete(*key),
                }
            }
        }
    }

    #[test]
    fn other_ids_give_the_same_decisions(keys in prop::collection::vec(0_u128..30, 0..300), capacity in 1_usize..8, mask: u128) {
        for name in PolicyName::ALL {
            let renamed: Vec<u128> = keys.iter().map(|key| key ^ mask).collect();
            let back: Vec<u128> = evictions(name, capacity, &renamed).into_iter().map(|key| key ^ mask).collect();
            prop_assert_eq!(evictions(name, capacity, &keys), back, "{}", name.as_str());
        }
    }

    #[test]
    fn a_state_read_back_goes_on_as_if_nothing_happened(keys in prop::collection::vec(0_u128..30, 1..200), at in any::<prop::sample::Index>()) {
        for name in PolicyName::ALL {
            let at = at.index(keys.len());
            let mut cache = Cache::new(Replacement::new(name, 6), 6);
            for (now, key) in keys.iter().enumerate() {
                if now == at {
                    let bytes = postcard::to_allocvec(&(&cache.policy, &cache.rng)).unwrap();
                    let (policy, rng): (Replacement, ChaCha8Rng) = postcard::from_bytes(&bytes).unwrap();
                    prop_assert_eq!(&policy, &cache.policy);
                    (cache.policy, cache.rng) = (policy, rng);
                }
                cache.ask(*key);
            }
            prop_assert_eq!(cache.evicted, evictions(name, 6, &keys));
        }
    }

    /// Theorem 5.2: N ≤ ⌊T/τ_min⌋, whatever the costs.
    #[test]
    fn a_gate_opens_no_more_often_than_the_theorem_says(costs in prop::collection::vec(0.0_f64..=1.0, 1..400), switching_cost in 0.5_f64..8.0) {
        for gate in [RegretGate::fixed(switching_cost), RegretGate::paper()] {
            let mut policy = Replacement::gated(gate);
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let none = BTreeSet::new();
            for (at, cost) in costs.iter().enumerate() {
                let step = Step { now: Timestamp(at as u64), retrieved: &[], ghosts: &[], quality: Some(1.0 - cost) };
                let room = if at < 4 { Room::Free } else { Room::Full(Scope::Anywhere { pinned: &none }) };
                let offer = Offer { id: id(at as u128), nearest: &[], room, stored: at.min(4) };
                policy.step(&step, Some(&offer), &mut rng);
            }
            let gate = policy.gate().unwrap();
            #[expect(clippy::cast_precision_loss, reason = "short runs")]
            let (admitted, steps) = (gate.admissions() as f64, costs.len() as f64);
            prop_assert!(admitted <= (steps / gate.lowest_threshold()).floor() + 1e-9,
                "{admitted} of {steps} at {}", gate.lowest_threshold());
        }
    }
}

#[test]
fn fifo_never_hits_on_a_cycle_longer_than_the_cache() {
    for (period, capacity) in [(4_u128, 3_usize), (11, 10), (50, 10)] {
        let mut cache = Cache::new(Replacement::new(PolicyName::Fifo, capacity), capacity);
        let hits = (0..period * 20).filter(|at| cache.ask(at % period)).count();
        assert_eq!(hits, 0);
    }
}

#[test]
fn survival_reaches_the_optimum_on_a_cycle() {
    let mut cache = Cache::new(Replacement::new(PolicyName::Survival, 10), 10);
    let hits = (0..20 * 30).filter(|at| cache.ask(at % 20)).count();
    assert_eq!(
        hits,
        10 * 29,
        "what entered first stays: every later round has ten hits"
    );
}

/// Least cost of serving `keys` with `capacity` places, where a miss costs 1 and taking something in costs `switch`; a miss
/// may be left as it is. By dynamic programming over all sets.
fn optimum(keys: &[u128], kinds: u32, capacity: u32, switch: f64) -> f64 {
    let sets: Vec<u32> = (0..1_u32 << kinds)
        .filter(|set| set.count_ones() <= capacity)
        .collect();
    let mut costs = vec![f64::INFINITY; 1 << kinds];
    costs[0] = 0.0;
    for key in keys {
        let bit = 1_u32 << key;
        let mut next = vec![f64::INFINITY; 1 << kinds];
        for set in &sets {
            let cost = costs[*set as usize];
            if cost.is_infinite() {
                continue;
            }
            let hit = set & bit != 0;
            let stay = cost + if hit { 0.0 } else { 1.0 };
            next[*set as usize] = next[*set as usize].min(stay);
            if !hit {
                // The item of the moment may enter, in place of any other or of none.
                for out in (0..kinds)
                    .map(|n| 1_u32 << n)
                    .filter(|out| set & out != 0)
                    .chain([0])
                {
                    let changed = (set & !out) | bit;
                    if changed.count_ones() <= capacity {
                        let slot = &mut next[changed as usize];
                        *slot = slot.min(stay + switch);
                    }
                }
            }
        }
        costs = next;
    }
    costs.into_iter().fold(f64::INFINITY, f64::min)
}

/// Theorem 5.4 on the theorem's family, the cycle of K + 1 topics, and on longer ones.
#[test]
fn the_fixed_rule_costs_at_most_three_times_the_optimum_on_cycles() {
    for capacity in [2_u32, 3, 4] {
        for longer in [1_u32, 2, 3] {
            for switch in [0.5_f64, 1.0, 2.0, 5.0] {
                let kinds = capacity + longer;
                let keys: Vec<u128> = (0..kinds * 40).map(|at| u128::from(at % kinds)).collect();
                let gate = RegretGate::fixed(switch);
                let mut cache = Cache::new(Replacement::gated(gate), capacity as usize);
                let misses = keys.iter().filter(|key| !cache.ask(**key)).count();
                #[expect(clippy::cast_precision_loss, reason = "short runs")]
                let cost = misses as f64 + switch * cache.admitted as f64;
                let least = optimum(&keys, kinds, capacity, switch);
                assert!(
                    cost <= 3.0 * least,
                    "K={capacity}, {kinds} topics, λ={switch}: {cost} against {least}"
                );
            }
        }
    }
}

#[test]
fn a_late_verdict_takes_back_credit_that_was_given_without_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut early = Replacement::new(PolicyName::Survival, 4);
    early.inserted(id(1), &[]);
    early.inserted(id(2), &[]);
    let retrieved: [(ExperienceId, f32); 1] = [(id(1), 0.5)];
    let step = |quality| Step {
        now: Timestamp(1),
        retrieved: &retrieved,
        ghosts: &[],
        quality,
    };
    let mut late = early.clone();
    late.step(&step(None), None, &mut rng);
    let unjudged = late.clone();
    late.judged(&step(Some(0.0)), None);
    assert_ne!(late, unjudged);
    early.step(&step(Some(0.0)), None, &mut rng);
    let none = BTreeSet::new();
    let everyone = Scope::Anywhere { pinned: &none };
    assert_eq!(
        late.victim(everyone, &mut rng),
        early.victim(everyone, &mut rng)
    );
}
