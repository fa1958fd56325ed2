//! Is what was sampled of a graph used by the next process, and only for the very graph that it was sampled from?

use crate::support::{Fixture, films, labels, name, surroundings};
use refrain::{AskRequest, Config, Edit, Engine, MemoryUse};

fn kept(directory: &tempfile::TempDir) -> std::path::PathBuf {
    directory.path().join("d/graphs/films/schema.json")
}

fn reopened(directory: &tempfile::TempDir) -> Engine {
    let path = directory.path().join("d");
    Engine::open(&path, Config::default(), surroundings(2)).unwrap()
}

/// A question of two hops, which no schema without samples can plan.
fn ask(engine: &Engine) -> Vec<String> {
    let question = format!("who directed the films written by {}?", name(1500));
    let request = AskRequest {
        memory: MemoryUse::Off,
        ..AskRequest::new(question)
    };
    let found = labels(&engine.ask(&request).unwrap());
    engine.settle().unwrap();
    found
}

#[test]
fn a_load_keeps_its_schema_and_what_is_lost_or_damaged_is_sampled_again() {
    let Fixture { engine, directory } = Fixture::with("films", &films(40));
    let path = kept(&directory);
    let sampled = fs_err::read(&path).unwrap();
    let expected = ask(&engine);
    assert!(!expected.is_empty());
    drop(engine);
    for damage in [None, Some("{"), Some("{\"generation\":1}")] {
        match damage {
            None => fs_err::remove_file(&path).unwrap(),
            Some(text) => fs_err::write(&path, text).unwrap(),
        }
        let engine = reopened(&directory);
        assert_eq!(ask(&engine), expected, "{damage:?}");
        assert!(fs_err::metadata(&path).unwrap().len() > 100, "{damage:?}");
    }
    fs_err::write(&path, sampled).unwrap();
    assert_eq!(ask(&reopened(&directory)), expected);
}

#[test]
fn a_kept_schema_holds_for_its_generation_only() {
    let Fixture { engine, directory } = Fixture::with("films", &films(40));
    let expected = ask(&engine);
    drop(engine);
    // One that says that nothing leads anywhere: if it is believed, the question has no plan.
    let path = kept(&directory);
    let mut schema: serde_json::Value =
        serde_json::from_slice(&fs_err::read(&path).unwrap()).unwrap();
    for entry in schema["leads_to"].as_array_mut().unwrap() {
        entry[2] = serde_json::json!([]);
    }
    let emptied = schema.to_string();
    fs_err::write(&path, &emptied).unwrap();
    let engine = reopened(&directory);
    assert_ne!(ask(&engine), expected);
    // After a change of the graph it is another graph's.
    let source = engine.source("films").unwrap();
    let triple = [
        "<http://e.org/film0>",
        "<http://e.org/p/genre>",
        "<http://e.org/noir>",
    ];
    let quad = engine.parse_triple(&source, triple).unwrap();
    engine.edit(&source, Edit::Add, &[quad]).unwrap();
    assert_eq!(ask(&engine), expected);
    assert_ne!(fs_err::read_to_string(&path).unwrap(), emptied);
    drop((engine, source));
    assert_eq!(ask(&reopened(&directory)), expected);
}
