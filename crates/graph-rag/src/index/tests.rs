use proptest::prelude::*;

use super::*;
use crate::linear_rag::LinearRagConfig;
use crate::linear_rag::tests::ToyEmbedder;

const TITLES: [&str; 6] = [
    "",
    "Ada Lane",
    "Bo",
    "Oak Hill",
    "Dark River (2017 film)",
    "Vale",
];
const TEXTS: [&str; 7] = [
    "Ada Lane met Bo near Oak Hill. They left.",
    "The river Vale is old. Bo saw it in 1950.",
    "Dark River is a film with Ada Lane.",
    "oak hill is a hill.",
    "Cyrus wrote \"Vale\" for Dora.",
    "",
    "Nobody knows.",
];

fn passage(document: usize, ordinal: u32, title: usize, text: usize) -> Passage {
    Passage {
        document: DocumentId(format!("d{document}")),
        ordinal,
        title: TITLES[title].to_owned(),
        text: TEXTS[text].to_owned(),
    }
}

/// Bit for bit the same, as far as anything can show.
pub(crate) fn assert_same(a: &Index, b: &Index) {
    assert!(a.records.iter().eq(b.records.iter()) && a.len() == b.len());
    assert_eq!(a.graph.entities, b.graph.entities);
    assert_eq!(a.graph.sentences, b.graph.sentences);
    assert_eq!(a.graph.entity_sentences, b.graph.entity_sentences);
    assert_eq!(a.graph.sentence_entities, b.graph.sentence_entities);
    assert_eq!(a.graph.passage_entities, b.graph.passage_entities);
    assert_eq!(a.graph.occurrences, b.graph.occurrences);
    assert_eq!(a.graph.adjacent, b.graph.adjacent);
    assert_eq!(a.graph.by_name, b.graph.by_name);
    assert_eq!(a.vectors, b.vectors);
    for question in [
        "Who met Ada Lane near Oak Hill?",
        "what is dark river?",
        "Who?",
    ] {
        let ask = |index: &Index| {
            index
                .retrieve(question, &ToyEmbedder, &LinearRagConfig::default())
                .unwrap()
        };
        assert_eq!(ask(a), ask(b));
    }
}

type Document = (usize, Vec<(usize, usize)>);

fn passages((document, list): &Document) -> Vec<Passage> {
    let numbered = list.iter().enumerate();
    numbered
        .map(|(n, (title, text))| passage(*document, u32::try_from(n).unwrap(), *title, *text))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_way_to_the_same_documents_gives_the_same_index(
        steps in prop::collection::vec((0_usize..4, prop::collection::vec((0_usize..6, 0_usize..7), 0..4)), 1..8),
        adjacency in prop::bool::ANY,
    ) {
        let config = IndexConfig {
            adjacency: if adjacency { Adjacency::WithinDocument } else { Adjacency::None },
            ..IndexConfig::default()
        };
        let mut index = Index::build([], [], config, &ToyEmbedder).unwrap();
        let mut documents = std::collections::BTreeMap::new();
        for step in &steps {
            let put = Change::Put { document: DocumentId(format!("d{}", step.0)), passages: passages(step) };
            index = index.changed([put], &ToyEmbedder).unwrap().0;
            documents.insert(step.0, passages(step));
        }
        let fresh = Index::build(documents.into_values().flatten(), [], config, &ToyEmbedder).unwrap();
        assert_same(&index, &fresh);
    }
}

#[test]
fn a_change_says_what_it_did_and_reads_again_what_a_new_title_touches() {
    let first = [passage(0, 0, 1, 0), passage(1, 0, 0, 3)];
    let index = Index::build(first, [], IndexConfig::default(), &ToyEmbedder).unwrap();
    // "Oak Hill" as a title makes the lower-case passage of d1 mention it.
    let put = |document: usize, passages: Vec<Passage>| Change::Put {
        document: DocumentId(format!("d{document}")),
        passages,
    };
    let (index, report) = index
        .changed([put(2, vec![passage(2, 0, 3, 6)])], &ToyEmbedder)
        .unwrap();
    assert_eq!(report.changed, [(DocumentId::from("d2"), 0)]);
    assert_eq!(report.read_again, 2);
    let (index, report) = index
        .changed([put(2, vec![passage(2, 0, 3, 6)])], &ToyEmbedder)
        .unwrap();
    assert_eq!(report, ChangeReport::default());
    let removed = Change::Remove {
        document: "d2".into(),
    };
    let (index, report) = index.changed([removed], &ToyEmbedder).unwrap();
    assert_eq!(report.removed, [(DocumentId::from("d2"), 0)]);
    assert_eq!((index.len(), report.read_again), (2, 2));
}

#[test]
fn places_are_unique_and_passages_stay_in_their_document() {
    let twice = [passage(0, 0, 1, 0), passage(0, 0, 1, 1)];
    let refused = Index::build(twice, [], IndexConfig::default(), &ToyEmbedder);
    assert!(matches!(
        refused,
        Err(GraphRagError::SamePlace { ordinal: 0, .. })
    ));
    let index = Index::build([], [], IndexConfig::default(), &ToyEmbedder).unwrap();
    let astray = Change::Put {
        document: "d1".into(),
        passages: vec![passage(0, 0, 1, 0)],
    };
    assert!(matches!(
        index.changed([astray], &ToyEmbedder),
        Err(GraphRagError::OtherDocument { .. })
    ));
}

#[test]
fn labels_of_a_knowledge_graph_give_entities_their_iri() {
    let label = Label {
        name: "oak hill".to_owned(),
        iri: Some("http://example.org/OakHill".to_owned()),
    };
    let index = Index::build(
        [passage(0, 0, 0, 0)],
        [label],
        IndexConfig::default(),
        &ToyEmbedder,
    )
    .unwrap();
    let entity = index.graph().entity_named("Oak Hill").unwrap();
    assert_eq!(
        index.graph().entities()[entity as usize].iri.as_deref(),
        Some("http://example.org/OakHill")
    );
}

#[test]
fn each_way_of_indexing_changes_the_graph() {
    let build = |config: IndexConfig| {
        let passages = [
            passage(0, 0, 1, 0),
            passage(0, 1, 0, 3),
            passage(1, 0, 4, 2),
        ];
        Index::build(passages, [], config, &ToyEmbedder).unwrap()
    };
    let base = build(IndexConfig::default());
    let every = build(IndexConfig {
        title_scope: TitleScope::FirstSentence,
        ..IndexConfig::default()
    });
    assert_ne!(base.graph.entity_sentences, every.graph.entity_sentences);
    let titled = build(IndexConfig {
        sentence_context: SentenceContext::Alone,
        ..IndexConfig::default()
    });
    assert_ne!(base.vectors.sentences, titled.vectors.sentences);
    let adjacent = build(IndexConfig {
        adjacency: Adjacency::WithinDocument,
        ..IndexConfig::default()
    });
    assert_eq!(
        (base.graph.adjacent.items(), adjacent.graph.adjacent.items()),
        (0, 2)
    );
    let surface = build(IndexConfig {
        identity: Identity::Surface,
        ..IndexConfig::default()
    });
    assert!(surface.graph.entities.len() >= base.graph.entities.len());
}

fn bytes(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    index.write_to(&mut bytes).unwrap();
    bytes
}

fn small() -> Index {
    let passages = [
        passage(0, 0, 1, 0),
        passage(1, 0, 4, 2),
        passage(1, 1, 0, 4),
    ];
    Index::build(
        passages,
        [Label::title("Cyrus")],
        IndexConfig::default(),
        &ToyEmbedder,
    )
    .unwrap()
}

#[test]
fn what_is_written_is_read_and_goes_on_changing_alike() {
    let index = small();
    let read = Index::read_from(bytes(&index).as_slice()).unwrap();
    assert_same(&index, &read);
    let change = || Change::Put {
        document: "d0".into(),
        passages: vec![passage(0, 0, 3, 3)],
    };
    let (a, _) = index.changed([change()], &ToyEmbedder).unwrap();
    let (b, _) = read.changed([change()], &ToyEmbedder).unwrap();
    assert_same(&a, &b);
}

#[test]
fn damage_anywhere_is_noticed() {
    let whole = bytes(&small());
    let is_whole = |bytes: &[u8]| {
        Index::read_from(bytes)
            .and_then(|index| index.verify())
            .is_ok()
    };
    assert!(is_whole(&whole));
    for cut in (0..whole.len()).step_by(1_013) {
        assert!(!is_whole(&whole[..cut]), "cut at {cut}");
    }
    for at in (0..whole.len())
        .step_by(1_009)
        .chain(0..64)
        .chain(whole.len() - 200..whole.len())
    {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        assert!(!is_whole(&changed), "a bit at {at}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(matches!(
        Index::read_from(longer.as_slice()),
        Err(GraphRagError::Damaged { .. })
    ));
    let mut other = whole;
    other[8] = 200;
    assert!(matches!(
        Index::read_from(other.as_slice()),
        Err(GraphRagError::Format { found: 200, .. })
    ));
}

#[test]
fn a_question_is_not_answered_from_what_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    small().save(folder.path()).unwrap();
    let file = folder.path().join("documents.index");
    let whole = std::fs::read(&file).unwrap();
    let ask = || {
        let index = Index::open(folder.path())?;
        index.retrieve(
            "Who met Ada Lane near Oak Hill?",
            &ToyEmbedder,
            &LinearRagConfig::default(),
        )?;
        // The second time it is damaged still.
        index.retrieve(
            "Who met Ada Lane near Oak Hill?",
            &ToyEmbedder,
            &LinearRagConfig::default(),
        )
    };
    let right = ask().unwrap();
    let (mut noticed, mut unread) = (0, 0);
    for at in (12..whole.len()).step_by(4_001) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        std::fs::write(&file, changed).unwrap();
        match ask() {
            Err(error) => {
                assert!(matches!(error, GraphRagError::Damaged { .. }), "{error}");
                noticed += 1;
            }
            // What this question does not need may be damaged: what is found is right all the same.
            Ok(found) => {
                assert_eq!(found, right);
                assert!(Index::open(folder.path()).unwrap().verify().is_err());
                unread += 1;
            }
        }
    }
    assert!(
        noticed > 0 && unread > 0,
        "{noticed} noticed, {unread} unread"
    );
}

#[test]
fn a_directory_keeps_the_last_whole_index() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("new/index");
    assert!(matches!(Index::open(&place), Err(GraphRagError::File(_))));
    small().save(&place).unwrap();
    // An interrupted write leaves its unfinished file, and the old index.
    std::fs::write(place.join("documents.index.new"), "half").unwrap();
    assert_same(&Index::open(&place).unwrap(), &small());
    let (next, _) = small()
        .changed(
            [Change::Remove {
                document: "d0".into(),
            }],
            &ToyEmbedder,
        )
        .unwrap();
    next.save(&place).unwrap();
    assert_same(&Index::open(&place).unwrap(), &next);
}
