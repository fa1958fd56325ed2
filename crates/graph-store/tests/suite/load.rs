use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use graph_store::{Format, LoadOptions, Source, StoreError, TableOptions, TermId};
use oxrdf::NamedNode;

use crate::{empty, lines, load};

const TRIPLE: &str = "<urn:a> <urn:p> \"x\" .";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn message(error: &StoreError) -> String {
    error.to_string()
}

#[test]
fn every_format_gives_the_same_triple() {
    let json = r#"{"@id":"urn:a","urn:p":"x"}"#;
    let xml = r#"<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:u="urn:">
        <rdf:Description rdf:about="urn:a"><u:p>x</u:p></rdf:Description></rdf:RDF>"#;
    for (name, text) in [
        ("a.nt", TRIPLE),
        ("a.nq", TRIPLE),
        ("a.ttl", "@prefix u: <urn:> . u:a u:p 'x' ."),
        ("a.trig", "@prefix u: <urn:> . { u:a u:p 'x' }"),
        ("a.rdf", xml),
        ("a.jsonld", json),
        ("a.csv", "<urn:a>,urn:p,\"\"\"x\"\"\""),
        (
            "a.tsv",
            "subject\tpredicate\tobject\nurn:a\turn:p\t\"\"\"x\"\"\"",
        ),
        ("stdin", TRIPLE),
        ("json on stdin", json),
        ("xml on stdin", xml),
        (
            "turtle on stdin",
            "\u{FEFF}@prefix u: <urn:> . u:a u:p 'x' .",
        ),
    ] {
        let (_directory, store) = empty();
        let report = load(&store, name, text).unwrap();
        assert_eq!(
            (report.statements_read, report.statements_added),
            (1, 1),
            "{name}"
        );
        assert_eq!(lines(&store), [TRIPLE], "{name}");
    }
}

#[test]
fn compression_is_told_by_content_and_may_have_several_parts() {
    let other = "<urn:b> <urn:p> \"y\" .\n";
    let first = format!("{TRIPLE}\n");
    for compress in [gzip as fn(&[u8]) -> Vec<u8>, zstd] {
        let (_directory, store) = empty();
        let mut bytes = compress(first.as_bytes());
        bytes.extend(compress(other.as_bytes()));
        load(&store, "a.nt", bytes).unwrap();
        assert_eq!(lines(&store).len(), 2);
    }
}

#[test]
fn a_file_on_disk_is_loaded_with_progress() {
    let (directory, store) = empty();
    let path = directory.path().join("data.nt.gz");
    let text: String = (0..20_000)
        .map(|i| format!("<urn:s{i}> <urn:p> \"{i}\" .\n"))
        .collect();
    std::fs::write(&path, gzip(text.as_bytes())).unwrap();
    let (seen, bytes) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (seen_by, bytes_by) = (Arc::clone(&seen), Arc::clone(&bytes));
    let options = LoadOptions {
        progress: Some(Arc::new(move |progress| {
            assert!(progress.bytes_read <= progress.bytes_total.unwrap());
            seen_by.store(progress.statements, Ordering::Relaxed);
            bytes_by.store(progress.bytes_read, Ordering::Relaxed);
        })),
        ..LoadOptions::default()
    };
    let report = store.load(vec![Source::path(&path)], &options).unwrap();
    assert_eq!(report.statements_added, 20_000);
    assert_eq!(seen.load(Ordering::Relaxed), 20_000);
    assert_eq!(
        bytes.load(Ordering::Relaxed),
        std::fs::metadata(&path).unwrap().len()
    );
}

#[test]
fn a_broken_line_is_named_by_file_line_and_column_and_nothing_is_kept() {
    let (_directory, store) = empty();
    let text = format!("{TRIPLE}\n<urn:a> <urn:p> .\n");
    let error = load(&store, "bad.nt", text).unwrap_err();
    let StoreError::Parse(problem) = &error else {
        panic!("{error}");
    };
    assert_eq!((problem.input.as_str(), problem.line), ("bad.nt", 2));
    assert!(
        problem.column > 0 && message(&error).starts_with("bad.nt:2:"),
        "{error}"
    );
    assert!(store.snapshot().unwrap().is_empty());
}

#[test]
fn broken_inputs_of_all_kinds_give_an_error_with_a_line_and_never_a_panic() {
    for (name, text, line) in [
        ("a.nt", "<urn:a> <urn:p> \"never closed .\n".as_bytes(), 1),
        ("a.nt", b"<urn:a> <urn:p> \"\xFF\xFE\" .\n", 1),
        ("a.nt", "\n<urn:a> <urn p> <urn:b> .\n".as_bytes(), 2),
        ("a.nt", "<relative> <urn:p> <urn:b> .\n".as_bytes(), 1),
        ("a.ttl", "<urn:a> <urn:p> 'never closed .\n\n".as_bytes(), 1),
        (
            "a.ttl",
            "<urn:a> <urn:p> '''never\nclosed .\n".as_bytes(),
            1,
        ),
        ("a.ttl", "\n\nundefined:a <urn:p> 1 .".as_bytes(), 3),
        ("a.trig", "GRAPH <urn:g> { <urn:a> <urn:p> 1 ".as_bytes(), 1),
        ("a.rdf", "<rdf:RDF>".as_bytes(), 1),
        ("a.jsonld", "{\"@id\": ".as_bytes(), 1),
        ("a.csv", "a,b,c\na,b\n".as_bytes(), 2),
        ("a.csv", b"a,b,\xFF\n", 1),
    ] {
        let (_directory, store) = empty();
        let error = load(&store, name, text).unwrap_err();
        let StoreError::Parse(problem) = &error else {
            panic!("{name}: {error}");
        };
        assert!(problem.line >= line, "{name}: {error}");
        assert!(!problem.reason.is_empty());
        assert!(store.snapshot().unwrap().is_empty());
    }
}

#[test]
fn lenient_skips_broken_lines_and_keeps_the_first_messages() {
    let (_directory, store) = empty();
    let mut text = String::new();
    for i in 0..100 {
        text.push_str(&format!(
            "<urn:s{i}> <urn:p> \"{i}\" .\n<urn:s{i}> oops \"{i}\" .\nnot <a \"line\n"
        ));
    }
    let options = LoadOptions {
        lenient: true,
        ..LoadOptions::default()
    };
    let report = store
        .load(vec![Source::text("a.nt", text)], &options)
        .unwrap();
    assert_eq!(report.statements_added, 100);
    assert!(report.skipped >= 200, "{}", report.skipped);
    assert_eq!(report.problems.len(), 20);
    assert_eq!(report.problems[0].line, 2);
}

#[test]
fn lenient_turtle_goes_on_after_a_broken_statement() {
    let (_directory, store) = empty();
    let text = "@prefix u: <urn:> .\nu:a u:p 1 .\nu:b nope:p 2 .\nu:c u:p 3 .\n";
    let options = LoadOptions {
        lenient: true,
        ..LoadOptions::default()
    };
    let report = store
        .load(vec![Source::text("a.ttl", text)], &options)
        .unwrap();
    assert!(report.skipped >= 1);
    assert!(lines(&store).iter().any(|line| line.starts_with("<urn:a>")));
    assert!(
        lines(&store).iter().any(|line| line.starts_with("<urn:c>")),
        "{:?}",
        lines(&store)
    );
}

#[test]
fn lenient_xml_and_json_keep_what_came_before_the_error_and_say_so() {
    for (name, text) in [
        ("a.jsonld", r#"[{"@id":"urn:a","urn:p":"x"}, nonsense"#),
        (
            "a.rdf",
            r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:u="urn:"><rdf:Description rdf:about="urn:a"><u:p>x</u:p></rdf:Description><oops"#,
        ),
    ] {
        let (_directory, store) = empty();
        let options = LoadOptions {
            lenient: true,
            ..LoadOptions::default()
        };
        let report = store
            .load(vec![Source::text(name, text)], &options)
            .unwrap();
        assert_eq!(
            (report.statements_added, report.skipped),
            (1, 1),
            "{name} {report:?}"
        );
        assert!(
            report.problems[0]
                .reason
                .contains("the rest of the input is skipped")
        );
    }
}

#[test]
fn blank_nodes_of_different_files_stay_different() {
    let (_directory, store) = empty();
    let sources = || {
        vec![
            Source::text("a.nt", "_:x <urn:p> _:y ."),
            Source::text("b.nt", "_:x <urn:p> _:y ."),
        ]
    };
    store.load(sources(), &LoadOptions::default()).unwrap();
    store.load(sources(), &LoadOptions::default()).unwrap();
    assert_eq!(store.snapshot().unwrap().len(), 4);
}

#[test]
fn loading_again_adds_nothing_and_leaves_the_generation() {
    let (_directory, store) = empty();
    let first = load(&store, "a.nt", TRIPLE).unwrap();
    let again = load(&store, "a.nt", TRIPLE).unwrap();
    assert_eq!((again.statements_read, again.statements_added), (1, 0));
    assert_eq!(again.generation, first.generation);
}

#[test]
fn a_decompression_bomb_is_stopped_at_the_bound() {
    for compress in [gzip as fn(&[u8]) -> Vec<u8>, zstd] {
        let (_directory, store) = empty();
        let bomb = compress(&vec![b'\n'; 4 << 20]);
        assert!(bomb.len() < 100_000);
        let options = LoadOptions {
            max_decompressed_bytes: 1 << 20,
            lenient: true,
            ..LoadOptions::default()
        };
        let error = store
            .load(vec![Source::text("bomb.nt", bomb)], &options)
            .unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn broken_compression_is_an_error_that_names_the_input() {
    for mut bytes in [gzip(TRIPLE.as_bytes()), zstd(TRIPLE.as_bytes())] {
        let (_directory, store) = empty();
        bytes.truncate(bytes.len() - 9);
        let error = load(&store, "cut.nt", bytes).unwrap_err();
        assert!(message(&error).contains("cut.nt"), "{error}");
    }
}

#[test]
fn deep_nesting_is_read_or_refused_but_never_overflows_the_stack() {
    let deep_json =
        |depth: usize| format!("{}1{}", "{\"urn:p\":[".repeat(depth), "]}".repeat(depth));
    let (_directory, store) = empty();
    let report = load(&store, "a.jsonld", deep_json(200)).unwrap();
    assert_eq!(report.statements_added, 200);
    for depth in [500, 100_000] {
        let error = load(&store, "a.jsonld", deep_json(depth)).unwrap_err();
        assert!(message(&error).contains("nested more than"), "{error}");
    }
    let turtle = format!(
        "<urn:a> <urn:p> {}1{} .",
        "[ <urn:p> ".repeat(20_000),
        "]".repeat(20_000)
    );
    load(&store, "a.ttl", turtle).unwrap();
    let lists = format!(
        "<urn:a> <urn:p> {}1{} .",
        "( ".repeat(20_000),
        ")".repeat(20_000)
    );
    load(&store, "a.ttl", lists).unwrap();
    let xml = format!(
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:u=\"urn:\">{}{}</rdf:RDF>",
        "<u:c><u:p>".repeat(5_000),
        "</u:p></u:c>".repeat(5_000)
    );
    load(&store, "a.rdf", xml).unwrap();
}

#[test]
fn entities_that_would_expand_without_end_are_refused() {
    let (_directory, store) = empty();
    let document = |entities: &str, text: &str| {
        format!(
            "<!DOCTYPE rdf:RDF [{entities}]>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" \
             xmlns:u=\"urn:\"><rdf:Description rdf:about=\"urn:a\"><u:p>{text}</u:p></rdf:Description></rdf:RDF>"
        )
    };
    let namespace = document(
        "<!ENTITY xsd \"http://www.w3.org/2001/XMLSchema#\">",
        "&xsd;int",
    );
    load(&store, "a.rdf", namespace).unwrap();
    let nested = "<!ENTITY a 'x>x'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c \"x>&b;&b;\">";
    let long = format!("<!ENTITY a '{}'>", "x".repeat(1_000));
    for entities in [nested, long.as_str()] {
        let error = load(&store, "bomb.rdf", document(entities, "&a;")).unwrap_err();
        let said = message(&error);
        assert!(
            said.contains("bomb.rdf") && said.contains("entity"),
            "{said}"
        );
    }
}

#[test]
fn a_literal_above_the_bound_is_an_error_with_its_line_or_skipped() {
    let long = "x".repeat(3_000);
    let line = format!("<urn:a> <urn:p> \"{long}\" .\n");
    for (name, text) in [
        ("a.nt", format!("{TRIPLE}\n{line}{TRIPLE}\n")),
        ("a.ttl", format!("{TRIPLE}\n{line}{TRIPLE}\n")),
        (
            "a.csv",
            format!("urn:a,urn:p,1\nurn:a,urn:p,\"\"\"{long}\"\"\"\nurn:a,urn:p,1\n"),
        ),
    ] {
        let (_directory, store) = empty();
        let mut options = LoadOptions {
            max_term_bytes: 2_000,
            ..LoadOptions::default()
        };
        let error = store
            .load(vec![Source::text(name, text.clone())], &options)
            .unwrap_err();
        assert!(message(&error).contains("longer than allowed"), "{error}");
        assert!(message(&error).starts_with(&format!("{name}:")), "{error}");
        if name == "a.nt" {
            assert!(message(&error).starts_with("a.nt:2:"), "{error}");
        }
        options.lenient = true;
        let report = store
            .load(vec![Source::text(name, text)], &options)
            .unwrap();
        assert_eq!((report.statements_added, report.skipped), (1, 1), "{name}");
    }
}

#[test]
fn an_endless_line_is_refused_without_being_kept_in_memory() {
    let (_directory, store) = empty();
    let mut text = vec![b'<'; 6 << 20];
    text.extend_from_slice(b"\n<urn:a> <urn:p> \"x\" .\n");
    let mut options = LoadOptions {
        max_term_bytes: 1_000,
        ..LoadOptions::default()
    };
    let error = store
        .load(vec![Source::text("a.nt", text.clone())], &options)
        .unwrap_err();
    assert!(
        message(&error).starts_with("a.nt:1: the line is longer"),
        "{error}"
    );
    options.lenient = true;
    store
        .load(vec![Source::text("a.nt", text)], &options)
        .unwrap();
    assert_eq!(lines(&store), [TRIPLE]);
}

#[test]
fn lines_across_chunks_are_read_whole() {
    let (_directory, store) = empty();
    let value = "v".repeat(700);
    let text: String = (0..6_000)
        .map(|i| format!("<urn:s{i}> <urn:p> \"{value}{i}\" .\n"))
        .collect();
    assert!(text.len() > 4 << 20);
    assert_eq!(
        load(&store, "a.nt", text.trim_end())
            .unwrap()
            .statements_added,
        6_000
    );
}

#[test]
fn nul_bytes_in_literals_are_kept() {
    let (_directory, store) = empty();
    load(&store, "a.nt", "<urn:a> <urn:p> \"a\\u0000b\" .\n").unwrap();
    assert!(lines(&store)[0].contains("\\u0000") || lines(&store)[0].contains('\0'));
}

#[test]
fn a_cancelled_load_leaves_the_old_state() {
    let (_directory, store) = empty();
    load(&store, "a.nt", TRIPLE).unwrap();
    let flag = Arc::new(AtomicBool::new(false));
    let in_progress = Arc::clone(&flag);
    let text: String = (0..50_000)
        .map(|i| format!("<urn:s{i}> <urn:p> \"{i}\" .\n"))
        .collect();
    let options = LoadOptions {
        progress: Some(Arc::new(move |_| {
            in_progress.store(true, Ordering::Relaxed)
        })),
        cancel: Some(flag),
        ..LoadOptions::default()
    };
    let error = store
        .load(vec![Source::text("b.nt", text)], &options)
        .unwrap_err();
    assert!(matches!(error, StoreError::Cancelled), "{error}");
    assert_eq!(lines(&store), [TRIPLE]);
    load(&store, "c.nt", "<urn:c> <urn:p> 'x' .").unwrap_err();
    load(&store, "c.ttl", "<urn:c> <urn:p> 'x' .").unwrap();
    assert!(store.snapshot().unwrap().verify().is_empty());
}

#[test]
fn a_small_memory_gives_the_same_store() {
    let text: String = (0..30_000)
        .map(|i| {
            format!(
                "<urn:s{}> <urn:p{}> \"label {}\" .\n",
                i % 5_000,
                i % 7,
                i % 11_000
            )
        })
        .collect();
    let store_of = |memory_bytes| {
        let (directory, store) = empty();
        let options = LoadOptions {
            memory_bytes,
            ..LoadOptions::default()
        };
        load(&store, "first.nt", "<urn:s1> <urn:p1> \"label 1\" .").unwrap();
        store
            .load(vec![Source::text("a.nt", text.as_bytes())], &options)
            .unwrap();
        assert_eq!(store.snapshot().unwrap().verify(), vec![]);
        (directory, lines(&store))
    };
    assert_eq!(store_of(200_000).1, store_of(256 << 20).1);
}

#[test]
fn tables_become_graphs_that_join_up() {
    let (_directory, store) = empty();
    let csv = "subject,predicate,object\nAda Lovelace,knows,Charles Babbage\nCharles Babbage,born,1791\nAda Lovelace,note,\"a, b\"\n";
    load(&store, "people.csv", csv).unwrap();
    let graph = store.snapshot().unwrap();
    let ada = graph.labels().exact("ada lovelace", 5).unwrap()[0];
    let knows = graph.labels().exact("knows", 5).unwrap()[0];
    let known = graph.objects(ada, knows, None, 5).unwrap().ids[0];
    assert_eq!(graph.label(known).unwrap(), "Charles Babbage");
    let born = graph
        .id(NamedNode::new("urn:refrain:born").unwrap().as_ref())
        .unwrap()
        .unwrap();
    let year = graph.objects(known, born, None, 5).unwrap().ids[0];
    assert_eq!(
        graph.term(year).unwrap().to_string(),
        "\"1791\"^^<http://www.w3.org/2001/XMLSchema#integer>"
    );
    let (_directory, store) = empty();
    let options = LoadOptions {
        table: TableOptions {
            literal_objects: true,
            base: "http://example.org/".to_owned(),
        },
        format: Some(Format::Csv),
        ..LoadOptions::default()
    };
    store
        .load(vec![Source::text("x", "Ada,likes,Poetry")], &options)
        .unwrap();
    assert!(
        lines(&store).contains(
            &"<http://example.org/Ada> <http://example.org/likes> \"Poetry\" .".to_owned()
        )
    );
}

#[test]
fn a_target_graph_takes_statements_that_name_none() {
    let (_directory, store) = empty();
    let options = LoadOptions {
        graph: Some(NamedNode::new("urn:g").unwrap()),
        ..LoadOptions::default()
    };
    store
        .load(
            vec![Source::text(
                "a.nq",
                format!("{TRIPLE}\n<urn:b> <urn:p> <urn:c> <urn:h> .\n"),
            )],
            &options,
        )
        .unwrap();
    assert_eq!(
        lines(&store),
        [
            "<urn:a> <urn:p> \"x\" <urn:g> .",
            "<urn:b> <urn:p> <urn:c> <urn:h> ."
        ]
    );
    let graphs = store.snapshot().unwrap().named_graphs().unwrap();
    assert_eq!(graphs.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [1, 1]);
    assert!(graphs.iter().all(|(id, _)| *id != TermId::DEFAULT_GRAPH));
}

#[test]
fn an_unknown_format_and_a_missing_file_are_errors_that_name_the_input() {
    let (_directory, store) = empty();
    let error = load(&store, "mystery.bin", "hello").unwrap_err();
    assert!(message(&error).contains("mystery.bin"), "{error}");
    let error = store
        .load(
            vec![Source::path("/no/such/file.nt")],
            &LoadOptions::default(),
        )
        .unwrap_err();
    assert!(message(&error).contains("/no/such/file.nt"), "{error}");
}
