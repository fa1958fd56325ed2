//! What does each word of the question speak for? Gains from similarity, learned meanings and label phrases.

use std::ops::Range;
use std::sync::Arc;

use crate::alignment::WordGains;
use crate::guidance::{UNSUPPORTED, narrow};
use crate::isr::Isr;
use crate::local_schema::SchemaError;

use super::Compiler;

impl Compiler<'_> {
    pub(super) fn word_gains(&self, isr: &Isr) -> Result<Vec<WordGains>, SchemaError> {
        let mut out = Vec::with_capacity(isr.words.len());
        for word in &isr.words {
            let mut gains = self.schema.gains(&word.text, self.embedder)?;
            if let Some(lexicon) = self.guidance.lexicon {
                gains = self.learned_gains(gains, &lexicon.meanings(&word.text));
            }
            // "Where" and "when" ask for a value, and so speak for no hop against its predicate's direction.
            let asks_value = isr
                .tokens
                .get(word.token)
                .is_some_and(|t| matches!(t.folded.as_str(), "where" | "when"));
            let backward = if asks_value {
                Some(vec![-self.schema.bound(); gains.len()].into())
            } else {
                self.schema.backward_gains(&word.text)
            };
            let best = gains.iter().copied().fold(0.0, f32::max);
            let class = if word.relation.is_none()
                && !is_choice(isr, word.token)
                && self
                    .schema
                    .is_class_noun(self.graph, &word.text, self.embedder)?
            {
                Some(
                    self.schema
                        .end_gains(self.graph, &word.text, self.embedder)?,
                )
            } else {
                None
            };
            out.push(WordGains {
                token: word.token,
                weight: word.weight,
                relation: word.relation,
                backward,
                class,
                gains,
                best,
            });
        }
        drop_kind_of(isr, &mut out);
        self.yield_to_national(isr, &mut out)?;
        self.join_label_phrases(isr, &mut out);
        Ok(out)
    }

    /// "A national team" is a country's: behind "national" a noun that names no predicate says nothing of its own.
    fn yield_to_national(&self, isr: &Isr, words: &mut [WordGains]) -> Result<(), SchemaError> {
        let Some(national) = isr.words.iter().position(|w| w.text == "national") else {
            return Ok(());
        };
        for i in national + 1..words.len() {
            if words[i].token != words[i - 1].token + 1 {
                break;
            }
            let similarities = self
                .schema
                .similarities(&isr.words[i].text, self.embedder)?;
            let names = |s: &f32| *s >= self.schema.config().names_predicate;
            if !similarities.iter().any(names) {
                words[i].weight = 0.0;
            }
        }
        Ok(())
    }

    /// Gains corrected by what the word has meant before: the more evidence, the less the similarity counts.
    fn learned_gains(&self, prior: Arc<[f32]>, meanings: &[(Arc<str>, f64, f64)]) -> Arc<[f32]> {
        let meanings = || meanings.iter().filter(|m| *m.0 != *UNSUPPORTED);
        let right: f64 = meanings().map(|m| m.1).sum();
        let evidence: f64 = right + meanings().map(|m| m.2).sum::<f64>();
        if evidence <= 0.0 {
            return prior;
        }
        let trust = narrow(evidence / (evidence + self.config.lexicon_prior));
        let bound = self.schema.bound();
        let unseen = 0.5 / (right + 1.0);
        let mut learned = vec![unseen; prior.len()];
        for (predicate, right_here, wrong_here) in meanings() {
            if let Some(position) = self.schema.position_of(predicate) {
                learned[position] = (right_here + 0.5) / (right + wrong_here + 1.0);
            }
        }
        let uniform = 1.0 / prior.len().max(4) as f64;
        prior
            .iter()
            .zip(learned)
            .map(|(gain, p)| {
                (1.0 - trust) * gain + trust * narrow((p / uniform).ln()).clamp(-bound, bound)
            })
            .collect()
    }

    /// Words that stand in the question as a predicate's label does ("place of birth"), or with "of" the other way
    /// round ("release of the year"), are one phrase and mean it.
    fn join_label_phrases(&self, isr: &Isr, words: &mut [WordGains]) {
        for (position, entry) in self.schema.entries().iter().enumerate() {
            let Some(span) = as_written(isr, &entry.words).or_else(|| turned(isr, &entry.words))
            else {
                continue;
            };
            let mut relation = None;
            for word in words.iter_mut().filter(|w| span.contains(&w.token)) {
                let mut gains = word.gains.to_vec();
                gains[position] = gains[position].max(word.best) + 0.5;
                word.best = gains[position];
                word.gains = gains.into();
                word.class = None;
                relation = relation.or(word.relation);
                word.relation = relation;
            }
        }
    }
}

/// Where a label of several words stands in the question, word for word.
fn as_written(isr: &Isr, label: &[String]) -> Option<Range<usize>> {
    let length = label.len();
    if length < 2 || length > isr.tokens.len() {
        return None;
    }
    (0..=isr.tokens.len() - length)
        .find(|&i| {
            let tokens = &isr.tokens[i..];
            label.iter().zip(tokens).all(|(w, t)| *w == t.folded)
        })
        .map(|i| i..i + length)
}

/// Where a label of two words stands in the question with "of" between them, the second first or last.
fn turned(isr: &Isr, label: &[String]) -> Option<Range<usize>> {
    let [first, second] = label else { return None };
    isr.words.windows(2).find_map(|pair| {
        let (a, b) = (pair[0].token, pair[1].token);
        let between = isr.tokens.get(a + 1..b)?;
        let joined = between.first().is_some_and(|t| t.folded == "of")
            && between[1..]
                .iter()
                .all(|t| matches!(t.folded.as_str(), "the" | "a" | "an"));
        let same = (pair[0].text == *first && pair[1].text == *second)
            || (pair[0].text == *second && pair[1].text == *first);
        (joined && same).then_some(a..b + 1)
    })
}

/// "What type of religion" asks for the religion: "type of" speaks for a predicate of its own only before a class noun
/// ("what type of film").
fn drop_kind_of(isr: &Isr, words: &mut [WordGains]) {
    for i in 1..words.len() {
        let kind = isr.words[i - 1].text == crate::vocabulary::KIND;
        if kind && words[i].token == words[i - 1].token + 2 && words[i].class.is_none() {
            words[i - 1].weight = 0.0;
            words[i - 1].relation = None;
        }
    }
}

/// Whether a word is one of the values to choose from: "a man or a woman".
fn is_choice(isr: &Isr, token: usize) -> bool {
    let or = |i: usize| isr.tokens.get(i).is_some_and(|t| t.folded == "or");
    or(token + 1) || (1..=2).any(|back| token >= back && or(token - back))
}
