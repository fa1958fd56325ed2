//! Do the policies with random numbers hit as often as SOLAR's reference code?
//!
//! The reference's generator of random numbers is another, so means are compared: over the published workloads of the seeds
//! 42, 1337 and 2024, and 20 seeds of the policy.

use memory::PolicyName;
use memory::replacement::Replacement;
use simulate::{Conditions, Cycling, TopicDrift, WorkingSet, Workload, run};

const SEEDS: [u32; 3] = [42, 1337, 2024];
const POLICY_SEEDS: u32 = 20;
const NARROW: f64 = 0.015;
const WIDE: f64 = 0.02;

/// Workload, capacity, hit rate of SOLAR-E and of SOLAR in the reference code, and what is tolerated.
type Cell = (fn(u32) -> Workload, usize, f64, f64, f64);

fn cells() -> Vec<Cell> {
    let set: fn(u32) -> Workload = |seed| WorkingSet::published().generate(seed);
    vec![
        (
            |s| Cycling::published(10).generate(s),
            10,
            0.566,
            0.698,
            NARROW,
        ),
        (
            |s| Cycling::published(15).generate(s),
            10,
            0.392,
            0.532,
            NARROW,
        ),
        (
            |s| Cycling::published(20).generate(s),
            10,
            0.283,
            0.399,
            NARROW,
        ),
        (
            |s| Cycling::published(30).generate(s),
            10,
            0.194,
            0.262,
            NARROW,
        ),
        (
            |s| Cycling::published(50).generate(s),
            10,
            0.116,
            0.153,
            NARROW,
        ),
        (set, 5, 0.2984, 0.3184, NARROW),
        (set, 10, 0.536, 0.558, WIDE),
        (set, 15, 0.700, 0.709, WIDE),
        (set, 20, 0.797, 0.783, WIDE),
        (set, 30, 0.908, 0.846, NARROW),
        (set, 50, 0.965, 0.951, NARROW),
        (set, 100, 0.970, 0.951, NARROW),
        (
            |s| TopicDrift::published().generate(s),
            20,
            0.821,
            0.617,
            WIDE,
        ),
    ]
}

fn mean(workloads: &[Workload], policy: PolicyName, capacity: usize) -> f64 {
    let mut sum = 0.0;
    for workload in workloads {
        for seed in 0..POLICY_SEEDS {
            let policy = Replacement::new(policy, capacity);
            sum += run(
                workload,
                policy,
                capacity,
                u64::from(seed),
                Conditions::default(),
            )
            .hit_rate();
        }
    }
    sum / f64::from(POLICY_SEEDS) / 3.0
}

#[test]
fn thompson_policies_hit_as_often_as_the_reference_does() {
    let mut wrong = Vec::new();
    for (generate, capacity, solar_e, solar, tolerance) in cells() {
        let workloads: Vec<Workload> = SEEDS.iter().map(|seed| generate(*seed)).collect();
        for (policy, expected) in [
            (PolicyName::SolarEReference, solar_e),
            (PolicyName::SolarReference, solar),
        ] {
            let found = mean(&workloads, policy, capacity);
            let line = format!(
                "{} {} K={capacity} {}: {found:.3}, reference {expected:.3}",
                workloads[0].name,
                workloads[0].variant,
                policy.as_str()
            );
            println!("{line}");
            if (found - expected).abs() > tolerance {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
