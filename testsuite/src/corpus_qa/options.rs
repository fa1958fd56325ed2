//! What of a set of questions over documents is measured, and under which settings?

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graph_rag::living_rag::{LivingRagConfig, Mode};
use language_model::{Embedder, StaticEmbedder};

use super::load::CorpusName;
use super::stream::StreamSettings;
use super::variant::Variant;
use crate::options::{FeedbackMode, MemoryMode, Order};

/// β of the paper's mode, as the measurements of it that we compare with have it; the paper does not print its own.
const PAPER_FUSION_WEIGHT: f64 = 0.5;

/// Shuffled orders of a comparison.
const SHUFFLES: u64 = 4;

/// What to measure.
pub struct CorpusOptions {
    /// The set.
    pub name: CorpusName,
    /// The data folder.
    pub data: PathBuf,
    /// What embeds passages and questions.
    pub embedder: Arc<dyn Embedder>,
    /// One stream, with or without experience; everything is compared when absent.
    pub memory: Option<MemoryMode>,
    /// Whether the safety rules hold.
    pub mode: Mode,
    /// Which verdicts are heard.
    pub feedback: FeedbackMode,
    /// In which order questions are asked.
    pub order: Order,
    /// Seed of the shuffle.
    pub seed: u64,
    /// Ask at most this many questions.
    pub limit: Option<usize>,
    /// Whether α is calibrated to the paper's rate before the stream.
    pub calibrate: bool,
    /// Our own retrieval and what it is compared with; the first is ours.
    pub variants: Vec<Variant>,
}

impl CorpusOptions {
    /// Everything, with the built-in embedder.
    pub fn new(name: CorpusName, data: &Path) -> Self {
        Self {
            name,
            data: data.to_owned(),
            embedder: StaticEmbedder::builtin(),
            memory: None,
            mode: Mode::Guarded,
            feedback: FeedbackMode::None,
            order: Order::File,
            seed: 42,
            limit: None,
            calibrate: false,
            variants: Variant::standard(),
        }
    }

    /// The weights of a mode.
    pub(super) fn living(mode: Mode) -> LivingRagConfig {
        let guarded = LivingRagConfig::default();
        match mode {
            Mode::Guarded => guarded,
            Mode::Paper => LivingRagConfig {
                mode,
                fusion_weight: PAPER_FUSION_WEIGHT,
                ..guarded
            },
        }
    }

    pub(super) fn calibrates(&self) -> bool {
        self.calibrate || self.memory.is_none()
    }

    /// The streams to run. In a comparison: guarded in the file's order and in shuffled ones, with gold verdicts, the
    /// paper's equations, and guarded with the calibrated weight.
    pub(super) fn streams(&self, calibrated: Option<f64>) -> Vec<StreamSettings> {
        let one = StreamSettings {
            memory: self.memory.unwrap_or(MemoryMode::On),
            living: Self::living(self.mode),
            feedback: self.feedback,
            order: self.order,
            seed: self.seed,
        };
        let with_alpha = |stream: StreamSettings, alpha| StreamSettings {
            living: LivingRagConfig {
                alpha,
                ..stream.living
            },
            ..stream
        };
        if self.memory.is_some() {
            return vec![calibrated.map_or(one, |alpha| with_alpha(one, alpha))];
        }
        let shuffled = (1..=SHUFFLES).map(|seed| StreamSettings {
            order: Order::Shuffle,
            seed,
            ..one
        });
        let gold = StreamSettings {
            feedback: FeedbackMode::Gold,
            ..one
        };
        let paper = StreamSettings {
            living: Self::living(Mode::Paper),
            ..one
        };
        let mut streams = vec![one];
        streams.extend(shuffled);
        streams.extend([gold, paper]);
        streams.extend(calibrated.map(|alpha| with_alpha(one, alpha)));
        streams
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stream_is_run_where_the_memory_is_said_and_all_where_it_is_not() {
        let all = CorpusOptions::new(CorpusName::Hotpot, Path::new("data"));
        let streams = all.streams(Some(0.8));
        assert_eq!(streams.len(), 8);
        assert_eq!(streams[7].living.alpha, 0.8);
        let off = CorpusOptions {
            memory: Some(MemoryMode::Off),
            order: Order::Shuffle,
            ..all
        };
        let streams = off.streams(None);
        assert_eq!(streams.len(), 1);
        assert_eq!(
            (streams[0].memory, streams[0].order, streams[0].seed),
            (MemoryMode::Off, Order::Shuffle, 42)
        );
    }
}
