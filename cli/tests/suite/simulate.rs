//! Does `refrain simulate` compare policies, for people and for programs?

use crate::support::Place;

#[test]
fn cycling_gives_a_table_rows_and_charts() {
    let place = Place::new();
    let charts = place.folder.path().join("charts");
    let said = place
        .run(&[
            "simulate",
            "cycling",
            "--policies",
            "fifo,survival,freeze",
            "--seeds",
            "42",
            "--charts",
            &charts.display().to_string(),
        ])
        .good();
    assert!(said.out.contains("m/K=1.5"), "{}", said.out);
    for file in ["cycling-by-ratio.svg", "cycling-by-ratio.png"] {
        assert!(charts.join(file).exists(), "{file}");
    }
    let said = place
        .run(&[
            "--json",
            "simulate",
            "cycling",
            "--policies",
            "fifo,survival,freeze",
            "--seeds",
            "42",
        ])
        .good();
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let rate = |policy: &str, variant: &str| {
        report["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["policy"] == policy && row["variant"] == variant)
            .and_then(|row| row["hit_rate"].as_f64())
            .unwrap()
    };
    assert_eq!(rate("fifo", "m20"), 0.0);
    assert_eq!(rate("survival", "m20"), rate("freeze", "m20"));
    for field in [
        "workload",
        "variant",
        "capacity",
        "policy",
        "seeds",
        "hit_rate",
        "hit_rate_sd",
        "modification_rate",
        "step_ns",
    ] {
        assert!(report["rows"][0].get(field).is_some(), "{field}");
    }
}

#[test]
fn a_history_is_replayed_from_its_journal() {
    let place = Place::with_films();
    let nothing = place.run(&["simulate", "trace"]).bad(1);
    assert!(
        nothing
            .err
            .contains("nothing that could have been remembered")
            || nothing.err.contains("there is no journal"),
        "{nothing:?}"
    );
    for question in [
        "who directed Inception?",
        "who directed Heat?",
        "who directed Inception?",
    ] {
        place.run(&["ask", question]).good();
    }
    let said = place
        .run(&["simulate", "trace", "--policies", "fifo,survival"])
        .good();
    assert!(said.out.contains("K=1:"), "{}", said.out);
    assert!(
        said.out.contains("fifo is saturated from K=1"),
        "{}",
        said.out
    );
    let misplaced = place.run(&["simulate", "cycling", "--trace", "."]).bad(2);
    assert!(misplaced.err.contains("--trace goes with"), "{misplaced:?}");
}
