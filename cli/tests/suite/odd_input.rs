//! Does hostile input get a clear answer or refusal, and never a panic?

use std::fmt::Write;

use crate::support::{Place, Said};

fn answered(said: Said) -> serde_json::Value {
    let said = said.good();
    assert!(!said.err.contains("panicked"), "{said:?}");
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_question_of_ten_megabytes_is_cut_and_that_is_said() {
    let place = Place::with_films();
    let long = format!("who directed Inception {}", "and who else ".repeat(800_000));
    assert!(long.len() > 10_000_000);
    let answer = answered(place.run_with(&["--json", "ask", "-"], long.as_bytes()));
    let cut = answer["cut"].to_string();
    assert!(cut.contains("bytes were read"), "{cut}");
}

#[test]
fn strange_bytes_in_a_question_do_no_harm() {
    let place = Place::with_films();
    for question in [
        b"who directed\0 Inception\0?".as_slice(),
        b"who directed \xff\xfe\x80Inception?",
        "who directed \u{202e}noitpecnI\u{202c}?".as_bytes(),
        b"\x1b[2J\x1b[H who directed Inception?",
        "who \u{27e8}0\u{27e9} directed \u{27e8}99\u{27e9} Inception?".as_bytes(),
        b"\"unterminated who directed Inception",
        "🎬🎬🎬".as_bytes(),
        b"? ?? ???",
        b"SELECT * WHERE { ?s ?p ?o }",
        b"'); DROP TABLE films; --",
    ] {
        answered(place.run_with(&["--json", "ask", "-"], question));
        let said = place.run_with(&["ask", "-e", "-"], question).good();
        assert!(!said.out.contains('\u{1b}'), "{said:?}");
    }
}

/// `load FIFO` said that there was no such file, and asked whether the FIFO was meant.
#[cfg(unix)]
#[test]
fn a_device_is_called_one_and_not_suggested_in_its_own_place() {
    let said = Place::new().run(&["load", "/dev/null"]).bad(2);
    assert!(
        said.err.contains("a device") && said.err.contains("load -"),
        "{said:?}"
    );
    assert!(!said.err.contains("did you mean"), "{said:?}");
}

#[test]
fn unterminated_literals_and_deep_nesting_are_reported_with_their_place() {
    let place = Place::new();
    let open = place.write("open.ttl", "<http://e.org/a> <http://e.org/b> \"never closed .\n<http://e.org/a> <http://e.org/b> 1 .\n");
    assert!(place.run(&["load", &open]).bad(1).err.contains("open.ttl"));
    let mut deep = String::new();
    for _ in 0..1000 {
        deep.push_str("{\"http://e.org/p\": ");
    }
    deep.push_str("\"x\"");
    deep.push_str(&"}".repeat(1000));
    let deep = place.write("deep.jsonld", deep);
    let said = place.run(&["load", &deep]);
    assert!(
        matches!(said.code, Some(0 | 1)) && !said.err.contains("panicked"),
        "{said:?}"
    );
    place.run(&["doctor"]);
}

#[test]
fn a_graph_of_blank_nodes_only_can_be_loaded_and_asked() {
    let place = Place::new();
    let blank = place.write(
        "blank.ttl",
        "[] <http://e.org/knows> [ <http://e.org/knows> [ <http://e.org/age> 7 ] ] .",
    );
    place.run(&["load", &blank]).good();
    answered(place.run(&["--json", "ask", "who knows whom?"]));
    answered(place.run(&["--json", "ask", "what is the age of b0?"]));
    place.run(&["doctor"]).good();
}

#[test]
fn labels_of_every_script_are_found_and_shown() {
    let place = Place::new();
    let mut turtle = String::from(
        "@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . :capital rdfs:label \"capital\" .\n",
    );
    let pairs = [
        ("مصر", "القاهرة"),
        ("中国", "北京"),
        ("Ελλάδα", "Αθήνα"),
        ("ישראל", "ירושלים"),
        ("Việt Nam", "Hà Nội"),
    ];
    for (n, (country, city)) in pairs.iter().enumerate() {
        let _ = writeln!(
            turtle,
            ":c{n} rdfs:label \"{country}\" ; :capital :t{n} . :t{n} rdfs:label \"{city}\" ."
        );
    }
    let file = place.write("world.ttl", turtle);
    place.run(&["load", &file]).good();
    for (country, city) in pairs {
        let answer = answered(place.run(&[
            "--json",
            "ask",
            &format!("what is the capital of {country}?"),
        ]));
        assert_eq!(answer["text"], city, "{answer}");
        let said = place
            .run(&["ask", &format!("what is the capital of {country}?")])
            .good();
        assert!(said.out.contains(city), "{said:?}");
    }
}

#[test]
fn a_label_that_is_a_sparql_injection_stays_a_label() {
    let place = Place::new();
    let turtle = r#"@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :x rdfs:label "\" } ; DELETE WHERE { ?s ?p ?o } #" ; :capital :y . :y rdfs:label "Fine > . } UNION { ?s ?p ?o" .
        :capital rdfs:label "capital" . :z rdfs:label "Zed" ; :capital :x ."#;
    let file = place.write("evil.ttl", turtle);
    place.run(&["load", &file]).good();
    let before = place.json(&["source", "list"])[0]["statements"].clone();
    let answer = answered(place.run(&[
        "--json",
        "ask",
        "what is the capital of \" } ; DELETE WHERE { ?s ?p ?o } #?",
    ]));
    assert_eq!(place.json(&["source", "list"])[0]["statements"], before);
    if let Some(sparql) = answer["plan"]["sparql"].as_str() {
        place.run(&["sparql", sparql]).good();
    }
    let answer = answered(place.run(&["--json", "ask", "what is the capital of Zed?"]));
    assert_eq!(answer["values"].as_array().unwrap().len(), 1, "{answer}");
    place
        .run(&["sparql", answer["plan"]["sparql"].as_str().unwrap()])
        .good();
}

#[test]
fn an_argument_that_is_no_text_is_a_usage_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let place = Place::with_films();
    for command in ["ask", "sparql"] {
        let said = place.run_os(&[command.as_ref(), OsStr::from_bytes(b"who directed \xff")]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.starts_with("error:"), "{said:?}");
    }
}

#[test]
fn a_damaged_file_is_an_error_with_a_remedy_and_no_panic() {
    let place = Place::with_films();
    let graph = place.path(".refrain/graphs/films/graph.redb");
    let whole = fs_err::read(&graph).unwrap();
    for quarter in 0..4 {
        let mut damaged = whole.clone();
        let from = damaged.len() / 4 * quarter;
        let end = damaged.len() / 4 * (quarter + 1);
        damaged[from..end].fill(0x5a);
        fs_err::write(&graph, &damaged).unwrap();
        for command in [&["doctor"][..], &["ask", "who directed Inception?"]] {
            let said = place.run(command);
            assert!(matches!(said.code, Some(0 | 1)), "{said:?}");
            assert!(!said.err.contains("panicked"), "{said:?}");
        }
    }
}

#[test]
fn the_demo_keeps_out_of_a_directory_that_is_in_use() {
    let place = Place::with_films();
    let said = place.run(&["demo", "--keep", ".refrain"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("is not empty"), "{said:?}");
    place.run(&["ask", "who directed Inception?"]).good();
}

#[test]
fn doctor_misses_files_that_were_there() {
    let place = Place::with_films();
    place.run(&["ask", "who directed Inception?"]).good();
    fs_err::remove_file(place.path(".refrain/graphs/films/graph.redb")).unwrap();
    let said = place.run(&["doctor"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("is missing"), "{said:?}");

    let place = Place::with_films();
    fs_err::remove_file(place.path(".refrain/memory/journal.redb")).unwrap();
    let said = place.run(&["doctor"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("what was learned is gone"), "{said:?}");
}

#[test]
fn a_first_load_that_never_ended_leaves_no_source() {
    let place = Place::with_films();
    // What a kill before the first commit leaves: a graph that never held anything.
    let empty = place.path(".refrain/graphs/cut");
    drop(
        refrain::graph_store::GraphStore::open_or_create(
            &empty,
            refrain::graph_store::Options::default(),
        )
        .unwrap(),
    );
    let sources = place.run(&["source", "list"]);
    assert!(!sources.out.contains("cut"), "{sources:?}");
    place.run(&["doctor"]).good();
    place.run(&["ask", "who directed Inception?"]).good();
    let facts = place.write("cut.nt", "<urn:a> <urn:p> \"b\" .\n");
    place.run(&["load", &facts, "--domain", "cut"]).good();
    assert!(place.run(&["source", "list"]).out.contains("cut"));
}

#[test]
fn things_of_another_class_are_no_answer() {
    let place = Place::with_films();
    let refused = place.json(&["ask", "which novels did Christopher Nolan direct?"]);
    assert_eq!(refused["refused"], true, "{refused}");
    let films = place.json(&["ask", "which films did Christopher Nolan direct?"]);
    assert_eq!(films["refused"], false, "{films}");
}

#[test]
fn a_remembered_plan_turns_no_yes_into_no() {
    let place = Place::with_films();
    for turned in [
        "is Inception the director of Christopher Nolan?",
        "is Memento the director of Christopher Nolan?",
    ] {
        let answer = place.json(&["ask", turned]);
        assert_ne!(answer["text"], "Yes.", "{answer}");
    }
    let right = place.json(&["ask", "is Christopher Nolan the director of Inception?"]);
    assert_eq!(right["text"], "Yes.", "{right}");
    let longer = place.json(&["ask", "is The Prestige longer than Memento?"]);
    assert_eq!(longer["refused"], true, "{longer}");
}
