//! `refrain warm`: fill the memory with questions that the graph suggests.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::{ProgressBar, ProgressStyle};
use refrain::warm::{Resume, WarmReport, WarmRequest};

use crate::args::{Global, WarmArgs};
use crate::failure::Outcome;
use crate::ui::{Tone, Ui, counted, safe};
use crate::{interrupt, open};

/// `refrain warm`
pub(crate) fn run(args: &WarmArgs, global: &Global, ui: Ui) -> Outcome {
    let engine = open::existing(global)?;
    let defaults = &engine.config().warm;
    let cancel = Arc::new(AtomicBool::new(false));
    interrupt::raise(Arc::clone(&cancel));
    let bar = ui.shows_progress().then(bar);
    let progress = |source: &str, done: usize, of: usize| {
        if let Some(bar) = &bar {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(source.to_owned());
        }
    };
    let reports = engine.warm(&WarmRequest {
        source: args.source.clone(),
        namespace: args.namespace.namespace.clone(),
        entities: args.entities.unwrap_or(defaults.entities),
        questions_per_entity: defaults.questions_per_entity,
        seed: args.seed.unwrap_or(defaults.seed),
        model_calls: args.model_calls.unwrap_or(defaults.model_calls),
        dry_run: args.dry_run,
        resume: if args.restart || args.dry_run {
            Resume::No
        } else {
            Resume::Yes
        },
        progress: &progress,
        cancel: &cancel,
    });
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    let reports = reports?;
    if ui.json {
        return ui.json(&reports);
    }
    for report in &reports {
        print(report, args.dry_run, ui)?;
    }
    Ok(())
}

fn print(report: &WarmReport, dry_run: bool, ui: Ui) -> Outcome {
    if report.entities == 0 && report.resumed_after > 0 {
        return ui.line(format!(
            "{}: all {} were done before; --restart does them again",
            report.source,
            counted(report.resumed_after as u64, "entity", "entities")
        ));
    }
    if dry_run {
        return ui.line(format!(
            "{}: {} would be made from {}, with at most {} of a language model to word them (about {} tokens) and no more than warm.model_calls in all",
            ui.paint(Tone::Name, &report.source),
            counted(report.made as u64, "question", "questions"),
            counted(report.entities as u64, "entity", "entities"),
            counted(u64::from(report.model_calls), "call", "calls"),
            report.tokens,
        ));
    }
    ui.line(format!(
        "{} {}: kept {} of {} from {}{}",
        ui.paint(Tone::Good, "warmed"),
        ui.paint(Tone::Name, &report.source),
        counted(report.kept as u64, "question", "questions"),
        report.made,
        counted(report.entities as u64, "entity", "entities"),
        if report.interrupted {
            " (interrupted; run it again to go on)"
        } else {
            ""
        },
    ))?;
    for (reason, count) in &report.dropped {
        ui.line(format!("  {count} dropped: {reason}"))?;
    }
    if report.model_calls > 0 {
        ui.line(format!(
            "  {} in a language model's words, for {} and {} tokens",
            report.worded,
            counted(u64::from(report.model_calls), "call", "calls"),
            report.tokens
        ))?;
    }
    for (reason, count) in &report.left_out {
        ui.line(format!("  {count} not asked: {reason}"))?;
    }
    if let Some(error) = &report.model_error {
        ui.line(format!(
            "  the language model was not always heard: {}",
            safe(error)
        ))?;
    }
    let kinds: Vec<String> = report
        .kinds
        .iter()
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    ui.paragraph(&format!("  {}", kinds.join(", ")), 2)?;
    for (question, reason) in report.examples.iter().take(3) {
        let text = format!("  dropped: {} ({reason})", safe(question));
        ui.paragraph(&text, 4)?;
    }
    Ok(())
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:28.cyan/dim} {pos}/{len} entities of {msg} {eta} left")
    {
        bar.set_style(style.progress_chars("━━╌"));
    }
    bar
}
