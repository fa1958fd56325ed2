//! Which passages hold the words of a question?
//!
//! BM25 over the passages' words, kept beside the vectors.

use std::collections::HashMap;
use std::sync::Arc;

use language_model::words::words;
use similarity::bm25::{Bm25, Posting};

use super::Index;
use super::blocks::damaged;
use super::codec::{In, Out};
use super::records::{Record, Records};
use crate::GraphRagError;
use crate::csr::id32;

/// BM25 over the passages.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordIndex {
    pub(crate) bm25: Bm25,
    /// The index there of each passage.
    places: Vec<usize>,
}

impl WordIndex {
    /// The words of records; those that `old` has are taken from there.
    pub(super) fn new(records: &Records, old: Option<&Index>) -> Self {
        let mut bm25 = old.map_or_else(Bm25::default, |old| old.words.bm25.clone());
        let mut known: HashMap<*const Record, usize> = HashMap::new();
        if let Some(old) = old {
            known = old
                .records
                .iter()
                .map(Arc::as_ptr)
                .zip(old.words.places.iter().copied())
                .collect();
        }
        let mut places = Vec::with_capacity(records.len());
        for record in records.iter() {
            let place = known.remove(&Arc::as_ptr(record));
            places.push(place.unwrap_or_else(|| bm25.insert(words(&record.full_text))));
        }
        // What is left is gone. Its order does not show: it is only taken out.
        for record in old.into_iter().flat_map(|old| old.records.iter()) {
            if let Some(place) = known.get(&Arc::as_ptr(record)) {
                bm25.remove(*place, words(&record.full_text));
            }
        }
        Self { bm25, places }
    }

    /// BM25 of each passage.
    pub(crate) fn scores(&self, query: &[String]) -> Vec<f32> {
        let all = self.bm25.scores(query);
        self.places.iter().map(|place| all[*place]).collect()
    }
}

impl WordIndex {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, GraphRagError> {
        let mut out = Out::default();
        // Texts that were taken out leave holes: what is written is numbered by passage.
        let mut passages = vec![u32::MAX; self.places.iter().max().map_or(0, |most| most + 1)];
        for (passage, place) in (0_u32..).zip(&self.places) {
            passages[*place] = passage;
        }
        let (mut ends, mut numbers, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for (_, list) in self.bm25.postings() {
            let mut row: Vec<(u32, f32)> = list
                .iter()
                .map(|p| (passages[p.text as usize], p.count))
                .collect();
            row.sort_unstable_by_key(|(passage, _)| *passage);
            numbers.extend(row.iter().map(|(passage, _)| *passage));
            counts.extend(row.iter().map(|(_, count)| *count));
            ends.push(id32(numbers.len(), "words of passages")?);
        }
        out.numbers(&[id32(self.places.len(), "passages")?]);
        out.texts(self.bm25.postings().map(|(word, _)| word))?;
        out.numbers(&ends);
        out.numbers(&numbers);
        out.list(counts.iter().map(|count| count.to_le_bytes()));
        Ok(out.0)
    }

    /// What [`to_bytes`](Self::to_bytes) gave for so many passages.
    pub(super) fn from_bytes(bytes: &[u8], passages: usize) -> Result<Self, GraphRagError> {
        let mut bytes = In(bytes);
        let (texts, words, ends) = (bytes.numbers()?, bytes.texts()?, bytes.numbers()?);
        let (numbers, counts) = (bytes.list::<4>()?, bytes.list::<4>()?);
        bytes.end()?;
        let broken = || damaged("its words are broken");
        let [texts] = *texts.as_slice() else {
            return Err(broken());
        };
        let fits = texts as usize == passages
            && ends.len() == words.len()
            && ends.is_sorted()
            && ends.last().map_or(0, |end| *end as usize) == numbers.len()
            && numbers.len() == counts.len();
        if !fits {
            return Err(broken());
        }
        let mut start = 0;
        let rows = words.into_iter().zip(ends).map(|(word, end)| {
            let row = start..end as usize;
            start = end as usize;
            let row = numbers[row.clone()].iter().zip(&counts[row]);
            let posting = |(text, count): (&[u8; 4], &[u8; 4])| Posting {
                text: u32::from_le_bytes(*text),
                count: f32::from_le_bytes(*count),
            };
            (word.to_owned(), row.map(posting).collect())
        });
        let bm25 = Bm25::from_postings(texts, rows);
        Ok(Self {
            bm25,
            places: (0..texts as usize).collect(),
        })
    }
}
