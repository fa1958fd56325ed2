//! May every dependency be used and passed on, and does each come from the registry?
//!
//! The rules are those of `deny.toml`. cargo-deny checks them too where it is installed; this test
//! needs nothing but cargo, so a fresh machine checks them within a second.

use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::{cargo_metadata, read};

#[derive(Deserialize)]
struct Deny {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

/// The machine's own platform: packages for others are not downloaded, so they cannot be read.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .expect("rustc names its host")
}

fn resolved_packages() -> Vec<Value> {
    let metadata = cargo_metadata(&["--filter-platform", &host()]);
    let used: Vec<String> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["id"].as_str().unwrap().to_owned())
        .collect();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| used.iter().any(|id| package["id"] == id.as_str()))
        .cloned()
        .collect()
}

/// Is the SPDX `expression` satisfied by `allowed` licences alone?
fn permitted(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    let permitted = either(&mut rest, allowed);
    permitted && rest.is_empty()
}

fn either(tokens: &mut &[&str], allowed: &[String]) -> bool {
    let mut any = both(tokens, allowed);
    while let Some((&"OR", rest)) = tokens.split_first() {
        *tokens = rest;
        any |= both(tokens, allowed);
    }
    any
}

fn both(tokens: &mut &[&str], allowed: &[String]) -> bool {
    let mut all = one(tokens, allowed);
    while let Some((&"AND", rest)) = tokens.split_first() {
        *tokens = rest;
        all &= one(tokens, allowed);
    }
    all
}

fn one(tokens: &mut &[&str], allowed: &[String]) -> bool {
    let Some((&first, rest)) = tokens.split_first() else {
        return false;
    };
    *tokens = rest;
    if first == "(" {
        let inner = either(tokens, allowed);
        *tokens = tokens.get(1..).unwrap_or_default();
        return inner;
    }
    let mut licence = first.to_owned();
    if let [with, exception, rest @ ..] = *tokens
        && *with == "WITH"
    {
        licence = format!("{first} WITH {exception}");
        *tokens = rest;
    }
    allowed.contains(&licence)
}

#[test]
fn every_licence_is_on_the_list() {
    let allowed = toml::from_str::<Deny>(&read("deny.toml"))
        .unwrap()
        .licenses
        .allow;
    let packages = resolved_packages();
    assert!(
        packages.len() > 50,
        "only {} packages resolved",
        packages.len()
    );
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !permitted(package["license"].as_str().unwrap_or("none"), &allowed))
        .map(|package| {
            format!(
                "{} {}: {}",
                package["name"], package["version"], package["license"]
            )
        })
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn every_dependency_comes_from_the_registry() {
    for package in resolved_packages() {
        let source = package["source"].as_str().unwrap_or("path");
        assert!(
            source == "path" || source.starts_with("registry+"),
            "{} comes from {source}",
            package["name"]
        );
    }
}

#[test]
fn an_expression_is_permitted_only_when_allowed_licences_satisfy_it() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("(GPL-3.0 OR MIT) AND ISC", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
        ("", false),
    ] {
        assert_eq!(permitted(expression, &allowed), expected, "{expression}");
    }
}
