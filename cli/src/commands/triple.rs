//! `refrain triple`: single facts in and out.

use std::io::Read;

use refrain::Edit;
use refrain::load::parse_ntriples;

use crate::args::{Global, TripleArgs, TripleCommand};
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{Tone, Ui, counted};

/// `refrain triple …`
pub(crate) fn run(command: &TripleCommand, global: &Global, ui: Ui) -> Outcome {
    let (edit, args) = match command {
        TripleCommand::Add(args) => (Edit::Add, args),
        TripleCommand::Remove(args) => (Edit::Remove, args),
    };
    apply(edit, args, global, ui)
}

fn apply(edit: Edit, args: &TripleArgs, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let source = engine.source_or_only(args.source.as_deref())?;
    let terms: Vec<&str> = args.terms.iter().map(String::as_str).collect();
    let quads = match terms.as_slice() {
        ["-"] => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            parse_ntriples(&text)?
        }
        [subject, predicate, object] => {
            vec![engine.parse_triple(&source, [subject, predicate, object])?]
        }
        other => {
            return Err(Failure::usage(format!("a triple has 3 parts, and {} were given", other.len()))
                .hint("put quotes around names of several words, as in refrain triple add \"The Post\" genre drama"));
        }
    };
    let report = engine.edit(&source, edit, &quads)?;
    if ui.json {
        return ui.json(&report);
    }
    let (verb, unchanged) = match edit {
        Edit::Add => ("added", "already there"),
        Edit::Remove => ("removed", "not there"),
    };
    let changed = counted(report.changed, "triple", "triples");
    ui.line(format!(
        "{} {changed} in {}",
        ui.paint(Tone::Good, verb),
        report.source
    ))?;
    let rest = report.named as u64 - report.changed.min(report.named as u64);
    if rest > 0 {
        ui.line(format!("{} {unchanged}", counted(rest, "was", "were")))?;
    }
    if report.suspects > 0 {
        let suspects = counted(report.suspects, "experience rests", "experiences rest");
        ui.line(format!(
            "{suspects} on that and will be verified again before use"
        ))?;
    }
    Ok(())
}
