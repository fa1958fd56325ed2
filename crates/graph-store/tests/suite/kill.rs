use std::process::{Command, Stdio};
use std::time::Duration;

use graph_store::{GraphStore, LoadOptions, Options, Source};

use crate::{empty, load};

const CHILD: &str = "GRAPH_STORE_KILL_CHILD";
const STATEMENTS: u64 = 30_000;

fn text(round: u64) -> String {
    (0..STATEMENTS)
        .map(|n| {
            format!(
                "<urn:s{}> <urn:p{}> \"round {round} value {n}\" .\n",
                n % 997,
                n % 5
            )
        })
        .collect()
}

/// Not a test by itself: the body of the child process that the test below kills.
#[test]
fn child_loads_until_killed() {
    let Some(directory) = std::env::var_os(CHILD) else {
        return;
    };
    let store = GraphStore::open_or_create(directory, Options::default()).unwrap();
    for round in store.snapshot().unwrap().generation().. {
        store
            .load(
                vec![Source::text("a.nt", text(round))],
                &LoadOptions::default(),
            )
            .unwrap();
    }
}

/// A process that is killed at any moment of a load leaves the state before or after it.
#[test]
fn killed_while_loading_the_store_has_the_old_or_the_new_state() {
    let directory = tempfile::tempdir().unwrap();
    let rounds: u64 = std::env::var("REFRAIN_KILL_ROUNDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6);
    let mut before = 0;
    for round in 0..rounds {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "kill::child_loads_until_killed",
                "--exact",
                "--test-threads=1",
            ])
            .env(CHILD, directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Different moments without a random number: 40 to 800 ms, in no order.
        std::thread::sleep(Duration::from_millis(40 + (round * 337) % 760));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = GraphStore::open_or_create(directory.path(), Options::default()).unwrap();
        let graph = store.snapshot().unwrap();
        assert_eq!(
            graph.len(),
            graph.generation() * STATEMENTS,
            "a whole number of loads"
        );
        assert!(graph.generation() >= before, "an acknowledged load is lost");
        assert_eq!(graph.verify(), vec![]);
        before = graph.generation();
    }
}

#[test]
fn a_second_process_is_refused_while_the_first_has_the_store() {
    let (directory, store) = empty();
    load(&store, "a.nt", "<urn:a> <urn:p> <urn:b> .").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["kill::child_loads_until_killed", "--exact", "--nocapture"])
        .env(CHILD, directory.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("InUse"), "{said}");
}
