//! What is said when the command line cannot be understood?
//!
//! Help and version go out as clap writes them. A command that does not exist gets the nearest one as a hint; everything else keeps clap's
//! own words, in our form.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use crate::args::{Cli, ColourChoice, Global};
use crate::failure::Failure;
use crate::ui::Ui;

/// Reports a failed parse, and gives the exit code: 0 for help and version, 2 for mistakes.
pub(crate) fn report(error: &clap::Error) -> ExitCode {
    let asks_for_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || asks_for_help {
        // Nobody is left to tell when standard output is closed.
        let _ = error.print();
        return if asks_for_help {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        };
    }
    let failure = failure(error);
    ui().fail(&failure);
    failure.exit_code()
}

/// The options are not known when parsing them failed: only what was asked for plainly is honoured.
fn ui() -> Ui {
    let asked = |flag: &str| std::env::args_os().any(|argument| argument == flag);
    Ui::new(&Global {
        dir: ".".into(),
        config: None,
        set: Vec::new(),
        json: asked("--json"),
        color: ColourChoice::Auto,
        quiet: false,
    })
}

fn failure(error: &clap::Error) -> Failure {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(asked)) = error.get(ContextKind::InvalidSubcommand)
    {
        return unknown_command(asked);
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message: Vec<&str> = lines
        .take_while(|line| !line.starts_with("Usage:"))
        .collect();
    let (tips, said): (Vec<&str>, Vec<&str>) = message
        .into_iter()
        .partition(|line| line.starts_with("tip:"));
    let hint = match tips.first() {
        Some(tip) => tip.trim_start_matches("tip:").trim().to_owned(),
        None => "`refrain --help` and `refrain COMMAND --help` say what there is".to_owned(),
    };
    Failure::usage(said.join(" ")).hint(hint)
}

fn unknown_command(asked: &str) -> Failure {
    let mut names = Vec::new();
    collect(&Cli::command(), "", &mut names);
    let top: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !name.contains(' '))
        .collect();
    let inner = names
        .iter()
        .filter_map(|name| name.rsplit_once(' '))
        .map(|(_, last)| last);
    let close = refrain::suggest::closest(asked, top.iter().copied()).or_else(|| {
        let close = refrain::suggest::closest(asked, inner)?;
        names
            .iter()
            .map(String::as_str)
            .find(|name| name.ends_with(&format!(" {close}")))
    });
    let hint = close.map_or_else(
        || "`refrain --help` lists the commands".to_owned(),
        |close| format!("did you mean \"refrain {close}\"?"),
    );
    Failure::usage(format!("there is no command \"{asked}\"")).hint(hint)
}

/// Every command with its parents, as typed.
fn collect(command: &Command, prefix: &str, names: &mut Vec<String>) {
    for inner in command.get_subcommands() {
        let name = format!("{prefix}{}", inner.get_name());
        collect(inner, &format!("{name} "), names);
        names.push(name);
    }
}
