//! Do flags beat the environment, the environment the file, and the file the defaults?

use crate::support::{Place, said};

#[test]
fn each_layer_beats_the_one_below_and_says_where_a_value_comes_from() {
    let place = Place::new();
    place.run(&["init"]).good();
    std::fs::write(
        place.path(".refrain/refrain.toml"),
        "[memory]\ncapacity = 7\nexamples = 3\nlayers = 1\n",
    )
    .unwrap();
    let mut command = place.command(&[
        "--json",
        "--set",
        "memory.capacity=9",
        "config",
        "show",
        "memory",
    ]);
    command
        .env("REFRAIN__MEMORY__CAPACITY", "8")
        .env("REFRAIN__MEMORY__EXAMPLES", "4");
    let shown: serde_json::Value =
        serde_json::from_str(&said(command.output().unwrap()).good().out).unwrap();
    let setting = |key: &str| {
        shown
            .as_array()
            .unwrap()
            .iter()
            .find(|setting| setting["key"] == key)
            .unwrap()
            .clone()
    };
    assert_eq!(
        (
            &setting("memory.capacity")["value"],
            &setting("memory.capacity")["origin"]["from"]
        ),
        (&9.into(), &"flag".into())
    );
    assert_eq!(
        (
            &setting("memory.examples")["value"],
            &setting("memory.examples")["origin"]["from"]
        ),
        (&4.into(), &"environment".into())
    );
    assert_eq!(
        (
            &setting("memory.layers")["value"],
            &setting("memory.layers")["origin"]["from"]
        ),
        (&1.into(), &"file".into())
    );
    assert_eq!(setting("memory.policy")["origin"]["from"], "default");
}

#[test]
fn a_misspelt_key_in_the_file_stops_every_command() {
    let place = Place::with_films();
    std::fs::write(
        place.path(".refrain/refrain.toml"),
        "[memory]\ncapcity = 7\n",
    )
    .unwrap();
    let said = place.run(&["ask", "who directed Inception?"]).bad(2);
    assert!(
        said.err.contains("memory.capcity") && said.err.contains("memory.capacity"),
        "{said:?}"
    );
}

#[test]
fn the_directory_comes_from_the_flag_or_the_environment() {
    let place = Place::new();
    place.run(&["init", "--dir", "here"]).good();
    let mut command = place.command(&["source", "list"]);
    said(command.env("REFRAIN_DIR", "here").output().unwrap()).good();
    place.run(&["source", "list"]).bad(1);
}

#[test]
fn memory_off_in_the_settings_remembers_nothing() {
    let place = Place::with_films();
    let off = [
        "--set",
        "memory.enabled=false",
        "ask",
        "who directed Inception?",
    ];
    place.run(&off).good();
    assert_eq!(place.json(&["memory", "stats"])["counters"]["asked"], 0);
}
