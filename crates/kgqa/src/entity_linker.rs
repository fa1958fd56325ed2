//! Which spans of the question name something in the graph? (CacheRAG stage 1, built-in form.)
//!
//! Every span of tokens is looked up in the graph's label index; the segmentation with the most convincing names wins,
//! longest first. When nothing links exactly, capitalised spans are looked up with small edits.

use crate::graph::{Graph, GraphError, TermId};
use crate::isr::{Candidate, Mention};
use crate::plan::Slot;
use crate::text::{Token, fold, normalise};
use crate::vocabulary;

/// Bounds and thresholds of the linker.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkerConfig {
    /// Longest name, in tokens.
    pub max_tokens: usize,
    /// Entities considered per name.
    pub max_candidates: usize,
    /// Names kept per question.
    pub max_mentions: usize,
    /// Other readings kept.
    pub max_readings: usize,
    /// A span at least this convincing is a name even beside others.
    pub strong: f32,
    /// A span at least this convincing is a name whatever else fails.
    pub clear: f32,
}

impl Default for LinkerConfig {
    fn default() -> Self {
        Self {
            max_tokens: 16,
            max_candidates: 8,
            max_mentions: 6,
            max_readings: 4,
            strong: 1.0,
            clear: 1.5,
        }
    }
}

/// The readings of a question's names, best first; empty when nothing links.
pub(crate) struct Readings {
    pub(crate) best: Vec<Mention>,
    pub(crate) others: Vec<Vec<Mention>>,
    /// The best reading with the words that may be names too.
    pub(crate) with_weak: Vec<Mention>,
}

/// Links a question's tokens; spans that touch a token with `reserved` are left alone.
///
/// # Errors
/// [`GraphError`] if the graph cannot be read.
pub(crate) fn link(
    graph: &dyn Graph,
    question: &str,
    tokens: &[Token],
    reserved: &dyn Fn(usize) -> bool,
    config: &LinkerConfig,
) -> Result<Readings, GraphError> {
    let mut spans = Vec::new();
    for first in 0..tokens.len() {
        let mut text = String::new();
        for end in first + 1..=tokens.len().min(first + config.max_tokens) {
            if reserved(end - 1) {
                break;
            }
            if end > first + 1 {
                text.push(' ');
            }
            text.push_str(&tokens[end - 1].folded);
            let ids = graph.link(&text, config.max_candidates)?;
            let found = ids.into_iter().map(|id| (id, 0));
            if let Some(mention) = mention(graph, question, tokens, first, end, found)? {
                spans.push(mention);
            }
        }
    }
    let exact = readings(&spans, tokens.len(), config);
    if exact.best.iter().any(|m| m.strength >= config.strong) {
        return Ok(exact);
    }
    let fuzzy = fuzzy_spans(graph, question, tokens, reserved, config)?;
    if fuzzy.is_empty() {
        return Ok(exact);
    }
    spans.extend(fuzzy);
    Ok(readings(&spans, tokens.len(), config))
}

/// Weighs a span: how much it looks like a name.
fn mention(
    graph: &dyn Graph,
    question: &str,
    tokens: &[Token],
    first: usize,
    end: usize,
    found: impl Iterator<Item = (TermId, u32)>,
) -> Result<Option<Mention>, GraphError> {
    let text = &question[tokens[first].start..tokens[end - 1].end];
    let folded = fold(text);
    let written = with_signs(question, tokens[first].start, tokens[end - 1].end);
    let mut candidates = Vec::new();
    let mut signed = false;
    for (id, distance) in found {
        let label = graph.label(id)?;
        let fit = if distance > 0 {
            0.7 - 0.1 * distance as f32
        } else if label != text && label.contains(text) && written.contains(&label) {
            signed = true;
            1.0
        } else if label == text {
            1.0
        } else if fold(&label) == folded {
            0.9
        } else {
            0.85
        };
        candidates.push(Candidate {
            id: id.0,
            label,
            fit,
        });
    }
    // "Them!" is not "Them" where both are names.
    for candidate in candidates.iter_mut().filter(|c| signed && c.label == text) {
        candidate.fit = 0.95;
    }
    candidates.sort_by(|a, b| b.fit.total_cmp(&a.fit).then(a.id.cmp(&b.id)));
    let Some(best) = candidates.first() else {
        return Ok(None);
    };
    let cased_label = best.label.chars().any(char::is_uppercase);
    let cased_text = (first..end).any(|i| tokens[i].is_capitalised() && (i > 0 || first + 1 < end));
    let mut strength = 0.0;
    for token in &tokens[first..end] {
        strength += if vocabulary::is_function_word(&token.folded) {
            0.15
        } else {
            1.0
        };
    }
    if first + 1 == end && vocabulary::is_function_word(&tokens[first].folded) {
        strength *= 0.3;
    }
    if tokens[first].is_possessive() || tokens[first].after_apostrophe {
        strength *= 0.3;
    }
    if cased_text && cased_label && best.fit >= 0.85 {
        strength += 1.0;
    } else if cased_label && !cased_text {
        strength *= 0.6;
    }
    if first + 1 == end && !cased_text && !tokens[first].folded.chars().any(char::is_numeric) {
        strength *= 0.6;
    }
    strength *= best.fit;
    Ok(Some(Mention {
        slot: Slot(0),
        text: text.to_owned(),
        first,
        end,
        candidates,
        strength,
    }))
}

/// A span with the signs that touch it ("+1", "Them!"); the sign that ends the question is none of it, but for "!".
fn with_signs(question: &str, start: usize, end: usize) -> &str {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    let head = question[..start].trim_end_matches(is_sign).len();
    let tail = question[end..].trim_start_matches(is_sign);
    let mut to = question.len() - tail.len();
    if tail.trim().is_empty() {
        to = end + question[end..to].trim_end_matches(['?', '.']).len();
    }
    &question[head..to]
}

/// Chooses non-overlapping spans of the greatest total strength (longer spans win ties), and other readings.
fn readings(spans: &[Mention], tokens: usize, config: &LinkerConfig) -> Readings {
    let mut best: Vec<(f32, Option<usize>)> = vec![(0.0, None); tokens + 1];
    for end in 1..=tokens {
        best[end] = (best[end - 1].0, None);
        for (i, span) in spans.iter().enumerate().filter(|(_, s)| s.end == end) {
            // A span counts super-linearly in its strength, so that one long name beats its parts.
            let score = best[span.first].0
                + span.strength * (1.0 + 0.5 * (span.end - span.first - 1) as f32);
            if score > best[end].0 {
                best[end] = (score, Some(i));
            }
        }
    }
    let mut chosen = Vec::new();
    let mut at = tokens;
    while at > 0 {
        match best[at].1 {
            Some(i) => {
                chosen.push(spans[i].clone());
                at = spans[i].first;
            }
            None => at -= 1,
        }
    }
    chosen.reverse();
    let strong: Vec<Mention> = chosen
        .iter()
        .filter(|m| m.strength >= config.strong)
        .cloned()
        .collect();
    let mut weak: Vec<Mention> = chosen
        .into_iter()
        .filter(|m| m.strength < config.strong)
        .collect();
    weak.sort_by(|a, b| {
        b.strength
            .total_cmp(&a.strength)
            .then(b.first.cmp(&a.first))
    });
    let mut all = Vec::new();
    let mut with_weak = Vec::new();
    if strong.is_empty() {
        all.extend(weak.into_iter().map(|m| vec![m]));
    } else {
        all.push(strong.clone());
        // A name that is hardly one may be the question's own words after all; a clear one is never dropped.
        let clear: Vec<Mention> = strong
            .iter()
            .filter(|m| m.strength >= config.clear)
            .cloned()
            .collect();
        if !clear.is_empty() && clear.len() < strong.len() {
            all.push(clear);
        }
        with_weak = strong
            .into_iter()
            .chain(
                weak.into_iter()
                    .filter(|m| m.candidates.iter().any(|c| c.fit >= 0.9)),
            )
            .collect();
        with_weak.sort_by_key(|m| m.first);
    }
    all.truncate(config.max_readings + 1);
    for reading in all.iter_mut().chain([&mut with_weak]) {
        reading.truncate(config.max_mentions);
        for (slot, mention) in (0u8..).zip(reading.iter_mut()) {
            mention.slot = Slot(slot);
        }
    }
    let mut all = all.into_iter();
    Readings {
        best: all.next().unwrap_or_default(),
        others: all.collect(),
        with_weak,
    }
}

/// Looks up capitalised spans, and the longest span of unknown words, with small edits.
fn fuzzy_spans(
    graph: &dyn Graph,
    question: &str,
    tokens: &[Token],
    reserved: &dyn Fn(usize) -> bool,
    config: &LinkerConfig,
) -> Result<Vec<Mention>, GraphError> {
    let mut out = Vec::new();
    let mut first = 0;
    while first < tokens.len() {
        let name_like = |i: usize| {
            !reserved(i)
                && (tokens[i].is_capitalised() && i > 0
                    || !vocabulary::is_function_word(&tokens[i].folded)
                        && tokens[i].folded.len() > 3)
        };
        if !name_like(first) {
            first += 1;
            continue;
        }
        let mut end = first + 1;
        while end < tokens.len() && end - first < 8 && name_like(end) {
            end += 1;
        }
        for from in first..end.min(first + 3) {
            let text = normalise(&question[tokens[from].start..tokens[end - 1].end]);
            if text.chars().count() < 5 {
                continue;
            }
            let found = graph.link_fuzzy(&text, config.max_candidates)?;
            if let Some(mention) = mention(graph, question, tokens, from, end, found.into_iter())? {
                out.push(mention);
                break;
            }
        }
        first = end;
    }
    Ok(out)
}
