//! Are two processes on one directory kept apart?

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::Place;

#[test]
fn a_second_process_is_refused_and_told_who_has_the_directory() {
    let place = Place::with_films();
    let mut first = place
        .command(&["--json", "ask"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = first.stdin.take().unwrap();
    let mut out = BufReader::new(first.stdout.take().unwrap());
    writeln!(stdin, "who directed Inception?").unwrap();
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.contains("Nolan"));
    for arguments in [
        vec!["ask", "who directed Alien?"],
        vec!["doctor"],
        vec!["memory", "list"],
    ] {
        let said = place.run(&arguments).bad(1);
        assert!(
            said.err.contains(&format!(
                "in use by another process (process {})",
                first.id()
            )),
            "{said:?}"
        );
        assert!(said.err.contains("hint: "), "{said:?}");
    }
    drop(stdin);
    assert!(first.wait().unwrap().success());
    place.run(&["ask", "who directed Alien?"]).good();
}
