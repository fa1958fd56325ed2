//! Which number does a name have, and which is the longest known name at a place of a text?
//!
//! Folded names in order, one behind the other in one string: less memory than a map of strings, and read from a file as
//! they lie there.

use xxhash_rust::xxh3::xxh3_64;

use crate::GraphRagError;
use crate::csr::id32;
use crate::token::Encoded;

/// Names with a number each, ascending by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NameTable {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<u32>,
    numbers: Vec<u32>,
    /// The most words a name has.
    longest: usize,
    /// A bit for each hash of a first word: most words begin no name, which this tells at once.
    firsts: Vec<u64>,
}

/// Bits for first words, a name.
const BITS_PER_NAME: usize = 16;

impl NameTable {
    /// A table of encoded names; of equal ones the smallest number counts.
    pub(crate) fn new(
        names: impl IntoIterator<Item = (String, u32)>,
    ) -> Result<Self, GraphRagError> {
        let mut names: Vec<(String, u32)> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup_by(|next, kept| next.0 == kept.0);
        let mut table = Self::default();
        for (name, number) in names {
            table.text.push_str(&name);
            table.ends.push(id32(table.text.len(), "bytes of names")?);
            table.numbers.push(number);
        }
        table.derive();
        Ok(table)
    }

    /// A table of the parts that [`parts`](Self::parts) gave; nothing if they are none.
    pub(crate) fn from_parts(text: String, ends: Vec<u32>, numbers: Vec<u32>) -> Option<Self> {
        let mut table = Self {
            text,
            ends,
            numbers,
            ..Self::default()
        };
        let fits = table.ends.len() == table.numbers.len()
            && table.ends.last().map_or(0, |end| *end as usize) == table.text.len()
            && table.ends.is_sorted()
            && table
                .ends
                .iter()
                .all(|end| table.text.is_char_boundary(*end as usize));
        if !fits || !(1..table.len()).all(|at| table.name(at - 1) < table.name(at)) {
            return None;
        }
        table.derive();
        Some(table)
    }

    fn derive(&mut self) {
        self.longest = (0..self.len())
            .map(|at| words_of(self.name(at)))
            .max()
            .unwrap_or(0);
        self.firsts = vec![0; (self.len() * BITS_PER_NAME).div_ceil(64)];
        for at in 0..self.len() {
            let name = self.name(at);
            let first = name.find('\u{2}').map_or(name, |end| &name[..=end]);
            let (word, bit) = self.bit(first);
            self.firsts[word] |= bit;
        }
    }

    /// Where the bit of a first word is; there must be a name.
    fn bit(&self, first: &str) -> (usize, u64) {
        let hash = xxh3_64(first.as_bytes());
        let word = (hash / 64 % self.firsts.len() as u64) as usize;
        (word, 1 << (hash % 64))
    }

    fn may_begin(&self, first: &str) -> bool {
        if self.firsts.is_empty() {
            return false;
        }
        let (word, bit) = self.bit(first);
        self.firsts[word] & bit != 0
    }

    /// All names, where each ends, and their numbers.
    pub(crate) fn parts(&self) -> (&str, &[u32], &[u32]) {
        (&self.text, &self.ends, &self.numbers)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn name(&self, at: usize) -> &str {
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[at] as usize]
    }

    /// The first place from `least` on whose name is not below `name`.
    fn place(&self, name: &str, least: usize) -> usize {
        let (mut low, mut high) = (least, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.name(middle) < name {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The number of a name.
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        let place = self.place(name, 0);
        (place < self.len() && self.name(place) == name).then(|| self.numbers[place])
    }

    /// The longest name that begins with a unit of a text: behind which unit it ends, and its number.
    pub(crate) fn longest_at(&self, text: &Encoded, unit: usize) -> Option<(usize, u32)> {
        let start = text.units.get(unit)?.encoded;
        let (mut place, mut found) = (0, None);
        for end in (unit + 1..=text.units.len()).take(self.longest) {
            let until = text
                .units
                .get(end)
                .map_or(text.text.len(), |next| next.encoded);
            let prefix = &text.text[start..until];
            if end == unit + 1 && !self.may_begin(prefix) {
                return None;
            }
            place = self.place(prefix, place);
            if place == self.len() || !self.name(place).starts_with(prefix) {
                break;
            }
            if self.name(place).len() == prefix.len() {
                found = Some((end, self.numbers[place]));
            }
        }
        found
    }
}

fn words_of(encoded: &str) -> usize {
    encoded.matches('\u{2}').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> NameTable {
        let numbered = (0_u32..)
            .zip(names)
            .map(|(n, name)| (Encoded::new(name).text, n));
        NameTable::new(numbered).unwrap()
    }

    #[test]
    fn names_are_found_by_their_folded_form_and_the_first_of_equals_counts() {
        let table = table(&["Oak Hill", "Bo", "OAK hill", "Bono"]);
        assert_eq!(table.get(&Encoded::new("oak hill").text), Some(0));
        assert_eq!(table.get(&Encoded::new("Bono").text), Some(3));
        assert_eq!(table.get(&Encoded::new("Oak").text), None);
        assert_eq!(table.len(), 3);
    }

    #[test]
    fn the_longest_name_at_a_place_is_found_over_shorter_ones() {
        let table = table(&["Oak", "Oak Hill Farm", "Hill", "Oakland"]);
        let text = Encoded::new("at Oak Hill farm, Oak Hill.");
        assert_eq!(table.longest_at(&text, 0), None);
        assert_eq!(table.longest_at(&text, 1), Some((4, 1)));
        assert_eq!(table.longest_at(&text, 4), Some((5, 0)));
        assert_eq!(table.longest_at(&text, 5), Some((6, 2)));
        assert_eq!(table.longest_at(&text, 6), None);
    }

    #[test]
    fn parts_that_are_no_table_are_refused() {
        let whole = table(&["Bo", "Oak Hill"]);
        let (text, ends, numbers) = whole.parts();
        let again = |text: &str, ends: &[u32], numbers: &[u32]| {
            NameTable::from_parts(text.to_owned(), ends.to_vec(), numbers.to_vec())
        };
        assert_eq!(again(text, ends, numbers), Some(whole.clone()));
        assert_eq!(again(text, ends, &numbers[1..]), None);
        assert_eq!(again(text, &[ends[0]], &numbers[1..]), None);
        assert_eq!(again(text, &[ends[1], ends[0]], numbers), None);
        assert_eq!(again("ba", &[1, 2], &[0, 1]), None);
    }
}
