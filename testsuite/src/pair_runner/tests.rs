use super::*;
use crate::dataset::{DatasetName, Expected, Gold};
use crate::progress::Silent;
use crate::report::EvalReport;
use crate::scripted::Scripted;

fn data_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs_err::create_dir_all(folder.path().join("kg/metaqa")).unwrap();
    fs_err::write(folder.path().join("kg/metaqa/metaqa.nt"), "").unwrap();
    folder
}

fn pair(kind: &str, first: (&str, &str), second: (&str, &str), same: bool) -> Pair {
    let gold = |label: &str| Gold::Values(vec![Expected::label(label)]);
    Pair {
        id: "p".into(),
        kind: kind.into(),
        graph: GraphName::Metaqa,
        first: first.0.into(),
        second: second.0.into(),
        same,
        first_gold: gold(first.1),
        second_gold: gold(second.1),
    }
}

fn run(system: &mut Scripted, pairs: Vec<Pair>) -> PairReport {
    let data = data_folder();
    let options = EvalOptions::new(DatasetName::FilmqaTraps, data.path());
    run_pairs(system, pairs, &options, &mut Silent).unwrap()
}

#[test]
fn a_different_question_with_the_first_ones_values_by_reuse_is_a_false_hit() {
    let mut system = Scripted::default()
        .answer("one", &["a"])
        .reuse("two", &["a"], "one")
        .reuse("three", &["b"], "one")
        .answer("four", &["a"]);
    let report = run(
        &mut system,
        vec![
            pair("swap", ("one", "a"), ("two", "b"), false),
            pair("swap", ("one", "a"), ("three", "b"), false),
            pair("swap", ("one", "a"), ("four", "b"), false),
        ],
    );
    assert_eq!(report.figures.different, 3);
    assert_eq!(
        report.figures.false_hits, 1,
        "a rebind and a fresh answer are none"
    );
    assert_eq!(report.figures.wrong_hits, 1);
    assert_eq!(report.by_kind["swap"].false_hits, 1);
}

#[test]
fn a_paraphrase_counts_only_when_the_first_answer_was_right() {
    let mut system = Scripted::default()
        .answer("one", &["a"])
        .reuse("one again", &["a"], "one")
        .answer("bad", &["z"])
        .answer("bad again", &["z"]);
    let report = run(
        &mut system,
        vec![
            pair("para", ("one", "a"), ("one again", "a"), true),
            pair("para", ("bad", "a"), ("bad again", "a"), true),
        ],
    );
    assert_eq!(report.figures.paraphrases, 2);
    assert_eq!(report.figures.paraphrases_possible, 1);
    assert_eq!(report.figures.paraphrase_reuse, Some(1.0));
}

#[test]
fn each_pair_has_a_memory_of_its_own() {
    let mut system = Scripted::default();
    run(
        &mut system,
        vec![
            pair("k", ("one", "a"), ("two", "b"), false),
            pair("k", ("three", "a"), ("four", "b"), false),
        ],
    );
    assert_eq!(
        system.heard,
        vec![
            "load metaqa",
            "fresh",
            "ask metaqa one",
            "settle",
            "ask metaqa two",
            "fresh",
            "ask metaqa three",
            "settle",
            "ask metaqa four",
        ]
    );
}

#[test]
fn the_json_has_the_promised_keys() {
    let mut system = Scripted::default().answer("one", &["a"]);
    let report = EvalReport::Pairs(Box::new(run(
        &mut system,
        vec![pair("k", ("one", "a"), ("two", "b"), false)],
    )));
    let json = report.to_json().unwrap();
    for key in [
        "dataset",
        "questions",
        "false_hits",
        "paraphrase_reuse",
        "by_kind",
        "settings",
    ] {
        assert!(json.get(key).is_some(), "{key} is missing");
    }
    assert!(report.table().contains("all"));
}
