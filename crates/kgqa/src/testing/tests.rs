use super::*;

const FILMS: &str = r#"
<http://e.org/f/Jaws> <http://e.org/p/directed_by> <http://e.org/f/Steven_Spielberg> .
<http://e.org/f/E.T.> <http://e.org/p/directed_by> <http://e.org/f/Steven_Spielberg> .
<http://e.org/f/Jaws> <http://e.org/p/releaseYear> "1975" .
<http://e.org/f/Jaws> <http://www.w3.org/2000/01/rdf-schema#label> "Jaws (film)" .
<http://e.org/f/Jaws> <http://www.w3.org/2004/02/skos/core#altLabel> "Der weiße Hai"@de .
<http://e.org/f/Jaws> <http://www.w3.org/2000/01/rdf-schema#comment> "a shark" .
<http://e.org/f/Jaws> <http://e.org/p/title> "JAWS" .
<http://e.org/f/Caf%C3%A9Society> <http://e.org/p/directed_by> <http://e.org/f/Woody_Allen> .
"#;

fn films() -> MemoryGraph {
    MemoryGraph::from_ntriples(FILMS.as_bytes()).unwrap()
}

fn only(graph: &MemoryGraph, name: &str) -> TermId {
    let found = graph.link(name, 10).unwrap();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0]
}

#[test]
fn the_best_label_wins_and_every_label_links() {
    let graph = films();
    let jaws = only(&graph, "jaws film");
    assert_eq!(graph.label(jaws).unwrap(), "Jaws (film)");
    assert_eq!(only(&graph, "der weiße hai"), jaws);
    assert_eq!(
        only(&graph, "jaws"),
        jaws,
        "the literal under `title` is a label, not a node"
    );
}

#[test]
fn a_term_without_label_is_named_by_its_local_name() {
    let graph = films();
    assert_eq!(
        graph.label(only(&graph, "steven spielberg")).unwrap(),
        "Steven Spielberg"
    );
    assert_eq!(
        graph.label(only(&graph, "cafe society")).unwrap(),
        "Café Society"
    );
}

#[test]
fn literals_link_and_comments_and_predicates_do_not() {
    let graph = films();
    assert_eq!(
        graph.term(only(&graph, "1975")).unwrap(),
        Term::from(oxrdf::Literal::new_simple_literal("1975"))
    );
    assert!(graph.link("a shark", 10).unwrap().is_empty());
    assert!(graph.link("directed by", 10).unwrap().is_empty());
}

#[test]
fn small_misspellings_link_nearest_first() {
    let graph = films();
    let found = graph.link_fuzzy("stephen spielberg", 5).unwrap();
    assert_eq!(found.iter().map(|f| f.1).collect::<Vec<_>>(), [2]);
    assert!(graph.link_fuzzy("sharks", 5).unwrap().is_empty());
}

#[test]
fn the_local_schema_leaves_label_predicates_out() {
    let graph = films();
    let jaws = only(&graph, "jaws");
    let names: Vec<String> = graph
        .signature(jaws)
        .unwrap()
        .iter()
        .map(|e| graph.label(e.predicate).unwrap())
        .collect();
    assert_eq!(names, ["directed by", "release Year", "title"]);
    let inverse = graph.signature(only(&graph, "steven spielberg")).unwrap();
    assert!(inverse.len() == 1 && inverse[0].inverse);
    let counts: Vec<u64> = graph
        .predicates()
        .unwrap()
        .iter()
        .map(|p| p.triples)
        .collect();
    assert_eq!(counts, [3, 1, 1]);
}

#[test]
fn a_page_says_when_there_is_more() {
    let graph = films();
    let spielberg = only(&graph, "steven spielberg");
    let edge = graph.signature(spielberg).unwrap()[0];
    assert!(graph.step(spielberg, edge, 1).unwrap().more);
    let all = graph.step(spielberg, edge, 2).unwrap();
    assert!(!all.more && all.ids.len() == 2 && all.ids.is_sorted());
}

#[test]
fn a_change_moves_the_generation_and_the_labels() {
    let mut graph = films();
    let before = graph.generation();
    let label = graph
        .triples()
        .find(|t| t.object.to_string().contains("Jaws (film)"))
        .unwrap();
    assert!(graph.remove(&label) && !graph.remove(&label));
    assert_eq!(graph.generation(), before + 1);
    assert_eq!(graph.label(only(&graph, "jaws")).unwrap(), "JAWS");
    assert!(graph.insert(&label).unwrap() && !graph.insert(&label).unwrap());
    assert_eq!(graph.triples().count(), graph.len());
}

#[test]
fn a_broken_text_is_an_error_that_says_where() {
    let error = MemoryGraph::from_ntriples("<http://e.org/a> <b".as_bytes()).unwrap_err();
    assert!(error.to_string().contains("triple 1"));
}
