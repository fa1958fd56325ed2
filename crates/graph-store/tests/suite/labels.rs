use graph_store::{GraphStore, Snapshot, TermId, normalise};
use oxrdf::{NamedNode, Quad};
use proptest::prelude::*;

use crate::{empty, load};

const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";

fn exact(graph: &Snapshot, text: &str) -> Vec<String> {
    let ids = graph.labels().exact(&normalise(text), 10).unwrap();
    ids.into_iter()
        .map(|id| graph.term(id).unwrap().to_string())
        .collect()
}

fn fuzzy(graph: &Snapshot, text: &str) -> Vec<(usize, String)> {
    let found = graph.labels().fuzzy(&normalise(text), 10).unwrap();
    found.into_iter().map(|m| (m.distance, m.label)).collect()
}

fn films() -> (tempfile::TempDir, GraphStore) {
    let (directory, store) = empty();
    let text = format!(
        "<urn:f1> {LABEL} \"The Matrix\" .\n<urn:f1> <urn:release_year> \"1999\" .\n<urn:f1> <urn:director> <urn:LanaWachowski> .
<urn:f2> {LABEL} \"The Matrix\" .\n<urn:f3> {LABEL} \"Amélie\" .\n<urn:f4> {LABEL} \"القاهرة\"@ar .\n<urn:f5> {LABEL} \"霸王别姬\"@zh .
<urn:f6> {LABEL} \"🎬🎥\" .\n<urn:f7> {LABEL} \"$\" .\n<urn:f8> {LABEL} \"\\u202Bשלום\\u202C\" .\n<urn:f9> {LABEL} \"Schindler's List\" .\n"
    );
    load(&store, "films.nt", text).unwrap();
    (directory, store)
}

#[test]
fn things_are_found_by_label_local_name_and_value() {
    let (_directory, store) = films();
    let graph = store.snapshot().unwrap();
    assert_eq!(exact(&graph, "the matrix"), ["<urn:f1>", "<urn:f2>"]);
    assert_eq!(exact(&graph, "AMELIE"), ["<urn:f3>"]);
    assert_eq!(exact(&graph, "lana wachowski"), ["<urn:LanaWachowski>"]);
    assert_eq!(exact(&graph, "1999"), ["\"1999\""]);
    assert_eq!(exact(&graph, "schindler's list"), ["<urn:f9>"]);
    assert_eq!(exact(&graph, "matrix"), Vec::<String>::new());
    assert_eq!(exact(&graph, ""), Vec::<String>::new());
    assert_eq!(graph.labels().max_tokens(), 3);
}

#[test]
fn labels_of_all_scripts_are_found() {
    let (_directory, store) = films();
    let graph = store.snapshot().unwrap();
    for (text, iri) in [
        ("القاهرة", "<urn:f4>"),
        ("霸王别姬", "<urn:f5>"),
        ("🎬🎥", "<urn:f6>"),
        ("$", "<urn:f7>"),
        ("שלום", "<urn:f8>"),
    ] {
        assert_eq!(exact(&graph, text), [iri], "{text}");
    }
    assert_eq!(
        graph.labels().prefix(&normalise("霸王"), 5).unwrap().len(),
        1
    );
    assert_eq!(fuzzy(&graph, "القاهره"), [(1, "القاهرة".to_owned())]);
}

#[test]
fn typing_errors_are_forgiven_and_counted() {
    let (_directory, store) = films();
    let graph = store.snapshot().unwrap();
    let both = [(1, "the matrix".to_owned()), (1, "the matrix".to_owned())];
    for text in [
        "the matrx",
        "the amtrix",
        "te matrix",
        "the matrixx",
        "the mastrix",
    ] {
        assert_eq!(fuzzy(&graph, text), both, "{text}");
    }
    assert_eq!(fuzzy(&graph, "teh matrx")[0].0, 2);
    assert_eq!(fuzzy(&graph, "amelia"), [(1, "amelie".to_owned())]);
    assert_eq!(fuzzy(&graph, "ameila"), []);
    assert_eq!(fuzzy(&graph, "something else"), []);
}

#[test]
fn prefixes_give_shorter_labels_first() {
    let (_directory, store) = empty();
    let text: String = [
        "star",
        "star wars",
        "star trek",
        "stardust memories",
        "stardust mem",
        "moon",
    ]
    .iter()
    .enumerate()
    .map(|(n, label)| format!("<urn:{n}> {LABEL} \"{label}\" .\n"))
    .collect();
    load(&store, "a.nt", text).unwrap();
    let graph = store.snapshot().unwrap();
    let labels = |prefix| -> Vec<String> {
        graph
            .labels()
            .prefix(prefix, 3)
            .unwrap()
            .into_iter()
            .map(|m| m.label)
            .collect()
    };
    assert_eq!(labels("star"), ["star", "star trek", "star wars"]);
    assert_eq!(labels("stardust memo"), ["stardust memories"]);
    assert_eq!(labels("xyz"), Vec::<String>::new());
}

#[test]
fn what_no_statement_mentions_any_more_is_not_found() {
    let (_directory, store) = films();
    let quad = Quad::new(
        NamedNode::new_unchecked("urn:f3"),
        NamedNode::new_unchecked("http://www.w3.org/2000/01/rdf-schema#label"),
        oxrdf::Literal::new_simple_literal("Amélie"),
        oxrdf::GraphName::DefaultGraph,
    );
    store.remove([quad.as_ref()]).unwrap();
    assert_eq!(
        exact(&store.snapshot().unwrap(), "amelie"),
        Vec::<String>::new()
    );
    store.insert([quad.as_ref()]).unwrap();
    assert_eq!(exact(&store.snapshot().unwrap(), "amelie"), ["<urn:f3>"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_label_is_found_with_one_error_and_long_ones_with_two(
        labels in prop::collection::btree_set("[a-d]{4,7}|[a-d ]{3}[a-d]{6,12}", 1..40),
        at in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, "[a-d]"), 2),
    ) {
        let (_directory, store) = empty();
        let labels: Vec<String> = labels.iter().map(|l| normalise(l)).filter(|l| l.len() >= 4).collect();
        prop_assume!(!labels.is_empty());
        let text: String = labels.iter().enumerate().map(|(n, l)| format!("<urn:{n}> {LABEL} \"{l}\" .\n")).collect();
        load(&store, "a.nt", text).unwrap();
        let graph = store.snapshot().unwrap();
        let label = &labels[at.index(labels.len())];
        let allowed = |len: usize| if len < 8 { 1 } else { 2 };
        let mut typo: Vec<char> = label.chars().collect();
        for (place, kind, letter) in edits.iter().take(allowed(typo.len())) {
            let place = place.index(typo.len());
            let letter = letter.chars().next().unwrap();
            match kind {
                0 => typo[place] = letter,
                1 => typo.insert(place, letter),
                _ => { typo.remove(place); }
            }
        }
        let typo: String = typo.into_iter().collect();
        prop_assume!(normalise(&typo) == typo && typo.chars().count() >= 4);
        let wanted = allowed(label.len().min(typo.len()));
        let found = graph.labels().fuzzy(&typo, 1_000).unwrap();
        // The edits may exceed what the shorter of the two forgives; then it need not be found.
        if wanted == allowed(label.len()) {
            prop_assert!(found.iter().any(|m| &m.label == label), "{typo} {label} {found:?}");
        }
        prop_assert!(found.iter().all(|m| m.id != TermId(0)));
    }
}
