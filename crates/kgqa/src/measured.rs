//! Is it the attribute that was asked for? "The currency of X" is not its capital, and "how high" wants a number.
//!
//! What is asked for by name must be told by a step of the plan, not only by something in the graph; what is counted must
//! be what the values are; what is measured must be a number.

use crate::answer::{AnswerError, Planner};
use crate::backend_adapter::Candidate;
use crate::graph::Graph;
use crate::guidance::Guidance;
use crate::isr::{Isr, QuestionType};
use crate::local_schema::{Schema, ValueKind};
use crate::logical_parser;
use crate::plan::{Path, Plan};
use crate::vocabulary;

/// The path of a plan with one, whatever is done with its values.
pub(crate) fn path_of(plan: &Plan) -> Option<&Path> {
    match plan {
        Plan::Path(path) => Some(path),
        Plan::Count(input) | Plan::OrderLimit { input, .. } | Plan::Filter { input, .. } => {
            path_of(input)
        }
        Plan::Intersect(_) | Plan::Compare { .. } | Plan::Ask { .. } | Plan::Sparql(_) => None,
    }
}

impl Planner {
    /// The asked-for attribute that no step of the chosen path tells, or that the path goes beyond.
    pub(crate) fn untold_attribute(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        chosen: &Candidate,
    ) -> Result<Option<String>, AnswerError> {
        let Plan::Path(path) = &chosen.plan else {
            return Ok(None);
        };
        let Some(asked) = logical_parser::asked_attribute(isr) else {
            return Ok(None);
        };
        let measures = isr.tokens.first().is_some_and(|t| t.folded == "how");
        let named = || {
            if measures {
                asked.first().cloned().unwrap_or_default()
            } else {
                asked.join(" ")
            }
        };
        let mut best = f32::MIN;
        for word in &asked {
            if vocabulary::is_light(word) && asked.len() > 1 {
                continue;
            }
            let similarities = self.nearness(schema, word, guidance)?;
            let steps = path
                .hops
                .iter()
                .filter_map(|hop| schema.position_of(&hop.predicate));
            best = steps.map(|at| similarities[at]).fold(best, f32::max);
        }
        // In a chain ("the work of the father of X") the place of the phrase says what the word alone does not.
        if isr.phrases() < 2 && best < self.config.judge.attribute {
            return Ok(Some(named()));
        }
        // "The population of a country" is not that of its towns.
        if isr.phrases() == 1 && path.hops.len() > 1 {
            return Ok(Some(named()));
        }
        if !measures {
            return Ok(None);
        }
        let last = path.hops.last().filter(|hop| !hop.inverse);
        let kind = match last.and_then(|hop| schema.position_of(&hop.predicate)) {
            Some(at) => schema.value_kind(graph, schema.entries()[at].id)?,
            None => ValueKind::Other,
        };
        Ok((kind == ValueKind::Other).then(named))
    }

    /// The noun that is counted, when neither it nor another word tells what the values of the plan are.
    pub(crate) fn uncounted(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        guidance: &Guidance<'_>,
        chosen: &Candidate,
    ) -> Result<Option<String>, AnswerError> {
        let (QuestionType::Count, Some(path)) = (isr.question_type, path_of(&chosen.plan)) else {
            return Ok(None);
        };
        let steps: Vec<usize> = path
            .hops
            .iter()
            .filter_map(|hop| schema.position_of(&hop.predicate))
            .collect();
        let mut untold = None;
        let mut only_classes = true;
        for word in isr.words.iter().filter(|word| word.text != "name") {
            let is_light = vocabulary::is_light(&word.text);
            let is_class = !schema.classes(graph, &word.text)?.is_empty();
            only_classes &= is_class;
            let similarities = self.nearness(schema, &word.text, guidance)?;
            let best = steps.iter().map(|at| similarities[*at]);
            if best.fold(f32::MIN, f32::max) >= self.config.judge.attribute {
                return Ok(None);
            }
            if untold.is_none() && !is_light {
                untold = Some(word.text.clone());
            }
        }
        Ok(untold.filter(|_| !only_classes))
    }

    /// The superlative's own word, when the plan orders by something that it does not speak of.
    pub(crate) fn unordered(
        &self,
        graph: &dyn Graph,
        schema: &Schema,
        isr: &Isr,
        chosen: &Candidate,
    ) -> Result<Option<String>, AnswerError> {
        let Some(by) = &isr.superlative else {
            return Ok(None);
        };
        let plan = if let Plan::Count(input) = &chosen.plan {
            input
        } else {
            &chosen.plan
        };
        if self.measures(graph, schema, isr, by, plan)? {
            return Ok(None);
        }
        let word = if by.attribute.is_empty() {
            isr.tokens.get(by.first).map(|t| t.folded.clone())
        } else {
            Some(by.attribute.clone())
        };
        Ok(word)
    }

    /// The question as it reads where the graph itself says "first": things are "first climbed by" someone, and "who first
    /// climbed X" asks for no order.
    pub(crate) fn in_the_graphs_words(
        graph: &dyn Graph,
        schema: &Schema,
        mut isr: Isr,
    ) -> Result<Isr, AnswerError> {
        // "Which rivers flow through X": a verb behind the class of what is asked for is no type.
        if let Some(noun) = logical_parser::asked_noun(&isr)
            && noun != isr.answer_type
            && schema.classes(graph, &isr.answer_type)?.is_empty()
            && !schema.classes(graph, &noun)?.is_empty()
        {
            isr.answer_type = noun;
        }
        Ok(Self::with_own_superlative(schema, isr))
    }

    fn with_own_superlative(schema: &Schema, isr: Isr) -> Isr {
        let Some(superlative) = &isr.superlative else {
            return isr;
        };
        if isr.question_type != QuestionType::Superlative {
            return isr;
        }
        let Some(token) = isr.tokens.get(superlative.first) else {
            return isr;
        };
        let is_beside = |label: &[String]| {
            isr.words.iter().any(|word| {
                let stem = crate::text::stem(&word.text);
                label.iter().any(|other| crate::text::stem(other) == stem)
            })
        };
        let is_label = schema
            .entries()
            .iter()
            .any(|entry| entry.words.contains(&token.folded) && is_beside(&entry.words));
        if is_label {
            logical_parser::without_superlative(&isr)
        } else {
            isr
        }
    }
}
