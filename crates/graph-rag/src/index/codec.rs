//! How are lists of numbers and texts written so that they are read at once?
//!
//! Each list behind its length, little-endian. What is read is bounded by the bytes that there are.

use super::blocks::damaged;
use crate::GraphRagError;
use crate::csr::{Csr, id32};
use crate::names::NameTable;

/// Lists of numbers and texts, each behind its length.
#[derive(Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn list<const N: usize>(&mut self, items: impl ExactSizeIterator<Item = [u8; N]>) {
        self.0.extend((items.len() as u64).to_le_bytes());
        items.for_each(|item| self.0.extend(item));
    }

    pub(super) fn numbers(&mut self, numbers: &[u32]) {
        self.list(numbers.iter().map(|n| n.to_le_bytes()));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
    }

    pub(super) fn rows(&mut self, rows: &Csr<u32>) {
        self.numbers(rows.ends());
        self.numbers(rows.all());
    }

    pub(super) fn names(&mut self, names: &NameTable) {
        let (text, ends, numbers) = names.parts();
        self.text(text);
        self.numbers(ends);
        self.numbers(numbers);
    }

    pub(super) fn texts<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
    ) -> Result<(), GraphRagError> {
        let (mut all, mut ends) = (String::new(), Vec::new());
        for text in texts {
            all.push_str(text);
            ends.push(id32(all.len(), "bytes of names")?);
        }
        self.text(&all);
        self.numbers(&ends);
        Ok(())
    }
}

/// Reads what [`Out`] wrote.
pub(super) struct In<'b>(pub(super) &'b [u8]);

impl<'b> In<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], GraphRagError> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(damaged("a part is too short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn length(&mut self, width: usize) -> Result<usize, GraphRagError> {
        let mut count = [0; 8];
        count.copy_from_slice(self.take(8)?);
        let count = usize::try_from(u64::from_le_bytes(count)).ok();
        count
            .and_then(|n| n.checked_mul(width))
            .ok_or(damaged("a part is too long"))
    }

    pub(super) fn list<const N: usize>(&mut self) -> Result<&'b [[u8; N]], GraphRagError> {
        let length = self.length(N)?;
        Ok(self.take(length)?.as_chunks::<N>().0)
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<u32>, GraphRagError> {
        Ok(self
            .list::<4>()?
            .iter()
            .map(|n| u32::from_le_bytes(*n))
            .collect())
    }

    pub(super) fn text(&mut self) -> Result<&'b str, GraphRagError> {
        let length = self.length(1)?;
        std::str::from_utf8(self.take(length)?).map_err(|_| damaged("a name is no text"))
    }

    pub(super) fn rows(&mut self) -> Result<Csr<u32>, GraphRagError> {
        Ok(Csr::from_parts(self.numbers()?, self.numbers()?))
    }

    pub(super) fn names(&mut self) -> Result<NameTable, GraphRagError> {
        let table =
            NameTable::from_parts(self.text()?.to_owned(), self.numbers()?, self.numbers()?);
        table.ok_or(damaged("its names are broken"))
    }

    pub(super) fn texts(&mut self) -> Result<Vec<&'b str>, GraphRagError> {
        let (all, ends) = (self.text()?, self.numbers()?);
        let mut start = 0;
        let each = ends.into_iter().map(|end| {
            let text = all
                .get(start..end as usize)
                .ok_or(damaged("its names are broken"))?;
            start = end as usize;
            Ok(text)
        });
        each.collect()
    }

    pub(super) fn end(self) -> Result<(), GraphRagError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(damaged("a part is too long"))
        }
    }
}
