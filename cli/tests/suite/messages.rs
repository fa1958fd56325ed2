//! Is each mistake met with one clear sentence, the remedy and the right exit code?

use crate::support::{Place, golden};

#[test]
fn mistakes_are_told_with_their_remedy() {
    let place = Place::with_films();
    let broken = place.write("broken.ttl", "<http://e.org/a> <http://e.org/b> .\n");
    let unknown = place.write("films.doc", "nothing that anyone could recognise");
    let root = place.folder.path().display().to_string();
    let mut text = String::new();
    for (code, arguments) in [
        (2, vec!["aks", "who?"]),
        (2, vec!["memory", "lst"]),
        (2, vec!["ask", "--sauce", "films", "who?"]),
        (2, vec!["ask", "--source", "flims", "who?"]),
        (2, vec!["ask", "--namespace", "../x", "who?"]),
        (2, vec!["ask", "  "]),
        (1, vec!["ask", "--dir", "nowhere", "who?"]),
        (1, vec!["load", "films.tll"]),
        (1, vec!["load", "*.nt"]),
        (2, vec!["load", "."]),
        (1, vec!["load", &broken]),
        (1, vec!["load", &unknown]),
        (2, vec!["load", "--domain", "a/b", &broken]),
        (2, vec!["feedback", "nonsense", "good"]),
        (2, vec!["feedback", "last", "edit"]),
        (2, vec!["feedback", "last", "good", "Nolan"]),
        (2, vec!["memory", "show", "nonsense"]),
        (2, vec!["memory", "forget"]),
        (
            2,
            vec!["triple", "add", "Inception", "directed bye", "Ridley Scott"],
        ),
        (
            2,
            vec!["triple", "add", "Incepton", "directed by", "Ridley Scott"],
        ),
        (2, vec!["triple", "add", "one", "two"]),
        (1, vec!["sparql", "SELECT * WHERE { ?s"]),
        (2, vec!["sparql", " "]),
        (2, vec!["config", "show", "memory.capcity"]),
        (2, vec!["--set", "memory.capacity", "config", "show"]),
        (2, vec!["--set", "memory.capacity=many", "config", "show"]),
        (2, vec!["source", "remove", "films"]),
        (2, vec!["eval", "pq-2", "--data", "."]),
        (1, vec!["eval", "locomo", "--data", "."]),
        (2, vec!["simulate", "cyclin"]),
        (2, vec!["simulate", "cycling", "--policies", "survivel"]),
        (2, vec!["simulate", "cycling", "--capacities", "0"]),
    ] {
        let said = place.run(&arguments).bad(code);
        assert!(said.out.is_empty(), "{said:?}");
        let line = format!("$ refrain {}\n{}\n", arguments.join(" "), said.err);
        text.push_str(&line.replace(&root, "DIR"));
    }
    golden("mistakes.txt", &text);
}

#[test]
fn json_mistakes_are_json() {
    let place = Place::new();
    let said = place.run(&["--json", "ask", "who?"]);
    let error: serde_json::Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(
        (said.code, &error["error"]["code"]),
        (Some(1), &serde_json::json!(1))
    );
    assert!(error["error"]["hint"].is_string());
}

#[test]
fn data_goes_to_standard_output_and_colours_only_to_terminals() {
    let place = Place::with_films();
    let said = place.run(&["ask", "who directed Inception?"]).good();
    assert!(
        said.out.starts_with("Christopher Nolan\n") && said.err.is_empty(),
        "{said:?}"
    );
    assert!(!said.out.contains('\u{1b}'));
    let said = place
        .run(&["ask", "--color", "always", "who directed Inception?"])
        .good();
    assert!(said.out.contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let place = Place::with_films();
    let query = "SELECT * WHERE { ?s ?p ?o . ?a ?b ?c } LIMIT 50000";
    let mut child = place.command(&["sparql", query, "--results", "tsv"]);
    let mut child = child
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        !String::from_utf8_lossy(&output.stderr).contains("panicked"),
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0));
}
