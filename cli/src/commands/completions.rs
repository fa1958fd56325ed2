//! How does the shell complete `refrain`?

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Outcome;

/// Prints the completion script of a shell.
pub(crate) fn run(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "refrain", &mut script);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &script)?;
    Ok(())
}
