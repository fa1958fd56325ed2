//! How far is a run, and was it asked to stop?

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Hears how a run gets on, and may end it early.
pub trait Progress {
    /// A phase of `total` steps begins.
    fn begin(&mut self, phase: &str, total: usize);
    /// `done` steps of the phase are behind us; `note` is a short running figure.
    fn advance(&mut self, done: usize, note: &str);
    /// The phase is over.
    fn finish(&mut self);
    /// True once the run should end; what was measured until then is reported.
    fn stopped(&self) -> bool;
}

/// Says nothing and never stops.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _phase: &str, _total: usize) {}
    fn advance(&mut self, _done: usize, _note: &str) {}
    fn finish(&mut self) {}
    fn stopped(&self) -> bool {
        false
    }
}

/// Says nothing, and stops once the flag is set, for example by a Ctrl-C handler.
#[derive(Debug, Default, Clone)]
pub struct Quiet(pub Arc<AtomicBool>);

impl Progress for Quiet {
    fn begin(&mut self, _phase: &str, _total: usize) {}
    fn advance(&mut self, _done: usize, _note: &str) {}
    fn finish(&mut self) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A bar on standard error when that is a terminal, one line a phase when it is not.
#[derive(Debug)]
pub struct Bar {
    stop: Arc<AtomicBool>,
    phase: String,
    total: usize,
    begun: Instant,
    drawn: Option<Instant>,
    terminal: bool,
}

/// Columns of the bar itself.
const BAR_COLUMNS: usize = 28;
/// A line longer than this would wrap on a terminal of the usual width, and could then not be drawn over.
const LINE_COLUMNS: usize = 79;
/// The bar is redrawn at most this often.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

impl Bar {
    /// A bar that ends the run once `stop` is set, for example by a Ctrl-C handler.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            phase: String::new(),
            total: 0,
            begun: Instant::now(),
            drawn: None,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    fn line(&self, done: usize, note: &str) -> String {
        let filled = (done.min(self.total) * BAR_COLUMNS)
            .checked_div(self.total)
            .unwrap_or(0);
        let bar: String = (0..BAR_COLUMNS)
            .map(|column| if column < filled { '━' } else { '╌' })
            .collect();
        let line = format!(
            "{} {bar} {done}/{} {:.0?} {note}",
            self.phase,
            self.total,
            self.begun.elapsed()
        );
        line.chars().take(LINE_COLUMNS).collect()
    }

    fn write(text: &str) {
        // A progress bar that cannot be written is no reason to end a run.
        let mut stderr = std::io::stderr().lock();
        let _closed = stderr
            .write_all(text.as_bytes())
            .and_then(|()| stderr.flush());
    }
}

impl Progress for Bar {
    fn begin(&mut self, phase: &str, total: usize) {
        phase.clone_into(&mut self.phase);
        self.total = total;
        self.begun = Instant::now();
        self.drawn = None;
    }

    fn advance(&mut self, done: usize, note: &str) {
        let due = self
            .drawn
            .is_none_or(|drawn| drawn.elapsed() >= REDRAW_EVERY);
        if self.terminal && due {
            Self::write(&format!("\r\x1b[2K{}", self.line(done, note)));
            self.drawn = Some(Instant::now());
        }
    }

    fn finish(&mut self) {
        if self.terminal {
            Self::write("\r\x1b[2K");
        } else {
            Self::write(&format!("{}: {:.1?}\n", self.phase, self.begun.elapsed()));
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_with_the_share_done_and_survives_an_empty_phase() {
        let mut bar = Bar::new(Arc::default());
        bar.begin("asking", 4);
        let half = bar.line(2, "0.50");
        assert_eq!(half.matches('━').count(), BAR_COLUMNS / 2);
        bar.begin("nothing", 0);
        assert_eq!(bar.line(0, "").matches('━').count(), 0);
    }

    #[test]
    fn setting_the_flag_stops_the_run() {
        let stop = Arc::new(AtomicBool::new(false));
        let (bar, quiet) = (Bar::new(Arc::clone(&stop)), Quiet(Arc::clone(&stop)));
        assert!(!bar.stopped() && !quiet.stopped());
        stop.store(true, Ordering::Relaxed);
        assert!(bar.stopped() && quiet.stopped());
    }
}
