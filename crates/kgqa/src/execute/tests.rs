use oxrdf::{Literal, NamedNode, Triple};

use super::*;
use crate::testing::MemoryGraph;
use crate::text::normalise;

/// Films, each with a director and perhaps a year; Blade Runner's remake has only itself.
fn films() -> MemoryGraph {
    MemoryGraph::from_names(&[
        ("Jaws", "directed_by", "Spielberg"),
        ("Duel", "directed_by", "Spielberg"),
        ("Hook", "directed_by", "Spielberg"),
        ("Dune", "directed_by", "Lynch"),
        ("Jaws", "release_year", "1975"),
        ("Duel", "release_year", "1971"),
        ("Hook", "release_year", "1991"),
        ("Dune", "release_year", "1984"),
        ("Jaws", "starred", "Shaw"),
        ("Hook", "starred", "Williams"),
        ("Dune", "starred", "Lynch"),
        ("Ann", "parents", "Ben"),
        ("Ben", "children", "Ann"),
        ("Cid", "parents", "Ben"),
        ("Ben", "children", "Cid"),
    ])
    .unwrap()
}

fn node(graph: &MemoryGraph, name: &str) -> TermId {
    let found = graph.link(&normalise(name), 2).unwrap();
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

fn nodes(graph: &MemoryGraph, names: &[&str]) -> Vec<TermId> {
    let mut ids: Vec<TermId> = names.iter().map(|name| node(graph, name)).collect();
    ids.sort_unstable();
    ids
}

/// Slot i is the i-th name; a name that is a number is one.
fn bindings(graph: &MemoryGraph, names: &[&str]) -> Vec<Binding> {
    let bind = |(slot, name): (u8, &&str)| {
        let bound = match name.parse() {
            Ok(number) => Bound::Number(number),
            Err(_) => Bound::Entities(vec![node(graph, name)]),
        };
        Binding {
            slot: Slot(slot),
            bound,
        }
    };
    (0..).zip(names).map(bind).collect()
}

fn plan(text: &str) -> Plan {
    let mut out = String::new();
    for (i, part) in text.split('<').enumerate() {
        // `, <, ` and `, <=, ` are operators.
        if i > 0 {
            out.push_str(if part.starts_with([',', '=']) {
                "<"
            } else {
                "<http://example.org/"
            });
        }
        out.push_str(part);
    }
    out.parse().unwrap()
}

fn run_with(
    graph: &MemoryGraph,
    text: &str,
    names: &[&str],
    limits: Limits,
) -> Result<Executed, ExecuteError> {
    run(graph, &plan(text), &bindings(graph, names), &limits)
}

fn executed(graph: &MemoryGraph, text: &str, names: &[&str]) -> Executed {
    run_with(graph, text, names, Limits::default()).unwrap()
}

fn values_of(graph: &MemoryGraph, text: &str, names: &[&str], wanted: &[&str]) -> Executed {
    let executed = executed(graph, text, names);
    assert_eq!(
        executed.given,
        Given::Values(nodes(graph, wanted)),
        "{text}"
    );
    executed
}

fn names_of(graph: &MemoryGraph, triples: &[[TermId; 3]]) -> Vec<String> {
    triples
        .iter()
        .map(|t| t.map(|id| graph.label(id).unwrap()).join(" "))
        .collect()
}

// The topic rule.

#[test]
fn there_and_back_leaves_the_topic_out_and_says_so() {
    let graph = films();
    let other = values_of(
        &graph,
        "$0/<directed_by>/^<directed_by>",
        &["Jaws"],
        &["Duel", "Hook"],
    );
    assert!(other.topic_left_out);
    assert!(
        names_of(&graph, &other.evidence).contains(&"Jaws directed by Spielberg".to_owned()),
        "the way out is kept"
    );
}

#[test]
fn there_and_back_and_on_does_not_go_through_the_topic() {
    let graph = films();
    let years = values_of(
        &graph,
        "$0/<directed_by>/^<directed_by>/<release_year>",
        &["Jaws"],
        &["1971", "1991"],
    );
    assert!(years.topic_left_out);
    assert!(!names_of(&graph, &years.evidence).contains(&"Jaws release year 1975".to_owned()));
}

#[test]
fn a_topic_that_is_all_there_is_is_kept() {
    let graph = films();
    let alone = values_of(
        &graph,
        "$0/<directed_by>/^<directed_by>",
        &["Dune"],
        &["Dune"],
    );
    assert!(!alone.topic_left_out);
    values_of(
        &graph,
        "$0/<directed_by>/^<directed_by>/<release_year>",
        &["Dune"],
        &["1984"],
    );
}

#[test]
fn a_mixed_path_over_different_predicates_does_not_end_at_the_topic() {
    let graph = films();
    // Lynch acted in Dune, which Lynch directed: the director of Lynch's films is nobody else.
    values_of(
        &graph,
        "$0/^<starred>/<directed_by>",
        &["Lynch"],
        &["Lynch"],
    );
    let graph = MemoryGraph::from_names(&[
        ("A", "starred", "X"),
        ("A", "directed_by", "X"),
        ("A", "directed_by", "Y"),
    ])
    .unwrap();
    assert!(values_of(&graph, "$0/^<starred>/<directed_by>", &["X"], &["Y"]).topic_left_out);
}

#[test]
fn a_chain_in_one_direction_keeps_the_topic() {
    let graph = films();
    let siblings = values_of(&graph, "$0/<parents>/<children>", &["Ann"], &["Ann", "Cid"]);
    assert!(!siblings.topic_left_out);
    values_of(
        &graph,
        "$0/^<children>/^<parents>",
        &["Ann"],
        &["Ann", "Cid"],
    );
}

#[test]
fn the_middle_is_barred_only_right_after_turning_back() {
    // A knows B knows A: a forward step back to the topic in the middle is no there-and-back.
    let graph = MemoryGraph::from_names(&[
        ("A", "knows", "B"),
        ("B", "knows", "A"),
        ("C", "likes", "A"),
    ])
    .unwrap();
    values_of(&graph, "$0/<knows>/<knows>/^<likes>", &["A"], &["C"]);
}

#[test]
fn every_entity_of_an_ambiguous_mention_is_a_topic() {
    let graph = films();
    let both = Binding {
        slot: Slot(0),
        bound: Bound::Entities(nodes(&graph, &["Jaws", "Duel"])),
    };
    let path = plan("$0/<directed_by>/^<directed_by>");
    let other = run(&graph, &path, &[both], &Limits::default()).unwrap();
    assert_eq!(other.given, Given::Values(nodes(&graph, &["Hook"])));
}

// Operators.

#[test]
fn an_intersection_is_proved_by_all_its_inputs() {
    let graph = films();
    let both = values_of(
        &graph,
        "and($0/^<directed_by>, $1/^<starred>)",
        &["Spielberg", "Shaw"],
        &["Jaws"],
    );
    assert_eq!(
        names_of(&graph, &both.evidence),
        ["Jaws directed by Spielberg", "Jaws starred Shaw"]
    );
}

#[test]
fn a_filter_reads_years_from_labels_and_is_proved_by_them() {
    let graph = films();
    let early = values_of(
        &graph,
        "filter($0/^<directed_by>, <release_year>, <, $1)",
        &["Spielberg", "1975"],
        &["Duel"],
    );
    assert_eq!(
        names_of(&graph, &early.evidence),
        ["Duel directed by Spielberg", "Duel release year 1971"]
    );
    values_of(
        &graph,
        "filter($0/^<directed_by>, <release_year>, <=, $1)",
        &["Spielberg", "1975"],
        &["Jaws", "Duel"],
    );
}

#[test]
fn equality_with_an_entity_needs_no_number() {
    let graph = films();
    values_of(
        &graph,
        "filter($0/^<directed_by>, <starred>, =, $1)",
        &["Spielberg", "Shaw"],
        &["Jaws"],
    );
    let error = run_with(
        &graph,
        "filter($0/^<directed_by>, <release_year>, <, $1)",
        &["Spielberg", "Shaw"],
        Limits::default(),
    );
    assert!(matches!(error, Err(ExecuteError::NotANumber(Slot(1)))));
}

#[test]
fn a_count_counts_distinct_values_after_the_topic_rule() {
    let graph = films();
    let count = executed(&graph, "count($0/<directed_by>/^<directed_by>)", &["Jaws"]);
    assert_eq!(count.given, Given::Number(2.0));
    assert_eq!(count.evidence.len(), 3);
}

#[test]
fn an_order_of_one_keeps_ties_and_of_more_does_not() {
    let mut graph = films();
    let film = NamedNode::new("http://example.org/Jaws_2").unwrap();
    let spielberg = NamedNode::new("http://example.org/Spielberg").unwrap();
    let by = NamedNode::new("http://example.org/directed_by").unwrap();
    let year = NamedNode::new("http://example.org/release_year").unwrap();
    graph
        .insert(&Triple::new(film.clone(), by, spielberg))
        .unwrap();
    graph
        .insert(&Triple::new(
            film,
            year,
            Literal::new_typed_literal("1991-06-01", oxrdf::vocab::xsd::DATE),
        ))
        .unwrap();
    values_of(
        &graph,
        "order($0/^<directed_by>, <release_year>, least, 1)",
        &["Spielberg"],
        &["Duel"],
    );
    values_of(
        &graph,
        "order($0/^<directed_by>, <release_year>, most, 1)",
        &["Spielberg"],
        &["Jaws 2"],
    );
    let two = executed(
        &graph,
        "order($0/^<directed_by>, <release_year>, most, 3)",
        &["Spielberg"],
    );
    let ordered = ["Jaws 2", "Hook", "Jaws"].map(|name| node(&graph, name));
    assert_eq!(two.given, Given::Values(ordered.to_vec()));
    let tied = MemoryGraph::from_names(&[
        ("A", "p", "T"),
        ("B", "p", "T"),
        ("C", "p", "T"),
        ("A", "n", "2"),
        ("B", "n", "2"),
        ("C", "n", "9"),
        ("C", "n", "3"),
    ])
    .unwrap();
    values_of(&tied, "order($0/^<p>, <n>, least, 1)", &["T"], &["A", "B"]);
    values_of(&tied, "order($0/^<p>, <n>, least, 2)", &["T"], &["A", "B"]);
    values_of(&tied, "order($0/^<p>, <n>, most, 1)", &["T"], &["C"]);
}

#[test]
fn the_earliest_of_several_dates_counts_alone_when_asked_for() {
    let graph = MemoryGraph::from_names(&[
        ("A", "p", "T"),
        ("B", "p", "T"),
        ("A", "n", "2"),
        ("A", "n", "9"),
        ("B", "n", "5"),
    ])
    .unwrap();
    values_of(&graph, "order($0/^<p>, <n>, most, 1)", &["T"], &["A"]);
    values_of(
        &graph,
        "order($0/^<p>, earliest <n>, most, 1)",
        &["T"],
        &["B"],
    );
    values_of(
        &graph,
        "filter($0/^<p>, earliest <n>, >, $1)",
        &["T", "3"],
        &["B"],
    );
    values_of(
        &graph,
        "compare($0, $1, earliest <n>, most)",
        &["A", "B"],
        &["B"],
    );
}

#[test]
fn values_without_a_number_are_left_out_and_told() {
    let graph = MemoryGraph::from_names(&[
        ("A", "p", "T"),
        ("B", "p", "T"),
        ("C", "p", "T"),
        ("A", "n", "2"),
        ("B", "n", "soon"),
    ])
    .unwrap();
    let least = values_of(&graph, "order($0/^<p>, <n>, least, 1)", &["T"], &["A"]);
    let mut wanted = vec![
        LeftOut {
            value: node(&graph, "b"),
            reason: LeftOutReason::NotANumber(node(&graph, "soon")),
        },
        LeftOut {
            value: node(&graph, "c"),
            reason: LeftOutReason::NoAttribute,
        },
    ];
    wanted.sort_unstable();
    assert_eq!(least.left_out, wanted);
}

#[test]
fn a_comparison_gives_the_winner_ties_or_nothing() {
    let graph = films();
    let first = values_of(
        &graph,
        "compare($0, $1, <release_year>, least)",
        &["Jaws", "Duel"],
        &["Duel"],
    );
    assert_eq!(first.evidence.len(), 2, "a comparison rests on both sides");
    values_of(
        &graph,
        "compare($0, $1, <release_year>, most)",
        &["Jaws", "Jaws"],
        &["Jaws"],
    );
    let nothing = values_of(
        &graph,
        "compare($0, $1, <release_year>, least)",
        &["Jaws", "Ann"],
        &[],
    );
    assert_eq!(
        nothing.left_out,
        [LeftOut {
            value: node(&graph, "Ann"),
            reason: LeftOutReason::NoAttribute
        }]
    );
}

#[test]
fn a_question_whether_is_proved_by_the_match_or_by_what_was_found_instead() {
    let graph = films();
    let yes = executed(&graph, "ask($0/^<directed_by>, $1)", &["Spielberg", "Hook"]);
    assert_eq!(yes.given, Given::Truth(true));
    assert_eq!(
        names_of(&graph, &yes.evidence),
        ["Hook directed by Spielberg"]
    );
    let no = executed(&graph, "ask($0/<directed_by>, $1)", &["Jaws", "Lynch"]);
    assert_eq!(no.given, Given::Truth(false));
    assert_eq!(
        names_of(&graph, &no.evidence),
        ["Jaws directed by Spielberg"]
    );
    assert_eq!(
        executed(
            &graph,
            "ask(count($0/^<directed_by>), $1)",
            &["Spielberg", "3"]
        )
        .given,
        Given::Truth(true)
    );
    assert_eq!(
        executed(&graph, "ask($0/<release_year>, $1)", &["Jaws", "1975"]).given,
        Given::Truth(true)
    );
}

// Errors.

#[test]
fn what_has_no_meaning_is_a_typed_error() {
    let graph = films();
    let run_one =
        |text: &str, names: &[&str]| run_with(&graph, text, names, Limits::default()).unwrap_err();
    assert!(matches!(
        run_one("sparql(\"ASK {}\")", &[]),
        ExecuteError::Unsupported(_)
    ));
    assert!(matches!(
        run_one("$1/<starred>", &["Jaws"]),
        ExecuteError::Unbound(Slot(1))
    ));
    assert!(matches!(
        run_one("$0/<starred>", &["7"]),
        ExecuteError::NotEntities(Slot(0))
    ));
    assert!(matches!(
        run_one("$0/<written_by>", &["Jaws"]),
        ExecuteError::UnknownPredicate(_)
    ));
    assert!(matches!(
        run_one("count(count($0))", &["Jaws"]),
        ExecuteError::Shape { .. }
    ));
    assert!(matches!(
        run_one("ask(ask($0, $0), $0)", &["Jaws"]),
        ExecuteError::Shape { .. }
    ));
    let empty = run(
        &graph,
        &Plan::Intersect(Vec::new()),
        &[],
        &Limits::default(),
    );
    assert!(matches!(empty, Err(ExecuteError::NoInputs(_))));
    let deep = (0..20).fold(plan("$0"), |plan, _| Plan::Intersect(vec![plan]));
    assert!(matches!(
        run(
            &graph,
            &deep,
            &bindings(&graph, &["Jaws"]),
            &Limits::default()
        ),
        Err(ExecuteError::TooDeep(_))
    ));
}

// Bounds.

fn star(values: usize) -> MemoryGraph {
    let names: Vec<String> = (0..values).map(|i| format!("film_{i}")).collect();
    let mut edges: Vec<(&str, &str, &str)> = Vec::new();
    for name in &names {
        edges.extend([
            (name.as_str(), "starred", "Tom_Hanks"),
            (name.as_str(), "genre", "Drama"),
        ]);
    }
    MemoryGraph::from_names(&edges).unwrap()
}

#[test]
fn each_bound_cuts_and_says_what() {
    let graph = star(20);
    let base = Limits {
        rows_per_step: 50,
        frontier: 50,
        rows: 500,
        evidence: 500,
    };
    let path = "$0/^<starred>/<genre>";
    assert!(
        run_with(&graph, path, &["Tom Hanks"], base)
            .unwrap()
            .cut
            .is_empty()
    );
    let cases = [
        (
            Limits {
                rows_per_step: 5,
                ..base
            },
            "values of inverse starred at Tom Hanks",
            5,
            10,
        ),
        (
            Limits {
                frontier: 7,
                ..base
            },
            "nodes reached by inverse starred",
            7,
            27,
        ),
        (Limits { rows: 30, ..base }, "triples read", 30, 30),
        (
            Limits {
                evidence: 3,
                ..base
            },
            "evidence",
            3,
            40,
        ),
    ];
    for (limits, what, bound, rows) in cases {
        let executed = run_with(&graph, path, &["Tom Hanks"], limits).unwrap();
        assert_eq!(
            executed.cut,
            [Cut {
                what: what.to_owned(),
                bound
            }]
        );
        assert_eq!(executed.rows, rows);
        assert_eq!(executed.given, Given::Values(nodes(&graph, &["Drama"])));
    }
}

#[test]
fn many_cuts_are_told_in_short() {
    let mut edges = Vec::new();
    let names: Vec<String> = (0..60).map(|i| format!("n{i}")).collect();
    for (i, name) in names.iter().enumerate().take(30) {
        edges.push(("Hub", "to", name.as_str()));
        edges.push((name, "on", names[30 + i % 30].as_str()));
        edges.push((name, "on", names[30 + (i + 1) % 30].as_str()));
    }
    let graph = MemoryGraph::from_names(&edges).unwrap();
    let limits = Limits {
        rows_per_step: 30,
        ..Limits::default()
    };
    assert!(
        run_with(&graph, "$0/<to>/<on>", &["Hub"], limits)
            .unwrap()
            .cut
            .is_empty()
    );
    let both = Binding {
        slot: Slot(0),
        bound: Bound::Entities(nodes(
            &graph,
            &names[..30].iter().map(String::as_str).collect::<Vec<_>>(),
        )),
    };
    let limits = Limits {
        rows_per_step: 1,
        ..Limits::default()
    };
    let executed = run(&graph, &plan("$0/<on>"), &[both], &limits).unwrap();
    assert_eq!(executed.cut.len(), 17);
    assert_eq!(
        executed.cut[16],
        Cut {
            what: "14 further steps".to_owned(),
            bound: 1
        }
    );
}

#[test]
fn cut_evidence_has_no_loose_ends() {
    let graph = star(20);
    let executed = run_with(
        &graph,
        "$0/<genre>/^<genre>/<starred>",
        &["film 3"],
        Limits {
            evidence: 5,
            ..Limits::default()
        },
    )
    .unwrap();
    let names = names_of(&graph, &executed.evidence);
    assert_eq!(
        names,
        [
            "film 0 starred Tom Hanks",
            "film 0 genre Drama",
            "film 3 genre Drama"
        ]
    );
    let none = run_with(
        &graph,
        "$0/^<starred>",
        &["Tom Hanks"],
        Limits {
            evidence: 0,
            ..Limits::default()
        },
    )
    .unwrap();
    assert!(none.evidence.is_empty() && none.cut.is_empty());
}
