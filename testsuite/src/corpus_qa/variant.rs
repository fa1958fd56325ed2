//! Which ways of indexing and retrieving are compared?

use graph_rag::tri_graph::Adjacency;
use graph_rag::{IndexConfig, LinearRagConfig};

/// How passages lie in documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Each passage is a document of its own.
    Separate,
    /// All are one document, in the file's order.
    FileOrder,
    /// All are one document, in an order drawn with the seed.
    Shuffled(u64),
}

/// A variant of our own retrieval to measure.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name in the report.
    pub name: String,
    /// How passages lie in documents.
    pub layout: Layout,
    /// How they are indexed.
    pub index: IndexConfig,
    /// How they are retrieved.
    pub retrieval: LinearRagConfig,
}

impl Variant {
    /// What the report compares: ours, LinearRAG to the letter with capitalised spans alone, each source of entities
    /// alone, and adjacency in file order and shuffled.
    pub fn standard() -> Vec<Self> {
        use graph_rag::recogniser::Extraction;
        let ours = |name: &str, layout: Layout, index: IndexConfig| Self {
            name: name.to_owned(),
            layout,
            index,
            retrieval: LinearRagConfig::default(),
        };
        let index = IndexConfig::default();
        let adjacent = IndexConfig {
            adjacency: Adjacency::WithinDocument,
            ..index
        };
        let alone = |extraction| IndexConfig {
            extraction,
            ..index
        };
        let literal = IndexConfig {
            adjacency: Adjacency::None,
            ..IndexConfig::reference()
        };
        vec![
            ours("refrain", Layout::Separate, index),
            ours("refrain, shuffled passages", Layout::Shuffled(7), index),
            Self {
                retrieval: LinearRagConfig {
                    iteration_threshold: LinearRagConfig::reference().iteration_threshold,
                    ..LinearRagConfig::default()
                },
                ..ours("refrain, the paper's δ 0.4", Layout::Separate, index)
            },
            Self {
                retrieval: LinearRagConfig::reference(),
                ..ours(
                    "literal LinearRAG, capitalised spans",
                    Layout::Separate,
                    literal,
                )
            },
            Self {
                retrieval: LinearRagConfig::reference(),
                ..ours(
                    "literal, adjacency in file order",
                    Layout::FileOrder,
                    IndexConfig::reference(),
                )
            },
            ours(
                "gazetteer only",
                Layout::Separate,
                alone(Extraction::GazetteerOnly),
            ),
            ours(
                "capitalised spans only",
                Layout::Separate,
                alone(Extraction::CapitalisedOnly),
            ),
            ours("adjacency in file order", Layout::FileOrder, adjacent),
            ours("adjacency, shuffled", Layout::Shuffled(7), adjacent),
        ]
    }
}
