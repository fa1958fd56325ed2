//! `refrain doctor`: is everything whole?

use serde_json::json;

use crate::args::Global;
use crate::commands::config::layers;
use crate::failure::{Failure, Outcome};
use crate::open;
use crate::ui::{Tone, Ui, counted};

/// `refrain doctor`
pub(crate) fn run(global: &Global, ui: Ui) -> Outcome {
    let config = layers(global)?.config()?;
    let checks = refrain::doctor::examine(&global.dir, config, open::surroundings())?;
    let problems: usize = checks.iter().map(|check| check.problems.len()).sum();
    if ui.json {
        ui.json(&json!({ "healthy": problems == 0, "checks": checks }))?;
    } else {
        for check in &checks {
            let (tone, mark) = if check.problems.is_empty() {
                (Tone::Good, "ok ")
            } else {
                (Tone::Bad, "bad")
            };
            ui.line(format!(
                "{} {}: {}",
                ui.paint(tone, mark),
                check.what,
                check.found
            ))?;
            for problem in &check.problems {
                ui.line(format!("      {problem}"))?;
            }
        }
    }
    if problems == 0 {
        return Ok(());
    }
    let is_bad = |kind: &str| {
        let bad = checks.iter().filter(|check| !check.problems.is_empty());
        bad.into_iter().any(|check| check.what.starts_with(kind))
    };
    let found = counted(problems as u64, "problem", "problems");
    Err(Failure::new(format!("{found} found")).maybe_hint(anew(is_bad("graph"), is_bad("corpus"))))
}

/// How a damaged source is made anew.
fn anew(graph: bool, corpus: bool) -> Option<String> {
    let with = match (graph, corpus) {
        (false, false) => return None,
        (true, false) => {
            "a damaged graph is made anew by `refrain source remove NAME` and `refrain load`"
        }
        (false, true) => {
            "a damaged corpus is made anew by `refrain source remove NAME` and `refrain add`"
        }
        (true, true) => {
            "a damaged source is made anew by `refrain source remove NAME`, then `refrain load` for a graph and `refrain add` for a corpus"
        }
    };
    Some(with.to_owned())
}
