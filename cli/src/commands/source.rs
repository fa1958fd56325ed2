//! `refrain source`: what can be asked?

use std::io::{IsTerminal, Write};

use serde_json::json;

use crate::args::{Global, SourceCommand};
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{TextTable, Tone, Ui, counted, thousands};

/// Predicates shown of a source.
const PREDICATES_SHOWN: usize = 20;
/// Documents shown of a corpus.
const DOCUMENTS_SHOWN: usize = 200;

/// `refrain source …`
pub(crate) fn run(command: &SourceCommand, global: &Global, ui: Ui) -> Outcome {
    match command {
        SourceCommand::List => list(global, ui),
        SourceCommand::Remove {
            name,
            document: Some(document),
            ..
        } => remove_document(name, document, global, ui),
        SourceCommand::Remove { name, yes, .. } => remove(name, *yes, global, ui),
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
    let corpora = engine.corpora()?;
    if ui.json {
        let graphs = summaries.iter().map(|graph| json!(graph));
        let all: Vec<_> = graphs
            .chain(corpora.iter().map(|corpus| json!(corpus)))
            .collect();
        return ui.json(&all);
    }
    if summaries.is_empty() && corpora.is_empty() {
        return ui.line(
            "no sources yet; `refrain load FILE --domain NAME` makes one of triples, `refrain add PATH` one of documents",
        );
    }
    if !corpora.is_empty() {
        let mut table = TextTable::new(["CORPUS", "DOCUMENTS", "PASSAGES", "NAMES", "SIZE"]);
        for corpus in corpora {
            table.row([
                corpus.name,
                thousands(corpus.documents as u64),
                thousands(corpus.passages as u64),
                thousands(corpus.entities as u64),
                bytes(corpus.bytes),
            ]);
        }
        table.print(ui)?;
        if summaries.is_empty() {
            return Ok(());
        }
        ui.line("")?;
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
    if engine.corpus(name).is_ok() {
        return show_corpus(&engine, name, ui);
    }
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

fn show_corpus(engine: &refrain::Engine, name: &str, ui: Ui) -> Outcome {
    let documents = engine.documents(name)?;
    if ui.json {
        return ui.json(&json!({ "corpus": name, "documents": documents }));
    }
    let mut table = TextTable::new(["DOCUMENT", "TITLE", "KIND", "PASSAGES"]);
    let rest = documents.len().saturating_sub(DOCUMENTS_SHOWN);
    for document in documents.into_iter().take(DOCUMENTS_SHOWN) {
        table.row([
            document.source,
            document.title,
            document.kind,
            thousands(document.passages as u64),
        ]);
    }
    table.print(ui)?;
    if rest > 0 {
        ui.line(format!(
            "… {} more (--json has all)",
            counted(rest as u64, "document", "documents")
        ))?;
    }
    Ok(())
}

fn remove_document(corpus: &str, document: &str, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let known = engine.documents(corpus)?;
    let whole = open::whole(std::path::Path::new(document))
        .display()
        .to_string();
    let name = known
        .iter()
        .map(|known| known.source.as_str())
        .find(|known| *known == document || *known == whole)
        .unwrap_or(document);
    let suspects = engine.remove_document(corpus, name)?;
    if ui.json {
        return ui.json(&json!({ "corpus": corpus, "document": document, "suspects": suspects }));
    }
    ui.line(format!(
        "{} {document} from {corpus}",
        ui.paint(Tone::Good, "removed")
    ))?;
    say_suspects(suspects, ui)
}

fn remove_corpus(engine: &refrain::Engine, name: &str, yes: bool, ui: Ui) -> Outcome {
    // A corpus that cannot be read can still be removed.
    let what = engine.documents(name).map_or_else(
        |_| "documents".to_owned(),
        |documents| counted(documents.len() as u64, "document", "documents"),
    );
    if !yes && !confirmed(&format!("remove {name} with its {what}? [y/N] "))? {
        return Err(
            Failure::usage(format!("\"{name}\" was not removed")).hint("confirm with --yes")
        );
    }
    let suspects = engine.remove_corpus(name)?;
    if ui.json {
        return ui.json(&json!({ "corpus": name, "suspects": suspects }));
    }
    ui.line(format!(
        "{} {name} with its {what}",
        ui.paint(Tone::Good, "removed")
    ))?;
    say_suspects(suspects, ui)
}

fn say_suspects(suspects: u64, ui: Ui) -> Outcome {
    if suspects == 0 {
        return Ok(());
    }
    let suspects = counted(suspects, "experience", "experiences");
    ui.line(format!("{suspects} will be verified again before use"))
}

fn remove(name: &str, yes: bool, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    if engine.corpus(name).is_ok() {
        return remove_corpus(&engine, name, yes, ui);
    }
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
    say_suspects(report.suspects, ui)
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
