//! What can be typed after `refrain simulate`?

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The workload: cycling, working-set, topic-drift, noise-static, noise-stream, noise-paired, or
    /// trace: a journal's own history
    pub(crate) workload: String,
    /// Policies, separated by commas; `all` is every member of the family, with `freeze` and `unlimited` beside them as references [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) policies: Vec<String>,
    /// Places in the cache, separated by commas [default: those of the published table]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub(crate) capacities: Vec<usize>,
    /// With trace: the journal to replay [default: the directory's own]
    #[arg(long, value_name = "JOURNAL")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) namespace: super::NamespaceArg,
    /// Seeds, separated by commas; `10..20` is ten of them
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        default_value = "42,1337,2024"
    )]
    pub(crate) seeds: Vec<String>,
    /// Write the rows as JSON
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the charts as SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub(crate) charts: Option<PathBuf>,
}
