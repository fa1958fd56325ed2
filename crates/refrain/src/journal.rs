//! How does what was learned survive a crash?
//!
//! Every change is an event that is appended durably before it is visible; the state is what folding the events gives. A
//! checkpoint holds the state at one position, so that only later events are replayed, and a bounded number of older
//! events stays for looking back. Forgetting blanks events and replaces the checkpoint: nothing forgotten returns.

use std::path::PathBuf;

use memory::{Effect, Event, ForgetTargets, Namespace, State};
use thiserror::Error;

mod redb;
mod seal;
mod volatile;

pub use self::redb::{RedbJournal, RedbOptions, TornTail};
pub use self::volatile::VolatileJournal;
pub use memory::codec::FORMAT;

/// The number of an event, from 1; 0 is before the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub u64);

/// Why the journal cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// Another process has it open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It was written by another version.
    #[error("{} has journal format {found}; this version reads format {known}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The one that is understood.
        known: u64,
    },
    /// The file is not what it was when it was closed: something overwrote it.
    #[error("{} was changed since it was closed: it is damaged", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
    },
    /// An event cannot be read though later ones can: something overwrote the file.
    #[error("event {} of {} is damaged, but later ones are whole", position.0, path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The event.
        position: Position,
    },
    /// The checkpoint cannot be read.
    #[error("the checkpoint of {} is damaged", path.display())]
    DamagedCheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// An event or a state could not be written as bytes.
    #[error(transparent)]
    Codec(#[from] memory::codec::CodecError),
    /// The database failed.
    #[error("{} failed", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// How.
        #[source]
        source: Box<::redb::Error>,
    },
    /// The file system failed; the error names the file.
    #[error("the journal's directory failed")]
    Files(#[from] std::io::Error),
}

/// Where events are kept. One owner writes; whoever holds it may read.
pub trait Journal: Send {
    /// Appends events; they are durable when this returns. Gives the position of the last.
    ///
    /// # Errors
    /// When they could not all be made durable; then none is there.
    fn append(&mut self, events: &[Event]) -> Result<Position, JournalError>;

    /// Reads the events after a position, in order.
    ///
    /// # Errors
    /// When one cannot be read.
    fn read_after(
        &self,
        after: Position,
        each: &mut dyn FnMut(Position, Event),
    ) -> Result<(), JournalError>;

    /// Keeps the state as it is after all events so far, and lets go of events beyond the bound of retention.
    ///
    /// # Errors
    /// When it cannot be made durable; then the former checkpoint stands.
    fn checkpoint(&mut self, state: &State) -> Result<(), JournalError>;

    /// The last checkpoint.
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    fn last_checkpoint(&self) -> Result<Option<(Position, State)>, JournalError>;

    /// Blanks every event that mentions `targets`, and makes `state`, from which they are already gone, the checkpoint:
    /// afterwards no byte of theirs is left in the file. Gives the number of events blanked.
    ///
    /// # Errors
    /// When it cannot be made durable; then it has to be done again.
    fn redact(
        &mut self,
        namespace: &Namespace,
        targets: &ForgetTargets,
        state: &State,
    ) -> Result<u64, JournalError>;
}

/// A state that was read back.
#[derive(Debug)]
pub struct Recovered {
    /// The state.
    pub state: State,
    /// The last event in it.
    pub position: Position,
    /// Events that were replayed on top of the checkpoint.
    pub replayed: u64,
}

/// Reads the state back: the checkpoint, then the events after it. A redaction that a crash cut short is carried out
/// again, so that nothing forgotten stays in the file.
///
/// # Errors
/// When the journal cannot be read, or cannot be redacted.
pub fn recover(journal: &mut dyn Journal) -> Result<Recovered, JournalError> {
    let (mut position, mut state) = journal.last_checkpoint()?.unwrap_or_default();
    let mut replayed = 0;
    let mut unfinished: Vec<(Namespace, ForgetTargets)> = Vec::new();
    journal.read_after(position, &mut |at, event| {
        if let Event::Forget {
            namespace, targets, ..
        } = &event
        {
            unfinished.push((namespace.clone(), targets.clone()));
        }
        let _: Effect = state.apply(&event);
        position = at;
        replayed += 1;
    })?;
    for (namespace, targets) in unfinished {
        journal.redact(&namespace, &targets, &state)?;
    }
    Ok(Recovered {
        state,
        position,
        replayed,
    })
}

#[cfg(test)]
mod tests;
