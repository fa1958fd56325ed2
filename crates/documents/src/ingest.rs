//! Which documents are in these files, and which of them are new?
//!
//! An iterator, so that nothing is read before it is wanted and a caller stops by dropping it. Files are looked up first,
//! then read one by one; a file of JSON lines gives a document a line, one of JSON records a document a record. What cannot be read is reported, and the rest goes
//! in. Nothing is kept between runs: a caller that stored what it got passes it as known the next time, and an
//! interrupted run goes on where it was.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::document::{ContentHash, Document, Source};
use crate::error::SkipReason;
use crate::limits::Limits;
use crate::open::{JsonDocuments, Opened, reason_of};
use crate::read::{read_as, read_json_line};
use crate::report::Report;
use crate::walk::{self, File, walk};

/// What a run found out about one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was not known.
    Added(Document),
    /// It was known with another content.
    Changed(Document),
    /// It was known with this content; it was not read further.
    Unchanged(Source),
    /// It was known, lay in what was given, and is there no more.
    Gone(Source),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of files read or skipped, as stored.
    pub bytes_done: u64,
    /// Bytes of all files that were found.
    pub bytes_total: u64,
    /// Documents found, changed or not.
    pub documents: u64,
}

/// Reads files and folders; see [`Ingest::new`].
pub struct Ingest<'a> {
    paths: Vec<PathBuf>,
    limits: Limits,
    known: BTreeMap<Source, ContentHash>,
    interrupt: Arc<AtomicBool>,
    on_progress: Box<dyn FnMut(Progress) + Send + 'a>,
    report: Report,
    stage: Stage,
    progress: Progress,
    /// Bytes read of the file that is open.
    read: Arc<AtomicU64>,
}

enum Stage {
    Start,
    Files(std::vec::IntoIter<File>),
    Lines(Box<OpenLines>, std::vec::IntoIter<File>),
    Gone(std::vec::IntoIter<Source>),
    End,
}

struct OpenLines {
    file: File,
    lines: JsonDocuments,
}

impl<'a> Ingest<'a> {
    /// Documents of `paths` (files, or folders with all that is in and below them), in order of their names.
    ///
    /// ```no_run
    /// use std::collections::BTreeMap;
    /// use documents::{Change, Chunker, Ingest, Limits};
    ///
    /// let mut stored = BTreeMap::new();
    /// let mut ingest = Ingest::new(["notes"], Limits::default()).known(stored.clone());
    /// for change in ingest.by_ref() {
    ///     match change {
    ///         Change::Added(document) | Change::Changed(document) => {
    ///             for passage in Chunker::default().passages(&document) {
    ///                 println!("{}: {}", document.source, passage.text);
    ///             }
    ///             stored.insert(document.source, document.content_hash);
    ///         }
    ///         Change::Unchanged(_) => {}
    ///         Change::Gone(source) => drop(stored.remove(&source)),
    ///     }
    /// }
    /// for skipped in &ingest.report().entries {
    ///     eprintln!("{skipped}");
    /// }
    /// ```
    #[must_use]
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>, limits: Limits) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
            limits,
            known: BTreeMap::new(),
            interrupt: Arc::default(),
            on_progress: Box::new(|_| ()),
            report: Report::default(),
            stage: Stage::Start,
            progress: Progress::default(),
            read: Arc::default(),
        }
    }

    /// What is stored already, from earlier runs.
    #[must_use]
    pub fn known(mut self, known: BTreeMap<Source, ContentHash>) -> Self {
        self.known = known;
        self
    }

    /// Stops soon after `interrupt` is set; [`Report::interrupted`] tells.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Arc<AtomicBool>) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Calls `on_progress` when the files were looked up and after each document or file.
    #[must_use]
    pub fn progress(mut self, on_progress: impl FnMut(Progress) + Send + 'a) -> Self {
        self.on_progress = Box::new(on_progress);
        self
    }

    /// What was read and skipped so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Looks up the files.
    fn start(&mut self) {
        let interrupt = Arc::clone(&self.interrupt);
        let found = walk(&self.paths, &self.limits, &|| {
            interrupt.load(Ordering::Relaxed)
        });
        for (name, reason) in found.skipped {
            if matches!(reason, SkipReason::TooManyFiles { .. }) {
                // What was not looked at is not gone.
                self.known.clear();
            }
            self.skip(Source::named(name), reason);
        }
        self.progress.bytes_total = found.files.iter().map(|file| file.bytes).sum();
        self.stage = if found.interrupted {
            Stage::End
        } else {
            Stage::Files(found.files.into_iter())
        };
        self.report.interrupted = found.interrupted;
        (self.on_progress)(self.progress);
    }

    fn skip(&mut self, source: Source, reason: SkipReason) {
        if !reason.replaces() {
            self.keep(&source);
        }
        self.report
            .skip(source, reason, self.limits.max_report_entries);
    }

    /// What is known of `source`, or of what lies below it, will not count as gone.
    fn keep(&mut self, source: &Source) {
        if source.place.is_some() {
            self.known.remove(source);
            return;
        }
        let below = format!("{}/", source.name);
        for first in [&source.name, &below] {
            let names = self
                .known
                .range(Source::named(first.as_str())..)
                .map(|(known, _)| known);
            let lies_there =
                |known: &&Source| known.name == source.name || known.name.starts_with(&below);
            let kept: Vec<Source> = names.take_while(lies_there).cloned().collect();
            for known in kept {
                self.known.remove(&known);
            }
        }
    }

    /// What is still known after all files were read, if it lay in what was given.
    fn gone(&mut self) -> std::vec::IntoIter<Source> {
        let roots: Vec<String> = self
            .paths
            .iter()
            .filter_map(|path| walk::name_of(path))
            .collect();
        let lay_in = |name: &str| {
            roots
                .iter()
                .any(|root| match name.strip_prefix(root.as_str()) {
                    Some(rest) => rest.is_empty() || rest.starts_with('/') || root.ends_with('/'),
                    None => root == "." && !name.starts_with(['/', '.']),
                })
        };
        let known = std::mem::take(&mut self.known);
        let gone: Vec<Source> = known
            .into_keys()
            .filter(|known| lay_in(&known.name))
            .collect();
        gone.into_iter()
    }

    /// The file is done with, however it went.
    fn close(&mut self, file: &File) {
        self.read.store(0, Ordering::Relaxed);
        self.progress.bytes_done += file.bytes;
        (self.on_progress)(self.progress);
    }

    /// The document at `source`, unless it is known with this content.
    fn change(
        &mut self,
        source: Source,
        hash: ContentHash,
        read: impl FnOnce(Source) -> Result<Document, SkipReason>,
    ) -> Option<Change> {
        let known = self.known.remove(&source);
        if known == Some(hash) {
            self.report.unchanged += 1;
            self.progress.documents += 1;
            return Some(Change::Unchanged(source));
        }
        match read(source.clone()) {
            Ok(document) => {
                self.progress.documents += 1;
                Some(if known.is_some() {
                    self.report.changed += 1;
                    Change::Changed(document)
                } else {
                    self.report.added += 1;
                    Change::Added(document)
                })
            }
            Err(reason) => {
                if let Some(known) = known {
                    self.known.insert(source.clone(), known);
                }
                self.skip(source, reason);
                None
            }
        }
    }

    /// Reads the next file; `None` when it gave no document, or its lines are next.
    fn next_file(&mut self, file: File, files: std::vec::IntoIter<File>) -> Option<Change> {
        let opened = Opened::open(&file, &self.limits, &self.read, &self.interrupt);
        self.stage = Stage::Files(files);
        let change = match opened {
            Ok(Opened::Many(lines)) => {
                self.open_lines(file, lines);
                return None;
            }
            Ok(Opened::Whole(kind, bytes)) => {
                let hash = ContentHash::of_document(&bytes);
                let limits = self.limits;
                let (mut replaced, mut hidden) = (false, false);
                let change = self.change(Source::named(file.name.as_str()), hash, |source| {
                    let read = read_as(kind, source, bytes, hash, &limits)?;
                    replaced = read.replaced;
                    hidden = read.hidden_chars > 0;
                    Ok(read.document)
                });
                self.report.undecodable += u64::from(replaced);
                self.report.hidden += u64::from(hidden);
                change
            }
            Err(_) if self.interrupted() => None,
            Err(reason) => {
                self.skip(Source::named(file.name.as_str()), reason);
                None
            }
        };
        self.close(&file);
        change
    }

    fn open_lines(&mut self, file: File, lines: JsonDocuments) {
        let Stage::Files(files) = std::mem::replace(&mut self.stage, Stage::End) else {
            return;
        };
        self.stage = Stage::Lines(Box::new(OpenLines { file, lines }), files);
    }

    /// Reads the next line of the open file; `None` when it gave no document.
    fn next_line(
        &mut self,
        mut open: Box<OpenLines>,
        files: std::vec::IntoIter<File>,
    ) -> Option<Change> {
        let line = match open.lines.next_document() {
            Ok(Some(line)) => line,
            Ok(None) => {
                self.close(&open.file);
                self.stage = Stage::Files(files);
                return None;
            }
            Err(error) => {
                if !self.interrupted() {
                    let reason = reason_of(&error);
                    self.skip(Source::named(open.file.name.as_str()), reason);
                }
                self.close(&open.file);
                self.stage = Stage::Files(files);
                return None;
            }
        };
        let source = open.lines.source(open.file.name.as_str(), line.number);
        self.stage = Stage::Lines(open, files);
        let change = match line.bytes {
            Ok(bytes) => {
                let limits = self.limits;
                let hash = ContentHash::of_document(&bytes);
                self.change(source, hash, |source| {
                    read_json_line(source, &bytes, &limits)
                })
            }
            Err(reason) => {
                self.skip(source, reason);
                None
            }
        };
        let mut progress = self.progress;
        progress.bytes_done += self.read.load(Ordering::Relaxed);
        (self.on_progress)(progress);
        change
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

impl Iterator for Ingest<'_> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        loop {
            if self.interrupted() && !matches!(self.stage, Stage::End) {
                self.report.interrupted = true;
                self.stage = Stage::End;
            }
            match std::mem::replace(&mut self.stage, Stage::End) {
                Stage::Start => self.start(),
                Stage::Files(mut files) => {
                    let Some(file) = files.next() else {
                        self.stage = Stage::Gone(self.gone());
                        continue;
                    };
                    if let Some(change) = self.next_file(file, files) {
                        return Some(change);
                    }
                }
                Stage::Lines(open, files) => {
                    if let Some(change) = self.next_line(open, files) {
                        return Some(change);
                    }
                }
                Stage::Gone(mut sources) => {
                    let source = sources.next()?;
                    self.stage = Stage::Gone(sources);
                    self.report.gone += 1;
                    return Some(Change::Gone(source));
                }
                Stage::End => return None,
            }
        }
    }
}
