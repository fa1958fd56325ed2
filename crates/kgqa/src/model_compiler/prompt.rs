//! What does the model see? The question and the schema as JSON data, bounded: what does not fit is left out, examples first.

use serde_json::{Value, json};

use super::steps::shown;
use super::{Example, Steps};
use crate::answer::Outcome;
use crate::backend_adapter::Candidate;
use crate::isr::Isr;
use crate::local_schema::Schema;
use crate::plan::Plan;

/// Characters of the question.
const QUESTION_CHARS: usize = 600;

/// The user's message for a typed plan.
pub(super) fn plan(
    isr: &Isr,
    steps: &Steps,
    examples: &[Example],
    outcome: &Outcome,
    most: usize,
) -> String {
    let names: Vec<Value> = isr
        .mentions
        .iter()
        .map(|mention| {
            let means = mention.candidates.first().map(|c| shown(&c.label));
            json!({ "number": mention.slot.0, "text": shown(&mention.text), "means": means })
        })
        .collect();
    let listed: Vec<Value> = steps
        .steps
        .iter()
        .map(|step| match &step.leads {
            Some((from, to)) => json!({ "step": step.name, "leads": [from, to] }),
            None => json!({ "step": step.name }),
        })
        .collect();
    let name_of = |template: &str| in_words(steps, template);
    let examples: Vec<Value> = examples
        .iter()
        .filter_map(|e| {
            Some(json!({ "question": shown(&e.question), "plan": name_of(&e.template)? }))
        })
        .take(most)
        .collect();
    let ranked: Vec<String> = outcome
        .compiled
        .candidates
        .iter()
        .filter_map(|c| name_of(&c.template))
        .take(most)
        .collect();
    json!({
        "question": isr.question.chars().take(QUESTION_CHARS).collect::<String>(),
        "names": names,
        "steps": listed,
        "examples": examples,
        "ranked": ranked,
    })
    .to_string()
}

/// The user's message for a choice among ranked plans.
pub(super) fn choice(schema: &Schema, isr: &Isr, ranked: &[&Candidate]) -> String {
    let plans: Vec<Value> = (1..)
        .zip(ranked)
        .map(|(number, candidate)| json!({ "number": number, "plan": spoken(schema, isr, &candidate.plan) }))
        .collect();
    json!({
        "question": isr.question.chars().take(QUESTION_CHARS).collect::<String>(),
        "plans": plans,
    })
    .to_string()
}

/// A plan in words: "Inception → directed by → inverse of directed by".
fn spoken(schema: &Schema, isr: &Isr, plan: &Plan) -> String {
    let label = |predicate: &str| {
        schema
            .position_of(predicate)
            .map_or_else(|| shown(predicate), |at| shown(&schema.entries()[at].label))
    };
    let paths: Vec<String> = plan
        .paths()
        .iter()
        .map(|path| {
            let name = isr.mentions.iter().find(|m| m.slot == path.anchor);
            let mut said = vec![name.map_or_else(|| "?".to_owned(), |m| shown(&m.text))];
            said.extend(path.hops.iter().map(|hop| {
                let inverse = if hop.inverse { "inverse of " } else { "" };
                format!("{inverse}{}", label(&hop.predicate))
            }));
            said.join(" → ")
        })
        .collect();
    let does = match plan {
        Plan::Count(_) => "count of ",
        Plan::Ask { .. } => "is the other name among ",
        Plan::OrderLimit { .. } => "the most extreme of ",
        Plan::Filter { .. } => "those within the limit of ",
        Plan::Compare { .. } => "the more extreme of the names",
        Plan::Path(_) | Plan::Intersect(_) | Plan::Sparql(_) => "",
    };
    format!("{does}{}", paths.join(" and "))
}

/// A template with the predicates' names in the place of their IRIs; `None` where it uses a step that is not listed.
fn in_words(steps: &Steps, template: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>') else {
            break;
        };
        let iri = &rest[start + 1..start + end];
        let Some(step) = steps.steps.iter().find(|s| s.hop.predicate == iri) else {
            // A comparison sign.
            if iri.contains(' ') || iri.is_empty() {
                out.push_str(&rest[..=start]);
                rest = &rest[start + 1..];
                continue;
            }
            return None;
        };
        out.push_str(&rest[..start]);
        out.push_str(step.name.trim_start_matches("inverse of "));
        rest = &rest[start + end + 1..];
    }
    out.push_str(rest);
    Some(out)
}
