//! Do the crates depend on each other as ARCHITECTURE.md draws it?

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{cargo_metadata, fenced, quoted, read, strings, table};

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Normal and build dependencies of each workspace crate; what only its tests use is left out.
fn dependencies(metadata: &Value) -> Edges {
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|dependency| dependency["kind"] != "dev")
                .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
                .collect();
            (package["name"].as_str().unwrap().to_owned(), dependencies)
        })
        .collect()
}

#[test]
fn the_picture_shows_exactly_the_edges_there_are() {
    let all = dependencies(&cargo_metadata(&["--no-deps"]));
    let crates: BTreeSet<&String> = all.keys().collect();
    let actual: Edges = all
        .iter()
        .map(|(name, dependencies)| {
            let inner = dependencies
                .iter()
                .filter(|dependency| crates.contains(dependency))
                .cloned()
                .collect();
            (name.clone(), inner)
        })
        .collect();
    let architecture = read("ARCHITECTURE.md");
    let picture: Edges = fenced(&architecture, "dependencies")
        .iter()
        .filter_map(|line| line.split_once('→'))
        .map(|(from, to)| {
            let to = to
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty() && name != "nothing")
                .collect();
            (from.trim().to_owned(), to)
        })
        .collect();
    assert_eq!(
        actual, picture,
        "left: the crates; right: ARCHITECTURE.md, \"Dependencies point down\""
    );
}

#[test]
fn dependencies_point_down() {
    let architecture = read("ARCHITECTURE.md");
    let order: Vec<String> = fenced(&architecture, "dependencies")
        .iter()
        .filter_map(|line| line.split_once('→'))
        .map(|(from, _)| from.trim().to_owned())
        .collect();
    let place = |name: &str| order.iter().position(|one| one == name);
    for (from, to) in dependencies(&cargo_metadata(&["--no-deps"])) {
        for below in to {
            if let Some(below_place) = place(&below) {
                assert!(
                    place(&from) < Some(below_place),
                    "{from} → {below} points up"
                );
            }
        }
    }
}

#[test]
fn heavy_dependencies_stay_behind_their_firewall() {
    let architecture = read("ARCHITECTURE.md");
    let rules = table(&architecture, "Firewalls");
    assert!(rules.len() >= 5, "the table of firewalls is gone");
    let all = dependencies(&cargo_metadata(&["--no-deps"]));
    for rule in &rules {
        let allowed = quoted(&rule[1]);
        for heavy in quoted(&rule[0]) {
            for (name, dependencies) in &all {
                assert!(
                    !dependencies.contains(heavy) || allowed.contains(&name.as_str()),
                    "{name} depends on {heavy}, which is only for {allowed:?}"
                );
            }
        }
    }
}

#[test]
fn every_crate_takes_its_lints_from_the_workspace() {
    for package in cargo_metadata(&["--no-deps"])["packages"]
        .as_array()
        .unwrap()
    {
        let manifest = package["manifest_path"].as_str().unwrap();
        let text = fs_err::read_to_string(manifest).unwrap();
        assert!(text.contains("[lints]\nworkspace = true"), "{manifest}");
        assert!(
            !strings(package, "authors")
                .iter()
                .any(|author| author.contains('@'))
        );
    }
}
