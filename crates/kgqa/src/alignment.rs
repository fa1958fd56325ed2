//! How well do a question's words tell this path? Compositional alignment of words with hops.
//!
//! The words around a name are ordered outward from it ("the son of the mother of X's heir" → heir, mother, son), and
//! aligned monotonically with the path's hops. A word that speaks for some predicate but finds no hop, and a hop that
//! finds no word, cost.

use std::sync::Arc;

use crate::graph::Edge;
use crate::isr::{Isr, Mention};
use crate::vocabulary;

/// Prices of the alignment, in units of log-likelihood.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignmentConfig {
    /// A word's best gain is lost this many times when it aligns with no hop.
    pub unaligned_word: f32,
    /// A hop that no word speaks for.
    pub unaligned_hop: f32,
    /// The first hop, if no word speaks for it, costs so much more: what stands nearest the name is the first step.
    pub unaligned_first: f32,
    /// The last of several hops, if no word speaks for it, costs so much more: it is what is asked for.
    pub unaligned_last: f32,
    /// Every hop.
    pub hop: f32,
    /// A hop against its predicate's direction.
    pub inverse_hop: f32,
    /// A there-and-back pair without a word for sharing, or the word without the pair.
    pub sharing: f32,
    /// A relational phrase that no hop is aligned with, and two such phrases on one hop.
    pub relation: f32,
    /// The part that the fit of the answer's type has.
    pub answer_type: f32,
    /// The part that the fit of a class noun with a node on the way has.
    pub class_noun: f32,
    /// A chain that is not the most usual reading of the word order.
    pub unusual_chain: f32,
}

impl Default for AlignmentConfig {
    fn default() -> Self {
        Self {
            unaligned_word: 0.6,
            unaligned_hop: 1.0,
            unaligned_first: 0.3,
            unaligned_last: 0.3,
            hop: 0.5,
            inverse_hop: 0.5,
            sharing: 1.5,
            relation: 1.0,
            answer_type: 0.7,
            class_noun: 0.4,
            unusual_chain: 0.2,
        }
    }
}

/// A content word with its gains for every predicate of the schema.
#[derive(Debug, Clone)]
pub(crate) struct WordGains {
    pub(crate) token: usize,
    pub(crate) weight: f32,
    pub(crate) gains: Arc<[f32]>,
    /// How well it names the ends of edges, two per predicate, when it is a class noun ("film"); it then aligns with
    /// no hop.
    pub(crate) class: Option<Arc<[f32]>>,
    /// The relational phrase it stands in.
    pub(crate) relation: Option<u8>,
    /// Its gains for hops against their predicate's direction, where they differ.
    pub(crate) backward: Option<Arc<[f32]>>,
    /// The greatest gain among the predicates in question, ≥ 0.
    pub(crate) best: f32,
}

impl WordGains {
    /// Whether the word is more than nothing to a predicate, in either direction.
    pub(crate) fn speaks_for(&self, position: usize) -> bool {
        let backward = self.backward.as_ref().map(|b| b[position]);
        self.gains[position].max(backward.unwrap_or(f32::MIN)) > 0.0
    }

    /// What the word gains when it is aligned with a hop.
    fn gain(&self, edge: &Edge, position: usize) -> f32 {
        match &self.backward {
            Some(backward) if edge.inverse => backward[position],
            Some(_) | None => self.gains[position],
        }
    }
}

/// The orders in which the words may lie outward from a mention: indices into the words, with a price.
pub(crate) fn chains(isr: &Isr, mention: &Mention) -> Vec<(Vec<usize>, f32)> {
    let mut before: Vec<usize> = Vec::new();
    let mut after: Vec<usize> = Vec::new();
    for (i, word) in isr.words.iter().enumerate() {
        if word.token < mention.first {
            before.push(i)
        } else {
            after.push(i)
        }
    }
    before.reverse();
    let attached_end = attached(isr, mention);
    let split = after
        .iter()
        .position(|&i| isr.words[i].token >= attached_end)
        .unwrap_or(after.len());
    let (attached, rest) = after.split_at(split);
    let usual: Vec<usize> = attached
        .iter()
        .chain(&before)
        .chain(rest)
        .copied()
        .collect();
    let mut out = vec![(usual.clone(), 0.0)];
    let plain: Vec<usize> = before.iter().chain(&after).copied().collect();
    if plain != usual {
        out.push((plain, 1.0));
    }
    out
}

/// One past the last token that hangs on the mention from behind: "X's mother's heir", "X written films".
pub(crate) fn attached(isr: &Isr, mention: &Mention) -> usize {
    let tokens = &isr.tokens;
    let mut at = mention.end;
    let possessive = |i: usize| tokens.get(i).is_some_and(crate::text::Token::is_possessive);
    if possessive(at) {
        // Everything up to the last possessive belongs, and the noun phrase behind it.
        let last = (at..tokens.len())
            .rev()
            .find(|&i| possessive(i))
            .unwrap_or(at);
        at = last + 1;
        while at < tokens.len()
            && (!vocabulary::is_function_word(&tokens[at].folded)
                || vocabulary::is_half(tokens, at)
                || (tokens[at].folded == "of" && at > last + 1))
        {
            at += 1;
        }
        return at;
    }
    let named = |i: usize| isr.mentions.iter().any(|m| m.first == i);
    while at < tokens.len()
        && !named(at)
        && !vocabulary::is_function_word(&tokens[at].folded)
        && !vocabulary::is_wh(&tokens[at].folded)
    {
        at += 1;
    }
    // What stands directly before the next name is said of that one: "films directed by X *star* Y".
    if named(at) {
        return mention.end;
    }
    if tokens.get(at).is_some_and(|t| vocabulary::is_wh(&t.folded)) {
        mention.end
    } else {
        at
    }
}

/// The hops that words are aligned with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way<'a> {
    /// The edges.
    pub(crate) edges: &'a [Edge],
    /// Their predicates' positions in the schema.
    pub(crate) positions: &'a [usize],
    /// Whether each needs no word of its own (a shared thing's way back).
    pub(crate) free: &'a [bool],
}

/// The best monotone alignment of a chain of words with hops: its score.
pub(crate) fn align(
    chain: &[usize],
    words: &[WordGains],
    way: &Way<'_>,
    config: &AlignmentConfig,
) -> f32 {
    Table::fill(chain, words, way, config).best().1
}

/// The best monotone alignment itself: pairs of word and hop.
pub(crate) fn assign(
    chain: &[usize],
    words: &[WordGains],
    way: &Way<'_>,
    config: &AlignmentConfig,
) -> Vec<(usize, usize)> {
    let table = Table::fill(chain, words, way, config);
    let mut at = table.best().0;
    let mut out = Vec::new();
    for (row, &w) in chain.iter().enumerate().rev() {
        let (from, aligned) = table.from[row * table.width + at];
        if aligned {
            out.push((w, at - 1));
        }
        at = from;
    }
    out.reverse();
    out
}

/// The dynamic programme: for each word of the chain and each last aligned hop (1-based, 0 = none yet), the best score.
struct Table {
    width: usize,
    last: Vec<f32>,
    /// Where each cell came from, and whether its word was aligned.
    from: Vec<(usize, bool)>,
    prices: Vec<f32>,
}

impl Table {
    fn fill(chain: &[usize], words: &[WordGains], way: &Way<'_>, config: &AlignmentConfig) -> Self {
        let width = way.edges.len() + 1;
        let prices: Vec<f32> = way
            .free
            .iter()
            .enumerate()
            .map(|(k, f)| {
                if *f {
                    0.0
                } else {
                    let first = if k == 0 { config.unaligned_first } else { 0.0 };
                    let last = if k > 0 && k + 2 == width {
                        config.unaligned_last
                    } else {
                        0.0
                    };
                    config.unaligned_hop + first + last
                }
            })
            .collect();
        let mut last = vec![f32::NEG_INFINITY; width];
        last[0] = 0.0;
        let mut from = Vec::with_capacity(chain.len() * width);
        let mut before: Option<u8> = None;
        for &w in chain {
            let word = &words[w];
            if word.class.is_some() {
                from.extend((0..width).map(|j| (j, false)));
                continue;
            }
            let mut lost = config.unaligned_word * word.best * word.weight;
            if word.relation.is_some() {
                lost += config.relation;
            }
            let crowded = matches!((before, word.relation), (Some(a), Some(b)) if a != b);
            before = word.relation;
            let mut next: Vec<f32> = last.iter().map(|score| score - lost).collect();
            let mut came: Vec<(usize, bool)> = (0..width).map(|j| (j, false)).collect();
            for (j, score) in last.iter().enumerate() {
                let mut skipped = 0.0;
                for k in j.max(1)..width {
                    if k > j + 1 {
                        skipped += prices[k - 2];
                    }
                    let crowd = if crowded && k == j {
                        config.relation
                    } else {
                        0.0
                    };
                    let gain = word.gain(&way.edges[k - 1], way.positions[k - 1]) * word.weight;
                    let aligned = score + gain - skipped - crowd;
                    if aligned > next[k] {
                        next[k] = aligned;
                        came[k] = (j, true);
                    }
                }
            }
            last = next;
            from.extend(came);
        }
        Self {
            width,
            last,
            from,
            prices,
        }
    }

    /// The last aligned hop of the best alignment, and its score with the price of the hops behind it.
    fn best(&self) -> (usize, f32) {
        let mut best = (0, f32::NEG_INFINITY);
        for (j, score) in self.last.iter().enumerate() {
            let total = score - self.prices[j..].iter().sum::<f32>();
            if total > best.1 {
                best = (j, total);
            }
        }
        best
    }
}
