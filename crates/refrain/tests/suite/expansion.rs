//! What do the bounded expansions of a path find, and what is lost without one?

use crate::support::{PREFIXES, labels, name, surroundings};
use refrain::{Answer, AskRequest, Config, Engine, LoadRequest, MemoryUse, graph_store};

/// Writers have a spouse; the one of the first film has a partner instead.
fn graph() -> String {
    let mut turtle = PREFIXES.to_owned();
    turtle.push_str("p:spouse rdfs:label \"spouse\" . p:partner rdfs:label \"partner\" .\n");
    for n in 0..12 {
        let bond = if n == 0 { "partner" } else { "spouse" };
        turtle.push_str(&format!(
            ":film{n} a :Film ; rdfs:label \"{}\" ; p:written_by :writer{n} ; p:directed_by :director{n} .
:writer{n} rdfs:label \"{}\" ; p:{bond} :other{n} . :director{n} rdfs:label \"{}\" . :other{n} rdfs:label \"{}\" .\n",
            name(n), name(1000 + n), name(2000 + n), name(3000 + n)
        ));
    }
    turtle
}

fn engine(directory: &tempfile::TempDir, change: impl Fn(&mut Config)) -> Engine {
    let mut config = Config::default();
    change(&mut config);
    let path = directory.path().join("d");
    let engine = Engine::open_or_create(&path, config, surroundings(1)).unwrap();
    let request = LoadRequest {
        source: "films".to_owned(),
        inputs: vec![graph_store::Source::text("graph.ttl", graph())],
        format: None,
        lenient: false,
        description: None,
        progress: None,
        cancel: None,
    };
    engine.load(request).unwrap();
    engine
}

fn ask(engine: &Engine, question: &str) -> Answer {
    let request = AskRequest {
        memory: MemoryUse::Off,
        ..AskRequest::new(question)
    };
    engine.ask(&request).unwrap()
}

#[test]
fn without_depth_nothing_behind_the_first_hop_is_found() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let question = format!("who is the spouse of the writer of {}?", name(3));
    let full = ask(&engine(&here, |_| {}), &question);
    assert_eq!(labels(&full), [name(3003)]);
    let flat = ask(
        &engine(&there, |config| config.planner.max_depth = 1),
        &question,
    );
    assert!(!labels(&flat).contains(&name(3003)), "{flat:?}");
}

#[test]
fn without_breadth_only_the_next_relation_of_a_path_is_followed() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let full = engine(&here, |_| {});
    let narrow = engine(&there, |config| config.planner.breadth = false);
    // The relation that the words name leads on: both find it.
    let named = format!("who is the spouse of the writer of {}?", name(3));
    for engine in [&full, &narrow] {
        assert_eq!(labels(&ask(engine, &named)), [name(3003)]);
    }
    // It leads nowhere: only the neighbourhood holds the answer.
    let other = format!("who is the spouse of the writer of {}?", name(0));
    assert_eq!(labels(&ask(&full, &other)), [name(3000)]);
    let refused = ask(&narrow, &other);
    assert!(!labels(&refused).contains(&name(3000)), "{refused:?}");
    // One hop needs no expansion.
    let near = format!("who directed {}?", name(5));
    assert_eq!(labels(&ask(&narrow, &near)), [name(2005)]);
}
