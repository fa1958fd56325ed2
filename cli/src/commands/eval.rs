//! How good and how fast is it on a dataset?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use testsuite::{
    Ablations, Bar, DatasetName, EvalOptions, FeedbackMode, MemoryMode, ModelUnderTest, Order,
    Progress, Silent,
};

use crate::args::{EvalArgs, EvalFeedback, EvalMode, EvalModel, EvalOrder, Global, Switch};
use crate::commands::config::layers;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use crate::model;
use crate::ui::Ui;

/// The one set that measures the replacement policies and asks no engine.
const LOCOMO: &str = "locomo";

/// `refrain eval`
pub(crate) fn run(args: &EvalArgs, global: &Global, ui: Ui) -> Outcome {
    if args.dataset == LOCOMO {
        return locomo(args, ui);
    }
    if let Ok(set) = args.dataset.parse::<testsuite::CorpusName>() {
        return documents(set, args, ui);
    }
    let dataset = dataset(&args.dataset)?;
    let documents_only = [
        ("--mode", args.mode.is_some()),
        ("--calibrate", args.calibrate),
    ];
    refuse(&documents_only, "has no effect on questions over graphs")?;
    let mut layers = layers(global)?;
    if let Some(policy) = &args.policy {
        layers = layers.flag("--policy", "memory.policy", policy)?;
    }
    let config = layers.config()?;
    let options = EvalOptions {
        model: match args.model {
            EvalModel::None => ModelUnderTest::None,
            EvalModel::Gold => ModelUnderTest::Gold,
            EvalModel::Settings => model::named(&config)?
                .map(ModelUnderTest::Given)
                .ok_or_else(|| {
                    Failure::usage("the settings name no language model")
                        .hint("--set model.name=NAME, and OPENAI_BASE_URL for another endpoint than OpenAI's")
                })?,
        },
        config,
        ..options(args, dataset)
    };
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
    let report = testsuite::eval(&options, progress).map_err(|error| chained(&error))?;
    let json = report.to_json().map_err(|error| chained(&error))?;
    draw(args, ui, |folder| report.draw(folder))?;
    put_out(&json, &report.table(), args, ui)
}

/// Draws where it was asked for.
fn draw<E: std::fmt::Display>(
    args: &EvalArgs,
    ui: Ui,
    charts: impl FnOnce(&Path) -> Result<Vec<PathBuf>, E>,
) -> Outcome {
    if let Some(folder) = &args.charts {
        for file in charts(folder).map_err(|error| chained(&error))? {
            ui.note(format!("drew {}", file.display()));
        }
    }
    Ok(())
}

/// Writes the report where it was asked for, and shows it.
fn put_out(json: &serde_json::Value, table: &str, args: &EvalArgs, ui: Ui) -> Outcome {
    if let Some(path) = &args.output {
        let text = serde_json::to_string_pretty(json)?;
        fs_err::write(path, text + "\n")?;
    }
    if ui.json {
        ui.json(json)
    } else {
        ui.line(table.trim_end())
    }
}

/// A failure with all its causes.
fn chained(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(format!("{error:#}"))
}

fn locomo(args: &EvalArgs, ui: Ui) -> Outcome {
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
    let mut options = testsuite::LocomoOptions::new(&args.data);
    if let Some(seed) = args.seed {
        let seed = u32::try_from(seed)
            .map_err(|_| Failure::usage(format!("seed {seed} is above {}", u32::MAX)))?;
        options.seeds = vec![seed];
    }
    let report = testsuite::locomo(&options, progress).map_err(|error| chained(&error))?;
    let json = report.to_json().map_err(|error| chained(&error))?;
    put_out(&json, &report.table(), args, ui)
}

/// Questions over documents: retrieval beside its baselines, the gates and grounding.
fn documents(set: testsuite::CorpusName, args: &EvalArgs, ui: Ui) -> Outcome {
    let options = document_options(set, args)?;
    if ui.shows_progress() {
        ui.note("indexing and asking; this takes some minutes");
    }
    let report = testsuite::corpus_qa(&options).map_err(|error| chained(&error))?;
    let json = report.to_json().map_err(|error| chained(&error))?;
    draw(args, ui, |folder| report.draw(folder))?;
    put_out(&json, &report.table(), args, ui)
}

/// Refuses the first flag that was given and changes nothing.
fn refuse(idle: &[(&str, bool)], why: &str) -> Outcome {
    match idle.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(Failure::usage(format!("{flag} {why}"))),
        None => Ok(()),
    }
}

/// What was asked for; a flag that changes nothing is refused.
fn document_options(
    set: testsuite::CorpusName,
    args: &EvalArgs,
) -> Outcome<testsuite::CorpusOptions> {
    let graphs_only = [
        ("--capacity", args.capacity.is_some()),
        ("--policy", args.policy.is_some()),
        ("--no-depth", args.no_depth),
        ("--no-breadth", args.no_breadth),
        ("--no-mmr", args.no_mmr),
        ("--one-layer", args.one_layer),
        ("--no-warm", args.no_warm),
        ("--work-dir", args.work_dir.is_some()),
    ];
    refuse(&graphs_only, "has no effect on questions over documents")?;
    let learning_only = [
        ("--mode", args.mode.is_some()),
        ("--feedback gold", args.feedback == EvalFeedback::Gold),
        ("--calibrate", args.calibrate),
        ("--order shuffle", args.order == EvalOrder::Shuffle),
        ("--seed", args.seed.is_some()),
    ];
    if args.memory != Some(Switch::On) {
        let idle = "has no effect on questions over documents without experience";
        refuse(&learning_only, idle).map_err(|failure| failure.hint("add --memory on"))?;
    }
    let defaults = testsuite::CorpusOptions::new(set, &args.data);
    Ok(testsuite::CorpusOptions {
        memory: args.memory.map(memory),
        mode: match args.mode {
            Some(EvalMode::Paper) => testsuite::Mode::Paper,
            Some(EvalMode::Guarded) | None => testsuite::Mode::Guarded,
        },
        feedback: feedback(args.feedback),
        order: order(args.order),
        seed: args.seed.unwrap_or(defaults.seed),
        limit: args.limit,
        calibrate: args.calibrate,
        ..defaults
    })
}

fn dataset(name: &str) -> Outcome<DatasetName> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = DatasetName::ALL
            .iter()
            .map(|known| known.as_str())
            .chain([LOCOMO])
            .chain(
                testsuite::CorpusName::ALL
                    .iter()
                    .map(|known| known.as_str()),
            )
            .collect();
        let hint = refrain::suggest::closest(name, names.iter().copied()).map_or_else(
            || format!("there is {}", names.join(", ")),
            |close| format!("did you mean \"{close}\"?"),
        );
        Failure::usage(format!("there is no dataset \"{name}\"")).hint(hint)
    })
}

fn options(args: &EvalArgs, dataset: DatasetName) -> EvalOptions {
    let defaults = EvalOptions::new(dataset, &args.data);
    EvalOptions {
        memory: args.memory.map_or(defaults.memory, memory),
        feedback: feedback(args.feedback),
        order: order(args.order),
        seed: args.seed.unwrap_or(defaults.seed),
        ablations: Ablations {
            no_depth: args.no_depth,
            no_breadth: args.no_breadth,
            no_mmr: args.no_mmr,
            one_layer: args.one_layer,
            no_warm: args.no_warm,
        },
        limit: args.limit,
        capacity: args.capacity,
        work_dir: args.work_dir.clone(),
        ..defaults
    }
}

fn memory(switch: Switch) -> MemoryMode {
    match switch {
        Switch::On => MemoryMode::On,
        Switch::Off => MemoryMode::Off,
    }
}

fn feedback(given: EvalFeedback) -> FeedbackMode {
    match given {
        EvalFeedback::None => FeedbackMode::None,
        EvalFeedback::Gold => FeedbackMode::Gold,
    }
}

fn order(given: EvalOrder) -> Order {
    match given {
        EvalOrder::File => Order::File,
        EvalOrder::Shuffle => Order::Shuffle,
    }
}
