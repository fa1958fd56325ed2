//! How do results of the planner become what the memory keeps?
//!
//! Ids to terms: plans, bindings, values and evidence in the form that survives a change of the graph.

use kgqa::execute::{Binding, Bound, Executed};
use kgqa::graph::{Graph, GraphError, TermId};
use kgqa::isr::Isr;
use kgqa::plan::{Plan, Slot};
use memory::{Evidence, StoredPlan, Triple, Value};

use crate::answer::AnswerValue;
use crate::result;

/// A plan with its bindings as the memory keeps it.
pub(crate) fn stored_plan(
    graph: &dyn Graph,
    plan: &Plan,
    bindings: &[Binding],
    isr: &Isr,
) -> Result<StoredPlan, GraphError> {
    let used = plan.slots();
    let mut kept = Vec::new();
    for binding in bindings
        .iter()
        .filter(|binding| used.contains(&binding.slot))
    {
        let value = match &binding.bound {
            Bound::Number(number) => number.to_string(),
            Bound::Entities(ids) => {
                let mut terms = Vec::with_capacity(ids.len());
                for id in ids {
                    terms.push(graph.term(*id)?.to_string());
                }
                terms.sort();
                terms.join(" ")
            }
        };
        kept.push(memory::Binding {
            slot: binding.slot.0,
            value,
            text: text_of(isr, binding.slot),
        });
    }
    kept.sort();
    Ok(StoredPlan {
        template: plan.template(),
        body: String::new(),
        bindings: kept,
    })
}

fn text_of(isr: &Isr, slot: Slot) -> String {
    let mention = isr.mentions.iter().find(|mention| mention.slot == slot);
    let comparator = isr.comparator.as_ref().filter(|found| found.slot == slot);
    match (mention, comparator) {
        (Some(mention), _) => mention.text.clone(),
        (None, Some(comparator)) => comparator.text.clone(),
        (None, None) => String::new(),
    }
}

/// What a result rests on.
pub(crate) fn evidence(
    graph: &dyn Graph,
    source: &str,
    plan: &Plan,
    executed: &Executed,
) -> Result<Evidence, GraphError> {
    let mut triples = Vec::with_capacity(executed.evidence.len());
    for triple in &executed.evidence {
        triples.push(named(graph, *triple)?);
    }
    let scanned: Vec<String> = scanned(plan).iter().map(|iri| format!("<{iri}>")).collect();
    let scanned: Vec<&str> = scanned.iter().map(String::as_str).collect();
    Ok(Evidence::new(source, &triples, &scanned))
}

/// The predicates that a plan reads at nodes that its evidence may not show: those of filters, orders and comparisons, and, since a
/// yes/no or a count may rest on what is not there, all of those plans'.
fn scanned(plan: &Plan) -> Vec<&str> {
    match plan {
        Plan::Path(_) => Vec::new(),
        Plan::Intersect(_)
        | Plan::Filter { .. }
        | Plan::Count(_)
        | Plan::OrderLimit { .. }
        | Plan::Compare { .. }
        | Plan::Ask { .. }
        | Plan::Sparql(_) => plan.predicates(),
    }
}

fn named(
    graph: &dyn Graph,
    [subject, predicate, object]: [TermId; 3],
) -> Result<Triple, GraphError> {
    Ok(Triple::new(
        &graph.term(subject)?.to_string(),
        &graph.term(predicate)?.to_string(),
        &graph.term(object)?.to_string(),
    ))
}

/// A result's values as the memory keeps them.
pub(crate) fn values(graph: &dyn Graph, executed: &Executed) -> Result<Vec<Value>, GraphError> {
    let finding = result::finding(graph, &executed.given)?;
    Ok(finding
        .values()
        .into_iter()
        .map(|value| Value {
            term: term_text(value.iri.as_deref(), value.literal.as_deref()),
            label: value.label,
        })
        .collect())
}

fn term_text(iri: Option<&str>, literal: Option<&str>) -> String {
    match (iri, literal) {
        (Some(blank), _) if blank.starts_with("_:") => blank.to_owned(),
        (Some(iri), _) => format!("<{iri}>"),
        (None, Some(literal)) => literal.to_owned(),
        (None, None) => String::new(),
    }
}

/// The reasoning in short: one sentence a triple, at most `limit`.
pub(crate) fn scaffold(
    graph: &dyn Graph,
    executed: &Executed,
    limit: usize,
) -> Result<Vec<String>, GraphError> {
    let cited = result::citations(graph, executed, limit)?;
    Ok(cited.into_iter().map(|citation| citation.text).collect())
}

/// A remembered value as answers carry it.
pub(crate) fn answer_value(value: &Value) -> AnswerValue {
    let term = value.term.as_str();
    let iri = term
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .or_else(|| term.starts_with("_:").then_some(term));
    AnswerValue {
        label: value.label.clone(),
        iri: iri.map(str::to_owned),
        literal: (iri.is_none() && !term.is_empty()).then(|| term.to_owned()),
    }
}
