//! Which texts will a measurement embed?
//!
//! Asked before a slow embedder runs, so that it sees all texts at once, each once, and not in the index's small batches.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use graph_rag::scaffold::template;
use language_model::{EmbedError, Embedder};
use similarity::Embedding;

use super::{CorpusOptions, IndexedCorpus, load};

/// Notes what it is asked for; its vectors are all the same and mean nothing.
struct Notes<'e> {
    of: &'e dyn Embedder,
    seen: Mutex<BTreeSet<String>>,
}

impl Embedder for Notes<'_> {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = Vec::with_capacity(texts.len());
        for text in texts {
            seen.insert((*text).to_owned());
            let vector = Embedding::new(vec![1.0; self.of.dims()]);
            out.push(vector.map_err(|source| EmbedError::Vector {
                text: (*text).to_owned(),
                source,
            })?);
        }
        Ok(out)
    }

    fn dims(&self) -> usize {
        self.of.dims()
    }

    fn fingerprint(&self) -> &str {
        self.of.fingerprint()
    }
}

/// Every text that [`corpus_qa`](super::corpus_qa) embeds with these options, in order, each once: passages, sentences,
/// entities, questions, their mentions, and their templates.
///
/// # Errors
/// When the data folder lacks a file.
pub fn corpus_texts(options: &CorpusOptions) -> anyhow::Result<Vec<String>> {
    let corpus = load(options.name, &options.data)?;
    let notes = Notes {
        of: options.embedder.as_ref(),
        seen: Mutex::default(),
    };
    for (rank, variant) in options.variants.iter().enumerate() {
        let indexed = IndexedCorpus::build(&corpus, variant.layout, variant.index, &notes)?;
        for question in &corpus.questions {
            indexed
                .index
                .query(&question.question, &notes, &variant.retrieval)?;
            if rank == 0 {
                notes.embed(&[template(&question.question, &indexed.index).as_str()])?;
            }
        }
    }
    let seen = notes.seen.into_inner();
    Ok(seen
        .unwrap_or_else(PoisonError::into_inner)
        .into_iter()
        .collect())
}
