//! What is said of files that are known.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use documents::{Change, ContentHash, Ingest, Limits, Progress, Report, Source};

use super::folder;

type Known = BTreeMap<Source, ContentHash>;

/// Ingests `paths` like a caller that stores what it gets; returns what happened, by names below `root`.
fn run(root: &Path, paths: &[&str], known: &mut Known) -> (Vec<String>, Report) {
    let mut ingest = Ingest::new(paths.iter().map(|path| root.join(path)), Limits::default())
        .known(known.clone());
    let short = |source: &Source| {
        source
            .to_string()
            .replace(&format!("{}/", root.display()), "")
    };
    let mut happened = Vec::new();
    for change in ingest.by_ref() {
        happened.push(match change {
            Change::Added(document) => {
                known.insert(document.source.clone(), document.content_hash);
                format!("+ {}", short(&document.source))
            }
            Change::Changed(document) => {
                known.insert(document.source.clone(), document.content_hash);
                format!("~ {}", short(&document.source))
            }
            Change::Unchanged(source) => format!("= {}", short(&source)),
            Change::Gone(source) => {
                known.remove(&source);
                format!("- {}", short(&source))
            }
        });
    }
    (happened, ingest.report().clone())
}

#[test]
fn each_document_is_added_changed_unchanged_or_gone() {
    let made = folder(&[
        ("d/a.txt", b"one"),
        ("d/b.md", b"two"),
        (
            "d/c.jsonl",
            b"{\"text\":\"x\"}\n{\"text\":\"y\"}\n{\"text\":\"z\"}",
        ),
        ("e.txt", b"beside"),
    ]);
    let root = made.path();
    let mut known = Known::new();
    let (first, _) = run(root, &["d", "e.txt"], &mut known);
    assert_eq!(
        first,
        [
            "+ d/a.txt",
            "+ d/b.md",
            "+ d/c.jsonl:1",
            "+ d/c.jsonl:2",
            "+ d/c.jsonl:3",
            "+ e.txt"
        ]
    );
    fs_err::write(root.join("d/a.txt"), "one more").unwrap();
    fs_err::remove_file(root.join("d/b.md")).unwrap();
    fs_err::write(
        root.join("d/c.jsonl"),
        "{\"text\":\"x\"}\n{\"text\":\"changed\"}\n",
    )
    .unwrap();
    fs_err::remove_file(root.join("e.txt")).unwrap();
    let (second, report) = run(root, &["d"], &mut known);
    assert_eq!(
        second,
        [
            "~ d/a.txt",
            "= d/c.jsonl:1",
            "~ d/c.jsonl:2",
            "- d/b.md",
            "- d/c.jsonl:3"
        ]
    );
    assert_eq!(
        (report.added, report.changed, report.unchanged, report.gone),
        (0, 2, 1, 2)
    );
    let (third, _) = run(root, &["d"], &mut known);
    assert_eq!(third, ["= d/a.txt", "= d/c.jsonl:1", "= d/c.jsonl:2"]);
}

#[test]
fn what_cannot_be_read_is_not_gone_but_what_was_emptied_is() {
    let made = folder(&[
        ("d/a.txt", b"one"),
        ("d/b.jsonl", b"{\"text\":\"x\"}\n{\"text\":\"y\"}"),
        ("d/c.txt", b"three"),
    ]);
    let root = made.path();
    let mut known = Known::new();
    run(root, &["d"], &mut known);
    fs_err::write(root.join("d/a.txt"), "").unwrap();
    fs_err::write(root.join("d/b.jsonl"), "{\"text\":\"x\"}\nbroken").unwrap();
    fs_err::write(root.join("d/c.txt"), [0x1f, 0x8b, 8, 0, 0]).unwrap();
    let (happened, _) = run(root, &["d"], &mut known);
    // A line that is broken was read: what it said before is said no more. The compressed file may still say it.
    assert_eq!(happened, ["= d/b.jsonl:1", "- d/a.txt", "- d/b.jsonl:2"]);
    let (happened, report) = run(root, &["missing", "d/a.txt"], &mut known);
    assert_eq!((happened, report.skipped_count()), (vec![], 2));
    fs_err::remove_dir_all(root.join("d")).unwrap();
    let (happened, _) = run(root, &["d"], &mut known);
    assert_eq!(
        happened,
        Vec::<String>::new(),
        "a path that is not there says nothing of what was below it"
    );
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let made = folder(&[("a.txt", b"1"), ("b.txt", b"2"), ("c.txt", b"3")]);
    let root = made.path();
    let stop = Arc::new(AtomicBool::new(false));
    let mut known = Known::from([(
        Source::named(format!("{}/x.txt", root.display())),
        ContentHash::of_document(b""),
    )]);
    let mut ingest = Ingest::new([root], Limits::default())
        .known(known.clone())
        .interrupt(Arc::clone(&stop));
    let Some(Change::Added(first)) = ingest.next() else {
        panic!("the first document is new");
    };
    known.insert(first.source, first.content_hash);
    stop.store(true, Ordering::Relaxed);
    assert_eq!(ingest.next(), None);
    assert!(ingest.report().interrupted);
    assert_eq!(ingest.report().gone, 0);
    drop(ingest);
    let (happened, report) = run(root, &[""], &mut known);
    assert_eq!(happened, ["= a.txt", "+ b.txt", "+ c.txt", "- x.txt"]);
    assert!(!report.interrupted);
}

#[test]
fn progress_grows_to_the_total() {
    let lines = "{\"text\":\"x\"}\n".repeat(20);
    let made = folder(&[
        ("a.txt", b"12345"),
        ("b.jsonl", lines.as_bytes()),
        ("c.png", b"\x89PNG...."),
    ]);
    let mut seen: Vec<Progress> = Vec::new();
    let ingest =
        Ingest::new([made.path()], Limits::default()).progress(|progress| seen.push(progress));
    assert_eq!(ingest.count(), 21);
    let last = seen.last().unwrap();
    assert_eq!(
        (last.bytes_done, last.bytes_total, last.documents),
        (5 + 260 + 8, 5 + 260 + 8, 21)
    );
    assert!(
        seen.windows(2)
            .all(|two| two[0].bytes_done <= two[1].bytes_done)
    );
}

#[test]
fn the_same_file_by_two_names_is_read_once_each_folder_too() {
    let made = folder(&[("d/a.txt", b"one"), ("d/e/b.txt", b"two")]);
    let (happened, report) = run(
        made.path(),
        &["d/./a.txt", "d", "d/a.txt", "d/e"],
        &mut Known::new(),
    );
    assert_eq!(happened, ["+ d/a.txt", "+ d/e/b.txt"]);
    assert_eq!(
        report.skipped.into_iter().collect::<Vec<_>>(),
        [("read already", 1)]
    );
}
