//! How does the server fare? Counters in Prometheus' text format.
//!
//! Labels are routes, statuses and hit kinds: nothing that tells tenants apart.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use refrain::{Answer, HitKind};

use crate::routes::ROUTES;

/// Upper bounds of the latency buckets, in microseconds.
const BUCKETS_MICROS: [u64; 12] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 250_000, 1_000_000, 10_000_000,
    60_000_000,
];

/// Statuses that are counted one by one; all others are counted as 0.
const STATUSES: [u16; 16] = [
    200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 429, 500,
];
const LATE_STATUSES: [u16; 2] = [503, 504];

/// Where requests are counted that have no route.
const UNMATCHED: &str = "unmatched";

#[derive(Debug, Default)]
struct RouteCounts {
    by_status: [AtomicU64; STATUSES.len() + LATE_STATUSES.len() + 1],
    buckets: [AtomicU64; BUCKETS_MICROS.len()],
    micros: AtomicU64,
    count: AtomicU64,
}

/// All counters of a server.
#[derive(Debug)]
pub(crate) struct Metrics {
    routes: Vec<RouteCounts>,
    /// Requests under way.
    in_flight: AtomicU64,
    /// Open connections.
    connections: AtomicU64,
    answers: [AtomicU64; 4],
    rows: AtomicU64,
    model_calls: AtomicU64,
    tokens: AtomicU64,
}

/// Figures that are read when they are asked for.
pub(crate) struct Gauges {
    pub(crate) waiting: u64,
    pub(crate) unlearned: refrain::remembered::Unlearned,
    pub(crate) log_dropped: u64,
    pub(crate) ready: bool,
}

/// A number that goes up now and down when this is dropped.
pub(crate) struct Held<'a>(&'a AtomicU64);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            routes: (0..=ROUTES.len()).map(|_| RouteCounts::default()).collect(),
            in_flight: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            answers: Default::default(),
            rows: AtomicU64::new(0),
            model_calls: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
        }
    }

    pub(crate) fn under_way(&self) -> Held<'_> {
        held(&self.in_flight)
    }

    pub(crate) fn connected(&self) -> Held<'_> {
        held(&self.connections)
    }

    /// Counts a request; `route` is its place in [`ROUTES`].
    pub(crate) fn count(&self, route: Option<usize>, status: StatusCode, took: Duration) {
        let Some(counts) = self.routes.get(route.unwrap_or(ROUTES.len())) else {
            return;
        };
        let mut known = STATUSES.iter().chain(&LATE_STATUSES);
        let place = known.position(|known| *known == status.as_u16());
        let place = place.unwrap_or(counts.by_status.len() - 1);
        counts.by_status[place].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS_MICROS.iter().position(|most| micros <= *most);
        if let Some(bucket) = bucket {
            counts.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
        counts.micros.fetch_add(micros, Ordering::Relaxed);
        counts.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts what an answer was and used.
    pub(crate) fn answered(&self, answer: &Answer) {
        let place = match answer.hit_kind {
            _ if answer.refused => 3,
            HitKind::None => 0,
            HitKind::Plan => 1,
            HitKind::Exact => 2,
        };
        self.answers[place].fetch_add(1, Ordering::Relaxed);
        let cost = &answer.cost;
        self.rows.fetch_add(cost.rows, Ordering::Relaxed);
        self.model_calls
            .fetch_add(u64::from(cost.model_calls), Ordering::Relaxed);
        self.tokens.fetch_add(cost.tokens, Ordering::Relaxed);
    }

    /// All of it as text.
    pub(crate) fn render(&self, gauges: &Gauges) -> String {
        let mut out = String::new();
        self.render_requests(&mut out);
        self.render_latencies(&mut out);
        head(
            &mut out,
            "refrain_answers_total",
            "counter",
            "Answers by how much came from memory.",
        );
        for (kind, count) in ["none", "plan", "exact", "refused"]
            .iter()
            .zip(&self.answers)
        {
            let count = count.load(Ordering::Relaxed);
            line(
                &mut out,
                format_args!("refrain_answers_total{{hit_kind=\"{kind}\"}} {count}"),
            );
        }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let single = [
            (
                "refrain_rows_read_total",
                "counter",
                "Rows read from graphs.",
                read(&self.rows),
            ),
            (
                "refrain_model_calls_total",
                "counter",
                "Calls of a language model.",
                read(&self.model_calls),
            ),
            (
                "refrain_model_tokens_total",
                "counter",
                "Tokens of a language model.",
                read(&self.tokens),
            ),
            (
                "refrain_unlearned_dropped_total",
                "counter",
                "Answers that were not learned because the queue was full.",
                gauges.unlearned.dropped,
            ),
            (
                "refrain_unlearned_lost_total",
                "counter",
                "Answers that were not learned because the journal failed.",
                gauges.unlearned.lost,
            ),
            (
                "refrain_log_lines_dropped_total",
                "counter",
                "Log lines that nobody read in time.",
                gauges.log_dropped,
            ),
            (
                "refrain_requests_in_flight",
                "gauge",
                "Requests under way.",
                read(&self.in_flight),
            ),
            (
                "refrain_connections",
                "gauge",
                "Open connections.",
                read(&self.connections),
            ),
            (
                "refrain_engine_calls_waiting",
                "gauge",
                "Engine calls that wait for their turn.",
                gauges.waiting,
            ),
            (
                "refrain_ready",
                "gauge",
                "1 while requests are taken, 0 while the server stops.",
                u64::from(gauges.ready),
            ),
        ];
        for (name, kind, help, value) in single {
            head(&mut out, name, kind, help);
            line(&mut out, format_args!("{name} {value}"));
        }
        out
    }

    fn render_requests(&self, out: &mut String) {
        head(
            out,
            "refrain_http_requests_total",
            "counter",
            "Requests by route and status.",
        );
        for (place, counts) in self.routes.iter().enumerate() {
            let (method, path) = name(place);
            let statuses = STATUSES.iter().chain(&LATE_STATUSES).chain(&[0]);
            for (status, count) in statuses.zip(&counts.by_status) {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    line(
                        out,
                        format_args!(
                            "refrain_http_requests_total{{method=\"{method}\",route=\"{path}\",status=\"{status}\"}} {count}"
                        ),
                    );
                }
            }
        }
    }

    fn render_latencies(&self, out: &mut String) {
        let family = "refrain_http_request_duration_seconds";
        head(
            out,
            family,
            "histogram",
            "Time from a request's head to its answer's head.",
        );
        for (place, counts) in self.routes.iter().enumerate() {
            let all = counts.count.load(Ordering::Relaxed);
            if all == 0 {
                continue;
            }
            let (method, path) = name(place);
            let labels = format!("method=\"{method}\",route=\"{path}\"");
            let mut below = 0;
            for (most, count) in BUCKETS_MICROS.iter().zip(&counts.buckets) {
                below += count.load(Ordering::Relaxed);
                let most = seconds(*most);
                line(
                    out,
                    format_args!("{family}_bucket{{{labels},le=\"{most}\"}} {below}"),
                );
            }
            line(
                out,
                format_args!("{family}_bucket{{{labels},le=\"+Inf\"}} {all}"),
            );
            let sum = seconds(counts.micros.load(Ordering::Relaxed));
            line(out, format_args!("{family}_sum{{{labels}}} {sum}"));
            line(out, format_args!("{family}_count{{{labels}}} {all}"));
        }
    }
}

fn held(counter: &AtomicU64) -> Held<'_> {
    counter.fetch_add(1, Ordering::Relaxed);
    Held(counter)
}

fn name(place: usize) -> (&'static str, &'static str) {
    ROUTES
        .get(place)
        .map_or(("any", UNMATCHED), |route| (route.method, route.path))
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    line(out, format_args!("# HELP {name} {help}"));
    line(out, format_args!("# TYPE {name} {kind}"));
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{text}");
}
