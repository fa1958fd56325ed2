//! Are the source files short, introduced, and free of what the house does not want?

use std::path::Path;

use crate::{files, relative};

/// A file may not be longer than this, tests included.
const HARD_LINES: usize = 800;
/// A file should not be longer than this, its own tests not counted; longer ones are listed.
const SOFT_LINES: usize = 400;

fn sources() -> Vec<(String, String)> {
    files(".rs")
        .iter()
        .map(|path| (relative(path), fs_err::read_to_string(path).unwrap()))
        .collect()
}

fn without_tests(text: &str) -> usize {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .count()
}

#[test]
fn no_file_is_longer_than_a_reader_can_hold() {
    let mut too_long = Vec::new();
    for (name, text) in sources() {
        if text.lines().count() > HARD_LINES {
            too_long.push(format!("{name}: {} lines", text.lines().count()));
        } else if without_tests(&text) > SOFT_LINES {
            println!("longer than wished: {name}: {}", without_tests(&text));
        }
    }
    assert!(too_long.is_empty(), "{too_long:#?}");
}

#[test]
fn every_module_opens_by_saying_what_it_answers() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|(name, text)| !is_test_file(name) && !introduced(text))
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "no //! on the first line: {silent:#?}");
}

/// A crate's introduction may be its README.
fn introduced(text: &str) -> bool {
    text.starts_with("//!") || text.starts_with("#![doc = include_str!")
}

/// Tests moved out of their module's file belong to it and need no introduction of their own.
fn is_test_file(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/") || name.contains("fuzz_targets/")
}

#[test]
fn no_test_is_ignored_and_no_lint_is_allowed_silently() {
    let ignored = ["#[", "ignore"].concat();
    let allowed = ["#[", "allow("].concat();
    for (name, text) in sources() {
        assert!(!text.contains(&ignored), "{name} ignores a test");
        assert!(!text.contains(&allowed), "{name}: use expect with a reason");
    }
}

#[test]
fn a_todo_names_its_issue() {
    let todo = ["TO", "DO"].concat();
    for (name, text) in sources() {
        for (index, line) in text.lines().enumerate() {
            let open = line
                .match_indices(&todo)
                .any(|(at, _)| !line[at + 4..].starts_with("(#"));
            assert!(!open, "{name}:{}: {line}", index + 1);
        }
    }
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let folders = ["work", "root"].map(|folder| format!("/{folder}/"));
    for ending in [".rs", ".md", ".toml", "Makefile", "run", ".lock"] {
        for path in files(ending) {
            let Ok(text) = fs_err::read_to_string(&path) else {
                continue;
            };
            for folder in &folders {
                assert!(
                    !has_absolute(&text, folder),
                    "{} names {folder}",
                    relative(&path)
                );
            }
        }
    }
}

/// True when `folder` stands where an absolute path begins, not inside a URL or a longer path.
fn has_absolute(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(at, _)| {
        !text[..at]
            .chars()
            .next_back()
            .is_some_and(|before| before.is_alphanumeric() || "/._-~:>".contains(before))
    })
}

#[test]
fn names_say_what_a_thing_is() {
    let empty = [
        "manager", "helper", "helpers", "util", "utils", "common", "misc",
    ];
    for path in files(".rs") {
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        assert!(
            !empty.contains(&stem.as_str()),
            "{}",
            relative(Path::new(&path))
        );
    }
}
