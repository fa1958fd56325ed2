//! Do the documents point at what exists?

use std::path::{Path, PathBuf};

use crate::{files, quoted, read, relative, root, table};

/// Markdown links of `text`: what stands between `](` and `)`.
fn links(text: &str) -> Vec<&str> {
    text.match_indices("](")
        .filter_map(|(at, _)| {
            let target = &text[at + 2..];
            target.split_once(')').map(|(target, _)| target)
        })
        .collect()
}

/// The anchor a heading gets.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            ' ' | '-' => Some('-'),
            letter if letter.is_alphanumeric() || letter == '_' => Some(letter),
            _ => None,
        })
        .collect()
}

#[test]
fn every_relative_link_leads_somewhere() {
    let mut broken = Vec::new();
    for document in files(".md") {
        let text = fs_err::read_to_string(&document).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                document.clone()
            } else {
                document.parent().unwrap().join(file)
            };
            let found = target.exists()
                && (fragment.is_empty()
                    || fs_err::read_to_string(&target).is_ok_and(|text| {
                        text.lines()
                            .any(|line| line.starts_with('#') && anchor(line) == fragment)
                    }));
            if !found {
                broken.push(format!("{}: {link}", relative(&document)));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The folder of a crate by the name its paths use.
fn crate_folder(name: &str) -> Option<PathBuf> {
    let folder = name.replace('_', "-");
    [format!("crates/{folder}"), folder]
        .into_iter()
        .map(|folder| root().join(folder))
        .find(|folder| folder.join("Cargo.toml").exists())
}

/// True when `text` defines something called `name`.
fn defines(text: &str, name: &str) -> bool {
    [
        "fn", "struct", "enum", "trait", "type", "const", "mod", "static",
    ]
    .iter()
    .any(|keyword| {
        let start = format!("{keyword} {name}");
        text.match_indices(&start).any(|(at, _)| {
            !text[at + start.len()..]
                .starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    })
}

/// Finds `crate::module::Symbol`: each segment is a module's file as far as files go, the rest
/// is defined in the last file. `Type::method` works too.
fn symbol_exists(path: &str) -> bool {
    let mut segments = path.split("::");
    let Some(folder) = segments.next().and_then(crate_folder) else {
        return false;
    };
    let mut folder = folder.join("src");
    let mut file = ["lib.rs", "main.rs"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|file| file.exists())
        .unwrap_or_default();
    let mut inside = false;
    for segment in segments {
        let deeper = [
            folder.join(format!("{segment}.rs")),
            folder.join(segment).join("mod.rs"),
        ]
        .into_iter()
        .find(|deeper| deeper.exists());
        if let Some(deeper) = deeper.filter(|_| !inside) {
            file = deeper;
            folder = folder.join(segment);
        } else {
            inside = true;
            if !fs_err::read_to_string(&file).is_ok_and(|text| defines(&text, segment)) {
                return false;
            }
        }
    }
    true
}

fn check_symbols(document: &str, heading: &str, column: usize, least: usize) {
    let text = read(document);
    let rows = table(&text, heading);
    assert!(
        rows.len() >= least,
        "{document}: the table \"{heading}\" is gone"
    );
    let missing: Vec<String> = rows
        .iter()
        .flat_map(|row| quoted(row.get(column).map_or("", String::as_str)))
        .filter(|symbol| !symbol_exists(symbol))
        .map(str::to_owned)
        .collect();
    assert!(
        missing.is_empty(),
        "{document}, \"{heading}\": not found: {missing:#?}"
    );
}

#[test]
fn every_symbol_of_the_papers_table_exists() {
    check_symbols("PAPERS.md", "Where each concept lives", 2, 10);
}

#[test]
fn every_guard_has_the_tests_that_are_named_for_it() {
    check_symbols("PAPERS.md", "Guards and their tests", 1, 8);
    let text = read("PAPERS.md");
    for row in table(&text, "Guards and their tests") {
        assert!(!quoted(&row[1]).is_empty(), "no test for: {}", row[0]);
    }
}

#[test]
fn the_readme_names_only_commands_and_files_that_exist() {
    let makefile = read("Makefile");
    for document in ["README.md", "CONTRIBUTING.md"] {
        let text = read(document);
        for command in quoted(&text)
            .iter()
            .filter_map(|code| code.strip_prefix("make "))
        {
            let target = command.split_whitespace().next().unwrap_or_default();
            assert!(
                makefile.contains(&format!("\n{target}:")),
                "{document}: make {target}"
            );
        }
    }
}

#[test]
fn a_symbol_is_looked_for_where_its_path_says() {
    assert!(symbol_exists("similarity::mmr"));
    assert!(!symbol_exists("similarity::mmr::no_such_function"));
    assert!(!symbol_exists("no_such_crate::mmr"));
    assert!(Path::new(&root()).join("README.md").exists());
}
