//! What can be typed after `refrain memory`?

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::NamespaceArg;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List the experiences, newest first
    List {
        #[command(flatten)]
        namespace: NamespaceArg,
        /// How many at most
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show one experience
    Show {
        /// The experience's id, or the first six characters or more
        id: String,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Say why an answer was remembered, or was not
    Why {
        /// The answer's id; `last` is the newest answer
        answer: String,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Forget experiences for good
    Forget(ForgetArgs),
    /// Write the memory as JSON Lines
    Export {
        /// File [default: standard output]
        #[arg(conflicts_with = "output")]
        file: Option<PathBuf>,
        /// The same, as other commands call it
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Read experiences from JSON Lines
    Import {
        /// File; `-` is standard input
        file: PathBuf,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Keep an experience or note from being evicted
    Pin {
        /// Its id, or the first six characters or more
        id: String,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Let a pinned one be evicted again
    Unpin {
        /// Its id, or the first six characters or more
        id: String,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Put a note down, for agents
    Add(AddArgs),
    /// Find the notes that mean most nearly what is asked
    Recall {
        /// What to look for
        #[arg(value_name = "QUERY", required = true)]
        query: Vec<String>,
        /// How many at most
        #[arg(long, short = 'k', default_value_t = 5, value_name = "N")]
        top_k: usize,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Say whether a note was of use
    Feedback {
        /// The note's id, as `recall` prints it
        id: String,
        /// The verdict
        #[arg(value_enum)]
        verdict: NoteVerdict,
        #[command(flatten)]
        namespace: NamespaceArg,
    },
    /// Count what is remembered, reused, refused and forgotten
    Stats {
        #[command(flatten)]
        namespace: NamespaceArg,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The note; none reads standard input, one note a line
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Vec<String>,
    /// Read notes from a file, one a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) namespace: NamespaceArg,
}

/// Whether a note was of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoteVerdict {
    /// It helped
    Good,
    /// It did not
    Bad,
}

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = false)]
pub(crate) struct ForgetWhat {
    /// The experience's id
    #[arg(value_name = "ID", group = "what")]
    pub(crate) id: Option<String>,
    /// Those of a question
    #[arg(long, value_name = "QUESTION", group = "what")]
    pub(crate) question: Option<String>,
    /// Those that rest on a triple, written as for `refrain triple`
    #[arg(long, num_args = 3, value_names = ["SUBJECT", "PREDICATE", "OBJECT"], group = "what", allow_hyphen_values = true)]
    pub(crate) evidence: Vec<String>,
    /// All of the namespace
    #[arg(long, group = "what")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    #[command(flatten)]
    pub(crate) what: ForgetWhat,
    /// The source of the triple [default: the only one]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) namespace: NamespaceArg,
}
