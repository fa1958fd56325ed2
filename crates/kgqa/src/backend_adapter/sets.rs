//! Which sets do the names describe, and what is asked of them? Counts, orders, filters, comparisons and yes/no.

use std::collections::BTreeSet;

use crate::alignment::WordGains;
use crate::graph::Edge;
use crate::isr::{Isr, QuestionType, Superlative};
use crate::judge::unit;
use crate::local_schema::{SchemaError, ValueKind};
use crate::plan::{Attribute, Hop, Plan, Several, Slot};

use super::paths::{Scored, chains_of};
use super::{Compiled, Compiler};

impl Compiler<'_> {
    pub(super) fn yes_no(
        &self,
        isr: &Isr,
        words: &[WordGains],
        out: &mut Compiled,
    ) -> Result<(), SchemaError> {
        if isr.superlative.is_some() {
            self.comparison(isr, words, out)?;
            for candidate in &mut out.candidates {
                candidate.plan = Plan::Ask {
                    input: Box::new(candidate.plan.clone()),
                    value: isr.mentions[0].slot,
                };
            }
            return Ok(());
        }
        for (from, to) in [(0, 1), (1, 0)] {
            let mention = &isr.mentions[from];
            let chains = chains_of(isr, from);
            for scored in self
                .paths(isr, mention, words, &chains, 2, out)?
                .into_iter()
                .take(self.config.plans)
            {
                if self.is_turned_round(isr, from, &scored.path) {
                    continue;
                }
                let plan = Plan::Ask {
                    input: Box::new(Plan::Path(scored.path)),
                    value: isr.mentions[to].slot,
                };
                out.candidates.push(self.candidate(isr, plan, scored.score));
            }
        }
        Ok(())
    }

    /// Whether a path of one "… by" edge has the two names the wrong way round: "did the film direct the man", "was the
    /// man directed by the film".
    fn is_turned_round(&self, isr: &Isr, from: usize, path: &crate::plan::Path) -> bool {
        let ([hop], [first, second]) = (path.hops.as_slice(), isr.mentions.as_slice()) else {
            return false;
        };
        let by = self
            .schema
            .position_of(&hop.predicate)
            .is_some_and(|at| self.schema.entries()[at].label.ends_with(" by"));
        let folded = |i: usize| isr.tokens.get(i).map_or("", |t| t.folded.as_str());
        let passive = (first.end..second.first).any(|i| folded(i) == "by");
        // "Is A the director of B": B has one, and is the subject.
        let has = second
            .first
            .checked_sub(1)
            .is_some_and(|i| folded(i) == "of");
        let active = has || matches!(folded(0), "did" | "does" | "do" | "has" | "have" | "had");
        let first_is_subject = (from == 0) != hop.inverse;
        let label = self.schema.position_of(&hop.predicate);
        let label = label.map_or(&[][..], |at| self.schema.entries()[at].words.as_slice());
        let copula = matches!(folded(0), "is" | "are" | "was" | "were");
        let noun = isr
            .words
            .iter()
            .any(|w| w.token + 1 < second.first && label.contains(&w.text));
        if has && copula && noun && !by {
            // "Is A a pupil of B", "is A the capital of B".
            let runs_on = label.last().is_some_and(|word| word == "of");
            return first_is_subject != runs_on;
        }
        by && ((passive && !first_is_subject) || (active && !passive && first_is_subject))
    }

    pub(super) fn comparison(
        &self,
        isr: &Isr,
        words: &[WordGains],
        out: &mut Compiled,
    ) -> Result<(), SchemaError> {
        let Some(superlative) = &isr.superlative else {
            return Ok(());
        };
        let mut shared: Option<BTreeSet<Edge>> = None;
        for mention in &isr.mentions {
            let mut edges = BTreeSet::new();
            for id in mention.ids() {
                edges.extend(
                    self.graph
                        .signature(id)?
                        .iter()
                        .copied()
                        .filter(|e| !e.inverse),
                );
            }
            shared =
                Some(shared.map_or(edges.clone(), |s| s.intersection(&edges).copied().collect()));
        }
        let edges: Vec<Edge> = shared.unwrap_or_default().into_iter().collect();
        for (score, attribute, _) in self.attributes(&edges, words, Some(superlative), false)? {
            let anchors: Vec<Slot> = isr.mentions.iter().map(|m| m.slot).collect();
            let plan = Plan::Compare {
                anchors,
                attribute,
                extreme: superlative.extreme,
            };
            out.candidates.push(self.candidate(isr, plan, score));
        }
        Ok(())
    }
    /// Attributes by which to order or filter: score, hop, and the words that speak for it.
    fn attributes(
        &self,
        edges: &[Edge],
        words: &[WordGains],
        superlative: Option<&Superlative>,
        temporal: bool,
    ) -> Result<Vec<(f32, Attribute, Vec<usize>)>, SchemaError> {
        let temporal = temporal || superlative.is_some_and(|s| s.temporal);
        let named = match superlative
            .map(|s| s.attribute.as_str())
            .filter(|a| !a.is_empty())
        {
            Some(attribute) => {
                let nouns = crate::vocabulary::nouns_of(attribute);
                Some(self.schema.gains(nouns, self.embedder)?)
            }
            None => None,
        };
        let mut out = Vec::new();
        for edge in edges.iter().filter(|e| !e.inverse) {
            let Some(position) = self.schema.position(edge.predicate) else {
                continue;
            };
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
            let hop = Hop {
                predicate: self.schema.entries()[position].iri.clone(),
                inverse: false,
            };
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
    pub(super) fn set_valued(
        &self,
        isr: &Isr,
        words: &[WordGains],
        out: &mut Compiled,
    ) -> Result<(), SchemaError> {
        let sets = self.sets(isr, words, &[], out)?;
        let ordered = isr.superlative.is_some() || isr.comparator.is_some();
        if !ordered {
            for (plan, _, score) in sets.into_iter().take(self.config.plans) {
                if let Some(plan) = self.counted(isr, plan)? {
                    out.candidates.push(self.candidate(isr, plan, score));
                }
            }
            return Ok(());
        }
        let temporal = isr.comparator.as_ref().is_some_and(|c| c.temporal);
        let mut last_edges: BTreeSet<Edge> = BTreeSet::new();
        for (_, last, _) in sets.iter().take(64) {
            last_edges.extend(self.schema.leads_to(self.graph, *last)?.iter().copied());
        }
        let last_edges: Vec<Edge> = last_edges.into_iter().collect();
        for (gain, attribute, speaking) in
            self.attributes(&last_edges, words, isr.superlative.as_ref(), temporal)?
        {
            // Minutes are no years: an attribute that a unit is said of is called by it.
            let position = self.schema.position_of(&attribute.hop.predicate);
            let label = position.map(|at| &self.schema.entries()[at].words);
            if let (Some(unit), Some(label), Some(_)) = (unit(isr), label, &isr.comparator)
                && !label.contains(unit)
            {
                continue;
            }
            for (plan, last, score) in self.sets(isr, words, &speaking, out)?.into_iter().take(6) {
                let has = self.schema.leads_to(self.graph, last)?.iter().any(|e| {
                    !e.inverse
                        && self.schema.position(e.predicate).is_some_and(|p| {
                            self.schema.entries()[p].iri == attribute.hop.predicate
                        })
                });
                if !has {
                    continue;
                }
                let mut plan = plan;
                if let Some(found) = &isr.comparator {
                    plan = Plan::Filter {
                        input: Box::new(plan),
                        attribute: attribute.clone(),
                        operator: found.operator,
                        value: found.slot,
                    };
                }
                if let Some(superlative) = &isr.superlative {
                    plan = Plan::OrderLimit {
                        input: Box::new(plan),
                        attribute: attribute.clone(),
                        extreme: superlative.extreme,
                        limit: 1,
                    };
                }
                if isr.question_type == QuestionType::Count {
                    plan = Plan::Count(Box::new(plan));
                }
                out.candidates.push(self.candidate(isr, plan, score + gain));
            }
        }
        Ok(())
    }
    /// The plan for a set, counted where that is asked for. An attribute with a number says how many by itself
    /// ("population"), and years are not counted.
    fn counted(&self, isr: &Isr, plan: Plan) -> Result<Option<Plan>, SchemaError> {
        if isr.question_type != QuestionType::Count {
            return Ok(Some(plan));
        }
        let last = match &plan {
            Plan::Path(path) => path.hops.last().filter(|hop| !hop.inverse),
            Plan::Intersect(_)
            | Plan::Filter { .. }
            | Plan::Count(_)
            | Plan::OrderLimit { .. }
            | Plan::Compare { .. }
            | Plan::Ask { .. }
            | Plan::Sparql(_) => None,
        };
        let position = last.and_then(|hop| self.schema.position_of(&hop.predicate));
        let kind = match position {
            Some(at) => {
                let predicate = self.schema.entries()[at].id;
                self.schema.value_kind(self.graph, predicate)?
            }
            None => ValueKind::Other,
        };
        Ok(match kind {
            ValueKind::Number => Some(plan),
            ValueKind::Time if !matches!(isr.answer_type.as_str(), "years" | "dates") => None,
            ValueKind::Time | ValueKind::Other => Some(Plan::Count(Box::new(plan))),
        })
    }

    /// Plans for the set that the names describe, with the last edge walked and the score; words in `taken` speak for
    /// something else.
    fn sets(
        &self,
        isr: &Isr,
        words: &[WordGains],
        taken: &[usize],
        out: &mut Compiled,
    ) -> Result<Vec<(Plan, Edge, f32)>, SchemaError> {
        let kept = |j: usize| -> Vec<(Vec<usize>, f32)> {
            chains_of(isr, j)
                .into_iter()
                .map(|(chain, price)| {
                    (
                        chain.into_iter().filter(|w| !taken.contains(w)).collect(),
                        price,
                    )
                })
                .collect()
        };
        if let [mention] = isr.mentions.as_slice() {
            let chains = kept(0);
            let paths = self.paths(isr, mention, words, &chains, self.config.max_depth, out)?;
            return Ok(paths
                .into_iter()
                .filter_map(|s| Some((Plan::Path(s.path), *s.edges.last()?, s.score)))
                .take(self.config.beam)
                .collect());
        }
        let mut per_mention = Vec::new();
        for (j, mention) in isr.mentions.iter().enumerate() {
            let chains = kept(j);
            let mut paths = self.paths(isr, mention, words, &chains, 2, out)?;
            paths.truncate(self.config.paths_per_name);
            per_mention.push(paths);
        }
        let mut joined: Vec<(Vec<Scored>, f32)> = vec![(Vec::new(), 0.0)];
        for paths in &per_mention {
            let mut next = Vec::new();
            for (parts, score) in &joined {
                for path in paths {
                    if let (Some(first), Some(last)) = (
                        parts.first().and_then(|p: &Scored| p.edges.last()),
                        path.edges.last(),
                    ) && !self.meet(*first, *last)?
                    {
                        continue;
                    }
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
                Some((
                    Plan::Intersect(parts.into_iter().map(|p| Plan::Path(p.path)).collect()),
                    last,
                    score,
                ))
            })
            .collect())
    }

    /// Whether two edges may end at the same nodes: what one leads to, the other mostly leads to as well.
    fn meet(&self, a: Edge, b: Edge) -> Result<bool, SchemaError> {
        if a == b {
            return Ok(true);
        }
        let (a, b) = (
            self.schema.leads_to(self.graph, a)?,
            self.schema.leads_to(self.graph, b)?,
        );
        let shared = a.iter().filter(|e| b.binary_search(e).is_ok()).count();
        Ok(2 * shared >= a.len().min(b.len()))
    }
}
