//! Do the policies do what SOLAR's reference code does, step by step?
//!
//! `fixtures/reference-hits-seed42.json` holds the hits of the policies without random numbers on the published workloads of
//! seed 42, as the reference code computes them: hexadecimal, one bit a step. The workloads are generated here.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of a test fail by panicking"
)]

use memory::PolicyName;
use memory::replacement::Replacement;
use serde::Deserialize;
use simulate::{Conditions, Cycling, TopicDrift, WorkingSet, Workload, run};

#[derive(Deserialize)]
struct Row {
    workload: String,
    variant: String,
    capacity: usize,
    policy: String,
    steps: usize,
    admissions: u64,
    hits: String,
}

fn published(kind: &str, variant: &str, seed: u32) -> Workload {
    match kind {
        "cycling" => Cycling::published(variant[1..].parse().unwrap()).generate(seed),
        "working_set" => WorkingSet::published().generate(seed),
        "topic_drift" => TopicDrift::published().generate(seed),
        other => panic!("unknown workload {other}"),
    }
}

fn bits(row: &Row) -> Vec<bool> {
    let digits = row.hits.chars().map(|c| c.to_digit(16).unwrap());
    let all: Vec<bool> = digits
        .flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1))
        .collect();
    all[all.len() - row.steps..].to_vec()
}

#[test]
fn policies_without_random_numbers_hit_step_by_step_as_the_reference_does() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("fixtures/reference-hits-seed42.json")).unwrap();
    assert_eq!(rows.len(), 80);
    let mut wrong = Vec::new();
    for row in &rows {
        let workload = published(&row.workload, &row.variant, 42);
        let policy = match row.policy.as_str() {
            "solar_a" => PolicyName::SolarAReference,
            name => PolicyName::parse(name).unwrap(),
        };
        let outcome = run(
            &workload,
            Replacement::new(policy, row.capacity),
            row.capacity,
            42,
            Conditions::default(),
        );
        let expected = bits(row);
        if outcome.hits != expected || outcome.admitted != row.admissions {
            let first = outcome.hits.iter().zip(&expected).position(|(a, b)| a != b);
            wrong.push(format!(
                "{} {} {} {}: first other at {first:?}, admitted {} not {}",
                row.workload,
                row.variant,
                row.policy,
                row.capacity,
                outcome.admitted,
                row.admissions
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
