//! Can an agent put notes down, find them again, judge them and be rid of them?

use serde_json::Value;

use crate::support::Place;

const NOTES: &str = "The staging database runs on port 5433.\n\n\
    Anna prefers tea to coffee.\nDeployments happen on Tuesdays.\n";

fn noted() -> Place {
    let place = Place::new();
    let said = place
        .run_with(&["--json", "memory", "add"], NOTES.as_bytes())
        .good();
    let added: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(added.as_array().unwrap().len(), 3);
    assert!(
        added
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["outcome"] == "stored")
    );
    place
}

fn recall(place: &Place, query: &str) -> Vec<Value> {
    let found = place.json(&["memory", "recall", query, "--top-k", "2"]);
    found.as_array().unwrap().clone()
}

#[test]
fn what_was_put_down_is_found_by_meaning_in_the_next_process() {
    let place = noted();
    let found = recall(&place, "what does Anna drink? tea or coffee");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0]["text"], "Anna prefers tea to coffee.");
    assert!(found[0]["relevance"].as_f64() > found[1]["relevance"].as_f64());
    let again = recall(&place, "which port has the staging database");
    assert_eq!(again[0]["text"], "The staging database runs on port 5433.");
    let said = place
        .run(&["memory", "recall", "staging", "database"])
        .good();
    assert!(said.out.contains("port 5433"), "{said:?}");
}

#[test]
fn the_same_words_again_are_the_same_note() {
    let place = noted();
    let id = recall(&place, "Anna tea")[0]["id"].clone();
    let again = place.json(&["memory", "add", "anna", "prefers", "tea", "to", "coffee"]);
    assert_eq!(
        (&again[0]["outcome"], &again[0]["id"]),
        (&"repeats".into(), &id)
    );
    assert_eq!(place.json(&["memory", "list"]).as_array().unwrap().len(), 3);
}

#[test]
fn a_verdict_moves_a_notes_trust() {
    let place = noted();
    let note = recall(&place, "Anna tea").remove(0);
    let id = note["id"].as_str().unwrap();
    let before = note["trust"].as_f64().unwrap();
    let good = place.json(&["memory", "feedback", id, "good"])["trust"]
        .as_f64()
        .unwrap();
    assert!(good > before);
    let bad = place.json(&["memory", "feedback", id, "bad"])["trust"]
        .as_f64()
        .unwrap();
    assert!(bad < good);
    let said = place
        .run(&["memory", "feedback", "nonsense", "good"])
        .bad(2);
    assert!(said.err.contains("nonsense"), "{said:?}");
    place.run(&["memory", "feedback", id, "maybe"]).bad(2);
}

#[test]
fn a_full_memory_keeps_what_proved_useful() {
    let place = Place::new();
    place
        .run(&["memory", "add", "The staging database runs on port 5433."])
        .good();
    place.write(".refrain/refrain.toml", "[memory]\ncapacity = 3\n");
    for _ in 0..3 {
        let found = recall(&place, "staging database port");
        let id = found[0]["id"].as_str().unwrap();
        place.json(&["memory", "feedback", id, "good"]);
    }
    let filler: String = (0..6)
        .map(|n| format!("Nothing of note happened on day {n}.\n"))
        .collect();
    let file = place.write("filler.txt", filler);
    let added = place.json(&["memory", "add", "--file", &file]);
    assert!(added[5]["evicted"].is_string(), "{added}");
    assert_eq!(place.json(&["memory", "list"]).as_array().unwrap().len(), 3);
    let found = recall(&place, "staging database port");
    assert_eq!(found[0]["text"], "The staging database runs on port 5433.");
}

#[test]
fn namespaces_do_not_share_notes() {
    let place = noted();
    place
        .run(&[
            "memory",
            "add",
            "--namespace",
            "other",
            "Berta prefers milk.",
        ])
        .good();
    let found = place.json(&["memory", "recall", "--namespace", "other", "Anna tea"]);
    let texts: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Berta prefers milk."]);
    assert!(
        recall(&place, "Berta milk")
            .iter()
            .all(|n| n["text"] != "Berta prefers milk.")
    );
}

#[test]
fn a_note_is_never_an_answer() {
    let place = Place::with_films();
    place
        .run(&[
            "memory",
            "add",
            "Who directed Inception? Stanley Kubrick did.",
        ])
        .good();
    place
        .run(&["memory", "add", "who directed Inception?"])
        .good();
    for _ in 0..2 {
        let answer = place.json(&["ask", "who directed Inception?"]);
        assert_eq!(answer["values"][0]["label"], "Christopher Nolan");
    }
    let refused = place.json(&["ask", "what does Anna prefer?"]);
    assert_eq!(refused["refused"], true);
}

#[test]
fn a_forgotten_note_is_gone_from_the_disk_and_an_export_takes_the_rest_elsewhere() {
    let place = noted();
    let found = recall(&place, "staging database port");
    place
        .run(&["memory", "forget", found[0]["id"].as_str().unwrap()])
        .good();
    let journal = std::fs::read(place.path(".refrain/memory/journal.redb")).unwrap();
    assert!(!journal.windows(9).any(|window| window == b"port 5433"));
    assert!(journal.windows(8).any(|window| window == b"Tuesdays"));
    place.run(&["memory", "export", "notes.jsonl"]).good();
    place
        .run(&["memory", "import", "notes.jsonl", "--namespace", "new"])
        .good();
    let found = place.json(&["memory", "recall", "--namespace", "new", "Anna tea"]);
    assert_eq!(found[0]["text"], "Anna prefers tea to coffee.");
    assert_eq!(found.as_array().unwrap().len(), 2);
}

#[test]
fn a_pinned_note_can_be_forgotten_by_its_id_and_that_is_said() {
    let place = noted();
    let id = recall(&place, "staging database port")[0]["id"].clone();
    let id = id.as_str().unwrap();
    place.run(&["memory", "pin", id]).good();
    let said = place.run(&["memory", "forget", id]).good();
    assert!(said.out.contains("1 experience"), "{said:?}");
    assert!(said.err.contains("1 was pinned"), "{said:?}");
    let left = recall(&place, "staging database port");
    assert!(left.iter().all(|note| note["id"] != id));
    let said = place
        .run(&["memory", "forget", left[0]["id"].as_str().unwrap()])
        .good();
    assert!(!said.err.contains("pinned"), "{said:?}");
}

#[test]
fn an_empty_note_and_a_long_one_are_refused() {
    let place = Place::new();
    let said = place.run_with(&["memory", "add"], b"\n \n").bad(2);
    assert!(said.err.contains("no note"), "{said:?}");
    let long = place.write("long.txt", "a".repeat(20_000));
    let said = place.run(&["memory", "add", "--file", &long]).bad(2);
    assert!(said.err.contains("20000 bytes"), "{said:?}");
}
