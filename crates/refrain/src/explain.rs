//! How did an answer come about? Its explanation as JSON.

use std::time::Duration;

use graph_rag::Index;
use graph_rag::linear_rag::Path;
use graph_rag::living_rag::LivingRetrieval;
use kgqa::answer::Outcome;
use kgqa::isr::Isr;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::consult::plan::Consultation;
use crate::reuse::Considered;
use crate::router::Fit;

/// Rivals of the chosen plan that are shown.
const RIVALS_SHOWN: usize = 5;
/// Activated entities that are shown.
const ACTIVATED_SHOWN: usize = 12;
/// Candidates of a mention that are shown.
const CANDIDATES_SHOWN: usize = 5;

/// What happened before a plan was chosen.
pub(crate) struct Trace<'a> {
    pub(crate) fits: &'a [Fit],
    pub(crate) isr: &'a Isr,
    pub(crate) aspect: Option<&'a str>,
    pub(crate) considered: &'a [Considered],
    pub(crate) recall_micros: Option<u128>,
}

/// The explanation of an answer by a remembered plan.
pub(crate) fn reused(trace: &Trace<'_>) -> Value {
    json!({
        "route": trace.fits,
        "isr": isr(trace.isr),
        "aspect": trace.aspect,
        "recalled": trace.considered,
        "timings": { "recall_us": trace.recall_micros },
    })
}

/// The explanation of an answer from documents.
pub(crate) fn passages(index: &Index, retrieval: &LivingRetrieval, answer: &Answer) -> Value {
    let name = |entity: u32| index.graph().name_of(entity).to_owned();
    let seeds: Vec<Value> = retrieval
        .query
        .seeds
        .iter()
        .map(|seed| json!({ "entity": name(seed.entity), "score": wide(seed.score) }))
        .collect();
    let mut weights = retrieval.found.activation.weights.clone();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let activated: Vec<Value> = weights
        .iter()
        .take(ACTIVATED_SHOWN)
        .map(|(entity, weight)| json!({ "entity": name(*entity), "weight": wide(*weight) }))
        .collect();
    let ranked: Vec<Value> = retrieval
        .found
        .passages
        .iter()
        .filter_map(|ranked| {
            let passage = index.passage(ranked.passage)?;
            Some(json!({
                "document": passage.document,
                "passage": passage.ordinal,
                "title": passage.title,
                "score": wide(ranked.score),
            }))
        })
        .collect();
    let used: Vec<Value> = retrieval
        .used
        .iter()
        .map(|used| json!({ "experience": used.id, "weight": wide(used.weight) }))
        .collect();
    json!({
        "seeds": seeds,
        "activated": activated,
        "passages": ranked,
        "ranked_by": match retrieval.found.path {
            Path::Graph => "personalised PageRank",
            Path::Dense => "nearness to the question: it names nothing that the documents name",
        },
        "novelty": wide(retrieval.novelty),
        "experiences": used,
        "chain": answer.chain,
    })
}

/// The explanation of an answer that was planned.
pub(crate) fn planned(
    outcome: &Outcome,
    trace: &Trace<'_>,
    model: Option<&Consultation>,
    planning: Duration,
) -> Value {
    let rivals: Vec<Value> = outcome
        .compiled
        .candidates
        .iter()
        .take(RIVALS_SHOWN)
        .map(|candidate| {
            json!({
                "template": short(&candidate.template),
                "score": round(candidate.score),
                "vote": round(candidate.vote),
            })
        })
        .collect();
    let alignment: Vec<Value> = outcome
        .chosen
        .iter()
        .flat_map(|chosen| &chosen.alignment)
        .map(|(word, predicate)| json!({ "word": word, "predicate": local(predicate) }))
        .collect();
    let executed = outcome.executed.as_ref();
    json!({
        "route": trace.fits,
        "aspect": trace.aspect,
        "recalled": trace.considered,
        "isr": isr(&outcome.isr),
        "schema": outcome.compiled.schema,
        "alignment": alignment,
        "plans": rivals,
        "margin": outcome.margin.is_finite().then(|| round(outcome.margin)),
        "runs": outcome.runs,
        "refusal": outcome.refusal,
        "model": model,
        "expansion": {
            "rows_read": executed.map(|executed| executed.rows),
            "evidence": executed.map(|executed| executed.evidence.len()),
            "edges_cut": outcome.compiled.edges_cut,
            "paths_cut": outcome.compiled.paths_cut,
            "topic_left_out": executed.map(|executed| executed.topic_left_out),
            "left_out": executed.map(|executed| executed.left_out.len()),
        },
        "timings": { "recall_us": trace.recall_micros, "plan_us": u64::try_from(planning.as_micros()).unwrap_or(u64::MAX) },
    })
}

/// The intermediate semantic representation.
pub(crate) fn isr(isr: &Isr) -> Value {
    let links: Vec<Value> = isr
        .mentions
        .iter()
        .map(|mention| {
            let candidates: Vec<Value> = mention
                .candidates
                .iter()
                .take(CANDIDATES_SHOWN)
                .map(|candidate| json!({ "label": candidate.label, "fit": round(candidate.fit) }))
                .collect();
            json!({
                "text": mention.text,
                "strength": round(mention.strength),
                "candidates": candidates,
            })
        })
        .collect();
    let words: Vec<&str> = isr.words.iter().map(|word| word.text.as_str()).collect();
    json!({
        "type": isr.question_type.name(),
        "masked": isr.masked,
        "links": links,
        "constraints": words,
        "asks_with": isr.wh,
        "negated": isr.negated,
        "unknown_names": isr.unknown_names,
    })
}

fn round(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}

fn wide(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// A predicate's local name.
fn local(iri: &str) -> &str {
    iri.rsplit(['/', '#']).next().unwrap_or(iri)
}

/// A template with its predicates shortened to their local names.
fn short(template: &str) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let Some(length) = rest[start..].find('>') else {
            break;
        };
        text.push_str(local(&rest[start + 1..start + length]));
        rest = &rest[start + length + 1..];
    }
    text.push_str(rest);
    text
}
