//! Does a memory survive being written out and read in, and is nothing else taken for one?

use refrain::{EngineError, HitKind, Verdict};

use crate::support::{Fixture, films, name};

/// A memory as text.
fn exported(fixture: &Fixture) -> String {
    let mut text = Vec::new();
    fixture.engine.export("default", &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn an_export_is_taken_in_elsewhere() {
    let fixture = Fixture::with("films", &films(40));
    fixture.ask(&format!("who directed {}?", name(0)));
    let mut text = Vec::new();
    assert_eq!(fixture.engine.export("default", &mut text).unwrap(), 1);
    let elsewhere = Fixture::with("films", &films(40));
    let report = elsewhere
        .engine
        .import(
            "default",
            "export.jsonl",
            std::str::from_utf8(&text).unwrap(),
        )
        .unwrap();
    assert_eq!(report.taken, 1);
    let answer = elsewhere.ask(&format!("who directed {}?", name(4)));
    assert_eq!(answer.hit_kind, HitKind::Plan);
    assert!(
        elsewhere
            .engine
            .import(
                "default",
                "export.jsonl",
                "{\"refrain_export\":9,\"embedder\":\"\"}"
            )
            .is_err()
    );
    assert!(
        elsewhere
            .engine
            .import("default", "export.jsonl", "nonsense")
            .is_err()
    );
}

/// Lines of an export with how each experience fared.
fn usages(engine: &refrain::Engine) -> Vec<serde_json::Value> {
    let mut text = Vec::new();
    engine.export("default", &mut text).unwrap();
    let lines = std::str::from_utf8(&text).unwrap().lines().skip(1);
    let entries = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let fared = |entry: serde_json::Value| {
        let usage = &entry["usage"];
        serde_json::json!([
            entry["experience"]["id"],
            usage["posterior"],
            usage["retrieved"],
            usage["reused"],
            usage["pinned"]
        ])
    };
    entries.map(fared).collect()
}

#[test]
fn an_export_keeps_how_each_experience_fared_and_its_pin() {
    let fixture = Fixture::with("films", &films(40));
    let answer = fixture.ask(&format!("who directed {}?", name(0)));
    for film in [4, 9] {
        fixture.ask(&format!("who directed {}?", name(film)));
    }
    let id = answer.experience.clone().unwrap_or_else(|| {
        let all = fixture.engine.experiences("default", 10).unwrap();
        all.last().unwrap().id.clone()
    });
    fixture.engine.pin("default", &id, true).unwrap();
    let mut text = Vec::new();
    fixture.engine.export("default", &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let before = usages(&fixture.engine);
    assert!(
        before.iter().any(|fared| fared[3] != 0 && fared[4] == true),
        "{before:?}"
    );

    let elsewhere = Fixture::with("films", &films(40));
    elsewhere
        .engine
        .import("default", "export.jsonl", &text)
        .unwrap();
    assert_eq!(usages(&elsewhere.engine), before);
    // Once more: nothing is counted twice.
    let again = elsewhere
        .engine
        .import("default", "export.jsonl", &text)
        .unwrap();
    assert_eq!(again.taken, 0);
    assert_eq!(usages(&elsewhere.engine), before);
}

#[test]
fn an_export_of_the_first_format_is_still_read() {
    let fixture = Fixture::with("films", &films(40));
    fixture.ask(&format!("who directed {}?", name(0)));
    let mut text = Vec::new();
    fixture.engine.export("default", &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut old = String::new();
    for (at, line) in text.lines().enumerate() {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        if at == 0 {
            value["refrain_export"] = 1.into();
        } else {
            value = value["experience"].take();
        }
        old += &format!("{value}\n");
    }
    let elsewhere = Fixture::with("films", &films(40));
    assert_eq!(
        elsewhere
            .engine
            .import("default", "export.jsonl", &old)
            .unwrap()
            .taken,
        1
    );
    let answer = elsewhere.ask(&format!("who directed {}?", name(4)));
    assert_eq!(answer.hit_kind, HitKind::Plan);
}

#[test]
fn an_edit_stays_an_edit_and_stands_against_what_was_answered_there() {
    let question = format!("who directed {}?", name(0));
    let fixture = Fixture::with("films", &films(40));
    let answer = fixture.ask(&question);
    let edit = Verdict::Edit("Somebody Else".to_owned());
    fixture
        .engine
        .feedback("default", &answer.id, edit)
        .unwrap();
    let text = exported(&fixture);

    let elsewhere = Fixture::with("films", &films(40));
    // It was asked there, and answered as the graph has it.
    assert_ne!(elsewhere.ask(&question).text, "Somebody Else");
    let report = elsewhere
        .engine
        .import("default", "export.jsonl", &text)
        .unwrap();
    assert_eq!((report.taken, report.duplicates), (1, 0));
    let listed = elsewhere.engine.experiences("default", 9).unwrap();
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0].provenance, "edited");
    assert_eq!(elsewhere.ask(&question).text, "Somebody Else");
    assert!(exported(&elsewhere).contains("\"Edited\""));
    // Once more, it is known.
    let again = elsewhere
        .engine
        .import("default", "export.jsonl", &text)
        .unwrap();
    assert_eq!(again.taken, 0);
}

#[test]
fn figures_that_no_memory_can_have_are_refused_by_file_and_line_and_nothing_is_taken() {
    let fixture = Fixture::with("films", &films(40));
    fixture.ask(&format!("who directed {}?", name(0)));
    fixture.ask(&format!("who wrote {}?", name(1)));
    let text = exported(&fixture);
    let elsewhere = Fixture::with("films", &films(40));
    type Change = fn(&mut serde_json::Value);
    let changes: [(Change, &str); 4] = [
        (
            |usage| usage["posterior"]["alpha"] = (-2.0).into(),
            "Beta(-2",
        ),
        (
            |usage| usage["posterior"]["beta"] = 500.0.into(),
            "recalled",
        ),
        (|usage| usage["reused"] = u64::MAX.into(), "was used"),
        (|usage| usage["likeness"] = 2.0.into(), "likeness"),
    ];
    for (change, told) in changes {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut last: serde_json::Value = serde_json::from_str(&lines[2]).unwrap();
        change(&mut last["usage"]);
        lines[2] = last.to_string();
        let refused = elsewhere
            .engine
            .import("default", "export.jsonl", &lines.join("\n"))
            .unwrap_err()
            .to_string();
        assert!(refused.starts_with("line 3 of export.jsonl"), "{refused}");
        assert!(refused.contains(told), "{refused}");
    }
    assert_eq!(elsewhere.engine.stats("default").unwrap().experiences, 0);
    let report = elsewhere
        .engine
        .import("default", "export.jsonl", &text)
        .unwrap();
    assert_eq!(report.taken, 2);
}

#[test]
fn the_beginning_of_an_id_names_what_only_it_begins() {
    let fixture = Fixture::with("films", &films(40));
    let first = fixture.ask(&format!("who directed {}?", name(0)));
    fixture.ask(&format!("who wrote {}?", name(1)));
    let listed = fixture.engine.experiences("default", 9).unwrap();
    let id = &listed[0].id;
    // All were made at one moment here: the first ten characters are the same.
    let several = fixture.engine.experience("default", &id[..10]).unwrap_err();
    assert!(
        matches!(several, EngineError::AmbiguousId { count: 2, .. }),
        "{several}"
    );
    let length = (11..26).find(|n| fixture.engine.experience("default", &id[..*n]).is_ok());
    let short = &id[..length.unwrap()].to_lowercase();
    let found = fixture.engine.experience("default", short).unwrap();
    assert_eq!(found.experience.id.to_string(), *id);
    assert_eq!(
        fixture
            .engine
            .pin("default", short, true)
            .unwrap()
            .to_string(),
        *id
    );
    for wrong in [&id[..5], "", "not an id", "ZZZZZZZZ"] {
        let unknown = fixture.engine.experience("default", wrong).unwrap_err();
        assert!(
            matches!(unknown, EngineError::UnknownExperience { .. }),
            "{unknown}"
        );
    }
    let answer = (11..=26).find_map(|n| fixture.engine.why("default", &first.id[..n]).ok());
    assert_eq!(answer.unwrap().answer, first.id);
    let radius = fixture
        .engine
        .feedback("default", &first.id[..25], Verdict::Good)
        .unwrap();
    assert_eq!(radius.answer, first.id);
    let gone = fixture
        .engine
        .forget("default", refrain::remembered::Forget::Id(short.clone()))
        .unwrap();
    assert_eq!(gone.experiences.len(), 1);
}
