//! Does the help say what there is?

use crate::support::{Place, golden};

#[test]
fn the_help_of_every_command_is_as_agreed() {
    let place = Place::new();
    let mut text = String::new();
    for command in [
        "",
        "init",
        "load",
        "add",
        "ask",
        "feedback",
        "memory",
        "warm",
        "source",
        "triple",
        "sparql",
        "serve",
        "mcp",
        "keys",
        "eval",
        "simulate",
        "models",
        "demo",
        "doctor",
        "config",
        "completions",
    ] {
        let arguments: Vec<&str> = [command, "-h"]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        let said = place.run(&arguments).good();
        text.push_str(&format!(
            "$ refrain {}\n{}\n",
            arguments.join(" "),
            said.out
        ));
    }
    golden("help.txt", &text);
}

#[test]
fn completions_come_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = place.run(&["completions", shell]).good();
        assert!(said.out.contains("feedback"), "{shell}");
    }
}
