use std::path::Path;

use super::*;
use crate::dataset::{DatasetName, Expected, Gold};
use crate::progress::Silent;
use crate::report::EvalReport;
use crate::scripted::Scripted;

/// A data folder that holds nothing but an empty graph where `pq-2h` expects one.
fn data_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let graphs = folder.path().join("kg/pathquestion");
    fs_err::create_dir_all(&graphs).unwrap();
    fs_err::write(graphs.join("pq-2h.nt"), "").unwrap();
    folder
}

fn question(text: &str, answers: &[&str]) -> Question {
    Question {
        id: text.into(),
        text: text.into(),
        graph: GraphName::Pq2h,
        kind: "k".into(),
        paths: Vec::new(),
        gold: if answers.is_empty() {
            Gold::Refusal
        } else {
            Gold::Values(
                answers
                    .iter()
                    .map(|label| Expected::label(*label))
                    .collect(),
            )
        },
    }
}

fn options(data: &Path) -> EvalOptions {
    EvalOptions {
        memory: MemoryMode::On,
        ..EvalOptions::new(DatasetName::Pq2h, data)
    }
}

#[test]
fn a_stream_is_judged_by_exact_sets_and_refusals_by_the_gold() {
    let data = data_folder();
    let mut system = Scripted::default()
        .answer("all", &["a", "b"])
        .answer("part", &["a"])
        .answer("wrong", &["z"])
        .answer("none", &[]);
    let questions = vec![
        question("all", &["a", "b"]),
        question("part", &["a", "b"]),
        question("wrong", &["a"]),
        question("none", &[]),
    ];
    let report = run_questions(&mut system, questions, &options(data.path()), &mut Silent).unwrap();
    let figures = &report.figures;
    assert!((figures.exact_set_accuracy - 0.5).abs() < 1e-9);
    assert!((figures.hit_at_1 - 0.75).abs() < 1e-9);
    assert!((figures.truthfulness - 0.0).abs() < 1e-9);
    assert!((figures.refused - 0.25).abs() < 1e-9);
    let how: Vec<_> = report.failures.iter().map(|failure| failure.how).collect();
    assert_eq!(how, vec!["partial", "wrong"]);
    assert_eq!(report.statements, 100);
}

#[test]
fn a_verdict_says_right_or_wrong_and_nothing_else() {
    let data = data_folder();
    let mut system = Scripted::default().answer("q", &["z"]);
    let options = EvalOptions {
        feedback: FeedbackMode::Gold,
        ..options(data.path())
    };
    run_questions(
        &mut system,
        vec![question("q", &["secret"])],
        &options,
        &mut Silent,
    )
    .unwrap();
    assert!(
        system
            .heard
            .contains(&"feedback answer to q false".to_owned())
    );
    assert!(system.heard.iter().all(|heard| !heard.contains("secret")));
}

#[test]
fn without_memory_the_system_hears_no_verdict() {
    let data = data_folder();
    let mut system = Scripted::default().answer("q", &["a"]);
    let options = EvalOptions {
        memory: MemoryMode::Off,
        feedback: FeedbackMode::Gold,
        ..options(data.path())
    };
    run_questions(
        &mut system,
        vec![question("q", &["a"])],
        &options,
        &mut Silent,
    )
    .unwrap();
    assert_eq!(system.heard, vec!["load pq-2h", "fresh", "ask pq-2h q"]);
}

#[test]
fn a_hit_with_another_questions_values_is_false_unless_both_expect_the_same() {
    let data = data_folder();
    let mut system = Scripted::default()
        .answer("one", &["a"])
        .reuse("two", &["a"], "one")
        .answer("bad", &["z"])
        .reuse("bad too", &["z"], "bad");
    let questions = vec![
        question("one", &["a"]),
        question("two", &["b"]),
        question("bad", &["c"]),
        question("bad too", &["c"]),
    ];
    let report = run_questions(&mut system, questions, &options(data.path()), &mut Silent).unwrap();
    assert_eq!(report.figures.false_hits, 1);
    assert!((report.figures.reuse_share - 0.5).abs() < 1e-9);
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_seed_another() {
    let shuffled = |seed| {
        let mut items: Vec<u32> = (0..50).collect();
        let options = EvalOptions {
            order: Order::Shuffle,
            seed,
            limit: Some(20),
            ..EvalOptions::new(DatasetName::Pq2h, "")
        };
        arrange(&mut items, &options);
        items
    };
    assert_eq!(shuffled(1), shuffled(1));
    assert_ne!(shuffled(1), shuffled(2));
    assert_eq!(shuffled(1).len(), 20);
}

/// Stops after a number of questions.
struct StopAfter(usize);

impl Progress for StopAfter {
    fn begin(&mut self, _phase: &str, _total: usize) {}
    fn advance(&mut self, done: usize, _note: &str) {
        self.0 = self.0.saturating_sub(usize::from(done > 0));
    }
    fn finish(&mut self) {}
    fn stopped(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn a_stopped_run_reports_what_was_asked_until_then() {
    let data = data_folder();
    let questions: Vec<Question> = (0..100)
        .map(|index| question(&format!("q{index}"), &["a"]))
        .collect();
    let mut system = Scripted::default();
    let report = run_questions(
        &mut system,
        questions,
        &options(data.path()),
        &mut StopAfter(3),
    )
    .unwrap();
    assert!(report.interrupted);
    assert!(report.figures.questions > 0 && report.figures.questions < 100);
}

#[test]
fn the_json_has_the_promised_keys_and_the_table_the_figures() {
    let data = data_folder();
    let mut system = Scripted::default().answer("q", &["a"]);
    let report = EvalReport::Questions(Box::new(
        run_questions(
            &mut system,
            vec![question("q", &["a"])],
            &options(data.path()),
            &mut Silent,
        )
        .unwrap(),
    ));
    let json = report.to_json().unwrap();
    for key in [
        "dataset",
        "questions",
        "exact_set_accuracy",
        "hit_at_1",
        "truthfulness",
        "executable",
        "refused",
        "reuse_share",
        "false_hits",
        "settings",
    ] {
        assert!(json.get(key).is_some(), "{key} is missing");
    }
    assert!(json["latency_ms"]["p50"].is_f64() && json["latency_ms"]["p95"].is_f64());
    assert_eq!(json["thirds"].as_array().unwrap().len(), 3);
    assert!(json["thirds"][2]["exact_set_accuracy"].is_f64());
    assert!(json["thirds"][2]["reuse_share"].is_f64());
    assert_eq!(json["settings"]["memory"], "on");
    assert_eq!(json["dataset"], "pq-2h");
    assert!(report.table().contains("1.0000"));
}

#[test]
fn the_learning_curve_is_drawn_in_both_formats() {
    let data = data_folder();
    let mut system = Scripted::default().answer("q", &["a"]);
    let report = EvalReport::Questions(Box::new(
        run_questions(
            &mut system,
            vec![question("q", &["a"]), question("r", &["a"])],
            &options(data.path()),
            &mut Silent,
        )
        .unwrap(),
    ));
    let files = report.draw(&data.path().join("charts")).unwrap();
    let bytes: Vec<Vec<u8>> = files
        .iter()
        .map(|file| fs_err::read(file).unwrap())
        .collect();
    assert!(bytes[0].starts_with(b"<svg") && bytes[1].starts_with(b"\x89PNG"));
}
