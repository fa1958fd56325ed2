//! The durable journal: one redb file.
//!
//! redb commits atomically and frees pages without blanking them, so redaction writes a new file and renames it over the
//! old one. A tail that cannot be read (a disk that lied, a copy cut short) is cut off and reported; damage in the middle
//! is an error, since what follows would be replayed on a state that never was.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ::redb::{
    Builder, Database, Durability, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition,
};
use memory::{Event, ForgetTargets, Namespace, State};

use super::seal::{self, SealOnDrop};
use super::{Journal, JournalError, Position};
use memory::codec::{
    FORMAT, OLDEST_FORMAT, decode_event, decode_state, encode_event, encode_state,
};

const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
const EVENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("events");
const CHECKPOINT: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("checkpoint");

const FORMAT_KEY: &str = "format";
const LAST_KEY: &str = "last";
const CHECKPOINT_KEY: &str = "checkpoint";
/// Bytes of a checkpoint kept in one value.
const PIECE_BYTES: usize = 1 << 20;
const FILE: &str = "journal.redb";
const DRAFT: &str = "journal.redb.draft";

/// Bounds of the durable journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedbOptions {
    /// Events older than the checkpoint that are kept.
    pub retention_events: u64,
    /// Memory for pages, in bytes.
    pub cache_bytes: usize,
}

impl Default for RedbOptions {
    fn default() -> Self {
        Self {
            retention_events: 10_000,
            cache_bytes: 16 << 20,
        }
    }
}

/// Events at the end that could not be read and were cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Their positions.
    pub positions: RangeInclusive<u64>,
}

/// Events in a redb file.
#[derive(Debug)]
pub struct RedbJournal {
    path: PathBuf,
    database: Database,
    options: RedbOptions,
    last: u64,
    // Behind the database: the file is sealed when that is closed.
    _seal: SealOnDrop,
}

impl RedbJournal {
    /// Opens the journal in `directory`, made when it is missing. Also gives the tail that had to be cut off.
    ///
    /// # Errors
    /// When another process has it, another version wrote it, or it is damaged before its end.
    pub fn open(
        directory: &Path,
        options: RedbOptions,
    ) -> Result<(Self, Option<TornTail>), JournalError> {
        fs_err::create_dir_all(directory)?;
        let path = directory.join(FILE);
        let draft = directory.join(DRAFT);
        if !path.exists() {
            begin(&path, &draft, options)?;
        }
        seal::check_and_break(&path)?;
        let database = create(&path, options)?;
        // Only now is it certain that no other process is writing the draft.
        if draft.exists() {
            fs_err::remove_file(&draft)?;
        }
        let mut journal = Self {
            _seal: SealOnDrop::new(&path),
            path,
            database,
            options,
            last: 0,
        };
        journal.check_format()?;
        let torn = journal.cut_tail()?;
        Ok((journal, torn))
    }

    /// Whether there is a journal in `directory`.
    #[must_use]
    pub fn exists(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads everything and says what is wrong: the positions of events that cannot be read, and whether the checkpoint
    /// can be.
    ///
    /// # Errors
    /// When the database itself fails.
    pub fn check(&self) -> Result<Vec<JournalError>, JournalError> {
        let mut findings = Vec::new();
        let (broken, _) = self.scan(0)?;
        findings.extend(broken.into_iter().map(|p| JournalError::Damaged {
            path: self.path.clone(),
            position: Position(p),
        }));
        match self.last_checkpoint() {
            Ok(_) => {}
            Err(error @ JournalError::DamagedCheckpoint { .. }) => findings.push(error),
            Err(error) => return Err(error),
        }
        Ok(findings)
    }

    fn check_format(&mut self) -> Result<(), JournalError> {
        let found = self.meta(FORMAT_KEY)?;
        match found {
            Some(FORMAT) => {}
            // A version that does not know the newer events must not open it from now on.
            Some(OLDEST_FORMAT..FORMAT) => {
                self.write(|tx| {
                    tx.open_table(META)?.insert(FORMAT_KEY, FORMAT)?;
                    Ok(())
                })?;
            }
            Some(found) => {
                return Err(JournalError::Format {
                    path: self.path.clone(),
                    found,
                    known: FORMAT,
                });
            }
            None => self.write(lay_out)?,
        }
        self.last = self.meta(LAST_KEY)?.unwrap_or(0);
        Ok(())
    }

    fn cut_tail(&mut self) -> Result<Option<TornTail>, JournalError> {
        let from = self.meta(CHECKPOINT_KEY)?.unwrap_or(0);
        let (broken, whole) = self.scan(from)?;
        let Some(&first) = broken.first() else {
            return Ok(None);
        };
        if whole > first {
            return Err(JournalError::Damaged {
                path: self.path.clone(),
                position: Position(first),
            });
        }
        let last = self.last.max(first);
        self.write(|tx| {
            tx.open_table(EVENTS)?.retain_in(first.., |_, _| false)?;
            tx.open_table(META)?.insert(LAST_KEY, first - 1)?;
            Ok(())
        })?;
        self.last = first - 1;
        Ok(Some(TornTail {
            positions: first..=last,
        }))
    }

    /// Positions after `from` that are missing or cannot be read, and the last that can.
    fn scan(&self, from: u64) -> Result<(Vec<u64>, u64), JournalError> {
        let (mut broken, mut whole) = (Vec::new(), from);
        let fail = |e: ::redb::Error| self.failed(e);
        let tx = self.database.begin_read().map_err(|e| fail(e.into()))?;
        let table = tx.open_table(EVENTS).map_err(|e| fail(e.into()))?;
        let first = table
            .first()
            .map_err(|e| fail(e.into()))?
            .map_or(self.last + 1, |(key, _)| key.value());
        let mut expected = if from == 0 { first } else { from + 1 };
        for entry in table.range(expected..).map_err(|e| fail(e.into()))? {
            let (key, value) = entry.map_err(|e| fail(e.into()))?;
            broken.extend(expected..key.value());
            expected = key.value() + 1;
            if decode_event(value.value()).is_ok() {
                whole = key.value();
            } else {
                broken.push(key.value());
            }
        }
        broken.extend(expected..=self.last);
        Ok((broken, whole))
    }

    fn meta(&self, key: &str) -> Result<Option<u64>, JournalError> {
        let read = || -> Result<Option<u64>, ::redb::Error> {
            let tx = self.database.begin_read()?;
            match tx.open_table(META) {
                Ok(table) => Ok(table.get(key)?.map(|value| value.value())),
                Err(::redb::TableError::TableDoesNotExist(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        };
        read().map_err(|e| self.failed(e))
    }

    fn write(
        &self,
        change: impl FnOnce(&::redb::WriteTransaction) -> Result<(), ::redb::Error>,
    ) -> Result<(), JournalError> {
        write(&self.database, change).map_err(|e| self.failed(e))
    }

    fn failed(&self, source: ::redb::Error) -> JournalError {
        JournalError::Database {
            path: self.path.clone(),
            source: Box::new(source),
        }
    }
}

impl Journal for RedbJournal {
    fn append(&mut self, events: &[Event]) -> Result<Position, JournalError> {
        let encoded = events
            .iter()
            .map(encode_event)
            .collect::<Result<Vec<_>, _>>()?;
        let mut last = self.last;
        self.write(|tx| {
            let mut table = tx.open_table(EVENTS)?;
            for bytes in &encoded {
                last += 1;
                table.insert(last, bytes.as_slice())?;
            }
            tx.open_table(META)?.insert(LAST_KEY, last)?;
            Ok(())
        })?;
        self.last = last;
        Ok(Position(last))
    }

    fn read_after(
        &self,
        after: Position,
        each: &mut dyn FnMut(Position, Event),
    ) -> Result<(), JournalError> {
        let fail = |e: ::redb::Error| self.failed(e);
        let tx = self.database.begin_read().map_err(|e| fail(e.into()))?;
        let table = tx.open_table(EVENTS).map_err(|e| fail(e.into()))?;
        for entry in table.range(after.0 + 1..).map_err(|e| fail(e.into()))? {
            let (key, value) = entry.map_err(|e| fail(e.into()))?;
            let position = Position(key.value());
            let damaged = |_| JournalError::Damaged {
                path: self.path.clone(),
                position,
            };
            each(position, decode_event(value.value()).map_err(damaged)?);
        }
        Ok(())
    }

    fn checkpoint(&mut self, state: &State) -> Result<(), JournalError> {
        let bytes = encode_state(state)?;
        let (last, retention) = (self.last, self.options.retention_events);
        self.write(|tx| {
            put_checkpoint(tx, &bytes, last)?;
            tx.open_table(EVENTS)?
                .retain_in(..=last.saturating_sub(retention), |_, _| false)?;
            Ok(())
        })
    }

    fn last_checkpoint(&self) -> Result<Option<(Position, State)>, JournalError> {
        let Some(position) = self.meta(CHECKPOINT_KEY)? else {
            return Ok(None);
        };
        let read = || -> Result<Vec<u8>, ::redb::Error> {
            let table = self.database.begin_read()?.open_table(CHECKPOINT)?;
            let mut bytes = Vec::new();
            for entry in table.iter()? {
                bytes.extend_from_slice(entry?.1.value());
            }
            Ok(bytes)
        };
        let bytes = read().map_err(|e| self.failed(e))?;
        let state = decode_state(&bytes).map_err(|_| JournalError::DamagedCheckpoint {
            path: self.path.clone(),
        })?;
        Ok(Some((Position(position), state)))
    }

    fn redact(
        &mut self,
        namespace: &Namespace,
        targets: &ForgetTargets,
        state: &State,
    ) -> Result<u64, JournalError> {
        let draft_path = self.path.with_file_name(DRAFT);
        if draft_path.exists() {
            fs_err::remove_file(&draft_path)?;
        }
        let draft = create(&draft_path, self.options)?;
        let bytes = encode_state(state)?;
        let (last, oldest) = (
            self.last,
            self.last.saturating_sub(self.options.retention_events),
        );
        let mut blanked = 0;
        let mut kept: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut refused = None;
        self.read_after(Position(oldest), &mut |position, event| {
            let redacted = event.clone().redacted(namespace, targets);
            blanked += u64::from(redacted != event);
            match encode_event(&redacted) {
                Ok(bytes) => kept.push((position.0, bytes)),
                Err(error) => refused = Some(error),
            }
        })?;
        if let Some(error) = refused {
            return Err(error.into());
        }
        let copy = |tx: &::redb::WriteTransaction| -> Result<(), ::redb::Error> {
            let mut events = tx.open_table(EVENTS)?;
            for (position, bytes) in &kept {
                events.insert(position, bytes.as_slice())?;
            }
            let mut meta = tx.open_table(META)?;
            meta.insert(FORMAT_KEY, FORMAT)?;
            meta.insert(LAST_KEY, last)?;
            drop(meta);
            put_checkpoint(tx, &bytes, last)
        };
        write(&draft, copy).map_err(|e| self.failed(e))?;
        fs_err::rename(&draft_path, &self.path)?;
        sync_parent(&self.path)?;
        self.database = draft;
        Ok(blanked)
    }
}

/// Makes an empty journal beside its place and moves it there: a kill meanwhile leaves no file that is half a journal.
fn begin(path: &Path, draft: &Path, options: RedbOptions) -> Result<(), JournalError> {
    if draft.exists() {
        fs_err::remove_file(draft)?;
    }
    let database = create(draft, options)?;
    write(&database, lay_out).map_err(|source| JournalError::Database {
        path: draft.to_owned(),
        source: Box::new(source),
    })?;
    drop(database);
    fs_err::rename(draft, path)?;
    sync_parent(path)
}

/// The tables of an empty journal.
fn lay_out(tx: &::redb::WriteTransaction) -> Result<(), ::redb::Error> {
    tx.open_table(META)?.insert(FORMAT_KEY, FORMAT)?;
    tx.open_table(EVENTS)?;
    tx.open_table(CHECKPOINT)?;
    Ok(())
}

fn create(path: &Path, options: RedbOptions) -> Result<Database, JournalError> {
    Builder::new()
        .set_cache_size(options.cache_bytes)
        .create(path)
        .map_err(|error| {
            if matches!(error, ::redb::DatabaseError::DatabaseAlreadyOpen) {
                JournalError::InUse {
                    path: path.to_owned(),
                }
            } else {
                JournalError::Database {
                    path: path.to_owned(),
                    source: Box::new(error.into()),
                }
            }
        })
}

fn write(
    database: &Database,
    change: impl FnOnce(&::redb::WriteTransaction) -> Result<(), ::redb::Error>,
) -> Result<(), ::redb::Error> {
    let mut tx = database.begin_write()?;
    tx.set_durability(Durability::Immediate)?;
    change(&tx)?;
    tx.commit()?;
    Ok(())
}

fn put_checkpoint(
    tx: &::redb::WriteTransaction,
    bytes: &[u8],
    position: u64,
) -> Result<(), ::redb::Error> {
    let mut table = tx.open_table(CHECKPOINT)?;
    let old = table.len()?;
    let mut pieces = 0;
    for piece in bytes.chunks(PIECE_BYTES) {
        table.insert(pieces, piece)?;
        pieces += 1;
    }
    for left in pieces..old {
        table.remove(left)?;
    }
    tx.open_table(META)?.insert(CHECKPOINT_KEY, position)?;
    Ok(())
}

fn sync_parent(path: &Path) -> Result<(), JournalError> {
    if let Some(parent) = path.parent() {
        fs_err::File::open(parent)?.sync_all()?;
    }
    Ok(())
}
