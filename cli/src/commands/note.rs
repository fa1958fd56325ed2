//! `refrain memory add|recall|feedback|pin|unpin`: what does an agent put down and find again?

use std::path::Path;

use refrain::Engine;
use serde_json::json;

use crate::args::{AddArgs, Global, NoteVerdict};
use crate::failure::{Failure, Outcome};
use crate::input::text_of;
use crate::open;
use crate::ui::{TextTable, Tone, Ui, counted};

/// `refrain memory add`
pub(crate) fn add(args: &AddArgs, global: &Global, ui: Ui) -> Outcome {
    let notes = texts(args)?;
    if notes.is_empty() {
        return Err(Failure::usage("there is no note to put down").hint(
            "refrain memory add \"what is worth keeping\", or one note a line on standard input",
        ));
    }
    let engine = open::or_create(global)?;
    let reports = engine.add_notes(&args.namespace.namespace, &notes)?;
    if ui.json {
        return ui.json(&reports);
    }
    for report in &reports {
        let id = report.id.as_deref().unwrap_or("-");
        let left = report
            .evicted
            .as_ref()
            .map_or_else(String::new, |old| format!(", {old} left for it"));
        let reason = report
            .reason
            .as_ref()
            .map_or_else(String::new, |reason| format!(": {reason}"));
        ui.line(format!("{id} {}{left}{reason}", report.outcome))?;
    }
    Ok(())
}

/// The words of the command line as one note, or each line of a file or of standard input.
fn texts(args: &AddArgs) -> Outcome<Vec<String>> {
    if !args.text.is_empty() {
        return Ok(vec![args.text.join(" ")]);
    }
    let text = text_of(args.file.as_deref().unwrap_or(Path::new("-")))?;
    let lines = text.lines().map(str::trim);
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

/// `refrain memory recall`
pub(crate) fn recall(
    engine: &Engine,
    namespace: &str,
    query: &str,
    top_k: usize,
    ui: Ui,
) -> Outcome {
    let found = engine.recall_notes(namespace, query, top_k)?;
    engine.settle()?;
    if ui.json {
        return ui.json(&found);
    }
    if found.is_empty() {
        return ui.line("no note is remembered; `refrain memory add` puts one down");
    }
    let mut table = TextTable::new(["ID", "RELEVANCE", "TRUST", "NOTE"]);
    for note in found {
        table.row([
            note.id,
            format!("{:.2}", note.relevance),
            format!("{:.2}", note.trust),
            note.text,
        ]);
    }
    table.print(ui)
}

/// `refrain memory feedback`
pub(crate) fn feedback(
    engine: &Engine,
    namespace: &str,
    id: &str,
    verdict: NoteVerdict,
    ui: Ui,
) -> Outcome {
    let good = verdict == NoteVerdict::Good;
    let id = engine.judge_note(namespace, id, good)?.to_string();
    let stored = engine.experience(namespace, &id)?;
    let trust = stored.usage.posterior.mean();
    if ui.json {
        return ui.json(&json!({ "id": id, "good": good, "trust": trust }));
    }
    ui.line(format!(
        "{} trust {trust:.2}, recalled {}",
        ui.paint(Tone::Good, "noted:"),
        counted(stored.usage.retrieved, "time", "times")
    ))
}

/// `refrain memory pin` and `unpin`
pub(crate) fn pin(engine: &Engine, namespace: &str, id: &str, pinned: bool, ui: Ui) -> Outcome {
    let id = engine.pin(namespace, id, pinned)?.to_string();
    if ui.json {
        return ui.json(&json!({ "id": id, "pinned": pinned }));
    }
    let what = if pinned { "pinned" } else { "unpinned" };
    ui.line(format!("{} {id}", ui.paint(Tone::Good, what)))
}
