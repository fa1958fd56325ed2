//! `refrain add`: how do documents get in?

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use refrain::{AddReport, AddRequest, ReadingProgress};
use serde_json::json;

use crate::args::{DocumentArgs, Global};
use crate::failure::{Failure, Outcome};
use crate::ui::{Tone, Ui, counted, duration, thousands};
use crate::{interrupt, open};

/// How often the bar is redrawn.
const REDRAW: Duration = Duration::from_millis(100);

/// `refrain add`
pub(crate) fn run(args: &DocumentArgs, global: &Global, ui: Ui) -> Outcome {
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        return Err(Failure::new(format!(
            "there is no file or folder {}",
            missing.display()
        ))
        .hint("a document whose file is gone is taken out with `refrain source remove NAME --document PATH`"));
    }
    let paths = args.paths.iter().map(|path| open::whole(path));
    let engine = open::or_create(global)?;
    let bar = ui.shows_progress().then(bar);
    let cancel = Arc::new(AtomicBool::new(false));
    interrupt::raise(Arc::clone(&cancel));
    let started = Instant::now();
    let mut request = AddRequest::new(args.corpus.clone(), paths.collect());
    request.cancel = Some(cancel);
    request.progress = bar.clone().map(|bar| {
        let show: Arc<dyn Fn(ReadingProgress) + Send + Sync> = Arc::new(move |at| show(&bar, at));
        show
    });
    let added = engine.add(request);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let report = added?;
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    for problem in &report.problems {
        ui.warn(format!("skipped {problem}"));
    }
    let outcome = print(&report, micros, ui);
    if report.interrupted {
        return Err(Failure {
            code: 130,
            ..Failure::new(
                "interrupted; what went in stays, and the same command goes on from there",
            )
        });
    }
    outcome?;
    let read = report.added + report.changed + report.unchanged;
    if read == 0 && report.skipped > 0 {
        return Err(
            Failure::new("nothing was added: every file and line was skipped")
                .hint("the warnings above say why"),
        );
    }
    Ok(())
}

fn print(report: &AddReport, micros: u64, ui: Ui) -> Outcome {
    if ui.json {
        return ui.json(&json!({ "report": report, "micros": micros }));
    }
    let new = counted(report.added, "document", "documents");
    ui.line(format!(
        "{} {new} to {} in {}; it has {} now",
        ui.paint(Tone::Good, "added"),
        ui.paint(Tone::Name, &report.corpus),
        duration(micros),
        counted(report.passages as u64, "passage", "passages"),
    ))?;
    let others: Vec<String> = [
        (report.changed, "changed"),
        (report.unchanged, "unchanged"),
        (report.gone, "gone"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{} {what}", thousands(count)))
    .collect();
    if !others.is_empty() {
        ui.line(others.join(", "))?;
    }
    if report.skipped > 0 {
        let more = report.skipped - report.problems.len() as u64;
        let note = if more > 0 {
            format!(", {} of them not shown", thousands(more))
        } else {
            String::new()
        };
        ui.line(format!(
            "{} {} skipped{note}",
            ui.paint(Tone::Warn, "note:"),
            counted(report.skipped, "file or line was", "files or lines were"),
        ))?;
    }
    if report.hidden > 0 {
        ui.line(format!(
            "{} {} text that is not shown; it was left out",
            ui.paint(Tone::Warn, "note:"),
            counted(report.hidden, "web page has", "web pages have"),
        ))?;
    }
    if report.suspects > 0 {
        let suspects = counted(report.suspects, "experience", "experiences");
        ui.line(format!("{suspects} will be verified again before use"))?;
    }
    Ok(())
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(REDRAW);
    bar
}

fn show(bar: &ProgressBar, at: ReadingProgress) {
    if bar.length() != Some(at.bytes_total) {
        bar.set_length(at.bytes_total);
        let style = ProgressStyle::with_template(
            "{bar:28.cyan/dim} {bytes}/{total_bytes} {msg} {eta} left",
        );
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━━╌"));
        }
    }
    bar.set_position(at.bytes_done);
    bar.set_message(format!("{} documents", thousands(at.documents)));
}
