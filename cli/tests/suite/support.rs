//! A directory, and the binary run in it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary place in which commands run.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
}

/// What a command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A place with the demo's films loaded.
    pub(crate) fn with_films() -> Self {
        let place = Self::new();
        let films = concat!(env!("CARGO_MANIFEST_DIR"), "/demo/films.ttl");
        place.run(&["load", films, "--domain", "films"]).good();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder.path(), arguments)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        said(
            self.command(arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    }

    /// Runs with arguments that need be no text.
    pub(crate) fn run_os(&self, arguments: &[&std::ffi::OsStr]) -> Said {
        let mut command = self.command(&[]);
        said(
            command
                .args(arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    }

    /// Runs with something on standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Said {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // A command that refuses its input early closes the pipe.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        said(output)
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        serde_json::from_str(&self.run(&all).good().out).unwrap()
    }
}

/// The binary, away from the settings of whoever runs the tests.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    command.current_dir(folder).args(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("REFRAIN") {
            command.env_remove(name);
        }
    }
    command.env_remove("NO_COLOR").env("COLUMNS", "100");
    command
}

pub(crate) fn said(output: Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Said {
    /// It went well.
    #[track_caller]
    pub(crate) fn good(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// It failed with this code, one sentence and perhaps a hint.
    #[track_caller]
    pub(crate) fn bad(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.err.starts_with("error: "), "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }
}

/// Compares with a golden file; `REFRAIN_GOLDEN=write` writes it anew.
#[track_caller]
pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/suite/golden")
        .join(name);
    if std::env::var("REFRAIN_GOLDEN").as_deref() == Ok("write") {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text,
        known,
        "{} differs; REFRAIN_GOLDEN=write renews it",
        path.display()
    );
}
