//! What is kept of a passage, and when is it read?
//!
//! A record is read from the index's file when it is first needed; a change needs them all.

use std::sync::{Arc, OnceLock};

use super::blocks::{Blocks, damaged};
use crate::GraphRagError;
use crate::extraction::PassageMentions;
use crate::parallel::fill;
use crate::passage::{ContentHash, Passage};
use crate::recogniser::Recogniser;
use crate::token::Encoded;

/// A passage as it is kept.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) passage: Passage,
    pub(crate) full_text: String,
    pub(crate) hash: ContentHash,
    pub(crate) mentions: PassageMentions,
    encoded: OnceLock<Encoded>,
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        (&self.passage, self.hash, &self.mentions) == (&other.passage, other.hash, &other.mentions)
    }
}

impl Record {
    pub(super) fn new(passage: Passage, recogniser: &Recogniser) -> Self {
        let mentions = PassageMentions::of(&passage, recogniser);
        Self::of_parts(passage, mentions)
    }

    fn of_parts(passage: Passage, mentions: PassageMentions) -> Self {
        let full_text = passage.full_text();
        let hash = ContentHash::of(&full_text);
        Self {
            passage,
            full_text,
            hash,
            mentions,
            encoded: OnceLock::new(),
        }
    }

    /// The full text as names are looked for in it.
    pub(crate) fn encoded(&self) -> &Encoded {
        self.encoded.get_or_init(|| Encoded::new(&self.full_text))
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, GraphRagError> {
        postcard::to_stdvec(&(&self.passage, self.hash, &self.mentions))
            .map_err(|_| damaged("a part of it cannot be encoded"))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, GraphRagError> {
        let (passage, hash, mentions): (Passage, ContentHash, PassageMentions) =
            postcard::from_bytes(bytes).map_err(|_| damaged("its passages are broken"))?;
        let record = Self::of_parts(passage, mentions);
        let mut sentences = record.mentions.sentences.iter();
        if record.hash != hash || !sentences.all(|s| record.full_text.get(s.span.clone()).is_some())
        {
            return Err(damaged("its passages are broken"));
        }
        Ok(record)
    }
}

/// Records in a file.
#[derive(Debug, Clone)]
struct Stored {
    blocks: Arc<Blocks>,
    section: usize,
    /// Where each record ends in the section.
    ends: Arc<Vec<u64>>,
}

impl Stored {
    fn start(&self, place: usize) -> u64 {
        place.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

/// The records of all passages, in order of document and ordinal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Records {
    slots: Vec<OnceLock<Arc<Record>>>,
    stored: Option<Stored>,
}

impl From<Vec<Arc<Record>>> for Records {
    fn from(records: Vec<Arc<Record>>) -> Self {
        Self {
            slots: records.into_iter().map(OnceLock::from).collect(),
            stored: None,
        }
    }
}

/// Fewer passages are read by one thread.
const LEAST_SHARED_PASSAGES: usize = 256;

impl Records {
    /// Reads passages, given in order.
    pub(super) fn read(passages: Vec<Passage>, recogniser: &Recogniser) -> Self {
        let mut slots: Vec<(Option<Passage>, OnceLock<Arc<Record>>)> = passages
            .into_iter()
            .map(|passage| (Some(passage), OnceLock::new()))
            .collect();
        fill(&mut slots, LEAST_SHARED_PASSAGES, |_, run| {
            for (passage, slot) in run {
                if let Some(passage) = passage.take() {
                    *slot = OnceLock::from(Arc::new(Record::new(passage, recogniser)));
                }
            }
        });
        Self {
            slots: slots.into_iter().map(|(_, slot)| slot).collect(),
            stored: None,
        }
    }

    /// Records that lie in a section of a file and end where `ends` says.
    pub(super) fn stored(blocks: Arc<Blocks>, section: usize, ends: Vec<u64>) -> Self {
        let slots = ends.iter().map(|_| OnceLock::new()).collect();
        Self {
            slots,
            stored: Some(Stored {
                blocks,
                section,
                ends: Arc::new(ends),
            }),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// A record; nothing for one that does not exist, and for one that cannot be read, which is noted as a fault.
    pub(crate) fn get(&self, place: usize) -> Option<&Arc<Record>> {
        let slot = self.slots.get(place)?;
        if let Some(record) = slot.get() {
            return Some(record);
        }
        let stored = self.stored.as_ref()?;
        let range = stored.start(place)..stored.ends[place];
        match stored
            .blocks
            .read(stored.section, range)
            .and_then(|bytes| Record::from_bytes(&bytes))
        {
            Ok(record) => Some(slot.get_or_init(|| Arc::new(record))),
            Err(fault) => {
                stored.blocks.note(fault);
                None
            }
        }
    }

    /// Reads what has not been read.
    pub(super) fn load(&self) -> Result<(), GraphRagError> {
        let Some(stored) = &self.stored else {
            return Ok(());
        };
        if self.slots.iter().all(|slot| slot.get().is_some()) {
            return Ok(());
        }
        let bytes = stored.blocks.section_bytes(stored.section)?;
        let offset = |n: u64| usize::try_from(n).map_err(|_| damaged("a part is too long"));
        for (place, slot) in self.slots.iter().enumerate() {
            if slot.get().is_none() {
                let piece = bytes.get(offset(stored.start(place))?..offset(stored.ends[place])?);
                let record = Record::from_bytes(piece.ok_or(damaged("its passages are broken"))?)?;
                slot.get_or_init(|| Arc::new(record));
            }
        }
        Ok(())
    }

    /// All records that can be read, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        (0..self.len()).filter_map(|place| self.get(place))
    }
}
