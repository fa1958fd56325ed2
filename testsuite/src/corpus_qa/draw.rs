//! How does a stream of questions over documents look?

use std::path::{Path, PathBuf};

use graph_rag::living_rag::Mode;

use super::{CorpusReport, StreamPoint, StreamRow};
use crate::chart::{self, Axis, Panel, Scene, Series};
use crate::options::{FeedbackMode, MemoryMode};

impl CorpusReport {
    /// Draws recall with and without experience, the growth of the store and the rates of the gates over the streams in
    /// the first one's order, as `<set>-<what>.svg` and `.png` into `folder`. Gives the files written.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn draw(&self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        let Some(first) = self.streams.first() else {
            return Ok(Vec::new());
        };
        fs_err::create_dir_all(folder)?;
        let same_order = |row: &&StreamRow| (row.order, row.seed) == (first.order, first.seed);
        let rows: Vec<&StreamRow> = self.streams.iter().filter(same_order).collect();
        let learning: Vec<&StreamRow> = rows
            .iter()
            .copied()
            .filter(|row| row.memory == MemoryMode::On)
            .collect();
        let mut scenes = vec![("recall", chart::lines_close(&self.recall(&rows)))];
        if !learning.is_empty() {
            scenes.push(("store", chart::lines(&self.store(&learning))));
            scenes.push(("gates", chart::lines(&self.gates(&learning))));
        }
        let mut files = Vec::new();
        for (what, scene) in scenes {
            files.extend(write(folder, &format!("{}-{what}", self.dataset), &scene)?);
        }
        Ok(files)
    }

    fn recall(&self, rows: &[&StreamRow]) -> Panel {
        let mut series =
            vec![self.series("without experience", rows[0], |p| p.recall_at_5_without)];
        let learning = rows.iter().filter(|row| row.memory == MemoryMode::On);
        series.extend(learning.map(|row| self.series(&self.name(row), row, |p| p.recall_at_5)));
        Panel {
            title: format!("{}: Recall@5 until here", self.dataset),
            across: Axis::linear("questions asked"),
            series,
        }
    }

    fn store(&self, rows: &[&StreamRow]) -> Panel {
        let series = rows
            .iter()
            .map(|row| self.series(&self.name(row), row, |p| p.stored as f64));
        Panel {
            title: format!("{}: experiences kept", self.dataset),
            across: Axis::linear("questions asked"),
            series: series.collect(),
        }
    }

    fn gates(&self, rows: &[&StreamRow]) -> Panel {
        let series = rows.iter().flat_map(|row| {
            let name = self.name(row);
            [
                self.series(&format!("{name}: NS"), row, |p| p.ns_pass),
                self.series(&format!("{name}: GS"), row, |p| p.gs_pass),
            ]
        });
        Panel {
            title: format!("{}: share that passed the gates until here", self.dataset),
            across: Axis::linear("questions asked"),
            series: series.collect(),
        }
    }

    /// What sets a stream apart from the first one.
    fn name(&self, row: &StreamRow) -> String {
        let mode = match row.mode {
            Mode::Guarded => "guarded",
            Mode::Paper => "paper",
        };
        let feedback = match row.feedback {
            FeedbackMode::None => "",
            FeedbackMode::Gold => ", gold",
        };
        let default = self.streams.first().map(|first| first.alpha);
        let alpha = if default == Some(row.alpha) {
            String::new()
        } else {
            format!(", alpha {:.2}", row.alpha)
        };
        format!("{mode}{feedback}{alpha}")
    }

    fn series(&self, name: &str, row: &StreamRow, value: impl Fn(&StreamPoint) -> f64) -> Series {
        let points = row.figures.curve.iter();
        Series {
            name: name.to_owned(),
            points: points.map(|p| (p.asked as f64, value(p))).collect(),
        }
    }
}

fn write(folder: &Path, stem: &str, scene: &Scene) -> anyhow::Result<[PathBuf; 2]> {
    let svg = folder.join(format!("{stem}.svg"));
    fs_err::write(&svg, chart::svg(scene))?;
    let png = folder.join(format!("{stem}.png"));
    fs_err::write(&png, chart::png(scene)?)?;
    Ok([svg, png])
}
