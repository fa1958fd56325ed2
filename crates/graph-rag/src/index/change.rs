//! How does an index follow its documents?
//!
//! By content: passages whose title and text are unchanged keep their mentions and vectors. A title that comes or goes
//! changes what other passages mention, so those that contain it are read again. What counts and numbers nodes is done
//! anew; it is cheap next to embedding, and makes the result equal to a fresh build.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use language_model::Embedder;

use super::{Index, Record, recogniser};
use crate::GraphRagError;
use crate::passage::{ContentHash, DocumentId, Passage};
use crate::recogniser::{Gazetteer, Label};

/// A change of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The document's passages are now these: it is new or has another content.
    Put {
        /// The document; passages of other documents are refused.
        document: DocumentId,
        /// All its passages, in any order.
        passages: Vec<Passage>,
    },
    /// The document is gone.
    Remove {
        /// The document.
        document: DocumentId,
    },
}

/// What a change amounted to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeReport {
    /// Passages that were not there, or have another text now, by document and ordinal.
    pub changed: Vec<(DocumentId, u32)>,
    /// Passages that are gone, by document and ordinal.
    pub removed: Vec<(DocumentId, u32)>,
    /// Unchanged passages that were read again because a title came or went.
    pub read_again: usize,
}

type Place = (DocumentId, u32);

impl Index {
    /// The index after changes, in order; the last word on a document counts.
    ///
    /// # Errors
    ///
    /// As [`Index::build`] and [`Index::verify`]; [`GraphRagError::OtherEmbedder`] when the embedder is not the index's own.
    pub fn changed(
        &self,
        changes: impl IntoIterator<Item = Change>,
        embedder: &dyn Embedder,
    ) -> Result<(Self, ChangeReport), GraphRagError> {
        if embedder.fingerprint() != self.embedder {
            return Err(GraphRagError::OtherEmbedder {
                index: self.embedder.clone(),
                given: embedder.fingerprint().to_owned(),
            });
        }
        self.load()?;
        let mut documents: BTreeMap<DocumentId, Vec<Passage>> = BTreeMap::new();
        for change in changes {
            match change {
                Change::Put { document, passages } => documents.insert(document, passages),
                Change::Remove { document } => documents.insert(document, Vec::new()),
            };
        }
        let mut kept: BTreeMap<Place, Arc<Record>> = BTreeMap::new();
        let mut before: HashMap<Place, ContentHash> = HashMap::new();
        for record in self.records.iter() {
            let place = (record.passage.document.clone(), record.passage.ordinal);
            if documents.contains_key(&record.passage.document) {
                before.insert(place.clone(), record.hash);
            }
            kept.insert(place, Arc::clone(record));
        }
        let mut report = ChangeReport::default();
        let fresh = self.sort_out(documents, &before, &mut kept, &mut report)?;
        let titles = || {
            kept.values()
                .map(|r| r.passage.title.as_str())
                .chain(fresh.iter().map(|p| p.title.as_str()))
        };
        let recogniser = recogniser(&self.labels, titles(), self.config)?;
        let now: BTreeSet<String> = titles().map(str::to_owned).collect();
        let affected = self.moved_titles(&now)?;
        for record in kept.values_mut() {
            if !affected.is_empty()
                && !affected
                    .find(&record.full_text, record.encoded(), false)
                    .is_empty()
            {
                *record = Arc::new(Record::new(record.passage.clone(), &recogniser));
                report.read_again += 1;
            }
        }
        for passage in fresh {
            let place = (passage.document.clone(), passage.ordinal);
            kept.insert(place, Arc::new(Record::new(passage, &recogniser)));
        }
        let records: Vec<Arc<Record>> = kept.into_values().collect();
        let index = Self::of_records(
            records.into(),
            self.labels.clone(),
            recogniser,
            self.config,
            Some(self),
            embedder,
        )?;
        Ok((index, report))
    }

    /// Takes what changed out of `kept` and gives the passages that are to be read.
    fn sort_out(
        &self,
        documents: BTreeMap<DocumentId, Vec<Passage>>,
        before: &HashMap<Place, ContentHash>,
        kept: &mut BTreeMap<Place, Arc<Record>>,
        report: &mut ChangeReport,
    ) -> Result<Vec<Passage>, GraphRagError> {
        let mut fresh = Vec::new();
        let mut seen: BTreeSet<Place> = BTreeSet::new();
        for (document, passages) in documents {
            for passage in passages {
                let place = (document.clone(), passage.ordinal);
                if passage.document != document {
                    return Err(GraphRagError::OtherDocument {
                        expected: document.to_string(),
                        given: passage.document.to_string(),
                    });
                }
                if !seen.insert(place.clone()) {
                    return Err(GraphRagError::SamePlace {
                        document: document.to_string(),
                        ordinal: passage.ordinal,
                    });
                }
                let unchanged = kept
                    .get(&place)
                    .is_some_and(|record| record.passage == passage);
                if !unchanged {
                    report.changed.push(place.clone());
                    kept.remove(&place);
                    fresh.push(passage);
                }
            }
        }
        let mut gone: Vec<&Place> = before
            .keys()
            .filter(|place| !seen.contains(*place))
            .collect();
        gone.sort();
        for place in gone {
            kept.remove(place);
            report.removed.push(place.clone());
        }
        Ok(fresh)
    }

    /// Titles that came or went.
    fn moved_titles(&self, now: &BTreeSet<String>) -> Result<Gazetteer, GraphRagError> {
        let before: BTreeSet<String> = self
            .records
            .iter()
            .map(|r| r.passage.title.clone())
            .collect();
        let moved: Vec<Label> = before
            .symmetric_difference(now)
            .map(|title| Label::title(title))
            .collect();
        Gazetteer::new(&moved)
    }
}
