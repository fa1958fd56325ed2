//! How are more keys sorted than fit in memory?
//!
//! Keys collect in memory up to a bound; then they are sorted and spilled to an unnamed temporary file, which the
//! operating system removes even when the process is killed. In the end the runs are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::order::{IdQuad, Key, Order};

const BUFFER_BYTES: usize = 256 * 1024;
const KEY_BYTES: usize = size_of::<Key>();

/// Sorts keys with bounded memory.
pub(crate) struct Sorter {
    keys: Vec<Key>,
    capacity: usize,
    runs: Vec<File>,
    directory: PathBuf,
}

impl Sorter {
    /// Spills to unnamed files in `directory` whenever `memory_bytes` are full.
    pub(crate) fn new(directory: &Path, memory_bytes: usize) -> Self {
        Self {
            keys: Vec::new(),
            capacity: (memory_bytes / KEY_BYTES).max(1_024),
            runs: Vec::new(),
            directory: directory.to_owned(),
        }
    }

    pub(crate) fn push(&mut self, key: Key) -> Result<(), StoreError> {
        if self.keys.len() >= self.capacity {
            self.keys.sort_unstable();
            self.runs.push(write_run(&self.directory, &self.keys)?);
            self.keys.clear();
        }
        self.keys.push(key);
        Ok(())
    }

    /// All keys in order; a key pushed twice comes twice.
    pub(crate) fn finish(mut self) -> Result<SortedKeys, StoreError> {
        self.keys.sort_unstable();
        SortedKeys::new(self.keys, self.runs)
    }
}

/// Sorts quads into every order of [`Order::ALL`] with bounded memory.
pub(crate) struct QuadSorter {
    /// Packed in `Spog` order.
    quads: Vec<Key>,
    capacity: usize,
    runs: [Vec<File>; 4],
    directory: PathBuf,
}

impl QuadSorter {
    pub(crate) fn new(directory: &Path, memory_bytes: usize) -> Self {
        Self {
            quads: Vec::new(),
            capacity: (memory_bytes / KEY_BYTES).max(1_024),
            runs: Default::default(),
            directory: directory.to_owned(),
        }
    }

    pub(crate) fn push(&mut self, quad: IdQuad) -> Result<(), StoreError> {
        if self.quads.len() >= self.capacity {
            self.spill()?;
        }
        self.quads.push(Order::Spog.pack(quad));
        Ok(())
    }

    fn spill(&mut self) -> Result<(), StoreError> {
        for (at, order) in Order::ALL.into_iter().enumerate() {
            let keys = reordered(&self.quads, order);
            self.runs[at].push(write_run(&self.directory, &keys)?);
        }
        self.quads.clear();
        Ok(())
    }

    /// Hands over the sorted keys of each order in turn. The next order is sorted while this one is consumed.
    pub(crate) fn finish(
        mut self,
        mut each: impl FnMut(Order, SortedKeys) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if !self.runs[0].is_empty() {
            self.spill()?;
            self.quads = Vec::new();
            for (order, runs) in Order::ALL.into_iter().zip(self.runs) {
                each(order, SortedKeys::new(Vec::new(), runs)?)?;
            }
            return Ok(());
        }
        let quads = self.quads.as_slice();
        std::thread::scope(|scope| {
            let mut sorting = Some(scope.spawn(move || reordered(quads, Order::ALL[0])));
            for (at, order) in Order::ALL.into_iter().enumerate() {
                let sorted = sorting.take().and_then(|thread| thread.join().ok());
                // A thread that cannot finish (no memory) leaves the work to this one.
                let keys = sorted.unwrap_or_else(|| reordered(quads, order));
                if let Some(next) = Order::ALL.get(at + 1).copied() {
                    sorting = Some(scope.spawn(move || reordered(quads, next)));
                }
                each(order, SortedKeys::new(keys, Vec::new())?)?;
            }
            Ok(())
        })
    }
}

/// The quads that `order` holds, sorted in it.
fn reordered(quads: &[Key], order: Order) -> Vec<Key> {
    let mut keys: Vec<Key> = quads
        .iter()
        .map(|key| Order::Spog.unpack(*key))
        .filter(|quad| order.holds(*quad))
        .map(|quad| order.pack(quad))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn write_run(directory: &Path, keys: &[Key]) -> Result<File, StoreError> {
    let file = tempfile::tempfile_in(directory)?;
    let mut writer = BufWriter::with_capacity(BUFFER_BYTES, file);
    for key in keys {
        writer.write_all(&key.to_le_bytes())?;
    }
    let mut file = writer
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

struct Run {
    reader: BufReader<File>,
}

impl Run {
    fn next(&mut self) -> Result<Option<Key>, StoreError> {
        let mut bytes = [0; KEY_BYTES];
        match self.reader.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(Key::from_le_bytes(bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Keys in ascending order, from memory and from spilled runs.
pub(crate) struct SortedKeys {
    memory: std::vec::IntoIter<Key>,
    runs: Vec<Run>,
    /// The next key of each source; source `runs.len()` is the memory.
    heads: BinaryHeap<Reverse<(Key, usize)>>,
}

impl SortedKeys {
    fn new(sorted: Vec<Key>, runs: Vec<File>) -> Result<Self, StoreError> {
        let mut all = Self {
            memory: sorted.into_iter(),
            runs: runs
                .into_iter()
                .map(|file| Run {
                    reader: BufReader::with_capacity(BUFFER_BYTES, file),
                })
                .collect(),
            heads: BinaryHeap::new(),
        };
        if !all.runs.is_empty() {
            for source in 0..=all.runs.len() {
                all.refill(source)?;
            }
        }
        Ok(all)
    }

    fn refill(&mut self, source: usize) -> Result<(), StoreError> {
        let key = match self.runs.get_mut(source) {
            Some(run) => run.next()?,
            None => self.memory.next(),
        };
        self.heads.extend(key.map(|key| Reverse((key, source))));
        Ok(())
    }
}

impl Iterator for SortedKeys {
    type Item = Result<Key, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.runs.is_empty() {
            return self.memory.next().map(Ok);
        }
        let Reverse((key, source)) = self.heads.pop()?;
        match self.refill(source) {
            Ok(()) => Some(Ok(key)),
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_and_unspilled_keys_come_out_alike() {
        let directory = tempfile::tempdir().unwrap();
        let keys: Vec<Key> = (0..5_000u128).map(|i| (i * 7_919) % 5_003).collect();
        let sorted = |memory| {
            let mut sorter = Sorter::new(directory.path(), memory);
            for key in &keys {
                sorter.push(*key).unwrap();
            }
            sorter
                .finish()
                .unwrap()
                .map(Result::unwrap)
                .collect::<Vec<_>>()
        };
        assert_eq!(sorted(0), sorted(1 << 20));
        assert!(sorted(0).is_sorted());
    }

    #[test]
    fn every_order_gets_its_quads_with_or_without_spilling() {
        let directory = tempfile::tempdir().unwrap();
        let quads: Vec<IdQuad> = (0..3_000u32)
            .map(|i| [i % 17, i % 5, (i * 31) % 97, i % 2])
            .collect();
        for memory in [0, 1 << 20] {
            let mut sorter = QuadSorter::new(directory.path(), memory);
            for quad in &quads {
                sorter.push(*quad).unwrap();
            }
            sorter
                .finish(|order, keys| {
                    let mut got: Vec<Key> = keys.map(Result::unwrap).collect();
                    got.dedup();
                    assert_eq!(
                        got,
                        reordered(
                            &quads
                                .iter()
                                .map(|q| Order::Spog.pack(*q))
                                .collect::<Vec<_>>(),
                            order
                        )
                    );
                    Ok(())
                })
                .unwrap();
        }
    }
}
