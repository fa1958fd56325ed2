//! What did a run of a plan find, and what proves it?
//!
//! From the planner's ids to labels, terms and numbered citations.

use kgqa::execute::{Binding, Bound, Executed, Given};
use kgqa::graph::{Graph, GraphError, TermId};
use kgqa::plan::{Plan, Slot, SlotText};
use oxrdf::Term;

use crate::answer::{AnswerPlan, AnswerValue, Citation};
use crate::source::iri_text;
use crate::wording::Finding;

/// A term with its label.
pub(crate) fn value(graph: &dyn Graph, id: TermId) -> Result<AnswerValue, GraphError> {
    let term = graph.term(id)?;
    let label = graph.label(id)?;
    Ok(match &term {
        Term::Literal(_) => AnswerValue {
            label,
            iri: None,
            literal: Some(term.to_string()),
        },
        Term::NamedNode(_) | Term::BlankNode(_) => AnswerValue {
            label,
            iri: Some(iri_text(&term)),
            literal: None,
        },
    })
}

/// What a run gave, with labels.
pub(crate) fn finding(graph: &dyn Graph, given: &Given) -> Result<Finding, GraphError> {
    Ok(match given {
        Given::Values(ids) => {
            let values = ids.iter().map(|id| value(graph, *id));
            Finding::Values(values.collect::<Result<_, _>>()?)
        }
        Given::Number(number) => Finding::Number(*number),
        Given::Truth(truth) => Finding::Truth(*truth),
    })
}

/// The triples that support a run, numbered, at most `limit`.
pub(crate) fn citations(
    graph: &dyn Graph,
    executed: &Executed,
    limit: usize,
) -> Result<Vec<Citation>, GraphError> {
    let mut citations = Vec::new();
    for (position, triple) in executed.evidence.iter().take(limit).enumerate() {
        let [subject, predicate, object] = *triple;
        citations.push(Citation {
            n: position + 1,
            subject: graph.term(subject)?.to_string(),
            predicate: graph.term(predicate)?.to_string(),
            object: graph.term(object)?.to_string(),
            text: format!(
                "{} — {} → {}",
                graph.label(subject)?,
                graph.label(predicate)?,
                graph.label(object)?
            ),
        });
    }
    Ok(citations)
}

/// A plan with its bindings, as answers carry it.
pub(crate) fn plan(
    graph: &dyn Graph,
    plan: &Plan,
    bindings: &[Binding],
) -> Result<AnswerPlan, GraphError> {
    let mut texts: Vec<(Slot, SlotText)> = Vec::with_capacity(bindings.len());
    for binding in bindings {
        let text = match &binding.bound {
            Bound::Number(number) => SlotText::Number(*number),
            Bound::Entities(ids) => {
                let terms = ids.iter().map(|id| graph.term(*id));
                SlotText::Terms(terms.collect::<Result<_, _>>()?)
            }
        };
        texts.push((binding.slot, text));
    }
    let text_of = |slot: Slot| {
        texts
            .iter()
            .find(|(known, _)| *known == slot)
            .map_or_else(|| SlotText::Terms(Vec::new()), |(_, text)| text.clone())
    };
    Ok(AnswerPlan {
        template: plan.template(),
        sparql: plan.to_sparql(&text_of),
    })
}

/// What bounds cut off, in words.
pub(crate) fn cuts(executed: &Executed) -> Vec<String> {
    executed
        .cut
        .iter()
        .map(|cut| format!("{}: only the first {}", cut.what, cut.bound))
        .collect()
}
