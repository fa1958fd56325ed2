//! How are many short lists kept in one piece of memory? Compressed sparse rows.

use crate::GraphRagError;

/// Rows of items, one behind the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Csr<T> {
    /// Where each row ends; the first starts at 0.
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Csr<T> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Clone> Csr<T> {
    pub(crate) fn from_rows(rows: Vec<Vec<T>>, what: &'static str) -> Result<Self, GraphRagError> {
        let mut ends = Vec::with_capacity(rows.len());
        let mut items = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        for row in rows {
            items.extend(row);
            ends.push(id32(items.len(), what)?);
        }
        Ok(Self { ends, items })
    }

    /// Rows of parts that [`ends`](Self::ends) and [`all`](Self::all) gave; [`is_sound`](Self::is_sound) tells whether they are.
    pub(crate) fn from_parts(ends: Vec<u32>, items: Vec<T>) -> Self {
        Self { ends, items }
    }

    /// Where each row ends.
    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The items of all rows.
    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn row(&self, row: usize) -> &[T] {
        let start = match row {
            0 => 0,
            row => self.ends.get(row - 1).map_or(0, |end| *end as usize),
        };
        let end = self.ends.get(row).map_or(start, |end| *end as usize);
        &self.items[start..end]
    }

    /// Whether it has so many rows, in order, and every item passes.
    pub(crate) fn is_sound(&self, rows: usize, item: impl Fn(&T) -> bool) -> bool {
        self.ends.len() == rows
            && self.ends.is_sorted()
            && self.ends.last().map_or(0, |end| *end as usize) == self.items.len()
            && self.items.iter().all(item)
    }

    pub(crate) fn items(&self) -> usize {
        self.items.len()
    }
}

/// A number of an item; 32 bits hold it.
pub(crate) fn id32(index: usize, what: &'static str) -> Result<u32, GraphRagError> {
    u32::try_from(index).map_err(|_| GraphRagError::TooMany { what })
}
