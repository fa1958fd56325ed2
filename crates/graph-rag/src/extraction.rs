//! What do the sentences of a passage mention?
//!
//! The part of indexing that depends on one passage and the gazetteer alone, so that it is done once a passage. It
//! links nothing.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::passage::Passage;
use crate::recogniser::{Casing, Recogniser};
use crate::sentence::sentences;
use crate::token::Encoded;

/// An entity as a sentence names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    /// The surface form.
    pub(crate) name: String,
    /// What a knowledge graph calls it.
    pub(crate) iri: Option<String>,
}

/// A sentence and its mentions, in order of appearance, each surface form once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentenceMentions {
    /// Where, in bytes of the passage's full text.
    pub(crate) span: Range<usize>,
    pub(crate) mentions: Vec<Named>,
}

/// A passage's sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PassageMentions {
    pub(crate) title: Vec<Named>,
    pub(crate) sentences: Vec<SentenceMentions>,
    /// Whether the text has capitals to go by.
    pub(crate) cased: bool,
}

impl PassageMentions {
    pub(crate) fn of(passage: &Passage, recogniser: &Recogniser) -> Self {
        let full = passage.full_text();
        let start = passage.text_start();
        let casing = Casing::of(&full);
        let named = |text: &str| named(text, recogniser, casing);
        let mut parts: Vec<SentenceMentions> = sentences(&passage.text)
            .into_iter()
            .map(|span| SentenceMentions {
                mentions: named(&passage.text[span.clone()]),
                span: span.start + start..span.end + start,
            })
            .collect();
        if parts.is_empty() && !passage.title.is_empty() {
            parts.push(SentenceMentions {
                span: 0..passage.title.len(),
                mentions: Vec::new(),
            });
        }
        Self {
            title: named(&passage.title),
            sentences: parts,
            cased: casing == Casing::Cased,
        }
    }
}

fn named(text: &str, recogniser: &Recogniser, casing: Casing) -> Vec<Named> {
    let mut out: Vec<Named> = Vec::new();
    for mention in recogniser.mentions(text, casing) {
        let name = &text[mention.span];
        if !out.iter().any(|known| known.name == name) && !Encoded::new(name).text.is_empty() {
            out.push(Named {
                name: name.to_owned(),
                iri: mention.iri,
            });
        }
    }
    out
}
