//! What do the operators do with the values of their inputs? One function an operator, over one shared budget.

use std::collections::BTreeSet;

use super::evidence::{Proof, Triple};
use super::path::{self, edge};
use super::quantity::Quantity;
use super::run::{Found, Run};
use super::{Bound, ExecuteError, Given, LeftOut, LeftOutReason};
use crate::graph::{Edge, TermId};
use crate::plan::{Attribute, Extreme, MAX_DEPTH, Operator, Plan, Several, Slot};

/// A value's attribute: its numbers, each with the triple that says so.
type Measured = Vec<(Quantity, Triple)>;

impl<'g> Run<'g> {
    pub(super) fn evaluate(&mut self, plan: &Plan, depth: usize) -> Result<Found, ExecuteError> {
        if depth > MAX_DEPTH {
            return Err(ExecuteError::TooDeep(MAX_DEPTH));
        }
        match plan {
            Plan::Path(path) => path::walk(self, path),
            Plan::Intersect(inputs) => self.intersect(inputs, depth),
            Plan::Filter {
                input,
                attribute,
                operator,
                value,
            } => {
                let found = self.evaluate(input, depth + 1)?;
                self.filter(found, attribute, *operator, *value)
            }
            Plan::Count(input) => {
                let found = self.evaluate(input, depth + 1)?;
                let count = values(&found.given, "the count")?.len();
                let given = Given::Number(count as f64);
                Ok(Found { given, ..found })
            }
            Plan::OrderLimit {
                input,
                attribute,
                extreme,
                limit,
            } => {
                let found = self.evaluate(input, depth + 1)?;
                self.order(found, attribute, *extreme, *limit)
            }
            Plan::Compare {
                anchors,
                attribute,
                extreme,
            } => self.compare(anchors, attribute, *extreme),
            Plan::Ask { input, value } => {
                let found = self.evaluate(input, depth + 1)?;
                self.ask(found, *value)
            }
            Plan::Sparql(_) => Err(ExecuteError::Unsupported("a SPARQL query")),
        }
    }

    fn intersect(&mut self, inputs: &[Plan], depth: usize) -> Result<Found, ExecuteError> {
        let mut shared: Option<Vec<TermId>> = None;
        let mut proofs = Vec::with_capacity(inputs.len());
        for input in inputs {
            let found = self.evaluate(input, depth + 1)?;
            let mut theirs = values(&found.given, "the intersection")?.to_vec();
            theirs.sort_unstable();
            shared = Some(match shared {
                None => theirs,
                Some(ours) => ours
                    .into_iter()
                    .filter(|v| theirs.binary_search(v).is_ok())
                    .collect(),
            });
            proofs.push(found.proof);
        }
        let shared = shared.ok_or(ExecuteError::NoInputs("the intersection"))?;
        Ok(Found {
            kept: shared.clone(),
            given: Given::Values(shared),
            proof: Proof::All(proofs),
        })
    }

    /// The numbers of a value's attribute; reports the value when there are none.
    fn measure(
        &mut self,
        value: TermId,
        edge: Edge,
        several: Several,
    ) -> Result<Measured, ExecuteError> {
        if self.rows_are_spent() {
            return Ok(Measured::new());
        }
        let objects = self.step(value, edge)?;
        let mut measured = Measured::with_capacity(objects.len());
        for &object in &objects {
            if let Some(quantity) = self.quantity(object)? {
                measured.push((quantity, triple(value, edge, object)));
            }
        }
        if measured.is_empty() {
            let reason = objects.first().map_or(LeftOutReason::NoAttribute, |&o| {
                LeftOutReason::NotANumber(o)
            });
            self.left_out.insert(LeftOut { value, reason });
        }
        if several == Several::Earliest {
            let first = outermost(&measured, Extreme::Least).map(|(key, _)| key);
            measured.retain(|(quantity, _)| Some(quantity.key()) == first);
        }
        Ok(measured)
    }

    /// What a filter compares with: numbers, and terms for equality.
    fn operand(&mut self, slot: Slot) -> Result<(Vec<Quantity>, &'g [TermId]), ExecuteError> {
        match self.bound(slot)? {
            Bound::Number(number) => Ok((vec![Quantity::Number(*number)], &[])),
            Bound::Entities(ids) => {
                let mut numbers = Vec::new();
                for &id in ids {
                    numbers.extend(self.quantity(id)?);
                }
                Ok((numbers, ids))
            }
        }
    }

    fn filter(
        &mut self,
        found: Found,
        attribute: &Attribute,
        operator: Operator,
        slot: Slot,
    ) -> Result<Found, ExecuteError> {
        let (numbers, terms) = self.operand(slot)?;
        let terms = if operator == Operator::Equal {
            terms
        } else {
            &[]
        };
        if numbers.is_empty() && terms.is_empty() {
            return Err(ExecuteError::NotANumber(slot));
        }
        let edge = edge(self.graph, &attribute.hop)?;
        let mut kept = Vec::new();
        let mut facts = Vec::new();
        for &value in values(&found.given, "the filter")? {
            let before = facts.len();
            if terms.is_empty() {
                let measured = self.measure(value, edge, attribute.several)?;
                let holding = measured
                    .iter()
                    .filter(|(q, _)| numbers.iter().any(|n| q.compares(operator, *n)));
                facts.extend(holding.map(|&(_, triple)| (value, triple)));
            } else if !self.rows_are_spent() {
                for object in self.step(value, edge)? {
                    if terms.contains(&object) || self.equals(object, &numbers)? {
                        facts.push((value, triple(value, edge, object)));
                    }
                }
            }
            if facts.len() > before {
                kept.push(value);
            }
        }
        facts.sort_unstable();
        let proof = Proof::With(Box::new(found.proof), facts);
        Ok(Found {
            kept: kept.clone(),
            given: Given::Values(kept),
            proof,
        })
    }

    /// Whether a term says one of the numbers.
    fn equals(&mut self, term: TermId, numbers: &[Quantity]) -> Result<bool, ExecuteError> {
        let quantity = self.quantity(term)?;
        Ok(quantity.is_some_and(|q| numbers.iter().any(|n| q.compares(Operator::Equal, *n))))
    }

    fn order(
        &mut self,
        found: Found,
        attribute: &Attribute,
        extreme: Extreme,
        limit: u32,
    ) -> Result<Found, ExecuteError> {
        let edge = edge(self.graph, &attribute.hop)?;
        let mut keyed = Vec::new();
        for &value in values(&found.given, "the order")? {
            let measured = self.measure(value, edge, attribute.several)?;
            if let Some((key, triple)) = outermost(&measured, extreme) {
                keyed.push((key, value, triple));
            }
        }
        keyed.sort_by(|a, b| directed(a.0, b.0, extreme).then(a.1.cmp(&b.1)));
        let wanted = match keyed.first() {
            Some(&(best, ..)) if limit == 1 => keyed
                .iter()
                .take_while(|k| directed(k.0, best, extreme).is_eq())
                .count(),
            Some(_) | None => usize::try_from(limit).unwrap_or(usize::MAX),
        };
        keyed.truncate(wanted);
        let kept: Vec<TermId> = keyed.iter().map(|k| k.1).collect();
        let mut facts: Vec<(TermId, Triple)> = keyed.iter().map(|k| (k.1, k.2)).collect();
        facts.sort_unstable();
        let proof = Proof::With(Box::new(found.proof), facts);
        Ok(Found {
            kept: kept.clone(),
            given: Given::Values(kept),
            proof,
        })
    }

    fn compare(
        &mut self,
        anchors: &[Slot],
        attribute: &Attribute,
        extreme: Extreme,
    ) -> Result<Found, ExecuteError> {
        let edge = edge(self.graph, &attribute.hop)?;
        let mut keyed = Vec::new();
        let mut complete = true;
        for &slot in anchors {
            let before = keyed.len();
            for &entity in self.entities(slot)? {
                let measured = self.measure(entity, edge, attribute.several)?;
                keyed.extend(
                    outermost(&measured, extreme).map(|(key, triple)| (key, entity, triple)),
                );
            }
            complete &= keyed.len() > before;
        }
        if anchors.is_empty() {
            return Err(ExecuteError::NoInputs("the comparison"));
        }
        let facts = keyed.iter().map(|k| k.2).collect();
        let best = keyed
            .iter()
            .map(|k| k.0)
            .min_by(|a, b| directed(*a, *b, extreme));
        let winners = keyed
            .iter()
            .filter(|k| best.is_some_and(|b| directed(k.0, b, extreme).is_eq()));
        let winners: BTreeSet<TermId> = winners.map(|k| k.1).collect();
        let kept: Vec<TermId> = if complete {
            winners.into_iter().collect()
        } else {
            Vec::new()
        };
        Ok(Found {
            kept: kept.clone(),
            given: Given::Values(kept),
            proof: Proof::Facts(facts),
        })
    }

    fn ask(&mut self, found: Found, slot: Slot) -> Result<Found, ExecuteError> {
        let (numbers, terms) = self.operand(slot)?;
        let kept: Vec<TermId> = match &found.given {
            Given::Truth(_) => {
                return Err(ExecuteError::Shape {
                    operator: "the question whether",
                    input: "a yes or no",
                });
            }
            Given::Number(number) => {
                let truth = numbers
                    .iter()
                    .any(|n| n.compares(Operator::Equal, Quantity::Number(*number)));
                return Ok(Found {
                    given: Given::Truth(truth),
                    ..found
                });
            }
            Given::Values(values) if terms.is_empty() => {
                let mut same = Vec::new();
                for &value in values {
                    if self.equals(value, &numbers)? {
                        same.push(value);
                    }
                }
                same
            }
            Given::Values(values) => values
                .iter()
                .copied()
                .filter(|v| terms.contains(v))
                .collect(),
        };
        let truth = !kept.is_empty();
        // A "no" rests on everything that was found instead.
        let kept = if truth { kept } else { found.kept };
        Ok(Found {
            given: Given::Truth(truth),
            proof: found.proof,
            kept,
        })
    }
}

fn values<'f>(given: &'f Given, operator: &'static str) -> Result<&'f [TermId], ExecuteError> {
    match given {
        Given::Values(values) => Ok(values),
        Given::Number(_) => Err(ExecuteError::Shape {
            operator,
            input: "a number",
        }),
        Given::Truth(_) => Err(ExecuteError::Shape {
            operator,
            input: "a yes or no",
        }),
    }
}

/// The triple by which a node has a value under an edge.
fn triple(node: TermId, edge: Edge, value: TermId) -> Triple {
    if edge.inverse {
        [value, edge.predicate, node]
    } else {
        [node, edge.predicate, value]
    }
}

/// The order in which the wanted end comes first.
fn directed(a: f64, b: f64, extreme: Extreme) -> std::cmp::Ordering {
    match extreme {
        Extreme::Least => a.total_cmp(&b),
        Extreme::Most => b.total_cmp(&a),
    }
}

fn outermost(measured: &Measured, extreme: Extreme) -> Option<(f64, Triple)> {
    let keyed = measured
        .iter()
        .map(|(quantity, triple)| (quantity.key(), *triple));
    keyed.min_by(|a, b| directed(a.0, b.0, extreme).then(a.1.cmp(&b.1)))
}
