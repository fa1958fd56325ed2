//! Which replacement policy would have served best?

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memory::PolicyName;
use simulate::{Contender, WorkloadKind};
use testsuite::{Bar, Progress, Silent, SimulationOptions, SimulationReport, TraceOptions};

use crate::args::{Global, SimulateArgs};
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::ui::Ui;

/// The workload that is not generated.
const TRACE: &str = "trace";

/// `refrain simulate`
pub(crate) fn run(args: &SimulateArgs, global: &Global, ui: Ui) -> Outcome {
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
    let report = report(args, global, progress)?;
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

fn report(
    args: &SimulateArgs,
    global: &Global,
    progress: &mut dyn Progress,
) -> Outcome<SimulationReport> {
    if let Some(zero) = args.capacities.iter().find(|capacity| **capacity == 0) {
        return Err(
            Failure::usage(format!("a cache of {zero} places holds nothing"))
                .hint("capacities are 1 or more"),
        );
    }
    let seeds = seeds(&args.seeds)?;
    if args.workload == TRACE {
        let namespace = memory::Namespace::new(&args.namespace.namespace);
        let options = TraceOptions {
            journal: args.trace.clone().unwrap_or_else(|| global.dir.clone()),
            namespace,
            contenders: contenders(&args.policies, WorkloadKind::Cycling)?,
            capacities: args.capacities.clone(),
            seeds,
        };
        return testsuite::replay(&options, progress).map_err(|error| {
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            Failure::new(causes.join(": "))
        });
    }
    if args.trace.is_some() {
        return Err(Failure::usage("--trace goes with the workload \"trace\"")
            .hint("refrain simulate trace --trace JOURNAL"));
    }
    let kind = WorkloadKind::parse(&args.workload).ok_or_else(|| {
        let names: Vec<&str> = WorkloadKind::ALL
            .map(WorkloadKind::as_str)
            .into_iter()
            .chain([TRACE])
            .collect();
        unknown("workload", &args.workload, &names)
    })?;
    let options = SimulationOptions {
        kind,
        contenders: contenders(&args.policies, kind)?,
        capacities: args.capacities.clone(),
        seeds,
    };
    Ok(testsuite::simulate(&options, progress))
}

fn contenders(names: &[String], kind: WorkloadKind) -> Outcome<Vec<Contender>> {
    let mut contenders = Vec::new();
    for name in names {
        match name.as_str() {
            "all" => contenders.extend(kind.usual_contenders()),
            "unlimited" => contenders.push(Contender::Unlimited),
            "freeze" => contenders.push(Contender::Freeze),
            other => {
                let known = PolicyName::ALL.map(PolicyName::as_str);
                let name =
                    PolicyName::parse(other).ok_or_else(|| unknown("policy", other, &known))?;
                contenders.push(Contender::Member(name));
            }
        }
    }
    Ok(contenders)
}

/// Most seeds of one run.
const MOST_SEEDS: u32 = 10_000;

fn seeds(texts: &[String]) -> Outcome<Vec<u32>> {
    let mut seeds = Vec::new();
    for text in texts {
        let number = |part: &str| {
            part.trim().parse::<u32>().map_err(|_| {
                Failure::usage(format!("\"{text}\" is no seed"))
                    .hint("a number, or two as in 10..20")
            })
        };
        match text.split_once("..") {
            None => seeds.push(number(text)?),
            Some((first, end)) => {
                let (first, end) = (number(first)?, number(end)?);
                if end.saturating_sub(first) > MOST_SEEDS || end <= first {
                    return Err(Failure::usage(format!(
                        "\"{text}\" is not 1 to {MOST_SEEDS} seeds"
                    )));
                }
                seeds.extend(first..end);
            }
        }
    }
    Ok(seeds)
}

fn unknown(what: &str, name: &str, known: &[&str]) -> Failure {
    let hint = refrain::suggest::closest(name, known.iter().copied()).map_or_else(
        || format!("there is {}", known.join(", ")),
        |close| format!("did you mean \"{close}\"?"),
    );
    Failure::usage(format!("there is no {what} \"{name}\"")).hint(hint)
}
