//! Which pattern of words stands for which pattern of plan? Constructions: a question and its plan with the words that
//! speak for predicates, and those predicates, left open.
//!
//! "Where does ⟨0⟩'s *child* work" → `$0/<children>/<institution>` is the construction "where does ⟨0⟩ s {1} work" →
//! `$0/{1}/<institution>`: what was learned of children holds for parents too. They are kept in the lexicon, as words
//! are.

use std::fmt::Write as _;

use crate::guidance::{Lexicon, VoteConfig, narrow};
use crate::isr::{Isr, Word};

/// A word with the predicate that it speaks for in a plan.
pub(super) struct Spoken<'a> {
    pub(super) word: &'a Word,
    pub(super) predicate: &'a str,
}

/// The construction of a question and a plan, if any word speaks for a predicate of the plan.
pub(super) fn construction(
    isr: &Isr,
    spoken: &[Spoken<'_>],
    template: &str,
) -> Option<(String, String)> {
    let open: Vec<(usize, &Spoken<'_>, String)> = spoken
        .iter()
        .filter_map(|s| Some((s.word.token, s, frame(isr, s.word)?)))
        .collect();
    let mut predicates: Vec<(usize, &str)> = open
        .iter()
        .filter_map(|(_, s, _)| Some((template.find(&format!("<{}>", s.predicate))?, s.predicate)))
        .collect();
    predicates.sort_unstable();
    predicates.dedup();
    if predicates.is_empty() {
        return None;
    }
    let number = |predicate: &str| predicates.iter().position(|(_, p)| *p == predicate);
    let mut words = String::new();
    let mut at = 0;
    while at < isr.tokens.len() {
        let mention = isr.mentions.iter().find(|m| m.first == at);
        let part = open.iter().find(|(token, ..)| *token == at);
        if let Some(mention) = mention {
            let _ = write!(words, " ⟨{}⟩", mention.slot.0);
            at = mention.end;
            continue;
        }
        match part.and_then(|(_, s, frame)| Some((number(s.predicate)?, s, frame))) {
            Some((n, s, frame)) => {
                let _ = write!(words, " {frame}{{{}}}", n + 1);
                at += s.word.text.split(' ').count().max(1);
            }
            None => {
                words.push(' ');
                words.push_str(&isr.tokens[at].folded);
                at += 1;
            }
        }
    }
    let mut plan = template.to_owned();
    for (n, (_, predicate)) in predicates.iter().enumerate() {
        plan = plan.replace(&format!("<{predicate}>"), &format!("{{{}}}", n + 1));
    }
    Some((words.trim_start().to_owned(), plan))
}

/// What is left of a word's token when the word is taken out ("grand" of "grandfather"); `None` for what stands for
/// other words than its own ("where").
fn frame(isr: &Isr, word: &Word) -> Option<String> {
    let token = &isr.tokens.get(word.token)?.folded;
    let first = word.text.split(' ').next()?;
    token.strip_suffix(first).map(str::to_owned)
}

/// The log-likelihood that experience with a construction adds.
pub(super) fn vote(
    lexicon: &dyn Lexicon,
    (words, plan): &(String, String),
    config: &VoteConfig,
) -> f32 {
    let (mut right, mut wrong, mut others) = (0.0, 0.0, 0.0);
    for (meaning, successes, failures) in lexicon.meanings(words) {
        if *meaning == **plan {
            (right, wrong) = (successes, failures);
        } else {
            others += successes;
        }
    }
    if right + wrong + others <= 0.0 {
        return 0.0;
    }
    config.strength * narrow(((right + config.prior) / (wrong + others + config.prior)).ln())
}
