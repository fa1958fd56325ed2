//! What became of the files that were given?

use std::collections::BTreeMap;

use crate::document::Source;
use crate::error::{SkipReason, Skipped};

/// What a run read and what it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Documents that were not known.
    pub added: u64,
    /// Documents whose content is not the known one.
    pub changed: u64,
    /// Documents whose content is the known one; they were not read further.
    pub unchanged: u64,
    /// Known documents that are there no more.
    pub gone: u64,
    /// Documents in which some bytes stood for no character and became U+FFFD.
    pub undecodable: u64,
    /// Web pages with text that they do not show; it was left out.
    pub hidden: u64,
    /// How many files, folders and lines were skipped, by [`SkipReason::label`].
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first of them, up to [`crate::Limits::max_report_entries`].
    pub entries: Vec<Skipped>,
    /// The run was stopped before its end; what is gone is then not known.
    pub interrupted: bool,
}

impl Report {
    /// The number of files, folders and lines that were skipped.
    #[must_use]
    pub fn skipped_count(&self) -> u64 {
        self.skipped.values().sum()
    }

    pub(crate) fn skip(&mut self, source: Source, reason: SkipReason, max_entries: usize) {
        *self.skipped.entry(reason.label()).or_default() += 1;
        if self.entries.len() < max_entries {
            self.entries.push(Skipped { source, reason });
        }
    }
}
