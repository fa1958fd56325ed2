//! Does the demo show what it says, quickly?

use std::time::{Duration, Instant};

use crate::support::Place;

#[test]
fn the_demo_shows_a_rebind_an_exact_hit_and_a_changed_fact() {
    let place = Place::new();
    let started = Instant::now();
    let demo = place.json(&["demo"]);
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    let asked: Vec<&serde_json::Value> = demo["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|step| step["step"] == "ask")
        .collect();
    assert_eq!(asked.len(), 11);
    let hits: Vec<&str> = asked[8..]
        .iter()
        .map(|step| step["answer"]["hit_kind"].as_str().unwrap())
        .collect();
    assert_eq!(hits, ["plan", "exact", "plan"]);
    assert_eq!(
        (&asked[4]["answer"]["text"], &asked[10]["answer"]["text"]),
        (&"5".into(), &"6".into())
    );
    assert_eq!(asked[7]["answer"]["refused"], true);
    let both = asked
        .iter()
        .find(|step| step["answer"]["question"].to_string().contains("both"))
        .unwrap();
    assert_eq!(both["answer"]["text"], "Once Upon a Time in Hollywood");
    assert!(
        !place.path(".refrain").exists(),
        "the demo leaves nothing behind"
    );
}
