//! The `refrain` command: a thin shell over the library of the same name.

mod args;
mod commands;
mod failure;
mod input;
mod interrupt;
mod model;
mod open;
mod ui;
mod usage;
mod wrap;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::{Failure, Outcome};
use ui::Ui;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage::report(&error),
    };
    let ui = Ui::new(&cli.global);
    let dir = cli.global.dir.clone();
    // A damaged file can make the store under us panic: that is said as an error, too, and so is a mistake of ours.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(cli, ui)))
        .unwrap_or_else(|panic| Err(broken(&dir, panic.as_ref())));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            ui.fail(&failure);
            failure.exit_code()
        }
    }
}

/// What is said where something panicked.
fn broken(dir: &std::path::Path, panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Failure::new(format!("stopped by an internal error: {text}")).hint(format!(
        "if a file in {} was damaged, set that directory aside, load the graphs anew and import the last \
         `refrain memory export`; else this is a mistake in refrain: please report it",
        dir.display()
    ))
}

fn run(cli: Cli, ui: Ui) -> Outcome {
    let global = &cli.global;
    match cli.command {
        Command::Config(command) => commands::config::run(&command, global, ui),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Init => commands::init::run(global, ui),
        Command::Load(args) => commands::load::run(&args, global, ui),
        Command::Add(args) => commands::add::run(&args, global, ui),
        Command::Ask(args) => commands::ask::run(&args, global, ui),
        Command::Feedback(args) => commands::feedback::run(&args, global, ui),
        Command::Source(command) => commands::source::run(&command, global, ui),
        Command::Triple(command) => commands::triple::run(&command, global, ui),
        Command::Sparql(args) => commands::sparql::run(&args, global, ui),
        Command::Serve(args) => commands::serve::run(&args, global, ui),
        Command::Mcp(namespace) => commands::mcp::run(&namespace, global),
        Command::Keys(command) => commands::keys::run(&command, global, ui),
        Command::Eval(args) => commands::eval::run(&args, global, ui),
        Command::Simulate(args) => commands::simulate::run(&args, global, ui),
        Command::Memory(command) => commands::memory::run(&command, global, ui),
        Command::Models(command) => commands::models::run(&command, global, ui),
        Command::Warm(args) => commands::warm::run(&args, global, ui),
        Command::Demo(args) => commands::demo::run(&args, ui),
        Command::Doctor => commands::doctor::run(global, ui),
    }
}
