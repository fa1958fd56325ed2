//! Which question does each kind make of a star? One small recipe a kind: the words and the plan that they say.

use rand::seq::IndexedRandom;
use rand::{Rng, RngCore};

use super::GenerationError;
use super::compose::{Composer, Draft, Fact};
use super::naming::{is_name, unambiguous};
use super::wording::{self, Relation};
use crate::execute::{Binding, Bound, quantity_of, run};
use crate::graph::{GraphError, TermId};
use crate::plan::{Attribute, Extreme, Hop, Operator, Path, Plan, Several, Slot};

/// CacheRAG's K_depth.
const MAX_HOPS: usize = 3;

/// A draft, when the star has the makings of one.
pub(super) type Drafted = Result<Option<Draft>, GenerationError>;

fn path(slot: u8, hops: &[&Relation]) -> Plan {
    Plan::Path(Path {
        anchor: Slot(slot),
        hops: hops.iter().map(|r| r.hop.clone()).collect(),
    })
}

/// A relation as an attribute; the date of what happened several times is that of the first.
fn attribute(relation: &Relation) -> Attribute {
    let several = if relation.is_temporal() {
        Several::Earliest
    } else {
        Several::Any
    };
    Attribute {
        hop: relation.hop.clone(),
        several,
    }
}

impl Composer<'_> {
    /// A forward fact with one of its values that a question can name.
    fn named_fact(
        &self,
        rng: &mut dyn RngCore,
    ) -> Result<Option<(&Fact, TermId, String)>, GraphError> {
        let forward: Vec<&Fact> = self
            .facts
            .iter()
            .filter(|f| !f.relation.edge.inverse)
            .collect();
        let Some(fact) = forward.choose(rng) else {
            return Ok(None);
        };
        let Some(&value) = fact.values.choose(rng) else {
            return Ok(None);
        };
        Ok(unambiguous(self.graph, value)?.map(|label| (*fact, value, label)))
    }

    /// A forward fact whose only value is a number or a date.
    fn numeric_fact(&self, rng: &mut dyn RngCore) -> Result<Option<(&Fact, f64)>, GraphError> {
        let mut numeric = Vec::new();
        for fact in self.facts.iter().filter(|f| !f.relation.edge.inverse) {
            if let [one] = fact.values.as_slice() {
                numeric
                    .extend(quantity_of(self.graph, *one)?.map(|quantity| (fact, quantity.key())));
            }
        }
        Ok(numeric.choose(rng).copied())
    }

    pub(super) fn fact(&self, rng: &mut dyn RngCore) -> Drafted {
        let Some(fact) = self.facts.choose(rng) else {
            return Ok(None);
        };
        let kind = self.kind_of(&fact.values)?;
        let question = wording::question(&self.star.label, &fact.relation, kind.as_deref(), rng);
        let plan = path(0, &[&fact.relation]);
        Ok(Some(Draft {
            question,
            plan,
            anchors: vec![self.star.entity],
            number: None,
        }))
    }

    pub(super) fn inverse(&self, rng: &mut dyn RngCore) -> Drafted {
        let Some((fact, value, label)) = self.named_fact(rng)? else {
            return Ok(None);
        };
        let back = fact.relation.back();
        let kind = self.kind_of(&[self.star.entity])?;
        let question = wording::question(&label, &back, kind.as_deref(), rng);
        Ok(Some(Draft {
            question,
            plan: path(0, &[&back]),
            anchors: vec![value],
            number: None,
        }))
    }

    pub(super) fn chain(&self, rng: &mut dyn RngCore) -> Drafted {
        let length = rng.random_range(2..=MAX_HOPS);
        let mut phrase = self.star.label.clone();
        let mut hops: Vec<Hop> = Vec::new();
        let mut facts = self.facts.clone();
        loop {
            facts.retain(|f| {
                hops.last().is_none_or(|h| {
                    h.predicate != f.relation.hop.predicate || h.inverse == f.relation.hop.inverse
                })
            });
            let Some(fact) = facts.choose(rng).cloned() else {
                return Ok(None);
            };
            hops.push(fact.relation.hop.clone());
            let kind = self.kind_of(&fact.values)?;
            if hops.len() == length {
                let question = wording::question(&phrase, &fact.relation, kind.as_deref(), rng);
                let plan = Plan::Path(Path {
                    anchor: Slot(0),
                    hops,
                });
                return Ok(Some(Draft {
                    question,
                    plan,
                    anchors: vec![self.star.entity],
                    number: None,
                }));
            }
            phrase = wording::phrase(&phrase, &fact.relation, kind.as_deref());
            let Some(&next) = fact.values.choose(rng) else {
                return Ok(None);
            };
            if !is_name(&self.graph.label(next)?) {
                return Ok(None);
            }
            facts = self.facts_of(next, rng)?;
        }
    }

    pub(super) fn shared(&self, rng: &mut dyn RngCore) -> Drafted {
        let forward: Vec<&Fact> = self
            .facts
            .iter()
            .filter(|f| !f.relation.edge.inverse)
            .collect();
        let Some(fact) = forward.choose(rng) else {
            return Ok(None);
        };
        let kind = self.kind_of(&[self.star.entity])?;
        let question = wording::shared(&self.star.label, &fact.relation, kind.as_deref());
        let plan = path(0, &[&fact.relation, &fact.relation.back()]);
        // A question for others needs others.
        let others = run(
            self.graph,
            &plan,
            &[self.bound_to_star()],
            &self.config.limits,
        )?
        .topic_left_out;
        Ok(others.then_some(Draft {
            question,
            plan,
            anchors: vec![self.star.entity],
            number: None,
        }))
    }

    fn bound_to_star(&self) -> Binding {
        Binding {
            slot: Slot(0),
            bound: Bound::Entities(vec![self.star.entity]),
        }
    }

    pub(super) fn both(&self, rng: &mut dyn RngCore) -> Drafted {
        let (Some(left), Some(right)) = (self.named_fact(rng)?, self.named_fact(rng)?) else {
            return Ok(None);
        };
        if left.1 == right.1 {
            return Ok(None);
        }
        let (one, two) = (left.0.relation.back(), right.0.relation.back());
        let kind = self.kind_of(&[self.star.entity])?;
        let question = wording::both((&left.2, &one), (&right.2, &two), kind.as_deref());
        let plan = Plan::Intersect(vec![path(0, &[&one]), path(1, &[&two])]);
        Ok(Some(Draft {
            question,
            plan,
            anchors: vec![left.1, right.1],
            number: None,
        }))
    }

    pub(super) fn count(&self, rng: &mut dyn RngCore) -> Drafted {
        let several: Vec<&Fact> = self.facts.iter().filter(|f| f.values.len() > 1).collect();
        let Some(fact) = several.choose(rng) else {
            return Ok(None);
        };
        let kind = self.kind_of(&fact.values)?;
        let question = wording::how_many(&self.star.label, &fact.relation, kind.as_deref());
        let plan = Plan::Count(Box::new(path(0, &[&fact.relation])));
        Ok(Some(Draft {
            question,
            plan,
            anchors: vec![self.star.entity],
            number: None,
        }))
    }

    pub(super) fn comparison(&self, rng: &mut dyn RngCore) -> Drafted {
        let (Some(peer), Some((fact, ours))) = (self.star.peer, self.numeric_fact(rng)?) else {
            return Ok(None);
        };
        let Some(label) = unambiguous(self.graph, peer)? else {
            return Ok(None);
        };
        let theirs = self.graph.step(peer, fact.relation.edge, 1)?.ids;
        let theirs = theirs
            .first()
            .map(|id| quantity_of(self.graph, *id))
            .transpose()?
            .flatten();
        if theirs.is_none_or(|theirs| theirs.key().total_cmp(&ours).is_eq()) {
            return Ok(None);
        }
        let extreme = either(rng);
        let adjective = match (extreme, fact.relation.is_temporal()) {
            (Extreme::Least, true) => "earlier",
            (Extreme::Least, false) => "lower",
            (Extreme::Most, true) => "later",
            (Extreme::Most, false) => "higher",
        };
        let question = format!(
            "which has the {adjective} {}, {} or {label}?",
            fact.relation.noun(),
            self.star.label
        );
        let plan = Plan::Compare {
            anchors: vec![Slot(0), Slot(1)],
            attribute: attribute(&fact.relation),
            extreme,
        };
        Ok(Some(Draft {
            question,
            plan,
            anchors: vec![self.star.entity, peer],
            number: None,
        }))
    }

    /// A set around the star with at least two members, all named by one value: "the films directed by X".
    fn siblings(
        &self,
        rng: &mut dyn RngCore,
    ) -> Result<Option<(String, Plan, TermId)>, GraphError> {
        let Some((fact, value, label)) = self.named_fact(rng)? else {
            return Ok(None);
        };
        let back = fact.relation.back();
        if self.graph.step(value, back.edge, 2)?.ids.len() < 2 {
            return Ok(None);
        }
        let kind = self.kind_of(&[self.star.entity])?;
        Ok(Some((
            wording::phrase(&label, &back, kind.as_deref()),
            path(0, &[&back]),
            value,
        )))
    }

    pub(super) fn superlative(&self, rng: &mut dyn RngCore) -> Drafted {
        let (Some((set, input, anchor)), Some((fact, _))) =
            (self.siblings(rng)?, self.numeric_fact(rng)?)
        else {
            return Ok(None);
        };
        let extreme = either(rng);
        let adjective = match (extreme, fact.relation.is_temporal()) {
            (Extreme::Least, true) => "earliest",
            (Extreme::Least, false) => "lowest",
            (Extreme::Most, true) => "latest",
            (Extreme::Most, false) => "highest",
        };
        let question = format!(
            "which of {set} has the {adjective} {}?",
            fact.relation.noun()
        );
        let plan = Plan::OrderLimit {
            input: Box::new(input),
            attribute: attribute(&fact.relation),
            extreme,
            limit: 1,
        };
        Ok(Some(Draft {
            question,
            plan,
            anchors: vec![anchor],
            number: None,
        }))
    }

    pub(super) fn filter(&self, rng: &mut dyn RngCore) -> Drafted {
        let (Some((set, input, anchor)), Some((fact, number))) =
            (self.siblings(rng)?, self.numeric_fact(rng)?)
        else {
            return Ok(None);
        };
        let number = number.floor();
        let (operator, bound, word) = match (either(rng), fact.relation.is_temporal()) {
            (Extreme::Least, true) => (Operator::Less, number + 1.0, "before"),
            (Extreme::Least, false) => (Operator::Less, number + 1.0, "less than"),
            (Extreme::Most, true) => (Operator::Greater, number - 1.0, "after"),
            (Extreme::Most, false) => (Operator::Greater, number - 1.0, "more than"),
        };
        let question = format!(
            "which of {set} have {} {word} {bound}?",
            fact.relation.noun()
        );
        let attribute: crate::plan::Attribute = attribute(&fact.relation);
        let plan = Plan::Filter {
            input: Box::new(input),
            attribute,
            operator,
            value: Slot(1),
        };
        Ok(Some(Draft {
            question,
            plan,
            anchors: vec![anchor],
            number: Some(bound),
        }))
    }

    pub(super) fn yes_no(&self, rng: &mut dyn RngCore) -> Drafted {
        let Some((fact, mut value, mut label)) = self.named_fact(rng)? else {
            return Ok(None);
        };
        // Half of the questions ask for the peer's value, which is mostly wrong.
        if let Some(peer) = self.star.peer.filter(|_| rng.random_bool(0.5)) {
            let theirs = self.graph.step(peer, fact.relation.edge, 1)?.ids;
            let Some(&other) = theirs.first() else {
                return Ok(None);
            };
            let Some(name) = unambiguous(self.graph, other)? else {
                return Ok(None);
            };
            (value, label) = (other, name);
        }
        let (question, value_first) = wording::whether(&self.star.label, &fact.relation, &label);
        let (entity_slot, value_slot, anchors) = if value_first {
            (1, 0, vec![value, self.star.entity])
        } else {
            (0, 1, vec![self.star.entity, value])
        };
        let plan = Plan::Ask {
            input: Box::new(path(entity_slot, &[&fact.relation])),
            value: Slot(value_slot),
        };
        Ok(Some(Draft {
            question,
            plan,
            anchors,
            number: None,
        }))
    }
}

fn either(rng: &mut dyn RngCore) -> Extreme {
    if rng.random_bool(0.5) {
        Extreme::Least
    } else {
        Extreme::Most
    }
}
