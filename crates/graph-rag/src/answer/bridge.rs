//! Which sentences lead from a name of the question to what another sentence is about?
//!
//! A sentence is about what its passage is titled and about the name it begins with. One on the question's name leads to
//! all that it mentions, and one about such a thing leads on. What two sentences merely both mention, a country or a year,
//! leads from neither to the other. It ranks nothing.

use std::collections::HashMap;

use crate::index::Index;
use crate::linear_rag::Retrieval;
use crate::token::Encoded;

use super::demand::Name;

/// Sentences on a way, at most.
const MAX_SENTENCES: usize = 3;

/// A sentence that was read, ready for comparison.
struct Sentence<'i> {
    text: &'i str,
    encoded: String,
    subject: Subject,
    /// What it mentions, encoded.
    mentions: Vec<String>,
}

/// What a sentence is about.
#[derive(Debug, Default)]
pub(super) struct Subject {
    /// The title, encoded, and without what it says in parentheses.
    titles: Vec<String>,
    /// The sentence, encoded.
    text: String,
}

impl Subject {
    pub(super) fn of(title: &str, text: &str) -> Self {
        let bare = title.split(" (").next().unwrap_or_default();
        Self {
            titles: [title, bare].map(|t| Encoded::new(t).text).to_vec(),
            text: Encoded::new(text).text,
        }
    }

    /// Whether an encoded name is what it is about.
    fn is(&self, name: &str) -> bool {
        !name.is_empty()
            && (self.titles.iter().any(|title| title == name) || self.text.starts_with(name))
    }
}

/// The sentences that were read for a question.
pub(super) struct Bridges<'i> {
    sentences: Vec<Sentence<'i>>,
}

impl<'i> Bridges<'i> {
    /// Those of the passages read, and those that activation went over.
    pub(super) fn read(index: &'i Index, found: &Retrieval, passages: &[u32]) -> Self {
        let mut places: Vec<(u32, usize)> = Vec::new();
        for passage in passages {
            let record = index.records.get(*passage as usize);
            let spans = record.into_iter().flat_map(|r| &r.mentions.sentences);
            places.extend(spans.map(|s| (*passage, s.span.start)));
        }
        for reached in &found.activation.active {
            let step = found.activation.steps.get(&reached.entity);
            let node = step.and_then(|step| index.graph.sentences.get(step.sentence as usize));
            if let Some(node) = node {
                let place = (node.passage, node.span.start as usize);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        let sentence = |(passage, start): (u32, usize)| {
            let record = index.records.get(passage as usize)?;
            let said = record.mentions.sentences.iter();
            let said = said.into_iter().find(|s| s.span.start == start)?;
            let text = record.full_text.get(said.span.clone())?;
            Some(Sentence {
                text,
                encoded: Encoded::new(text).text,
                subject: Subject::of(&record.passage.title, text),
                mentions: said
                    .mentions
                    .iter()
                    .chain(&record.mentions.title)
                    .map(|m| Encoded::new(&m.name).text)
                    .filter(|name| !name.is_empty())
                    .collect(),
            })
        };
        Self {
            sentences: places.into_iter().filter_map(sentence).collect(),
        }
    }

    /// The shortest way from a name to what a sentence is about, or nothing.
    pub(super) fn way(&self, name: &Name, to: &Subject) -> Option<Vec<&'i str>> {
        let on_name = |s: &Sentence<'_>| {
            name.stands_in(&s.encoded) || s.subject.titles.iter().any(|title| name.stands_in(title))
        };
        // Each thing reached, with the sentence that led there and the thing before.
        let mut reached: HashMap<&str, (usize, Option<&str>)> = HashMap::new();
        let mut frontier: Vec<Option<&str>> = vec![None];
        for _ in 0..MAX_SENTENCES {
            let mut next = Vec::new();
            for from in frontier {
                let leads = |s: &Sentence<'_>| match from {
                    None => on_name(s),
                    Some(from) => s.subject.is(from),
                };
                for (place, sentence) in self.sentences.iter().enumerate() {
                    if !leads(sentence) {
                        continue;
                    }
                    for other in &sentence.mentions {
                        let other = other.as_str();
                        if other == name.encoded || reached.contains_key(other) {
                            continue;
                        }
                        reached.insert(other, (place, from));
                        if to.is(other) {
                            return Some(self.back(&reached, other));
                        }
                        next.push(Some(other));
                    }
                }
            }
            frontier = next;
        }
        None
    }

    /// The sentences on the way to a thing that was reached.
    fn back(&self, reached: &HashMap<&str, (usize, Option<&str>)>, last: &str) -> Vec<&'i str> {
        let mut way = Vec::new();
        let mut at = Some(last);
        // Each was reached from one before it, so this ends; the bound says so.
        while let Some((place, from)) = at.and_then(|name| reached.get(name)) {
            way.push(self.sentences[*place].text);
            at = *from;
            if way.len() > MAX_SENTENCES {
                break;
            }
        }
        way.reverse();
        way
    }
}
