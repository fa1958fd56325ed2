//! Which entities does a sentence mention?
//!
//! The built-in recogniser: names of a gazetteer, runs of capitalised words, quotations, dates. Question and passages go
//! through the same one. It learns nothing and needs no model; without capitals and without a gazetteer it finds only
//! dates.

mod capitalised;
mod dates;
pub(crate) mod gazetteer;
pub(crate) mod word_lists;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::token::{Encoded, tokens};

pub use gazetteer::{Gazetteer, Label};

/// Least share of capitalised words, in thousandths, for capitals to mean something.
const CASED_PER_MILLE: usize = 10;

/// Which sources of mentions are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extraction {
    /// Gazetteer, capitalised words, quotations and dates.
    #[default]
    Full,
    /// The gazetteer and dates.
    GazetteerOnly,
    /// Capitalised words, quotations and dates.
    CapitalisedOnly,
}

/// Where a mention comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A known name.
    Gazetteer,
    /// A run of capitalised words.
    Capitalised,
    /// A quotation.
    Quoted,
    /// A date.
    Date,
}

/// An entity in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Where, in bytes.
    pub span: Range<usize>,
    /// Who found it; the gazetteer where several did.
    pub source: Source,
    /// The IRI of what it names, where the gazetteer knows it.
    pub iri: Option<String>,
}

/// Whether the capitals of a text can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Casing {
    /// Names show by their capitals.
    Cased,
    /// Fewer than one word in a hundred, the first not counted, is capitalised.
    LowerCase,
}

impl Casing {
    /// The casing of a whole text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let words = tokens(text);
        let rest = words.get(1..).unwrap_or_default();
        let capitalised = rest.iter().filter(|word| word.is_capitalised()).count();
        if capitalised * 1000 > rest.len() * CASED_PER_MILLE || words.len() == 1 {
            Self::Cased
        } else {
            Self::LowerCase
        }
    }
}

/// The built-in recogniser.
#[derive(Debug, Clone, Default)]
pub struct Recogniser {
    gazetteer: Gazetteer,
    extraction: Extraction,
}

impl Recogniser {
    /// A recogniser with a gazetteer.
    #[must_use]
    pub fn new(gazetteer: Gazetteer, extraction: Extraction) -> Self {
        Self {
            gazetteer,
            extraction,
        }
    }

    pub(crate) fn gazetteer(&self) -> &Gazetteer {
        &self.gazetteer
    }

    /// What identifies its rules: stored mentions may be used exactly when this is the same.
    pub const VERSION: &'static str = "built-in-1";

    /// The mentions of one sentence, or of a question, in order of their start. Of mentions with the same start the
    /// longest stays, unless a known name begins there too; nested ones stay only when they are known names, or parts of a list.
    #[must_use]
    pub fn mentions(&self, text: &str, casing: Casing) -> Vec<Mention> {
        let words = tokens(text);
        let mut found = Vec::new();
        if self.extraction != Extraction::CapitalisedOnly {
            let encoded = Encoded::of(&words);
            for hit in self.gazetteer.find(text, &encoded, casing == Casing::Cased) {
                let iri = self.gazetteer.label(hit.label).and_then(|l| l.iri.clone());
                found.push(mention(
                    whole_parenthesis(text, hit.span),
                    Source::Gazetteer,
                    iri,
                ));
            }
        }
        for date in dates::dates(&words) {
            let span = words[date.start].start..words[date.end - 1].end;
            found.push(mention(span, Source::Date, None));
        }
        if self.extraction != Extraction::GazetteerOnly && casing == Casing::Cased {
            let quoted = capitalised::quoted_spans(text);
            found.extend(
                quoted
                    .into_iter()
                    .map(|span| mention(span, Source::Quoted, None)),
            );
            let names = capitalised::capitalised_spans(text, &words);
            found.extend(
                names
                    .into_iter()
                    .map(|span| mention(span, Source::Capitalised, None)),
            );
        }
        united(found)
    }
}

fn mention(span: Range<usize>, source: Source, iri: Option<String>) -> Mention {
    Mention { span, source, iri }
}

/// A name that opens a parenthesis has its end too.
fn whole_parenthesis(text: &str, mut span: Range<usize>) -> Range<usize> {
    if text[span.clone()].contains('(')
        && !text[span.clone()].contains(')')
        && text[span.end..].starts_with(')')
    {
        span.end += 1;
    }
    span
}

/// Mentions of several sources made one list.
fn united(mut found: Vec<Mention>) -> Vec<Mention> {
    found.sort_by(|a, b| {
        (a.span.start, std::cmp::Reverse(a.span.end), a.source).cmp(&(
            b.span.start,
            std::cmp::Reverse(b.span.end),
            b.source,
        ))
    });
    found.dedup_by(|next, kept| next.span == kept.span);
    let covered = |m: &Mention, by: &Mention| {
        by.span != m.span && by.span.start <= m.span.start && m.span.end <= by.span.end
    };
    let keep: Vec<bool> = found
        .iter()
        .map(|m| match m.source {
            Source::Gazetteer => true,
            Source::Capitalised => !found.iter().any(|by| {
                covered(m, by)
                    && (by.source != Source::Capitalised
                        || by.span.start == m.span.start && !is_list_part(m, by))
            }),
            Source::Quoted | Source::Date => !found.iter().any(|by| covered(m, by)),
        })
        .collect();
    let mut keep = keep.into_iter();
    found.retain(|_| keep.next().unwrap_or(true));
    found
}

/// Capitalised spans nest only where a list was taken apart.
fn is_list_part(part: &Mention, whole: &Mention) -> bool {
    part.source == Source::Capitalised && whole.source == Source::Capitalised
}

#[cfg(test)]
mod tests;
