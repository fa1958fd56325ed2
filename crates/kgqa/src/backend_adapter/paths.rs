//! Which ways lead out of a name, and how well do the words tell each? Beam search over predicate paths.

use std::collections::BTreeSet;

use crate::alignment::{self, Way, WordGains};
use crate::graph::Edge;
use crate::isr::{Isr, Mention, QuestionType};
use crate::local_schema::SchemaError;
use crate::plan::{Hop, Path, Plan};

use super::{Compiled, Compiler};

/// A set-valued part of a plan under construction.
#[derive(Clone)]
pub(super) struct Scored {
    pub(super) path: Path,
    pub(super) edges: Vec<Edge>,
    positions: Vec<usize>,
    pub(super) score: f32,
}

impl Compiler<'_> {
    /// The paths out of a mention, at most `depth` hops, scored against the words.
    pub(super) fn paths(
        &self,
        isr: &Isr,
        mention: &Mention,
        words: &[WordGains],
        chains: &[(Vec<usize>, f32)],
        depth: usize,
        out: &mut Compiled,
    ) -> Result<Vec<Scored>, SchemaError> {
        let types = if isr.answer_type.is_empty() || isr.question_type == QuestionType::YesNo {
            None
        } else {
            Some(
                self.schema
                    .end_gains(self.graph, &isr.answer_type, self.embedder)?,
            )
        };
        let mut first = BTreeSet::new();
        for id in mention.ids() {
            first.extend(self.graph.signature(id)?.iter().copied());
        }
        // What things of its kind have and it has not may be what is asked for: then nothing is recorded. No path goes on
        // from there.
        let own_edges = first.clone();
        if self.config.missing_facts {
            let own: Vec<Edge> = first.iter().copied().take(self.config.max_degree).collect();
            for edge in own {
                first.extend(self.schema.usual_beside(self.graph, edge)?.iter().copied());
            }
        }
        let mut frontier: Vec<(Vec<Edge>, Vec<usize>)> = vec![(Vec::new(), Vec::new())];
        let mut all = Vec::new();
        for _ in 0..depth.min(self.config.max_depth) {
            let mut grown = Vec::new();
            for (edges, positions) in &frontier {
                let next: Vec<Edge> = match edges.last() {
                    None => first.iter().copied().collect(),
                    Some(last) => self.schema.leads_to(self.graph, *last)?.to_vec(),
                };
                for (edge, position) in self.best_edges(next, words, out) {
                    let label = &self.schema.entries()[position].label;
                    if edges.is_empty() && !out.schema.contains(label) {
                        out.schema.push(label.clone());
                    }
                    let mut edges = edges.clone();
                    let mut positions = positions.clone();
                    edges.push(edge);
                    positions.push(position);
                    grown.push((edges, positions));
                }
            }
            let mut scored: Vec<Scored> = grown
                .into_iter()
                .map(|(edges, positions)| {
                    let score =
                        self.score(isr, words, chains, types.as_deref(), &edges, &positions);
                    let hops = edges
                        .iter()
                        .zip(&positions)
                        .map(|(e, p)| Hop {
                            predicate: self.schema.entries()[*p].iri.clone(),
                            inverse: e.inverse,
                        })
                        .collect();
                    Scored {
                        path: Path {
                            anchor: mention.slot,
                            hops,
                        },
                        edges,
                        positions,
                        score,
                    }
                })
                .collect();
            scored.sort_by(|a, b| {
                b.score
                    .total_cmp(&a.score)
                    .then_with(|| a.edges.cmp(&b.edges))
            });
            if !self.config.breadth {
                out.paths_cut += keep_next_relation(&mut scored);
            }
            out.paths_cut += scored.len().saturating_sub(self.config.beam);
            scored.truncate(self.config.beam);
            frontier = scored
                .iter()
                .filter(|s| s.edges.first().is_some_and(|e| own_edges.contains(e)))
                .map(|s| (s.edges.clone(), s.positions.clone()))
                .collect();
            all.extend(scored);
        }
        all.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.edges.cmp(&b.edges))
        });
        Ok(all)
    }

    /// The `max_degree` edges that the words speak for most.
    fn best_edges(
        &self,
        edges: Vec<Edge>,
        words: &[WordGains],
        out: &mut Compiled,
    ) -> Vec<(Edge, usize)> {
        let mut known: Vec<(Edge, usize)> = edges
            .into_iter()
            .filter_map(|e| self.schema.position(e.predicate).map(|p| (e, p)))
            .collect();
        if known.len() > self.config.max_degree {
            let best = |p: usize| {
                words
                    .iter()
                    .map(|w| w.gains[p] * w.weight)
                    .fold(f32::MIN, f32::max)
            };
            known.sort_by(|a, b| best(b.1).total_cmp(&best(a.1)).then(a.0.cmp(&b.0)));
            out.edges_cut += known.len() - self.config.max_degree;
            known.truncate(self.config.max_degree);
        }
        known
    }

    fn score(
        &self,
        isr: &Isr,
        words: &[WordGains],
        chains: &[(Vec<usize>, f32)],
        types: Option<&[f32]>,
        edges: &[Edge],
        positions: &[usize],
    ) -> f32 {
        let prices = &self.config.alignment;
        let pairs = (0..edges.len()).filter(|&k| is_way_back(edges, k)).count();
        let free = free_hops(isr, edges);
        let way = Way {
            edges,
            positions,
            free: &free,
        };
        let (chain, aligned) = chains
            .iter()
            .map(|(chain, price)| {
                (
                    chain,
                    alignment::align(chain, words, &way, prices) - price * prices.unusual_chain,
                )
            })
            .fold((None, f32::NEG_INFINITY), |best, (chain, score)| {
                if score > best.1 {
                    (Some(chain), score)
                } else {
                    best
                }
            });
        let inverse = edges.iter().filter(|e| e.inverse).count() as f32;
        let sharing = match (isr.sharing, pairs) {
            (true, 0) => prices.sharing,
            (false, 0) => 0.0,
            (true, n) => {
                prices.sharing * (n - 1) as f32
                    + 0.1
                        * (0..edges.len())
                            .find(|&k| is_way_back(edges, k))
                            .unwrap_or(0) as f32
            }
            (false, _) => {
                // Without a word for sharing, both steps of a pair must be told by words of their own.
                let told = chain
                    .map(|chain| alignment::assign(chain, words, &way, prices))
                    .unwrap_or_default();
                let silent = |k: usize| !told.iter().any(|(_, hop)| *hop == k);
                let pairs = (0..edges.len())
                    .filter(|&k| is_way_back(edges, k) && (silent(k) || silent(k - 1)))
                    .count();
                0.5 * prices.sharing * pairs as f32
            }
        };
        let fits = match (types, edges.last(), positions.last()) {
            (Some(types), Some(edge), Some(position)) => {
                types[2 * position + usize::from(edge.inverse)]
            }
            (None, _, _) | (_, None, _) | (_, _, None) => 0.0,
        };
        let named: f32 = words
            .iter()
            .filter_map(|w| w.class.as_ref())
            .map(|class| {
                let ends = edges
                    .iter()
                    .zip(positions)
                    .map(|(e, p)| class[2 * p + usize::from(e.inverse)]);
                ends.fold(0.0, f32::max)
            })
            .sum();
        aligned + prices.class_noun * named + prices.answer_type * fits
            - prices.hop * edges.len() as f32
            - prices.inverse_hop * inverse
            - sharing
    }

    /// Which word (by its place in the question) speaks for which predicate (by its place in the schema) in a plan's
    /// paths.
    pub(super) fn trace(&self, isr: &Isr, words: &[WordGains], plan: &Plan) -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        for path in plan.paths() {
            let Some(j) = isr.mentions.iter().position(|m| m.slot == path.anchor) else {
                continue;
            };
            let Some((edges, positions)) = path
                .hops
                .iter()
                .map(|hop| {
                    let position = self.schema.position_of(&hop.predicate)?;
                    Some((
                        Edge {
                            predicate: self.schema.entries()[position].id,
                            inverse: hop.inverse,
                        },
                        position,
                    ))
                })
                .collect::<Option<(Vec<Edge>, Vec<usize>)>>()
            else {
                continue;
            };
            let free = free_hops(isr, &edges);
            let way = Way {
                edges: &edges,
                positions: &positions,
                free: &free,
            };
            let prices = &self.config.alignment;
            let chains = chains_of(isr, j);
            let Some((chain, _)) = chains.iter().max_by(|a, b| {
                let score = |c: &(Vec<usize>, f32)| {
                    alignment::align(&c.0, words, &way, prices) - c.1 * prices.unusual_chain
                };
                score(a).total_cmp(&score(b))
            }) else {
                continue;
            };
            for (w, hop) in alignment::assign(chain, words, &way, prices) {
                out.push((w, positions[hop]));
            }
        }
        out
    }
}

/// Keeps, of the best-first paths that go on from the same path, the first. Returns how many went.
fn keep_next_relation(scored: &mut Vec<Scored>) -> usize {
    let before = scored.len();
    let mut gone_on = BTreeSet::new();
    scored.retain(|path| match path.edges.split_last() {
        Some((_, from)) if !from.is_empty() => gone_on.insert(from.to_vec()),
        Some(_) | None => true,
    });
    before - scored.len()
}

/// Whether hop `k` goes straight back over the predicate before it.
fn is_way_back(edges: &[Edge], k: usize) -> bool {
    k > 0
        && edges[k].predicate == edges[k - 1].predicate
        && edges[k].inverse != edges[k - 1].inverse
}
/// The hops that need no word of their own.
fn free_hops(isr: &Isr, edges: &[Edge]) -> Vec<bool> {
    (0..edges.len())
        .map(|k| isr.sharing && is_way_back(edges, k))
        .collect()
}
/// The orders in which the words around mention `j` may lie outward from it. With several mentions a word belongs to
/// the next mention behind it, and what follows the last mention to that.
pub(super) fn chains_of(isr: &Isr, j: usize) -> Vec<(Vec<usize>, f32)> {
    let mention = &isr.mentions[j];
    if isr.mentions.len() == 1 {
        return alignment::chains(isr, mention);
    }
    if isr.question_type == QuestionType::YesNo {
        let order: Vec<usize> = (0..isr.words.len()).collect();
        let reversed: Vec<usize> = order.iter().rev().copied().collect();
        return vec![(order, 0.0), (reversed, 0.0)];
    }
    let from = if j == 0 {
        0
    } else {
        alignment::attached(isr, &isr.mentions[j - 1])
    };
    let end = if j + 1 == isr.mentions.len() {
        isr.tokens.len()
    } else {
        alignment::attached(isr, mention)
    };
    let token = |w: &usize| isr.words[*w].token;
    let mut chain: Vec<usize> = (0..isr.words.len())
        .filter(|w| token(w) >= from && token(w) < mention.first)
        .rev()
        .collect();
    chain.extend((0..isr.words.len()).filter(|w| token(w) >= mention.end && token(w) < end));
    vec![(chain, 0.0)]
}
