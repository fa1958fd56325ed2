//! Does the memory keep to its bounds, keep what is pinned, and say how its policy fares?

use serde_json::Value;

use crate::support::Place;

/// Questions of unlike kinds, so that each leaves an experience of its own.
const QUESTIONS: [&str; 4] = [
    "who directed Inception?",
    "when was Alien released?",
    "which films did Christopher Nolan direct?",
    "who starred in Inception?",
];

fn ask_all(place: &Place) {
    let lines = QUESTIONS.join("\n");
    place.run_with(&["--json", "ask"], lines.as_bytes()).good();
}

fn questions(place: &Place) -> Vec<String> {
    let listed = place.json(&["memory", "list"]);
    let mut questions: Vec<String> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["question"].as_str().unwrap().to_owned())
        .collect();
    questions.reverse();
    questions
}

fn id_of(place: &Place, question: &str) -> String {
    let listed = place.json(&["memory", "list"]);
    let all = listed.as_array().unwrap();
    let found = all.iter().find(|one| one["question"] == question).unwrap();
    found["id"].as_str().unwrap().to_owned()
}

fn settings(place: &Place, text: &str) {
    place.write(".refrain/refrain.toml", text);
}

#[test]
fn the_policy_and_the_capacity_come_from_the_settings() {
    let place = Place::with_films();
    settings(&place, "[memory]\npolicy = \"fifo\"\ncapacity = 2\n");
    ask_all(&place);
    assert_eq!(questions(&place), QUESTIONS[2..]);
    let stats = place.json(&["memory", "stats"]);
    assert_eq!(
        (&stats["policy"], &stats["capacity"]),
        (&"fifo".into(), &2.into())
    );
    assert_eq!(stats["counters"]["evicted"], 2);
}

#[test]
fn a_smaller_capacity_shrinks_by_the_policy_and_says_so() {
    let place = Place::with_films();
    settings(&place, "[memory]\npolicy = \"lru\"\n");
    ask_all(&place);
    place.run(&["ask", QUESTIONS[0]]).good();
    settings(&place, "[memory]\npolicy = \"lru\"\ncapacity = 2\n");
    let said = place.run(&["memory", "list"]).good();
    assert!(
        said.err
            .contains("was shrunk to 2 experiences by policy lru: 2 experiences left"),
        "{said:?}"
    );
    assert_eq!(questions(&place), [QUESTIONS[0], QUESTIONS[3]]);
    let said = place.run(&["memory", "list"]).good();
    assert!(!said.err.contains("shrunk"), "only once: {said:?}");
}

#[test]
fn what_is_pinned_stays_until_it_is_unpinned() {
    let place = Place::with_films();
    settings(&place, "[memory]\npolicy = \"fifo\"\n");
    ask_all(&place);
    let first = id_of(&place, QUESTIONS[0]);
    assert_eq!(place.json(&["memory", "pin", &first])["pinned"], true);
    settings(&place, "[memory]\npolicy = \"fifo\"\ncapacity = 1\n");
    assert_eq!(questions(&place), QUESTIONS[..1]);
    assert_eq!(place.json(&["memory", "stats"])["pinned"], 1);
    assert_eq!(place.json(&["memory", "unpin", &first])["pinned"], false);
    place.run(&["ask", QUESTIONS[1]]).good();
    assert_eq!(questions(&place), QUESTIONS[1..2]);
    let said = place.run(&["memory", "pin", &first]).bad(2);
    assert!(said.err.contains("there is no experience"), "{said:?}");
}

#[test]
fn the_shadow_policies_survive_a_restart() {
    let place = Place::with_films();
    ask_all(&place);
    place.run(&["ask", QUESTIONS[0]]).good();
    let rates = |stats: &Value| -> Vec<(String, bool, u64, u64)> {
        let policies = stats["policies"].as_array().unwrap();
        let row = |p: &Value| {
            (
                p["policy"].as_str().unwrap().to_owned(),
                p["live"].as_bool().unwrap(),
                p["asked"].as_u64().unwrap(),
                p["served"].as_u64().unwrap(),
            )
        };
        policies.iter().map(row).collect()
    };
    let stats = place.json(&["memory", "stats"]);
    let expected = [("survival", true), ("fifo", false), ("lru", false)]
        .map(|(name, live)| (name.to_owned(), live, 5, 1));
    assert_eq!(rates(&stats), expected);
    assert_eq!(place.json(&["memory", "stats"]), stats);
    let said = place.run(&["memory", "stats"]).good();
    assert!(said.out.contains("fifo (shadow)"), "{said:?}");
}

#[test]
fn the_preset_of_cacherag_bounds_each_bucket() {
    let place = Place::with_films();
    settings(
        &place,
        "[memory]\npreset = \"cacherag\"\nbucket_capacity = 1\n",
    );
    let lines = "who directed Inception?\nwho directed Alien?\nwho directed Memento?";
    place.run_with(&["--json", "ask"], lines.as_bytes()).good();
    let stats = place.json(&["memory", "stats"]);
    assert_eq!(
        (&stats["policy"], &stats["bucket_capacity"]),
        (&"lru".into(), &1.into())
    );
    assert_eq!(stats["experiences"], 1);
    let shown = place.json(&["config", "show", "memory.policy"]);
    assert_eq!(shown[0]["origin"]["preset"], "cacherag");
}
