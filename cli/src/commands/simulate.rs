//! Which replacement policy would have served best?

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memory::PolicyName;
use simulate::{Contender, WorkloadKind};
use testsuite::{Bar, Progress, Silent, SimulationOptions};

use crate::args::SimulateArgs;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::ui::Ui;

/// `refrain simulate`
pub(crate) fn run(args: &SimulateArgs, ui: Ui) -> Outcome {
    let options = options(args)?;
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::raise(Arc::clone(&stop));
    let mut bar;
    let mut silent = Silent;
    let progress: &mut dyn Progress = if ui.shows_progress() {
        bar = Bar::new(stop);
        &mut bar
    } else {
        &mut silent
    };
    let report = testsuite::simulate(&options, progress);
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{error:#}"));
    let json = report.to_json().map_err(|error| failed(&error))?;
    if let Some(path) = &args.output {
        let text = serde_json::to_string_pretty(&json)?;
        fs_err::write(path, text + "\n")?;
    }
    if let Some(folder) = &args.charts {
        for file in report.draw(folder).map_err(|error| failed(&error))? {
            ui.note(format!("drew {}", file.display()));
        }
    }
    if ui.json {
        ui.json(&json)
    } else {
        ui.line(report.table().trim_end())
    }
}

fn options(args: &SimulateArgs) -> Outcome<SimulationOptions> {
    let kind = WorkloadKind::parse(&args.workload).ok_or_else(|| {
        let names = WorkloadKind::ALL.map(WorkloadKind::as_str);
        unknown("workload", &args.workload, &names)
    })?;
    let mut contenders = Vec::new();
    for name in &args.policies {
        match name.as_str() {
            "all" => contenders.extend(kind.usual_contenders()),
            "unlimited" => contenders.push(Contender::Unlimited),
            "freeze" => contenders.push(Contender::Freeze),
            other => contenders.push(Contender::Member(PolicyName::parse(other).ok_or_else(
                || unknown("policy", other, &PolicyName::ALL.map(PolicyName::as_str)),
            )?)),
        }
    }
    if let Some(zero) = args.capacities.iter().find(|capacity| **capacity == 0) {
        return Err(
            Failure::usage(format!("a cache of {zero} places holds nothing"))
                .hint("capacities are 1 or more"),
        );
    }
    Ok(SimulationOptions {
        kind,
        contenders,
        capacities: args.capacities.clone(),
        seeds: args.seeds.clone(),
    })
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    let hint = refrain::suggest::closest(name, known.iter().copied()).map_or_else(
        || format!("there is {}", known.join(", ")),
        |close| format!("did you mean \"{close}\"?"),
    );
    Failure::usage(format!("there is no {what} \"{name}\"")).hint(hint)
}
