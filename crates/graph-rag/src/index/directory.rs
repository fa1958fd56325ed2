//! Where does an index lie on disk, and what if writing it is interrupted?
//!
//! One file in a directory, written beside and renamed over the old one: after a crash there is the old index or the new.

use std::io::BufWriter;
use std::path::Path;

use super::Index;
use super::blocks::Blocks;
use crate::GraphRagError;

const FILE: &str = "documents.index";
const UNFINISHED: &str = "documents.index.new";

impl Index {
    /// Writes the index into a directory, which is made if it does not exist. One writer at a time.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::File`] when it cannot be written; the index that was there stays.
    pub fn save(&self, directory: &Path) -> Result<(), GraphRagError> {
        fs_err::create_dir_all(directory)?;
        let unfinished = directory.join(UNFINISHED);
        let mut writer = BufWriter::new(fs_err::File::create(&unfinished)?);
        self.write_to(&mut writer)?;
        let file = writer
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs_err::rename(&unfinished, directory.join(FILE))?;
        // The new name itself must outlive a crash, where directories can be synced.
        if let Ok(directory) = fs_err::File::open(directory) {
            let unsupported = [
                std::io::ErrorKind::InvalidInput,
                std::io::ErrorKind::Unsupported,
            ];
            match directory.sync_all() {
                Err(error) if !unsupported.contains(&error.kind()) => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Whether an index lies in a directory.
    #[must_use]
    pub fn exists(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// Opens the index of a directory. Its file stays open: what questions need is read when they need it.
    ///
    /// # Errors
    ///
    /// [`GraphRagError::File`] when there is none, and as [`Index::read_from`].
    pub fn open(directory: &Path) -> Result<Self, GraphRagError> {
        Self::of_blocks(Blocks::of_file(fs_err::File::open(directory.join(FILE))?)?)
    }
}
