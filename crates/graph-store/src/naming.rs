//! What is a term called?

use std::sync::Arc;

use crate::error::StoreError;
use crate::id::TermId;
use crate::snapshot::Snapshot;
use crate::term_codec::{self, TermText};
use crate::text::local_words;

/// Labels of one node that are looked at to find the best.
const MAX_LABELS_PER_NODE: usize = 64;

impl Snapshot {
    /// What to call a term: the best label of an IRI (by predicate, then by preferred language), else the words of its
    /// local name; the text of a literal; the label of a blank node, with `_:` in front, when nothing better is known.
    ///
    /// # Errors
    /// When the id is not of this store, or the store cannot be read.
    pub fn label(&self, id: TermId) -> Result<String, StoreError> {
        if let Some(known) = self.inner.labels.get(&id.0) {
            return Ok(known.to_string());
        }
        let bytes = self.bytes(id.0)?;
        let fallback = match term_codec::text(&bytes) {
            None => {
                return Err(StoreError::corrupt(format!(
                    "the term {id} cannot be decoded"
                )));
            }
            Some(TermText::Literal(text)) => return Ok(text.to_owned()),
            Some(TermText::Iri(iri)) => {
                let words = local_words(iri);
                if words.is_empty() {
                    iri.to_owned()
                } else {
                    words
                }
            }
            Some(TermText::Blank(label)) => format!("_:{label}"),
        };
        let label = self.stated_label(id)?.unwrap_or(fallback);
        self.inner.labels.insert(id.0, Arc::from(label.as_str()));
        Ok(label)
    }

    /// The best label that a statement gives.
    fn stated_label(&self, id: TermId) -> Result<Option<String>, StoreError> {
        for predicate in &self.inner.label_predicates {
            let page = self.objects(id, TermId(*predicate), None, MAX_LABELS_PER_NODE)?;
            let mut best: Option<(usize, String)> = None;
            for object in page.ids {
                let bytes = self.bytes(object.0)?;
                let Some(TermText::Literal(text)) = term_codec::text(&bytes) else {
                    continue;
                };
                let rank = self.language_rank(term_codec::language(&bytes).unwrap_or(""));
                if !text.is_empty() && best.as_ref().is_none_or(|(known, _)| rank < *known) {
                    best = Some((rank, text.to_owned()));
                }
            }
            if let Some((_, text)) = best {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    fn language_rank(&self, language: &str) -> usize {
        let languages = &self.inner.languages;
        let primary = language.split('-').next().unwrap_or("");
        languages
            .iter()
            .position(|wanted| wanted == language)
            .or_else(|| languages.iter().position(|wanted| wanted == primary))
            .unwrap_or(languages.len())
    }
}
