//! Which plans could the question mean on this graph? Stage 2 of CacheRAG's semantic parsing, built-in form.
//!
//! Every path that the schema allows out of the named entities, up to the depth bound, is scored by the alignment of
//! the question's words with it, by the neighbours' votes and by its length; markers wrap the best sets into counts,
//! orders, filters, comparisons and yes/no. Nothing is run here.

use std::collections::BTreeSet;
use std::sync::Arc;

use language_model::Embedder;

use crate::alignment::{self, AlignmentConfig, WordGains};
use crate::execute::{Binding, Bound};
use crate::graph::{Edge, Graph};
use crate::guidance::{Guidance, VoteConfig, Votes};
use crate::isr::{Isr, Mention, QuestionType, Superlative};
use crate::local_schema::{Schema, SchemaError, ValueKind};
use crate::plan::{Attribute, Hop, Path, Plan, Several, Slot};

/// Bounds and prices of compilation.
#[derive(Debug, Clone, PartialEq)]
pub struct CompileConfig {
    /// Most hops of a path (K_depth ≤ 3).
    pub max_depth: usize,
    /// Edges followed per node, the best by similarity (K_degree = 30).
    pub max_degree: usize,
    /// Paths kept per depth.
    pub beam: usize,
    /// Plans returned.
    pub plans: usize,
    /// Prices of the alignment.
    pub alignment: AlignmentConfig,
    /// Evidence at which a word's learned meaning counts as much as its similarity.
    pub lexicon_prior: f64,
    /// How votes count.
    pub votes: VoteConfig,
}

impl Default for CompileConfig {
    fn default() -> Self {
        Self { max_depth: 3, max_degree: 30, beam: 600, plans: 24, lexicon_prior: 3.0, alignment: AlignmentConfig::default(), votes: VoteConfig::default() }
    }
}

/// A plan with its bindings and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// Its canonical text.
    pub template: String,
    /// What fills its slots.
    pub bindings: Vec<Binding>,
    /// Log-likelihood, higher is better; comparable within one question only.
    pub score: f32,
    /// The part of the score that the votes gave.
    pub vote: f32,
    /// Which word speaks for which predicate (IRI).
    pub alignment: Vec<(String, String)>,
}

/// What compilation found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compiled {
    /// Plans, best first.
    pub candidates: Vec<Candidate>,
    /// Edges left out by `max_degree`.
    pub edges_cut: usize,
    /// Paths left out by `beam`.
    pub paths_cut: usize,
    /// Predicates of the local schema, by label.
    pub schema: Vec<String>,
}

/// Everything compilation reads.
pub(crate) struct Compiler<'a> {
    pub(crate) graph: &'a dyn Graph,
    pub(crate) schema: &'a Schema,
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) guidance: &'a Guidance<'a>,
    pub(crate) config: &'a CompileConfig,
}

/// A set-valued part of a plan under construction.
#[derive(Clone)]
struct Scored {
    path: Path,
    edges: Vec<Edge>,
    positions: Vec<usize>,
    score: f32,
}

impl Compiler<'_> {
    /// The plans that the question could mean, best first.
    pub(crate) fn compile(&self, isr: &Isr) -> Result<Compiled, SchemaError> {
        let mut out = Compiled::default();
        if isr.mentions.is_empty() {
            return Ok(out);
        }
        let votes = Votes::count(&isr.masked, self.guidance, &self.config.votes);
        let words = self.word_gains(isr)?;
        match isr.question_type {
            QuestionType::YesNo => self.yes_no(isr, &words, &mut out)?,
            QuestionType::Comparison => self.comparison(isr, &words, &mut out)?,
            QuestionType::Simple
            | QuestionType::Count
            | QuestionType::Superlative
            | QuestionType::Filter
            | QuestionType::Conjunction => self.set_valued(isr, &words, &mut out)?,
        }
        for candidate in &mut out.candidates {
            candidate.template = candidate.plan.template();
            candidate.vote = if votes.is_empty() { 0.0 } else { votes.of(&candidate.template) };
            candidate.score += candidate.vote;
        }
        out.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.template.cmp(&b.template)));
        out.candidates.dedup_by(|a, b| a.template == b.template && a.bindings == b.bindings);
        out.candidates.truncate(self.config.plans);
        for candidate in &mut out.candidates {
            candidate.alignment = self.trace(isr, &words, &candidate.plan);
        }
        Ok(out)
    }

    /// Which word speaks for which predicate in a plan's paths.
    fn trace(&self, isr: &Isr, words: &[WordGains], plan: &Plan) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for path in plan.paths() {
            let Some(j) = isr.mentions.iter().position(|m| m.slot == path.anchor) else { continue };
            let Some((edges, positions)) = path
                .hops
                .iter()
                .map(|hop| {
                    let position = self.schema.position_of(&hop.predicate)?;
                    Some((Edge { predicate: self.schema.entries()[position].id, inverse: hop.inverse }, position))
                })
                .collect::<Option<(Vec<Edge>, Vec<usize>)>>()
            else {
                continue;
            };
            let free = free_hops(isr, &edges);
            let prices = &self.config.alignment;
            let chains = chains_of(isr, j);
            let Some((chain, _)) = chains.iter().max_by(|a, b| {
                let score = |c: &(Vec<usize>, f32)| alignment::align(&c.0, words, &positions, &free, prices) - c.1 * prices.unusual_chain;
                score(a).total_cmp(&score(b))
            }) else {
                continue;
            };
            for (w, hop) in alignment::assign(chain, words, &positions, &free, prices) {
                out.push((isr.words[w].text.clone(), self.schema.entries()[positions[hop]].iri.clone()));
            }
        }
        out
    }

    fn word_gains(&self, isr: &Isr) -> Result<Vec<WordGains>, SchemaError> {
        let mut out = Vec::with_capacity(isr.words.len());
        for word in &isr.words {
            let mut gains = self.schema.gains(&word.text, self.embedder)?;
            if let Some(lexicon) = self.guidance.lexicon {
                gains = self.learned_gains(gains, &lexicon.meanings(&word.text));
            }
            let best = gains.iter().copied().fold(0.0, f32::max);
            let class = if word.relation.is_none() && !is_choice(isr, word.token) && self.schema.is_class_noun(self.graph, &word.text, self.embedder)? {
                Some(self.schema.end_gains(self.graph, &word.text, self.embedder)?)
            } else {
                None
            };
            out.push(WordGains { token: word.token, weight: word.weight, relation: word.relation, class, gains, best });
        }
        self.join_label_phrases(isr, &mut out);
        Ok(out)
    }

    /// Gains corrected by what the word has meant before: the more evidence, the less the similarity counts.
    fn learned_gains(&self, prior: Arc<[f32]>, meanings: &[(Arc<str>, f64, f64)]) -> Arc<[f32]> {
        let right: f64 = meanings.iter().map(|m| m.1).sum();
        let evidence: f64 = right + meanings.iter().map(|m| m.2).sum::<f64>();
        if evidence <= 0.0 {
            return prior;
        }
        let trust = (evidence / (evidence + self.config.lexicon_prior)) as f32;
        let bound = self.schema.bound();
        let unseen = 0.5 / (right + 1.0);
        let mut learned = vec![unseen; prior.len()];
        for (predicate, right_here, wrong_here) in meanings {
            if let Some(position) = self.schema.position_of(predicate) {
                learned[position] = (right_here + 0.5) / (right + wrong_here + 1.0);
            }
        }
        let uniform = 1.0 / prior.len().max(4) as f64;
        prior
            .iter()
            .zip(learned)
            .map(|(gain, p)| (1.0 - trust) * gain + trust * ((p / uniform).ln() as f32).clamp(-bound, bound))
            .collect()
    }

    /// Words that stand in the question as a predicate's label does ("place of birth") are one phrase and mean it.
    fn join_label_phrases(&self, isr: &Isr, words: &mut [WordGains]) {
        for (position, entry) in self.schema.entries().iter().enumerate() {
            let length = entry.words.len();
            if length < 2 || length > isr.tokens.len() {
                continue;
            }
            let Some(at) = (0..=isr.tokens.len() - length).find(|&i| entry.words.iter().zip(&isr.tokens[i..]).all(|(w, t)| *w == t.folded)) else {
                continue;
            };
            let mut relation = None;
            for word in words.iter_mut().filter(|w| (at..at + length).contains(&w.token)) {
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

    /// The paths out of a mention, at most `depth` hops, scored against the words.
    fn paths(&self, isr: &Isr, mention: &Mention, words: &[WordGains], chains: &[(Vec<usize>, f32)], depth: usize, out: &mut Compiled) -> Result<Vec<Scored>, SchemaError> {
        let types = if isr.answer_type.is_empty() || isr.question_type == QuestionType::YesNo {
            None
        } else {
            Some(self.schema.end_gains(self.graph, &isr.answer_type, self.embedder)?)
        };
        let mut first = BTreeSet::new();
        for id in mention.ids() {
            first.extend(self.graph.signature(id)?.iter().copied());
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
                    let score = self.score(isr, words, chains, types.as_deref(), &edges, &positions);
                    let hops = edges
                        .iter()
                        .zip(&positions)
                        .map(|(e, p)| Hop { predicate: self.schema.entries()[*p].iri.clone(), inverse: e.inverse })
                        .collect();
                    Scored { path: Path { anchor: mention.slot, hops }, edges, positions, score }
                })
                .collect();
            scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.edges.cmp(&b.edges)));
            out.paths_cut += scored.len().saturating_sub(self.config.beam);
            scored.truncate(self.config.beam);
            frontier = scored.iter().map(|s| (s.edges.clone(), s.positions.clone())).collect();
            all.extend(scored);
        }
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.edges.cmp(&b.edges)));
        Ok(all)
    }

    /// The `max_degree` edges that the words speak for most.
    fn best_edges(&self, edges: Vec<Edge>, words: &[WordGains], out: &mut Compiled) -> Vec<(Edge, usize)> {
        let mut known: Vec<(Edge, usize)> =
            edges.into_iter().filter_map(|e| self.schema.position(e.predicate).map(|p| (e, p))).collect();
        if known.len() > self.config.max_degree {
            let best = |p: usize| words.iter().map(|w| w.gains[p] * w.weight).fold(f32::MIN, f32::max);
            known.sort_by(|a, b| best(b.1).total_cmp(&best(a.1)).then(a.0.cmp(&b.0)));
            out.edges_cut += known.len() - self.config.max_degree;
            known.truncate(self.config.max_degree);
        }
        known
    }

    fn score(&self, isr: &Isr, words: &[WordGains], chains: &[(Vec<usize>, f32)], types: Option<&[f32]>, edges: &[Edge], positions: &[usize]) -> f32 {
        let prices = &self.config.alignment;
        let pairs = (0..edges.len()).filter(|&k| is_way_back(edges, k)).count();
        let free = free_hops(isr, edges);
        let (chain, aligned) = chains
            .iter()
            .map(|(chain, price)| (chain, alignment::align(chain, words, positions, &free, prices) - price * prices.unusual_chain))
            .fold((None, f32::NEG_INFINITY), |best, (chain, score)| if score > best.1 { (Some(chain), score) } else { best });
        let inverse = edges.iter().filter(|e| e.inverse).count() as f32;
        let sharing = match (isr.sharing, pairs) {
            (true, 0) => prices.sharing,
            (false, 0) => 0.0,
            (true, n) => prices.sharing * (n - 1) as f32 + 0.1 * (0..edges.len()).find(|&k| is_way_back(edges, k)).unwrap_or(0) as f32,
            (false, _) => {
                // Without a word for sharing, both steps of a pair must be told by words of their own.
                let told = chain.map(|chain| alignment::assign(chain, words, positions, &free, prices)).unwrap_or_default();
                let silent = |k: usize| !told.iter().any(|(_, hop)| *hop == k);
                let pairs = (0..edges.len()).filter(|&k| is_way_back(edges, k) && (silent(k) || silent(k - 1))).count();
                0.5 * prices.sharing * pairs as f32
            }
        };
        let fits = match (types, edges.last(), positions.last()) {
            (Some(types), Some(edge), Some(position)) => types[2 * position + usize::from(edge.inverse)],
            (None, _, _) | (_, None, _) | (_, _, None) => 0.0,
        };
        let named: f32 = words
            .iter()
            .filter_map(|w| w.class.as_ref())
            .map(|class| {
                let ends = edges.iter().zip(positions).map(|(e, p)| class[2 * p + usize::from(e.inverse)]);
                ends.fold(0.0, f32::max)
            })
            .sum();
        aligned + prices.class_noun * named + prices.answer_type * fits - prices.hop * edges.len() as f32 - prices.inverse_hop * inverse - sharing
    }

    fn bindings(&self, isr: &Isr) -> Vec<Binding> {
        let mut out: Vec<Binding> =
            isr.mentions.iter().map(|m| Binding { slot: m.slot, bound: Bound::Entities(m.ids()) }).collect();
        if let Some(found) = &isr.comparator {
            out.push(Binding { slot: found.slot, bound: Bound::Number(found.number) });
        }
        out
    }

    fn candidate(&self, isr: &Isr, plan: Plan, score: f32) -> Candidate {
        Candidate { template: String::new(), bindings: self.bindings(isr), plan, score, vote: 0.0, alignment: Vec::new() }
    }

    fn yes_no(&self, isr: &Isr, words: &[WordGains], out: &mut Compiled) -> Result<(), SchemaError> {
        for (from, to) in [(0, 1), (1, 0)] {
            let mention = &isr.mentions[from];
            let chains = chains_of(isr, from);
            for scored in self.paths(isr, mention, words, &chains, 2, out)?.into_iter().take(self.config.plans) {
                let plan = Plan::Ask { input: Box::new(Plan::Path(scored.path)), value: isr.mentions[to].slot };
                out.candidates.push(self.candidate(isr, plan, scored.score));
            }
        }
        Ok(())
    }

    fn comparison(&self, isr: &Isr, words: &[WordGains], out: &mut Compiled) -> Result<(), SchemaError> {
        let Some(superlative) = &isr.superlative else { return Ok(()) };
        let mut shared: Option<BTreeSet<Edge>> = None;
        for mention in &isr.mentions {
            let mut edges = BTreeSet::new();
            for id in mention.ids() {
                edges.extend(self.graph.signature(id)?.iter().copied().filter(|e| !e.inverse));
            }
            shared = Some(shared.map_or(edges.clone(), |s| s.intersection(&edges).copied().collect()));
        }
        let edges: Vec<Edge> = shared.unwrap_or_default().into_iter().collect();
        for (score, attribute, _) in self.attributes(&edges, words, Some(superlative), false)? {
            let anchors: Vec<Slot> = isr.mentions.iter().map(|m| m.slot).collect();
            let plan = Plan::Compare { anchors, attribute, extreme: superlative.extreme };
            out.candidates.push(self.candidate(isr, plan, score));
        }
        Ok(())
    }

    /// Attributes by which to order or filter: score, hop, and the words that speak for it.
    fn attributes(&self, edges: &[Edge], words: &[WordGains], superlative: Option<&Superlative>, temporal: bool) -> Result<Vec<(f32, Attribute, Vec<usize>)>, SchemaError> {
        let temporal = temporal || superlative.is_some_and(|s| s.temporal);
        let named = match superlative.map(|s| s.attribute.as_str()).filter(|a| !a.is_empty()) {
            Some(attribute) => Some(self.schema.gains(attribute, self.embedder)?),
            None => None,
        };
        let mut out = Vec::new();
        for edge in edges.iter().filter(|e| !e.inverse) {
            let Some(position) = self.schema.position(edge.predicate) else { continue };
            let kind = self.schema.value_kind(self.graph, edge.predicate)?;
            let fits = match kind {
                ValueKind::Time => 1.0,
                ValueKind::Number if temporal => -1.0,
                ValueKind::Number => 1.0,
                ValueKind::Other => continue,
            };
            let mut score = fits;
            let mut speaking = Vec::new();
            for (i, word) in words.iter().enumerate() {
                let gain = word.gains[position] * word.weight;
                if gain > 0.5 && gain >= 0.6 * word.best {
                    score += gain;
                    speaking.push(i);
                }
            }
            if let Some(named) = &named {
                score += named[position];
            }
            let hop = Hop { predicate: self.schema.entries()[position].iri.clone(), inverse: false };
            let several = match kind {
                ValueKind::Time => Several::Earliest,
                ValueKind::Number | ValueKind::Other => Several::Any,
            };
            out.push((score, Attribute { hop, several }, speaking));
        }
        out.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        out.truncate(4);
        Ok(out)
    }

    /// Simple, conjunctive, counting, filtered and ordered sets.
    fn set_valued(&self, isr: &Isr, words: &[WordGains], out: &mut Compiled) -> Result<(), SchemaError> {
        let sets = self.sets(isr, words, &[], out)?;
        let ordered = isr.superlative.is_some() || isr.comparator.is_some();
        if !ordered {
            for (plan, _, score) in sets.into_iter().take(self.config.plans) {
                let plan = if isr.question_type == QuestionType::Count { Plan::Count(Box::new(plan)) } else { plan };
                out.candidates.push(self.candidate(isr, plan, score));
            }
            return Ok(());
        }
        let temporal = isr.comparator.as_ref().is_some_and(|c| c.temporal);
        let mut last_edges: BTreeSet<Edge> = BTreeSet::new();
        for (_, last, _) in sets.iter().take(64) {
            last_edges.extend(self.schema.leads_to(self.graph, *last)?.iter().copied());
        }
        let last_edges: Vec<Edge> = last_edges.into_iter().collect();
        for (gain, attribute, speaking) in self.attributes(&last_edges, words, isr.superlative.as_ref(), temporal)? {
            for (plan, last, score) in self.sets(isr, words, &speaking, out)?.into_iter().take(6) {
                let has = self.schema.leads_to(self.graph, last)?.iter().any(|e| {
                    !e.inverse && self.schema.position(e.predicate).is_some_and(|p| self.schema.entries()[p].iri == attribute.hop.predicate)
                });
                if !has {
                    continue;
                }
                let mut plan = plan;
                if let Some(found) = &isr.comparator {
                    plan = Plan::Filter { input: Box::new(plan), attribute: attribute.clone(), operator: found.operator, value: found.slot };
                }
                if let Some(superlative) = &isr.superlative {
                    plan = Plan::OrderLimit { input: Box::new(plan), attribute: attribute.clone(), extreme: superlative.extreme, limit: 1 };
                }
                if isr.question_type == QuestionType::Count {
                    plan = Plan::Count(Box::new(plan));
                }
                out.candidates.push(self.candidate(isr, plan, score + gain));
            }
        }
        Ok(())
    }

    /// Plans for the set that the names describe, with the last edge walked and the score; words in `taken` speak for
    /// something else.
    fn sets(&self, isr: &Isr, words: &[WordGains], taken: &[usize], out: &mut Compiled) -> Result<Vec<(Plan, Edge, f32)>, SchemaError> {
        let kept = |j: usize| -> Vec<(Vec<usize>, f32)> {
            chains_of(isr, j)
                .into_iter()
                .map(|(chain, price)| (chain.into_iter().filter(|w| !taken.contains(w)).collect(), price))
                .collect()
        };
        if let [mention] = isr.mentions.as_slice() {
            let chains = kept(0);
            let paths = self.paths(isr, mention, words, &chains, self.config.max_depth, out)?;
            return Ok(paths.into_iter().filter_map(|s| Some((Plan::Path(s.path), *s.edges.last()?, s.score))).take(self.config.beam).collect());
        }
        let mut per_mention = Vec::new();
        for (j, mention) in isr.mentions.iter().enumerate() {
            let chains = kept(j);
            let mut paths = self.paths(isr, mention, words, &chains, 2, out)?;
            paths.truncate(12);
            per_mention.push(paths);
        }
        let mut joined: Vec<(Vec<Scored>, f32)> = vec![(Vec::new(), 0.0)];
        for paths in &per_mention {
            let mut next = Vec::new();
            for (parts, score) in &joined {
                for path in paths {
                    let mut parts = parts.clone();
                    parts.push(path.clone());
                    next.push((parts, score + path.score));
                }
            }
            next.sort_by(|a, b| b.1.total_cmp(&a.1));
            next.truncate(64);
            joined = next;
        }
        Ok(joined
            .into_iter()
            .filter_map(|(parts, score)| {
                let last = *parts.last()?.edges.last()?;
                Some((Plan::Intersect(parts.into_iter().map(|p| Plan::Path(p.path)).collect()), last, score))
            })
            .collect())
    }

}

/// Whether hop `k` goes straight back over the predicate before it.
fn is_way_back(edges: &[Edge], k: usize) -> bool {
    k > 0 && edges[k].predicate == edges[k - 1].predicate && edges[k].inverse != edges[k - 1].inverse
}

/// Whether a word is one of the values to choose from: "a man or a woman".
fn is_choice(isr: &Isr, token: usize) -> bool {
    let or = |i: usize| isr.tokens.get(i).is_some_and(|t| t.folded == "or");
    or(token + 1) || (1..=2).any(|back| token >= back && or(token - back))
}

/// The hops that need no word of their own.
fn free_hops(isr: &Isr, edges: &[Edge]) -> Vec<bool> {
    (0..edges.len()).map(|k| isr.sharing && is_way_back(edges, k)).collect()
}

/// The orders in which the words around mention `j` may lie outward from it. With several mentions a word belongs to
/// the next mention behind it, and what follows the last mention to that.
fn chains_of(isr: &Isr, j: usize) -> Vec<(Vec<usize>, f32)> {
    let mention = &isr.mentions[j];
    if isr.mentions.len() == 1 {
        return alignment::chains(isr, mention);
    }
    if isr.question_type == QuestionType::YesNo {
        let order: Vec<usize> = (0..isr.words.len()).collect();
        let reversed: Vec<usize> = order.iter().rev().copied().collect();
        return vec![(order, 0.0), (reversed, 0.0)];
    }
    let from = if j == 0 { 0 } else { alignment::attached(isr, &isr.mentions[j - 1]) };
    let end = if j + 1 == isr.mentions.len() { isr.tokens.len() } else { alignment::attached(isr, mention) };
    let token = |w: &usize| isr.words[*w].token;
    let mut chain: Vec<usize> = (0..isr.words.len()).filter(|w| token(w) >= from && token(w) < mention.first).rev().collect();
    chain.extend((0..isr.words.len()).filter(|w| token(w) >= mention.end && token(w) < end));
    vec![(chain, 0.0)]
}
