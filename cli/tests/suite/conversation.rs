//! Does a whole session hang together: ask, judge, look, forget, change, query?

use crate::support::Place;

#[test]
fn an_answer_can_be_judged_explained_listed_and_forgotten_by_later_commands() {
    let place = Place::with_films();
    let answer = place.json(&["ask", "who directed Inception?"]);
    let id = answer["id"].as_str().unwrap();
    assert_eq!(
        (&answer["values"][0]["label"], &answer["hit_kind"]),
        (&"Christopher Nolan".into(), &"none".into())
    );
    assert_eq!(place.json(&["feedback", id, "good"])["verdict"], "good");
    let why = place.json(&["memory", "why", "last"]);
    assert!(
        why["gate"].as_str().unwrap().contains("remembered as"),
        "{why}"
    );
    let again = place.json(&["ask", "who directed Inception?"]);
    assert_eq!(again["hit_kind"], "exact");
    let listed = place.json(&["memory", "list"]);
    let experience = listed[0]["id"].as_str().unwrap();
    assert_eq!(again["experience"], experience);
    place.run(&["memory", "show", experience]).good();
    let receipt = place.json(&["memory", "forget", experience]);
    assert_eq!(receipt["experiences"][0], experience);
    assert_eq!(place.json(&["memory", "list"]), serde_json::json!([]));
    assert_eq!(
        place.json(&["ask", "who directed Inception?"])["hit_kind"],
        "none"
    );
}

#[test]
fn a_changed_fact_changes_the_answer_of_the_next_process() {
    let place = Place::with_films();
    let ask = || place.json(&["ask", "who directed Inception?"]);
    ask();
    let report = place.json(&[
        "triple",
        "remove",
        "Inception",
        "directed by",
        "Christopher Nolan",
    ]);
    assert_eq!(
        (&report["changed"], &report["suspects"]),
        (&1.into(), &1.into())
    );
    place
        .run(&["triple", "add", "Inception", "directed by", "Ridley Scott"])
        .good();
    let answer = ask();
    assert_eq!(
        (&answer["text"], &answer["hit_kind"]),
        (&"Ridley Scott".into(), &"plan".into())
    );
    let forgotten = place.json(&[
        "memory",
        "forget",
        "--evidence",
        "Inception",
        "directed by",
        "Ridley Scott",
    ]);
    assert_eq!(forgotten["experiences"].as_array().unwrap().len(), 1);
}

#[test]
fn questions_a_line_give_answers_a_line() {
    let place = Place::with_films();
    let said = place
        .run_with(
            &["--json", "ask"],
            b"who directed Inception?\n\nwho directed Alien?\n",
        )
        .good();
    let texts: Vec<String> = said
        .out
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(texts, ["Christopher Nolan", "Ridley Scott"]);
}

#[test]
fn sparql_results_come_in_every_format() {
    let place = Place::with_films();
    let query =
        "SELECT ?f WHERE { ?f <http://example.org/films/property/release_year> 2010 } ORDER BY ?f";
    let run = |format: &str| {
        place
            .run(&["sparql", query, "--results", format])
            .good()
            .out
    };
    assert_eq!(
        run("csv"),
        "f\r\nhttp://example.org/films/inception\r\nhttp://example.org/films/shutter_island\r\n"
    );
    assert!(run("tsv").starts_with("?f\n<http://example.org/films/inception>\n"));
    let json: serde_json::Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!(json["results"]["bindings"].as_array().unwrap().len(), 2);
    assert!(run("xml").contains("<sparql"));
    assert!(run("table").ends_with("2 rows\n"));
    assert_eq!(
        place.run(&["sparql", "ASK { ?s ?p 2010 }"]).good().out,
        "yes\n"
    );
}

#[test]
fn an_export_is_taken_in_by_another_directory() {
    let place = Place::with_films();
    place.run(&["ask", "who directed Inception?"]).good();
    place.run(&["memory", "export", "experiences.jsonl"]).good();
    let said = place
        .run(&[
            "memory",
            "import",
            "experiences.jsonl",
            "--namespace",
            "other",
        ])
        .good();
    assert!(said.out.contains("1 experience"), "{said:?}");
    let answer = place.json(&["ask", "--namespace", "other", "who directed Alien?"]);
    assert_eq!(
        (&answer["hit_kind"], &answer["text"]),
        (&"plan".into(), &"Ridley Scott".into())
    );
}

#[test]
fn several_sources_are_routed_by_what_their_names_link_to() {
    let place = Place::with_films();
    let rivers = place.write(
        "rivers.ttl",
        "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
         :oder rdfs:label \"Oder\" ; :mouth :baltic . :baltic rdfs:label \"Baltic Sea\" .
         :rhine rdfs:label \"Rhine\" ; :mouth :north . :north rdfs:label \"North Sea\" . :mouth rdfs:label \"mouth\" .",
    );
    place
        .run(&[
            "load",
            &rivers,
            "--domain",
            "rivers",
            "--description",
            "rivers and where they end",
        ])
        .good();
    let answer = place.json(&["ask", "what is the mouth of the Oder?"]);
    assert_eq!(
        (&answer["source"], &answer["text"]),
        (&"rivers".into(), &"Baltic Sea".into())
    );
    assert_eq!(
        place.json(&["ask", "who directed Alien?"])["source"],
        "films"
    );
    place.run(&["sparql", "ASK {}"]).bad(2);
    place.run(&["source", "remove", "rivers", "--yes"]).good();
    assert_eq!(place.json(&["source", "list"]).as_array().unwrap().len(), 1);
    place.run(&["doctor"]).good();
}

#[test]
fn a_failed_load_leaves_no_source_and_a_lenient_one_counts() {
    let place = Place::new();
    let mixed = place.write("mixed.nt", "<http://e.org/a> <http://e.org/b> <http://e.org/c> .\nbroken\n<http://e.org/a> <http://e.org/b> \"d\" .\n");
    let said = place.run(&["load", &mixed]).bad(1);
    assert!(said.err.contains("mixed.nt:2"), "{said:?}");
    assert_eq!(place.json(&["source", "list"]), serde_json::json!([]));
    let report = place.json(&["load", &mixed, "--lenient"]);
    assert_eq!(
        (&report["statements_added"], &report["skipped"]),
        (&2.into(), &1.into())
    );
}
