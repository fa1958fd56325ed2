//! Which steps may a plan take? The local schema as an enumeration of names (CacheRAG, S_local).

use std::collections::{BTreeMap, BTreeSet};

use crate::answer::{AnswerError, Planner};
use crate::graph::{Edge, Graph};
use crate::isr::Isr;
use crate::local_schema::{Schema, SchemaError};
use crate::plan::Hop;

/// Entities of one mention whose edges are looked at.
const ENTITIES: usize = 8;
/// Characters of a label in a prompt.
const LABEL_CHARS: usize = 80;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its name in prompts, unique: "directed by", "inverse of directed by", "name (2)".
    pub name: String,
    /// The hop.
    pub hop: Hop,
    /// One thing that it leads from and to, as labels.
    pub leads: Option<(String, String)>,
}

/// All steps of one question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// Nearest to the names first, then by how similar they are to the question's words.
    pub steps: Vec<Step>,
    /// Steps left out by the bound.
    pub cut: usize,
}

impl Steps {
    /// The hop of a name.
    #[must_use]
    pub fn hop(&self, name: &str) -> Option<&Hop> {
        self.steps.iter().find(|s| s.name == name).map(|s| &s.hop)
    }
}

impl Planner {
    /// The steps that plans of the configured depth can take from what the question names.
    pub(super) fn steps(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        max_steps: usize,
    ) -> Result<Steps, AnswerError> {
        let mut depth_of: BTreeMap<Edge, usize> = BTreeMap::new();
        let mut frontier: BTreeSet<Edge> = BTreeSet::new();
        for mention in &isr.mentions {
            for id in mention.ids().into_iter().take(ENTITIES) {
                frontier.extend(graph.signature(id)?.iter().copied());
            }
        }
        for depth in 0..self.config().compile.max_depth {
            let mut next = BTreeSet::new();
            for edge in frontier {
                if depth_of.contains_key(&edge) || schema.position(edge.predicate).is_none() {
                    continue;
                }
                depth_of.insert(edge, depth);
                next.extend(schema.leads_to(graph, edge)?.iter().copied());
            }
            frontier = next;
        }
        let mut near: BTreeMap<usize, f32> = BTreeMap::new();
        for word in &isr.words {
            let similarities = schema
                .similarities(&word.text, self.embedder.as_ref())
                .map_err(SchemaError::from)?;
            for (at, similarity) in similarities.into_iter().enumerate() {
                let best = near.entry(at).or_insert(f32::MIN);
                *best = best.max(similarity);
            }
        }
        let mut ranked: Vec<(usize, f32, Edge)> = depth_of
            .into_iter()
            .map(|(edge, depth)| {
                let at = schema.position(edge.predicate).unwrap_or(usize::MAX);
                (depth, near.get(&at).copied().unwrap_or(0.0), edge)
            })
            .collect();
        ranked.sort_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| b.1.total_cmp(&a.1))
                .then_with(|| a.2.cmp(&b.2))
        });
        let cut = ranked.len().saturating_sub(max_steps);
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let mut steps = Vec::new();
        for (_, _, edge) in ranked.into_iter().take(max_steps) {
            let Some(at) = schema.position(edge.predicate) else {
                continue;
            };
            let entry = &schema.entries()[at];
            let label = shown(&entry.label);
            let plain = if edge.inverse {
                format!("inverse of {label}")
            } else {
                label
            };
            let count = names.entry(plain.clone()).or_insert(0);
            *count += 1;
            let name = if *count == 1 {
                plain
            } else {
                format!("{plain} ({count})")
            };
            let leads = match graph.sample(edge.predicate, 1)?.first() {
                Some(&(from, to)) => {
                    let (from, to) = (shown(&graph.label(from)?), shown(&graph.label(to)?));
                    Some(if edge.inverse { (to, from) } else { (from, to) })
                }
                None => None,
            };
            steps.push(Step {
                name,
                hop: Hop {
                    predicate: entry.iri.clone(),
                    inverse: edge.inverse,
                },
                leads,
            });
        }
        Ok(Steps { steps, cut })
    }
}

/// A label as it stands in a prompt: one line, cut.
pub(super) fn shown(label: &str) -> String {
    let line: String = label
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LABEL_CHARS)
        .collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}
