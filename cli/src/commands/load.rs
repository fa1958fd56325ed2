//! `refrain load`: how do graphs get in?

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use refrain::LoadRequest;
use refrain::graph_store::{self, Progress};
use serde_json::json;

use crate::args::{Format, Global, LoadArgs};
use crate::failure::{Failure, Outcome};
use crate::ui::{Tone, Ui, counted, duration, thousands};
use crate::{interrupt, open};

/// `refrain load`
pub(crate) fn run(args: &LoadArgs, global: &Global, ui: Ui) -> Outcome {
    let inputs = inputs(&args.files)?;
    let files = inputs.len();
    let engine = open::or_create(global)?;
    let bar = ui.shows_progress().then(bar);
    let cancel = Arc::new(AtomicBool::new(false));
    interrupt::raise(Arc::clone(&cancel));
    let started = Instant::now();
    let loaded = engine.load(LoadRequest {
        source: args.domain.clone(),
        inputs,
        format: args.format.map(format),
        lenient: args.lenient,
        description: args.description.clone(),
        progress: bar.clone().map(|bar| {
            let show: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(move |at| show(&bar, at));
            show
        }),
        cancel: Some(cancel),
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let report = loaded.map_err(|error| {
        if refrain::load::was_cancelled(&error) {
            Failure {
                code: 130,
                ..Failure::new(format!("interrupted; \"{}\" is as it was", args.domain))
            }
        } else {
            error.into()
        }
    })?;
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    for problem in &report.problems {
        ui.warn(format!("skipped {problem}"));
    }
    if ui.json {
        let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        return ui.json(&json!({
            "source": args.domain,
            "files": files,
            "statements_read": report.statements_read,
            "statements_added": report.statements_added,
            "skipped": report.skipped,
            "problems": problems,
            "bytes_read": report.bytes_read,
            "generation": report.generation,
            "micros": micros,
        }));
    }
    let per_second = report.statements_read.saturating_mul(1_000_000) / micros.max(1);
    let read = counted(report.statements_read, "triple", "triples");
    ui.line(format!(
        "{} {read} into {} ({} new) in {}, {} a second",
        ui.paint(Tone::Good, "loaded"),
        ui.paint(Tone::Name, &args.domain),
        thousands(report.statements_added),
        duration(micros),
        thousands(per_second),
    ))?;
    if report.skipped > 0 {
        let skipped = counted(report.skipped, "broken line was", "broken lines were");
        ui.line(format!(
            "{} {skipped} skipped",
            ui.paint(Tone::Warn, "note:")
        ))?;
    }
    Ok(())
}

/// Paths, patterns and `-` as things to load.
fn inputs(given: &[String]) -> Outcome<Vec<graph_store::Source>> {
    let mut inputs = Vec::new();
    for name in given {
        if name == "-" {
            if std::io::stdin().is_terminal() {
                return Err(Failure::usage(
                    "standard input is a terminal, there is nothing to load",
                )
                .hint(
                    "pipe a file in, as in `zcat graph.nt.gz | refrain load - --format ntriples`",
                ));
            }
            inputs.push(graph_store::Source::reader(
                "standard input",
                std::io::stdin(),
            ));
            continue;
        }
        for path in paths(name)? {
            inputs.push(graph_store::Source::path(path));
        }
    }
    Ok(inputs)
}

fn paths(name: &str) -> Outcome<Vec<PathBuf>> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    if path.is_dir() {
        return Err(
            Failure::usage(format!("{name} is a directory")).hint(format!(
                "name its files, as in '{}/*.ttl'",
                name.trim_end_matches('/')
            )),
        );
    }
    if path.exists() {
        return Err(Failure::usage(format!(
            "{name} is no file but a pipe, a device or a socket"
        ))
        .hint(format!(
            "give what it holds on standard input, as in `refrain load - --format ntriples < {name}`"
        )));
    }
    if !name.contains(['*', '?', '[']) {
        return Err(Failure::new(format!("there is no file {name}")).maybe_hint(nearest(path)));
    }
    let bad = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("the pattern {name} is wrong: {error}"))
    };
    let mut found = Vec::new();
    for entry in glob::glob(name).map_err(|error| bad(&error))? {
        let entry = entry.map_err(|error| bad(&error))?;
        if entry.is_file() {
            found.push(entry);
        }
    }
    if found.is_empty() {
        return Err(Failure::new(format!("no file matches {name}")));
    }
    found.sort();
    Ok(found)
}

/// The file in the same directory that was probably meant.
fn nearest(path: &Path) -> Option<String> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let names: Vec<String> = fs_err::read_dir(directory)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let asked = path.file_name()?.to_str()?;
    let close = refrain::suggest::closest(asked, names.iter().map(String::as_str))?;
    Some(format!(
        "did you mean {}?",
        path.with_file_name(close).display()
    ))
}

fn format(format: Format) -> graph_store::Format {
    match format {
        Format::Turtle => graph_store::Format::Turtle,
        Format::NTriples => graph_store::Format::NTriples,
        Format::NQuads => graph_store::Format::NQuads,
        Format::Trig => graph_store::Format::TriG,
        Format::RdfXml => graph_store::Format::RdfXml,
        Format::JsonLd => graph_store::Format::JsonLd,
        Format::Csv => graph_store::Format::Csv,
        Format::Tsv => graph_store::Format::Tsv,
    }
}

/// How often the bar is redrawn.
const REDRAW: Duration = Duration::from_millis(100);

fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(REDRAW);
    bar
}

fn show(bar: &ProgressBar, at: Progress) {
    if let Some(total) = at.bytes_total
        && bar.length() != Some(total)
    {
        bar.set_length(total);
        let style = ProgressStyle::with_template(
            "{bar:28.cyan/dim} {bytes}/{total_bytes} {msg} {eta} left",
        );
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━━╌"));
        }
    }
    bar.set_position(at.bytes_read);
    let read = if at.bytes_total.is_some_and(|total| at.bytes_read >= total) {
        "sorting"
    } else {
        "triples"
    };
    bar.set_message(format!("{} {read}", thousands(at.statements)));
}
