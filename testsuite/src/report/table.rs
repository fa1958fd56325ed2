//! How does a report read in a terminal?

use std::fmt::Write;

use super::{FailureKind, FalseHit, PairFigures, PairReport, QuestionReport};
use crate::metrics::Figures;

/// At most this many kinds of question are listed.
const KINDS_LISTED: usize = 24;
/// At most this many kinds of failure are listed.
const FAILURES_LISTED: usize = 8;

/// The table of a question set.
pub(super) fn questions(report: &QuestionReport) -> String {
    let mut out = String::new();
    let figures = &report.figures;
    line(
        &mut out,
        format_args!(
            "{}: {} questions, {} statements, {}{}\n",
            report.dataset,
            figures.questions,
            report.statements,
            report.settings.describe(),
            interrupted(report.interrupted)
        ),
    );
    for (name, value) in main_rows(figures).into_iter().chain(memory_rows(report)) {
        line(&mut out, format_args!("  {name:<22} {value:>9}"));
    }
    line(
        &mut out,
        format_args!(
            "\n  {:<14} {:>9} {:>9} {:>9}",
            "third", "accuracy", "reuse", "p50 ms"
        ),
    );
    for (name, third) in ["first", "middle", "last"].iter().zip(&report.thirds) {
        line(
            &mut out,
            format_args!(
                "  {name:<14} {:>9.4} {:>9.4} {:>9.2}",
                third.exact_set_accuracy, third.reuse_share, third.p50_ms
            ),
        );
    }
    kinds(&mut out, report);
    failures(&mut out, &report.failures);
    false_hits(&mut out, &report.false_hit_examples);
    out
}

fn main_rows(figures: &Figures) -> Vec<(&'static str, String)> {
    let optional = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
    let share = |value: f64| format!("{value:.4}");
    vec![
        ("exact-set accuracy", share(figures.exact_set_accuracy)),
        ("Hit@1", share(figures.hit_at_1)),
        ("truthfulness (A − H)", share(figures.truthfulness)),
        ("refused", share(figures.refused)),
        ("plans that executed", optional(figures.executable)),
        ("retrieval recall", optional(figures.retrieval_recall)),
        ("reuse (level 1)", share(figures.reuse_share)),
        ("false hits", figures.false_hits.to_string()),
        ("latency p50 ms", format!("{:.2}", figures.latency_ms.p50)),
        ("latency p95 ms", format!("{:.2}", figures.latency_ms.p95)),
    ]
}

/// How full the memory was, where the run bounds it.
fn memory_rows(report: &QuestionReport) -> Vec<(&'static str, String)> {
    let held = report
        .remembered
        .filter(|_| report.settings.capacity.is_some())
        .map(|held| ("experiences held", held.to_string()));
    let unbounded = report.unbounded.iter().flat_map(|all| {
        [
            ("  without a bound", all.experiences.to_string()),
            ("  its accuracy", format!("{:.4}", all.exact_set_accuracy)),
            ("  its reuse", format!("{:.4}", all.reuse_share)),
        ]
    });
    held.into_iter().chain(unbounded).collect()
}

fn kinds(out: &mut String, report: &QuestionReport) {
    if report.by_type.len() < 2 {
        return;
    }
    line(
        out,
        format_args!(
            "\n  {:<44} {:>5} {:>9} {:>9} {:>9}",
            "kind", "n", "accuracy", "refused", "p50 ms"
        ),
    );
    let mut kinds: Vec<_> = report.by_type.iter().collect();
    kinds.sort_by_key(|(kind, figures)| (std::cmp::Reverse(figures.questions), *kind));
    for (kind, figures) in kinds.iter().take(KINDS_LISTED) {
        line(
            out,
            format_args!(
                "  {:<44} {:>5} {:>9.4} {:>9.4} {:>9.2}",
                shorten(kind, 44),
                figures.questions,
                figures.exact_set_accuracy,
                figures.refused,
                figures.latency_ms.p50
            ),
        );
    }
    if kinds.len() > KINDS_LISTED {
        let more = kinds.len() - KINDS_LISTED;
        line(
            out,
            format_args!("  … and {more} more kinds (all in the JSON)"),
        );
    }
}

fn failures(out: &mut String, failures: &[FailureKind]) {
    if failures.is_empty() {
        return;
    }
    line(out, format_args!("\n  what fails"));
    for failure in failures.iter().take(FAILURES_LISTED) {
        let kind = shorten(&failure.kind, 60);
        line(
            out,
            format_args!("  {:>5} × {kind} ({})", failure.count, failure.how),
        );
        for example in failure.examples.iter().take(1) {
            line(
                out,
                format_args!("          {}", shorten(&example.question, 100)),
            );
            line(
                out,
                format_args!(
                    "          expected {}; given {}",
                    shorten(&list(&example.expected), 60),
                    shorten(&list(&example.given), 60)
                ),
            );
        }
    }
    if failures.len() > FAILURES_LISTED {
        let more = failures.len() - FAILURES_LISTED;
        line(out, format_args!("  … and {more} more"));
    }
}

fn false_hits(out: &mut String, false_hits: &[FalseHit]) {
    if false_hits.is_empty() {
        return;
    }
    line(out, format_args!("\n  false hits"));
    for hit in false_hits.iter().take(FAILURES_LISTED) {
        line(
            out,
            format_args!(
                "  {} got the answer of {}",
                shorten(&hit.question, 60),
                shorten(&hit.from, 60)
            ),
        );
    }
}

/// The table of a pair set.
pub(super) fn pairs(report: &PairReport) -> String {
    let mut out = String::new();
    line(
        &mut out,
        format_args!(
            "{}: {} pairs, {}{}\n",
            report.dataset,
            report.questions,
            report.settings.describe(),
            interrupted(report.interrupted)
        ),
    );
    line(
        &mut out,
        format_args!(
            "  {:<22} {:>6} {:>6} {:>6} {:>6} | {:>6} {:>8} {:>6} {:>7} {:>6}",
            "kind",
            "differ",
            "false",
            "same q",
            "wrong",
            "para",
            "possible",
            "reused",
            "share",
            "right"
        ),
    );
    for (kind, figures) in &report.by_kind {
        pair_row(&mut out, kind, figures);
    }
    pair_row(&mut out, "all", &report.figures);
    let hit = report.figures.hit_latency_ms;
    for text in [
        String::new(),
        "false: a different question got the first one's values by reuse; same q: it ran the first one's".to_owned(),
        "query; wrong: it was a hit with a wrong answer; share: reused of possible (first answer right)".to_owned(),
        format!(
            "second answers right: {:.4}; a hit takes {:.2} ms (p50), {:.2} ms (p95)",
            report.figures.second_accuracy, hit.p50, hit.p95
        ),
    ] {
        line(&mut out, format_args!("  {text}"));
    }
    for example in report.examples.iter().take(FAILURES_LISTED) {
        line(
            &mut out,
            format_args!(
                "  {} ({}): {} | {} ({})",
                example.what,
                example.kind,
                shorten(&example.first, 70),
                shorten(&example.second, 70),
                shorten(example.reason.as_deref().unwrap_or("no reason given"), 60)
            ),
        );
    }
    out
}

fn pair_row(out: &mut String, kind: &str, figures: &PairFigures) {
    let reuse = figures
        .paraphrase_reuse
        .map_or("-".to_owned(), |reuse| format!("{reuse:.4}"));
    line(
        out,
        format_args!(
            "  {kind:<22} {:>6} {:>6} {:>6} {:>6} | {:>6} {:>8} {:>6} {reuse:>7} {:>6}",
            figures.different,
            figures.false_hits,
            figures.reused_template_same_entity,
            figures.wrong_hits,
            figures.paraphrases,
            figures.paraphrases_possible,
            figures.paraphrases_reused,
            figures.reused_right
        ),
    );
}

fn interrupted(interrupted: bool) -> &'static str {
    if interrupted {
        " (interrupted: figures of what was asked)"
    } else {
        ""
    }
}

fn list(values: &[String]) -> String {
    if values.is_empty() {
        "nothing".to_owned()
    } else {
        values.join(", ")
    }
}

fn shorten(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_owned();
    }
    let head: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{head}…")
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}
