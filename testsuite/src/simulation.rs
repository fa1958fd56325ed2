//! Which replacement policy would have served best? Tables, JSON and charts of what `simulate` runs.

mod panels;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use serde::Serialize;
use simulate::{Contender, Matrix, Row, WorkloadKind};

use crate::chart;
use crate::progress::Progress;

/// What `refrain simulate` is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulationOptions {
    /// The kind of workload.
    pub kind: WorkloadKind,
    /// Who takes part; empty for the usual.
    pub contenders: Vec<Contender>,
    /// Places in the cache; empty for those of the published table.
    pub capacities: Vec<usize>,
    /// Seeds of workload and policy.
    pub seeds: Vec<u32>,
}

/// A curve is saturated where it reaches this share of its highest point.
const SATURATED: f64 = 0.95;

/// What a simulation found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationReport {
    /// The kind of workload.
    pub workload: &'static str,
    /// One row a policy and cell.
    pub rows: Vec<Row>,
    /// True when it was stopped: only complete cells are reported.
    pub interrupted: bool,
    /// None for a journal's history.
    #[serde(skip)]
    kind: Option<WorkloadKind>,
}

/// Every member of the family, and the references beside them.
pub(crate) fn all_contenders() -> Vec<Contender> {
    WorkloadKind::Cycling.usual_contenders()
}

/// Runs a simulation on all cores.
pub fn simulate(options: &SimulationOptions, progress: &mut dyn Progress) -> SimulationReport {
    let capacities = if options.capacities.is_empty() {
        options.kind.published_capacities()
    } else {
        options.capacities.clone()
    };
    let contenders = if options.contenders.is_empty() {
        options.kind.usual_contenders()
    } else {
        options.contenders.clone()
    };
    let matrix = options
        .kind
        .matrix(&capacities, contenders, options.seeds.clone());
    run_matrix(options.kind.as_str(), Some(options.kind), &matrix, progress)
}

/// Runs a matrix on all cores and reports it.
pub(crate) fn run_matrix(
    workload: &'static str,
    kind: Option<WorkloadKind>,
    matrix: &Matrix,
    progress: &mut dyn Progress,
) -> SimulationReport {
    let stop = Arc::new(AtomicBool::new(false));
    let rows = watched(matrix, &stop, progress);
    SimulationReport {
        workload,
        rows,
        interrupted: stop.load(Ordering::Relaxed),
        kind,
    }
}

/// Runs on other threads, and tells the progress from this one.
fn watched(matrix: &Matrix, stop: &AtomicBool, progress: &mut dyn Progress) -> Vec<Row> {
    let (tell, hear) = std::sync::mpsc::channel();
    let tell = Mutex::new(tell);
    progress.begin("simulating", matrix.runs());
    let rows = std::thread::scope(|scope| {
        let running = scope.spawn(move || {
            let rows = matrix.run(stop, &|done| {
                // Nobody listens any more only when the run is over.
                if let Ok(tell) = tell.lock() {
                    let _heard = tell.send(done);
                }
            });
            drop(tell);
            rows
        });
        for done in hear {
            progress.advance(done, "");
            if progress.stopped() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        running.join()
    });
    progress.finish();
    rows.unwrap_or_default()
}

/// Columns of a table: the cells, in the order of the rows.
fn columns(rows: &[Row]) -> Vec<(&str, usize)> {
    let mut columns: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        let column = (row.variant.as_str(), row.capacity);
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

fn policies(rows: &[Row]) -> Vec<&'static str> {
    let mut policies = Vec::new();
    for row in rows {
        if !policies.contains(&row.policy) {
            policies.push(row.policy);
        }
    }
    policies
}

/// The column's name: what varies.
fn heading(kind: Option<WorkloadKind>, variant: &str, capacity: usize) -> String {
    match kind {
        Some(WorkloadKind::Cycling) => {
            let topics: f64 = variant.trim_start_matches('m').parse().unwrap_or(0.0);
            #[expect(clippy::cast_precision_loss, reason = "a capacity is far below 2^52")]
            let ratio = topics / capacity as f64;
            format!("m/K={ratio:.1}")
        }
        Some(WorkloadKind::NoiseStatic) if variant == "uniform" => format!("u{capacity}"),
        Some(
            WorkloadKind::WorkingSet
            | WorkloadKind::TopicDrift
            | WorkloadKind::NoiseStatic
            | WorkloadKind::NoiseStream
            | WorkloadKind::NoisePaired,
        )
        | None => format!("K={capacity}"),
    }
}

/// The first few names, and how many more.
fn shortened(names: &[&str]) -> String {
    const NAMED: usize = 4;
    let named = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

impl SimulationReport {
    /// As one JSON value.
    ///
    /// # Errors
    /// When a figure is not a number, which no run produces.
    pub fn to_json(&self) -> anyhow::Result<serde_json::Value> {
        serde_json::to_value(self).context("a figure of the report is not a number")
    }

    fn at(&self, policy: &str, column: (&str, usize)) -> Option<&Row> {
        self.rows
            .iter()
            .find(|row| row.policy == policy && (row.variant.as_str(), row.capacity) == column)
    }

    /// Hit rates, a line a policy, a column a cell; then how often the store changed.
    #[must_use]
    pub fn table(&self) -> String {
        let mut out = String::new();
        let columns = columns(&self.rows);
        let seeds = self.rows.first().map_or(0, |row| row.seeds);
        let stopped = if self.interrupted {
            ", stopped early"
        } else {
            ""
        };
        self.block(
            &mut out,
            &format!(
                "{}: hit rate, mean of {seeds} seeds{stopped}",
                self.workload
            ),
            &columns,
            |row| row.hit_rate,
        );
        if self.kind.is_none() {
            self.advise(&mut out, &columns);
        }
        self.block(
            &mut out,
            "modification rate: share of offers that entered",
            &columns,
            |row| row.modification_rate,
        );
        out
    }

    /// Which member served best at each capacity, and from where on a window of the last K would have been enough.
    fn advise(&self, out: &mut String, columns: &[(&str, usize)]) {
        let rate = |policy: &str, column| self.at(policy, column).map_or(0.0, |row| row.hit_rate);
        let members = || {
            let references = [Contender::Unlimited.as_str(), Contender::Freeze.as_str()];
            policies(&self.rows)
                .into_iter()
                .filter(move |policy| !references.contains(policy))
        };
        for column in columns {
            let best = members()
                .map(|policy| rate(policy, *column))
                .fold(0.0, f64::max);
            let leaders: Vec<&str> = members()
                .filter(|policy| rate(policy, *column) >= best)
                .collect();
            // Writing to a string cannot fail.
            let _infallible = writeln!(
                out,
                "  K={}: {best:.4} by {}",
                column.1,
                shortened(&leaders)
            );
        }
        let most = columns.iter().map(|c| rate("fifo", *c)).fold(0.0, f64::max);
        let enough = columns
            .iter()
            .find(|column| most > 0.0 && rate("fifo", **column) >= SATURATED * most);
        if let Some((_, places)) = enough {
            let _infallible = writeln!(
                out,
                "  fifo is saturated from K={places} on: {:.0} % of its most",
                SATURATED * 100.0
            );
        }
        out.push('\n');
    }

    fn block(
        &self,
        out: &mut String,
        title: &str,
        columns: &[(&str, usize)],
        value: impl Fn(&Row) -> f64,
    ) {
        // Writing to a string cannot fail.
        let mut line = |text: String| {
            let _infallible = writeln!(out, "{}", text.trim_end());
        };
        line(format!("{title}\n"));
        let mut head = format!("  {:<18}", "policy");
        for (variant, capacity) in columns {
            let _infallible = write!(head, " {:>8}", heading(self.kind, variant, *capacity));
        }
        line(head);
        for policy in policies(&self.rows) {
            let mut text = format!("  {policy:<18}");
            for column in columns {
                let cell = self
                    .at(policy, *column)
                    .map_or("-".to_owned(), |row| format!("{:.4}", value(row)));
                let _infallible = write!(text, " {cell:>8}");
            }
            line(text);
        }
        line(String::new());
    }

    /// Draws the charts that the workload has as `<workload>-<what>.svg` and `.png` into `folder`. Gives the files written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn draw(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        fs_err::create_dir_all(folder)?;
        let mut files = Vec::new();
        for (what, panel) in self.panels() {
            let scene = chart::lines(&panel);
            let stem = format!("{}-{what}", self.workload);
            let svg = folder.join(format!("{stem}.svg"));
            fs_err::write(&svg, chart::svg(&scene))?;
            let png = folder.join(format!("{stem}.png"));
            fs_err::write(&png, chart::png(&scene)?)?;
            files.extend([svg, png]);
        }
        Ok(files)
    }
}
