use proptest::prelude::*;

use super::*;
use crate::event::{Episode, Event, Hit};
use crate::state::State;
use crate::testing::{episode, experience_id, namespace, question};

/// Question number `n` of the kind `kind`, planned anew.
fn asked(n: u64, kind: u8) -> Event {
    let kind = format!("kind{kind}");
    let masked = format!("what is the {kind} of ⟨0⟩");
    let episode = Episode {
        hit: Hit::None,
        ..episode(n, &question(&masked, &format!("e{n}")), &kind, "aspect")
    };
    Event::Episode {
        namespace: namespace(),
        episode: Box::new(episode),
    }
}

fn rates(policy: PolicyName, capacity: usize, kinds: &[u8]) -> Vec<PolicyRate> {
    let mut state = State::new(Settings {
        policy,
        capacity,
        ..Settings::default()
    });
    for (n, kind) in (1..).zip(kinds) {
        state.apply(&asked(n, *kind));
    }
    let memory = state.memory(&namespace()).unwrap();
    memory.stats(Timestamp(0)).policies
}

fn rate_of(rates: &[PolicyRate], policy: PolicyName) -> PolicyRate {
    *rates.iter().find(|rate| rate.policy == policy).unwrap()
}

#[test]
fn fifo_lru_and_survival_run_beside_the_live_policy() {
    let names = |live| -> Vec<(PolicyName, bool)> {
        let rates = rates(live, 5, &[1]);
        rates.iter().map(|r| (r.policy, r.live)).collect()
    };
    let (fifo, lru) = (PolicyName::Fifo, PolicyName::Lru);
    let survival = PolicyName::Survival;
    assert_eq!(
        names(survival),
        [(survival, true), (fifo, false), (lru, false)]
    );
    assert_eq!(names(lru), [(lru, true), (fifo, false), (survival, false)]);
    let sieve = PolicyName::Sieve;
    let all = [
        (sieve, true),
        (fifo, false),
        (lru, false),
        (survival, false),
    ];
    assert_eq!(names(sieve), all);
}

#[test]
fn with_room_for_all_every_policy_serves_alike() {
    let rates = rates(PolicyName::Survival, 100, &[1, 2, 1, 3, 2, 2, 1]);
    for rate in &rates {
        assert_eq!((rate.asked, rate.served, rate.held), (7, 4, 7), "{rate:?}");
    }
    let rate = rates[0].rate().unwrap();
    assert!((rate - 4.0 / 7.0).abs() < 1e-9);
}

#[test]
fn a_shadow_shows_what_another_policy_would_have_served() {
    // One kind comes back again and again between others that come once: first in, first out loses it.
    let kinds: Vec<u8> = (0..40).map(|n| if n % 2 == 0 { 0 } else { n }).collect();
    let rates = rates(PolicyName::Fifo, 2, &kinds);
    let fifo = rate_of(&rates, PolicyName::Fifo);
    let survival = rate_of(&rates, PolicyName::Survival);
    assert!(survival.served >= fifo.served, "{rates:?}");
    assert!(rates.iter().all(|rate| rate.held == 2), "{rates:?}");
}

#[test]
fn the_rates_begin_anew_with_other_bounds() {
    let mut state = State::new(Settings::default());
    for n in 1..=4 {
        state.apply(&asked(n, 1));
    }
    let settings = Settings {
        capacity: 2,
        ..Settings::default()
    };
    state.apply(&Event::Defaults { settings });
    let stats = state.memory(&namespace()).unwrap().stats(Timestamp(0));
    for rate in &stats.policies {
        assert_eq!((rate.asked, rate.held), (0, 2), "{rate:?}");
    }
}

#[test]
fn a_shadow_that_lacks_what_was_served_takes_it_in() {
    let mut state = State::new(Settings {
        policy: PolicyName::Lru,
        capacity: 2,
        ..Settings::default()
    });
    let serve = |n: u64, kind: u8, first: u64| {
        let Event::Episode {
            namespace,
            mut episode,
        } = asked(n, kind)
        else {
            panic!("an episode")
        };
        episode.hit = Hit::Exact(experience_id(first));
        episode.candidate = None;
        Event::Episode { namespace, episode }
    };
    state.apply(&asked(1, 1));
    state.apply(&asked(2, 2));
    state.apply(&serve(3, 1, 1));
    // The live policy lets 2 go, the first-in-first-out shadow 1.
    state.apply(&asked(4, 3));
    state.apply(&serve(5, 1, 1));
    state.apply(&serve(6, 1, 1));
    let stats = state.memory(&namespace()).unwrap().stats(Timestamp(0));
    let fifo = rate_of(&stats.policies, PolicyName::Fifo);
    let lru = rate_of(&stats.policies, PolicyName::Lru);
    assert_eq!((lru.asked, lru.served), (6, 3));
    assert_eq!(
        (fifo.asked, fifo.served),
        (6, 2),
        "missed once, then had it again"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// What a shadow says is what the policy does when it is live, as long as nothing is served.
    #[test]
    fn a_shadow_fares_as_it_would_live(
        kinds in prop::collection::vec(0_u8..9, 1..80),
        capacity in 1_usize..6,
    ) {
        for policy in [PolicyName::Fifo, PolicyName::Lru] {
            let live = rates(policy, capacity, &kinds);
            let beside = rates(PolicyName::TinyLfu, capacity, &kinds);
            let (live, shadow) = (rate_of(&live, policy), rate_of(&beside, policy));
            if policy == PolicyName::Fifo {
                prop_assert_eq!((live.served, live.held), (shadow.served, shadow.held));
            }
            prop_assert_eq!(live.asked, shadow.asked);
            prop_assert!(shadow.held <= capacity);
        }
    }
}
