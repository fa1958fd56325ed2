use language_model::StaticEmbedder;

use super::*;
use crate::index::IndexConfig;
use crate::linear_rag::LinearRagConfig;
use crate::passage::{DocumentId, Passage};

fn library(passages: &[(&str, &str)]) -> Index {
    let passages = passages
        .iter()
        .enumerate()
        .map(|(n, (title, text))| Passage {
            document: DocumentId(format!("{n:03}")),
            ordinal: 0,
            title: (*title).to_owned(),
            text: (*text).to_owned(),
        });
    let embedder = StaticEmbedder::builtin();
    Index::build(passages, [], IndexConfig::default(), embedder.as_ref()).unwrap()
}

fn ask_without(index: &Index, question: &str, wrong: &[&str]) -> Result<Answer, AnswerRefusal> {
    ask_with(index, question, wrong, &AnswerConfig::default())
}

fn ask_with(
    index: &Index,
    question: &str,
    wrong: &[&str],
    config: &AnswerConfig,
) -> Result<Answer, AnswerRefusal> {
    let (embedder, settings) = (StaticEmbedder::builtin(), LinearRagConfig::default());
    let query = index.query(question, embedder.as_ref(), &settings).unwrap();
    let found = index.search(&query, &query.seeds, &settings);
    let withheld = |_: u32, sentence: &str| wrong.contains(&sentence);
    index
        .answer_without(&query, &found, config, embedder.as_ref(), withheld)
        .unwrap()
}

fn ask(index: &Index, question: &str) -> Result<Answer, AnswerRefusal> {
    ask_without(index, question, &[])
}

fn mills() -> Index {
    library(&[
        (
            "Gyre one",
            "Gyre one is a platform in the sea off Tarn. Gyre one was built by Erik Dahl in 1950.",
        ),
        (
            "Tarn",
            "Tarn is a town in the north. Its mayor is Olga Lund.",
        ),
        (
            "Erik Dahl",
            "Erik Dahl was an engineer. He was born in Fosse in 1911.",
        ),
        (
            "Cheese",
            "Cheese costs 4 euros in the shop. It is sold on Sundays.",
        ),
        (
            "Bell tower",
            "The bell tower is in Tarn. It was restored by Anna Moe.",
        ),
    ])
}

#[test]
fn another_name_number_or_year_is_refused_by_name() {
    let index = mills();
    assert!(ask(&index, "Who built Gyre one?").is_ok());
    for (question, missing) in [
        ("Who built Gyre two?", "Gyre two"),
        ("Who built Gyre one in 1870?", "1870"),
        ("Who built the Zorvath?", "Zorvath"),
    ] {
        let refusal = ask(&index, question).unwrap_err();
        assert!(
            refusal.to_string().contains(missing),
            "{question}: {refusal}"
        );
    }
}

#[test]
fn what_is_said_of_nothing_is_refused_by_its_word() {
    let index = mills();
    assert!(ask(&index, "What does the cheese cost?").is_ok());
    for (question, word) in [
        ("What does the goat cheese cost?", "goat"),
        ("Who vaccinated Gyre one?", "vaccinated"),
    ] {
        let refusal = ask(&index, question).unwrap_err();
        assert!(refusal.to_string().contains(word), "{question}: {refusal}");
    }
}

#[test]
fn a_way_leads_over_what_sentences_are_about_and_not_over_what_both_mention() {
    let index = mills();
    let answer = ask(&index, "Where was the one born who built Gyre one?").unwrap();
    assert_eq!(answer.citations[0].text, "He was born in Fosse in 1911.");
    // Gyre one is off Tarn, and the tower is in Tarn: that does not make its restorer the platform's.
    let other = ask(&index, "Who restored Gyre one?");
    let tower = |a: &Answer| a.citations[0].text.contains("Anna Moe");
    assert!(!other.as_ref().is_ok_and(tower), "{other:?}");
}

#[test]
fn rows_that_head_a_table_are_no_answers_and_its_other_rows_are() {
    let index = library(&[(
        "Opening hours of the baths",
        "Bath | Opens | Closes\nNorth bath | 8 | 20\nSouth bath | 9 | 18",
    )]);
    let answer = ask(&index, "When does the South bath open?").unwrap();
    assert_eq!(answer.citations[0].text, "South bath | 9 | 18");
    let refused = ask_without(
        &index,
        "When does the South bath open?",
        &["South bath | 9 | 18"],
    );
    let head = |a: &Answer| a.citations[0].text.starts_with("Bath | Opens");
    assert!(!refused.is_ok_and(|a| head(&a)));
}

#[test]
fn what_is_left_when_the_best_is_withheld_must_stand_itself_and_counts_for_less() {
    let index = library(&[(
        "Tarn mill",
        "The Tarn mill was built by Erik Dahl. The Tarn mill was built by his sons. It grinds rye.",
    )]);
    let question = "Who built the Tarn mill?";
    let first = ask(&index, question).unwrap();
    let best = first.citations[0].text.clone();
    let second = ask_without(&index, question, &[&best]).unwrap();
    assert_ne!(second.citations[0].text, best);
    assert!(second.confidence < first.confidence / 1.5);
    let both = [best.as_str(), second.citations[0].text.as_str()];
    assert!(ask_without(&index, question, &both).is_err());
}

#[test]
fn how_much_may_stay_unsaid_and_what_counts_as_like_can_be_set() {
    let index = mills();
    // "North" and "mayor" are said of the same town, in two sentences.
    let question = "Who is the mayor of the northern town Tarn?";
    assert!(ask(&index, question).is_ok());
    let strict = AnswerConfig {
        maximum_unsaid: 0.0,
        minimum_likeness: 1.01,
        ..AnswerConfig::default()
    };
    assert!(ask_with(&index, question, &[], &strict).is_err());
    let lax = AnswerConfig {
        minimum_likeness: -1.0,
        ..AnswerConfig::default()
    };
    let other = "Who vaccinated Gyre one?";
    assert!(ask(&index, other).is_err());
    assert!(ask_with(&index, other, &[], &lax).is_ok());
}
