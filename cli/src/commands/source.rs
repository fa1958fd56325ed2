//! `refrain source`: what can be asked?

use std::io::{IsTerminal, Write};

use serde_json::json;

use crate::args::{Global, SourceCommand};
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{TextTable, Tone, Ui, counted, thousands};

/// Predicates shown of a source.
const PREDICATES_SHOWN: usize = 20;

/// `refrain source …`
pub(crate) fn run(command: &SourceCommand, global: &Global, ui: Ui) -> Outcome {
    match command {
        SourceCommand::List => list(global, ui),
        SourceCommand::Remove { name, yes } => remove(name, *yes, global, ui),
        SourceCommand::Describe { name, text } if text.is_empty() => show(name, global, ui),
        SourceCommand::Describe { name, text } => {
            let engine = open::existing(global)?;
            let text = text.join(" ");
            engine.describe_source(name, &text)?;
            if ui.json {
                return ui.json(&json!({ "source": name, "description": text }));
            }
            ui.line(format!("{name}: {text}"))
        }
    }
}

fn list(global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let mut summaries = Vec::new();
    for source in engine.sources() {
        summaries.push(source.summary()?);
    }
    if ui.json {
        return ui.json(&summaries);
    }
    if summaries.is_empty() {
        return ui.line("no sources yet; `refrain load FILE --domain NAME` makes one");
    }
    let mut table = TextTable::new(["SOURCE", "TRIPLES", "PREDICATES", "SIZE", "ABOUT"]);
    for summary in summaries {
        table.row([
            summary.name,
            thousands(summary.statements),
            thousands(summary.predicates as u64),
            bytes(summary.bytes),
            summary.description,
        ]);
    }
    table.print(ui)
}

fn show(name: &str, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let source = engine.source(name)?;
    let summary = source.summary()?;
    let predicates = source.predicates(PREDICATES_SHOWN)?;
    if ui.json {
        return ui.json(&json!({ "summary": summary, "predicates": predicates }));
    }
    ui.line(format!(
        "{}: {}, {}, {} on disk",
        ui.paint(Tone::Strong, name),
        counted(summary.statements, "triple", "triples"),
        counted(summary.predicates as u64, "predicate", "predicates"),
        bytes(summary.bytes)
    ))?;
    if !summary.description.is_empty() {
        ui.line(summary.description)?;
    }
    ui.line("")?;
    let mut table = TextTable::new(["PREDICATE", "TRIPLES", "IRI"]);
    for predicate in predicates {
        table.row([
            predicate.label,
            thousands(predicate.statements),
            predicate.iri,
        ]);
    }
    table.print(ui)
}

fn remove(name: &str, yes: bool, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let summary = engine.source(name)?.summary()?;
    let what = counted(summary.statements, "triple", "triples");
    if !yes && !confirmed(&format!("remove {name} with its {what}? [y/N] "))? {
        return Err(
            Failure::usage(format!("\"{name}\" was not removed")).hint("confirm with --yes")
        );
    }
    let report = engine.remove_source(name)?;
    if ui.json {
        return ui.json(&report);
    }
    ui.line(format!(
        "{} {name} with its {what}",
        ui.paint(Tone::Good, "removed")
    ))?;
    if report.suspects > 0 {
        let suspects = counted(report.suspects, "experience", "experiences");
        ui.line(format!("{suspects} will be verified again before use"))?;
    }
    Ok(())
}

/// Asks on a terminal; elsewhere the answer is no.
fn confirmed(question: &str) -> Outcome<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let mut err = std::io::stderr().lock();
    write!(err, "{question}")?;
    err.flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Bytes as a person reads them.
pub(crate) fn bytes(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", tenths(KIB)),
        MIB..GIB => format!("{} MiB", tenths(MIB)),
        GIB.. => format!("{} GiB", tenths(GIB)),
    }
}
