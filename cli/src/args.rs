//! What can be typed?
//!
//! The command line as types. No behaviour: each command's is in `commands`.

mod eval;
mod memory;
mod models;
mod serve;
mod simulate;

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use eval::{EvalArgs, EvalFeedback, EvalMode, EvalModel, EvalOrder};
pub(crate) use memory::{AddArgs, ForgetArgs, MemoryCommand, NoteVerdict};
pub(crate) use models::ModelsCommand;
pub(crate) use serve::{KeysCommand, KeysFile, ScopeArg, ServeArgs};
pub(crate) use simulate::SimulateArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  refrain load films.ttl                        load a graph into ./.refrain
  refrain add notes/                            add documents to ./.refrain
  refrain ask \"who directed Inception?\"         one question
  refrain ask                                   a conversation
  refrain feedback ANSWER_ID good               confirm an answer
  refrain serve                                 answer over HTTP on this machine
  refrain demo                                  see it work in two seconds";

/// Ask graphs and documents in plain language. It repeats what worked, and refrains where evidence is missing.
#[derive(Debug, Parser)]
#[command(name = "refrain", version, styles = STYLES, after_help = EXAMPLES, propagate_version = false, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Directory that holds the graphs and the memory
    #[arg(
        long,
        global = true,
        env = "REFRAIN_DIR",
        default_value = "./.refrain",
        value_name = "DIR",
        hide_env_values = true
    )]
    pub(crate) dir: PathBuf,
    /// Settings file [default: refrain.toml in the directory]
    #[arg(
        long,
        global = true,
        env = "REFRAIN_CONFIG",
        value_name = "FILE",
        hide_env_values = true
    )]
    pub(crate) config: Option<PathBuf>,
    /// Override one setting, as in `--set memory.capacity=500`
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours: auto, always or never
    #[arg(long, global = true, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN", hide_possible_values = true)]
    pub(crate) color: ColourChoice,
    /// No progress bars, no notes
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an empty directory with a settings file
    Init,
    /// Load RDF or CSV triples into a source
    Load(LoadArgs),
    /// Add documents to a corpus: text, Markdown, HTML, PDF, JSON lines, and folders of them
    Add(DocumentArgs),
    /// Ask one question, or have a conversation
    Ask(AskArgs),
    /// Say whether an answer was right
    Feedback(FeedbackArgs),
    /// What is remembered: look, forget, pin, export; notes of agents
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Fill the memory with questions that the graph itself suggests
    Warm(WarmArgs),
    /// List, describe and remove sources
    #[command(subcommand)]
    Source(SourceCommand),
    /// Add or remove single triples
    #[command(subcommand)]
    Triple(TripleCommand),
    /// Run a SPARQL query
    Sparql(SparqlArgs),
    /// Answer over HTTP: OpenAI's API, REST, metrics
    Serve(ServeArgs),
    /// Give an agent on this machine the tools of the Model Context Protocol, on standard input and output
    Mcp(NamespaceArg),
    /// Make, list and revoke the keys of a server
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Measure accuracy and speed on a dataset
    Eval(EvalArgs),
    /// Compare replacement policies of a bounded memory
    Simulate(SimulateArgs),
    /// Weights of models: list them, pull known ones
    #[command(subcommand)]
    Models(ModelsCommand),
    /// See it work on a small film graph
    Demo(DemoArgs),
    /// Check the directory: graphs, journal, settings, embedder
    Doctor,
    /// Show settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a completion script
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// Files, globs, or `-` for standard input; .gz and .zst are unpacked
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// The source that receives the triples
    #[arg(
        long,
        visible_alias = "source",
        value_name = "NAME",
        default_value = "default"
    )]
    pub(crate) domain: String,
    /// Format [default: from each file's name]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Skip and count broken lines
    #[arg(long)]
    pub(crate) lenient: bool,
    /// One sentence that says what the source is about; it guides routing
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DocumentArgs {
    /// Files, and folders with all that is in and below them; .gz and .zst are unpacked
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<std::path::PathBuf>,
    /// The corpus that receives the documents
    #[arg(
        long,
        visible_alias = "source",
        value_name = "NAME",
        default_value = refrain::DEFAULT_CORPUS
    )]
    pub(crate) corpus: String,
}

/// RDF formats and triple tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Turtle
    #[value(alias = "ttl")]
    Turtle,
    /// N-Triples
    #[value(name = "ntriples", alias = "nt", alias = "n-triples")]
    NTriples,
    /// N-Quads
    #[value(name = "nquads", alias = "nq", alias = "n-quads")]
    NQuads,
    /// TriG
    Trig,
    /// RDF/XML
    #[value(name = "rdfxml", alias = "rdf", alias = "xml")]
    RdfXml,
    /// JSON-LD
    #[value(name = "jsonld", alias = "json-ld")]
    JsonLd,
    /// Comma-separated subject, predicate, object
    Csv,
    /// Tab-separated subject, predicate, object
    Tsv,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AskArgs {
    /// The question; `-` reads it from standard input; none starts a conversation
    #[arg(value_name = "QUESTION")]
    pub(crate) question: Vec<String>,
    /// Show how the answer came about
    #[arg(long, short)]
    pub(crate) explain: bool,
    /// The source to ask [default: the router decides]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) namespace: NamespaceArg,
    /// Whether the memory takes part
    #[arg(long, value_enum, default_value_t = Switch::On, value_name = "on|off", hide_possible_values = true)]
    pub(crate) memory: Switch,
    /// Ask no language model, whatever the settings say
    #[arg(long)]
    pub(crate) no_model: bool,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct NamespaceArg {
    /// The tenant whose memory is used
    #[arg(long, short, value_name = "NAME", default_value = refrain::DEFAULT_NAMESPACE)]
    pub(crate) namespace: String,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArgs {
    /// The answer's id, as `refrain ask` prints it; `last` is the newest answer
    pub(crate) answer: String,
    /// The verdict
    #[arg(value_enum)]
    pub(crate) verdict: VerdictArg,
    /// The right answer, with `edit`
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) namespace: NamespaceArg,
}

/// A person's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictArg {
    /// It was right
    Good,
    /// It was wrong: retract what came from it
    Bad,
    /// It was nearly right: here is the right answer
    Edit,
}

#[derive(Debug, Args)]
pub(crate) struct WarmArgs {
    /// The source [default: every source]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Entities to sample [default: warm.entities]
    #[arg(long, value_name = "N")]
    pub(crate) entities: Option<usize>,
    /// Seed of the sample [default: warm.seed]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Calls of the language model at most, to word questions as people would [default: warm.model_calls]
    #[arg(long, value_name = "N")]
    pub(crate) model_calls: Option<u32>,
    /// Only say how many questions would be made, and what it would cost
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Start over instead of resuming
    #[arg(long)]
    pub(crate) restart: bool,
    #[command(flatten)]
    pub(crate) namespace: NamespaceArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SourceCommand {
    /// List the sources
    List,
    /// Remove a source: a graph, a corpus, or one document of a corpus
    Remove {
        /// The source
        name: String,
        /// Only this document of the corpus
        #[arg(long, value_name = "DOCUMENT")]
        document: Option<String>,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Show a source's contents, or say what it is about
    Describe {
        /// The source
        name: String,
        /// The new description
        #[arg(value_name = "TEXT")]
        text: Vec<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TripleCommand {
    /// Add one triple, or N-Triples from standard input with `-`
    Add(TripleArgs),
    /// Remove one triple, or N-Triples from standard input with `-`
    Remove(TripleArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TripleArgs {
    /// Subject, predicate and object: `<iri>`, `"literal"`, a number, or the label of a known node
    #[arg(num_args = 1..=3, required = true, value_names = ["SUBJECT", "PREDICATE", "OBJECT"], allow_hyphen_values = true)]
    pub(crate) terms: Vec<String>,
    /// The source [default: the only one]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) source: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SparqlArgs {
    /// The query; `-` reads it from standard input
    pub(crate) query: Option<String>,
    /// Read the query from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "query")]
    pub(crate) file: Option<PathBuf>,
    /// The source [default: the only one]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) source: Option<String>,
    /// Format of the results
    #[arg(long, value_enum, default_value_t = ResultFormat::Table)]
    pub(crate) results: ResultFormat,
    /// Rows at most
    #[arg(long, default_value_t = 100_000)]
    pub(crate) limit: usize,
    /// Seconds at most
    #[arg(long, default_value_t = 30)]
    pub(crate) timeout: u64,
}

/// Formats of SPARQL results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// A table
    Table,
    /// SPARQL 1.1 JSON
    Json,
    /// CSV
    Csv,
    /// TSV
    Tsv,
    /// SPARQL XML
    Xml,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep the demo's directory here
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting and where its value comes from
    Show {
        /// Only this setting or section
        key: Option<String>,
    },
}
