//! What may one execution read, and what has it to report? Its inputs, its budget and its cuts.

use std::collections::{BTreeSet, HashMap};

use super::evidence::Proof;
use super::quantity::{Quantity, quantity_of};
use super::{Binding, Bound, Cut, ExecuteError, Executed, Given, LeftOut, Limits};
use crate::graph::{Edge, Graph, TermId};
use crate::plan::Slot;

/// Cuts told one by one; the rest is told as a number.
const CUTS_TOLD: usize = 16;

/// What a plan gave, and how it is proved.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) given: Given,
    pub(super) proof: Proof,
    /// The values to prove; in any order.
    pub(super) kept: Vec<TermId>,
}

/// One execution: its inputs, its budget, and what it has to report.
pub(super) struct Run<'g> {
    pub(super) graph: &'g dyn Graph,
    pub(super) limits: &'g Limits,
    pub(super) topic_left_out: bool,
    bindings: &'g [Binding],
    rows: usize,
    rows_cut: bool,
    cuts: Vec<Cut>,
    further_cuts: usize,
    pub(super) left_out: BTreeSet<LeftOut>,
    quantities: HashMap<TermId, Option<Quantity>>,
}

impl<'g> Run<'g> {
    pub(super) fn new(graph: &'g dyn Graph, bindings: &'g [Binding], limits: &'g Limits) -> Self {
        Self {
            graph,
            limits,
            topic_left_out: false,
            bindings,
            rows: 0,
            rows_cut: false,
            cuts: Vec::new(),
            further_cuts: 0,
            left_out: BTreeSet::new(),
            quantities: HashMap::new(),
        }
    }

    /// Closes the run: proves what was found and hands over the reports.
    pub(super) fn finish(mut self, found: Found) -> Result<Executed, ExecuteError> {
        let mut evidence = Vec::new();
        if self.limits.evidence > 0 {
            let mut kept = found.kept;
            kept.sort_unstable();
            kept.dedup();
            let (triples, more) = found.proof.triples(&kept, self.limits.evidence);
            evidence = triples;
            if more {
                self.cut("evidence".to_owned(), self.limits.evidence);
            }
        }
        if self.rows_cut {
            self.cut("triples read".to_owned(), self.limits.rows);
        }
        if self.further_cuts > 0 {
            let what = format!("{} further steps", self.further_cuts);
            self.cuts.push(Cut {
                what,
                bound: self.limits.rows_per_step,
            });
        }
        Ok(Executed {
            given: found.given,
            evidence,
            cut: self.cuts,
            topic_left_out: self.topic_left_out,
            left_out: self.left_out.into_iter().collect(),
            rows: self.rows,
        })
    }

    pub(super) fn rows_are_spent(&mut self) -> bool {
        let spent = self.rows >= self.limits.rows;
        self.rows_cut |= spent;
        spent
    }

    /// One step from one node, within what is left of the budget.
    pub(super) fn step(&mut self, from: TermId, edge: Edge) -> Result<Vec<TermId>, ExecuteError> {
        let left = self.limits.rows.saturating_sub(self.rows);
        let page = self
            .graph
            .step(from, edge, left.min(self.limits.rows_per_step))?;
        self.rows += page.ids.len();
        if page.more && left <= self.limits.rows_per_step {
            self.rows_cut = true;
        } else if page.more {
            if self.cuts.len() < CUTS_TOLD {
                let what = format!(
                    "values of {} at {}",
                    self.words(edge)?,
                    self.graph.label(from)?
                );
                self.cut(what, self.limits.rows_per_step);
            } else {
                self.further_cuts += 1;
            }
        }
        Ok(page.ids)
    }

    pub(super) fn bound_frontier(
        &mut self,
        reached: &mut Vec<TermId>,
        edge: Edge,
    ) -> Result<(), ExecuteError> {
        if reached.len() > self.limits.frontier {
            reached.truncate(self.limits.frontier);
            let what = format!("nodes reached by {}", self.words(edge)?);
            self.cut(what, self.limits.frontier);
        }
        Ok(())
    }

    fn words(&self, edge: Edge) -> Result<String, ExecuteError> {
        let label = self.graph.label(edge.predicate)?;
        Ok(if edge.inverse {
            format!("inverse {label}")
        } else {
            label
        })
    }

    fn cut(&mut self, what: String, bound: usize) {
        let cut = Cut { what, bound };
        if !self.cuts.contains(&cut) {
            self.cuts.push(cut);
        }
    }

    pub(super) fn bound(&self, slot: Slot) -> Result<&'g Bound, ExecuteError> {
        let binding = self.bindings.iter().find(|b| b.slot == slot);
        binding.map(|b| &b.bound).ok_or(ExecuteError::Unbound(slot))
    }

    pub(super) fn entities(&self, slot: Slot) -> Result<&'g [TermId], ExecuteError> {
        match self.bound(slot)? {
            Bound::Entities(ids) => Ok(ids),
            Bound::Number(_) => Err(ExecuteError::NotEntities(slot)),
        }
    }

    /// What a term says, read once.
    pub(super) fn quantity(&mut self, id: TermId) -> Result<Option<Quantity>, ExecuteError> {
        if let Some(known) = self.quantities.get(&id) {
            return Ok(*known);
        }
        let quantity = quantity_of(self.graph, id)?;
        self.quantities.insert(id, quantity);
        Ok(quantity)
    }
}
