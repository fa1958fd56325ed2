//! Can a graph and documents answer one question together, and is it refused where one half is missing?

use refrain::{AddRequest, Answer, AskRequest};

use crate::support::{Fixture, PREFIXES};

const FILMS: &str = "
:corbel a :Film ; rdfs:label \"Corbel\" ; p:directed_by :ines ; p:written_by :tomas .
:lintel a :Film ; rdfs:label \"Lintel\" ; p:directed_by :ruth .
:ines rdfs:label \"Ines Arrowe\" . :tomas rdfs:label \"Tomas Quill\" . :ruth rdfs:label \"Ruth Ambry\" .
";

fn fixture() -> Fixture {
    let fixture = Fixture::with("films", &format!("{PREFIXES}{FILMS}"));
    let folder = fixture.directory.path().join("papers");
    std::fs::create_dir(&folder).unwrap();
    for (file, text) in [
        (
            "ines.txt",
            "Ines Arrowe is a director of films. Ines Arrowe was born in Brinley, near the sea.",
        ),
        (
            "tomas.txt",
            "Tomas Quill is a writer. Tomas Quill was born in Corwen. He keeps bees.",
        ),
        (
            "other.txt",
            "Paul Marrow was a painter. He was born in Fenwick.",
        ),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
    }
    fixture
        .engine
        .add(AddRequest::new("papers", vec![folder]))
        .unwrap();
    fixture
}

fn ask(fixture: &Fixture, question: &str) -> Answer {
    let request = AskRequest {
        explain: true,
        ..AskRequest::new(question)
    };
    fixture.engine.ask(&request).unwrap()
}

#[test]
fn the_graph_says_who_and_the_document_says_where() {
    let fixture = fixture();
    for (question, town, who) in [
        (
            "Where was the director of Corbel born, according to the article?",
            "Brinley",
            "Ines Arrowe",
        ),
        (
            "Where was Corbel's director born?",
            "Brinley",
            "Ines Arrowe",
        ),
        (
            "Where was the writer of the film Corbel born?",
            "Corwen",
            "Tomas Quill",
        ),
    ] {
        let answer = ask(&fixture, question);
        assert!(!answer.refused, "{question}: {:?}", answer.reason);
        assert!(answer.text.contains(town), "{question}: {}", answer.text);
        assert_eq!(answer.source.as_deref(), Some("films, papers"));
        let triple = answer.citations.first().unwrap();
        assert!(triple.text.contains(who), "{}", triple.text);
        assert!(answer.passages[0].text.contains(town));
        assert_eq!(answer.passages[0].n, answer.citations.len() + 1);
        assert!(
            answer.chain.iter().any(|name| name == who),
            "{:?}",
            answer.chain
        );
        let explained = answer.explanation.unwrap();
        assert_eq!(explained["bridge"]["means"], who);
        // What rests on two sources is not remembered.
        assert_eq!(answer.experience, None);
    }
}

#[test]
fn a_half_without_support_answers_nothing() {
    let fixture = fixture();
    // No document speaks of Lintel's director, the graph knows no producer, and of nobody is it said when they died.
    for question in [
        "Where was the director of Lintel born?",
        "Where was the producer of Corbel born?",
        "In which year did the director of Corbel die?",
    ] {
        let answer = ask(&fixture, question);
        assert_ne!(
            answer.source.as_deref(),
            Some("films, papers"),
            "{question}: {}",
            answer.text
        );
        for town in ["Brinley", "Corwen", "Fenwick"] {
            assert!(
                answer.refused || !answer.text.contains(town),
                "{question}: {}",
                answer.text
            );
        }
    }
}

#[test]
fn a_refusal_speaks_of_the_graph_and_of_the_documents() {
    let fixture = fixture();
    let answer = ask(&fixture, "Where was Quentin Farrow born?");
    assert!(answer.refused, "{}", answer.text);
    let reason = answer.reason.unwrap();
    assert!(reason.starts_with("The graph"), "{reason}");
    assert!(
        reason.contains("In the documents of \"papers\": No passage"),
        "{reason}"
    );
    let said = reason.to_lowercase();
    assert!(said.matches("farrow").count() > 1, "{reason}");
}

#[test]
fn what_the_graph_alone_answers_is_not_asked_of_documents() {
    let answer = ask(&fixture(), "Who directed Corbel?");
    assert_eq!(answer.source.as_deref(), Some("films"));
    assert!(answer.passages.is_empty());
}
