//! What can be typed after `refrain eval`?

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Switch;

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// The dataset: pq-2h, pq-3h, pql-2h, pql-3h, wc-p1, wc-p2, wc-c, metaqa-1hop, metaqa-2hop,
    /// metaqa-3hop, filmqa, ck25, bestiary, cache-kg, filmqa-traps, locomo,
    /// 2wikimultihopqa, musique100 or hotpotqa100
    pub(crate) dataset: String,
    /// Directory with `kg/`, `corpus/` and `dev/`
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Whether the memory takes part [default: off for questions, on for pairs; over documents
    /// everything is compared]
    #[arg(long, value_enum, value_name = "on|off", hide_possible_values = true)]
    pub(crate) memory: Option<Switch>,
    /// What is said after each answer: nothing, or whether it was right
    #[arg(long, value_enum, default_value_t = EvalFeedback::None, value_name = "none|gold", hide_possible_values = true)]
    pub(crate) feedback: EvalFeedback,
    /// Order of the questions
    #[arg(long, value_enum, default_value_t = EvalOrder::File, value_name = "file|shuffle", hide_possible_values = true)]
    pub(crate) order: EvalOrder,
    /// Seed of the shuffle
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Over documents: with the safety rules of experience or by the paper's equations alone
    /// [default: guarded]
    #[arg(
        long,
        value_enum,
        value_name = "paper|guarded",
        hide_possible_values = true
    )]
    pub(crate) mode: Option<EvalMode>,
    /// Over documents: set the weight of likeness so that as many answers pass the novelty gate
    /// as in the paper
    #[arg(long)]
    pub(crate) calibrate: bool,
    /// Most experiences the memory holds: a number, or a share of what it would hold without a bound, as 25%
    #[arg(long, value_name = "N|PERCENT")]
    pub(crate) capacity: Option<testsuite::Capacity>,
    /// Replacement policy [default: memory.policy]
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    /// The language model that takes part: none, the one of the settings, or one that plans by the set's gold paths
    /// (what is then still wrong is the engine's)
    #[arg(long, value_enum, default_value_t = EvalModel::None, value_name = "none|settings|gold", hide_possible_values = true)]
    pub(crate) model: EvalModel,
    /// Ask only the first N questions
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Ablation: no depth expansion
    #[arg(long)]
    pub(crate) no_depth: bool,
    /// Ablation: no breadth expansion
    #[arg(long)]
    pub(crate) no_breadth: bool,
    /// Ablation: recall without diversity
    #[arg(long)]
    pub(crate) no_mmr: bool,
    /// Ablation: one flat index instead of domain and aspect
    #[arg(long)]
    pub(crate) one_layer: bool,
    /// Ablation: no warm start
    #[arg(long)]
    pub(crate) no_warm: bool,
    /// Write the report as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the learning curve, or what experience does to retrieval, as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) charts: Option<PathBuf>,
    /// Where the graphs are loaded [default: a temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) work_dir: Option<PathBuf>,
}

/// What an evaluation says after each answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalFeedback {
    /// Nothing
    None,
    /// Right or wrong
    Gold,
}

/// Which language model takes part in an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalModel {
    /// None
    None,
    /// The one that the settings name
    Settings,
    /// One that plans by the set's gold paths
    Gold,
}

/// How experience takes part in questions over documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalMode {
    /// The paper's equations
    Paper,
    /// With safety rules
    Guarded,
}

/// Order of an evaluation's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalOrder {
    /// As in the file
    File,
    /// Shuffled by the seed
    Shuffle,
}
