//! Is the journal's file what it was when it was closed?
//!
//! redb believes the lengths in its pages before it checks their sums, and a single flipped bit can make it stop the whole
//! process. So a journal that is closed in order is sealed: a small file beside it holds what the bytes hash to, and they
//! are compared before redb sees them. After a kill there is no seal, and redb checks all pages itself. A seal whose head
//! of the file is another one belongs to an earlier state and says nothing.

use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;
use xxhash_rust::xxh3::Xxh3;

use super::JournalError;

/// The head of a redb file: which state it is in.
const HEAD_BYTES: usize = 512;
/// Bytes read at once.
const PIECE_BYTES: usize = 1 << 18;
/// A seal is one line, far shorter than this.
const MAX_SEAL_BYTES: u64 = 256;
/// How a redb file begins, and the byte behind it, of which one bit says that it was not closed in order. (redb's
/// design document, "database header")
const REDB_MAGIC: &[u8; 9] = b"redb\x1A\x0A\xA9\x0D\x0A";
const REDB_NOT_CLOSED: u8 = 0b10;
/// The first word of a seal.
const MARK: &str = "refrain-journal-seal-1";

/// Seals the journal when it is dropped; declared behind the database, which is then closed already.
#[derive(Debug)]
pub(super) struct SealOnDrop {
    path: PathBuf,
}

impl SealOnDrop {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }
}

impl Drop for SealOnDrop {
    fn drop(&mut self) {
        // A journal without a seal is checked by redb; a failure here loses nothing.
        if !std::thread::panicking()
            && let Err(error) = write(&self.path)
        {
            tracing::debug!(%error, "the journal could not be sealed");
        }
    }
}

/// Compares the file with its seal and breaks it: from now on the file may change. A file without a seal that can be read is
/// handed to redb as one that was not closed in order, which makes redb look at its pages. That finds most damage, not all.
///
/// # Errors
/// [`JournalError::Altered`] when the bytes are not those that were sealed.
pub(super) fn check_and_break(path: &Path) -> Result<(), JournalError> {
    let seal = place(path);
    let Some(sealed) = read(&seal)? else {
        return demand_check(path);
    };
    let found = line(path)?;
    let head = |line: &str| {
        line.split(' ')
            .take(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    if sealed != found && head(&sealed) == head(&found) {
        return Err(JournalError::Altered {
            path: path.to_owned(),
        });
    }
    let is_of_this_state = head(&sealed) == head(&found);
    fs::remove_file(&seal)?;
    if is_of_this_state {
        Ok(())
    } else {
        demand_check(path)
    }
}

/// The seal's line; nothing when there is none, or none that can be read.
fn read(seal: &Path) -> Result<Option<String>, JournalError> {
    let found = match std::fs::symlink_metadata(seal) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = if found.is_file() && found.len() <= MAX_SEAL_BYTES {
        fs::read_to_string(seal).ok()
    } else {
        None
    };
    let text = text.filter(|text| text.starts_with(MARK));
    if text.is_none() {
        tracing::warn!(
            seal = %seal.display(),
            "the journal's seal cannot be read; every page of the journal is checked instead"
        );
    }
    Ok(text)
}

/// Marks the file as not closed in order, which makes redb look at its pages as after a crash.
fn demand_check(path: &Path) -> Result<(), JournalError> {
    let mut file = fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut head = [0; REDB_MAGIC.len() + 1];
    if file.read_exact(&mut head).is_err() || !head.starts_with(REDB_MAGIC) {
        // Not redb's: it will say so itself.
        return Ok(());
    }
    let at = REDB_MAGIC.len();
    if head[at] & REDB_NOT_CLOSED == 0 {
        file.seek(SeekFrom::Start(at as u64))?;
        file.write_all(&[head[at] | REDB_NOT_CLOSED])?;
        file.sync_data()?;
    }
    Ok(())
}

fn write(path: &Path) -> Result<(), std::io::Error> {
    let draft = path.with_extension("seal.draft");
    fs::write(&draft, line(path)?)?;
    fs::rename(&draft, place(path))
}

fn place(path: &Path) -> PathBuf {
    path.with_extension("seal")
}

/// Mark, hash of the head, length and hash of all bytes.
fn line(path: &Path) -> Result<String, std::io::Error> {
    let mut file = fs::File::open(path)?;
    let (mut head, mut whole) = (Xxh3::new(), Xxh3::new());
    let (mut piece, mut length) = (vec![0; PIECE_BYTES], 0_usize);
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            break;
        }
        let bytes = piece.get(..read).unwrap_or_default();
        let of_head = HEAD_BYTES.saturating_sub(length).min(read);
        head.update(bytes.get(..of_head).unwrap_or_default());
        whole.update(bytes);
        length += read;
    }
    Ok(format!(
        "{MARK} {:016x} {length} {:032x}\n",
        head.digest(),
        whole.digest128()
    ))
}
