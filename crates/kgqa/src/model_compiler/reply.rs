//! What plan is in the model's reply? A pure function from untrusted text to a checked plan.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Steps;
use crate::isr::Isr;
use crate::plan::{Extreme, Hop, Operator, Path, Plan, Slot};

/// Paths of one plan.
const MAX_PATHS: usize = 4;
/// Steps of one path (CacheRAG, Definition 3: `K_depth` ≤ 3).
const MAX_HOPS: usize = 3;
/// Bytes of a reply.
const MAX_REPLY_BYTES: usize = 16 << 10;

/// Why a reply is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// It is too long.
    #[error("the reply is longer than {MAX_REPLY_BYTES} bytes")]
    TooLong,
    /// It is no JSON of the asked form.
    #[error("the reply is not the JSON that was asked for: {0}")]
    Form(String),
    /// It names a step that does not exist.
    #[error("there is no step \"{0}\"")]
    UnknownStep(String),
    /// It names a number that no name has.
    #[error("no name has the number {0}")]
    UnknownName(i64),
    /// It is longer or wider than plans may be.
    #[error("the plan is beyond {MAX_PATHS} paths of {MAX_HOPS} steps")]
    TooLarge,
    /// What it asks for lacks something.
    #[error("\"{0}\" needs {1}")]
    Lacks(&'static str, &'static str),
}

#[derive(Deserialize)]
struct Reply {
    paths: Vec<ReplyPath>,
    #[serde(default)]
    then: String,
    #[serde(default)]
    attribute: String,
    #[serde(default)]
    operator: String,
    #[serde(default = "nobody")]
    value: i64,
}

#[derive(Deserialize)]
struct ReplyPath {
    from: i64,
    steps: Vec<String>,
}

const fn nobody() -> i64 {
    -1
}

/// The schema of a reply: its steps are an enumeration, so that nothing else can be expressed.
pub(super) fn schema(isr: &Isr, steps: &Steps) -> Value {
    let names: Vec<&str> = steps.steps.iter().map(|s| s.name.as_str()).collect();
    let slots: Vec<u8> = isr.mentions.iter().map(|m| m.slot.0).collect();
    let attributes: Vec<&str> = std::iter::once("").chain(names.iter().copied()).collect();
    let values: Vec<i64> = std::iter::once(-1)
        .chain(slots.iter().map(|s| i64::from(*s)))
        .collect();
    json!({
        "type": "object",
        "properties": {
            "thought": { "type": "string", "maxLength": 300 },
            "paths": {
                "type": "array",
                "maxItems": MAX_PATHS,
                "items": {
                    "type": "object",
                    "properties": {
                        "from": { "type": "integer", "enum": slots },
                        "steps": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": MAX_HOPS,
                            "items": { "type": "string", "enum": names },
                        },
                    },
                    "required": ["from", "steps"],
                    "additionalProperties": false,
                },
            },
            "then": { "type": "string", "enum": ["values", "count", "ask", "most", "least", "filter"] },
            "attribute": { "type": "string", "enum": attributes },
            "operator": { "type": "string", "enum": ["<", "<=", ">", ">=", "="] },
            "value": { "type": "integer", "enum": values },
        },
        "required": ["thought", "paths", "then", "attribute", "operator", "value"],
        "additionalProperties": false,
    })
}

/// The plan of a reply; `None` when it says that there is none.
///
/// # Errors
/// [`ReplyError`]: what is wrong with it.
pub fn parse_plan(text: &str, isr: &Isr, steps: &Steps) -> Result<Option<Plan>, ReplyError> {
    if text.len() > MAX_REPLY_BYTES {
        return Err(ReplyError::TooLong);
    }
    let reply: Reply =
        serde_json::from_str(text).map_err(|error| ReplyError::Form(error.to_string()))?;
    if reply.paths.is_empty() {
        return Ok(None);
    }
    if reply.paths.len() > MAX_PATHS {
        return Err(ReplyError::TooLarge);
    }
    let mut paths = Vec::new();
    for path in &reply.paths {
        if path.steps.is_empty() || path.steps.len() > MAX_HOPS {
            return Err(ReplyError::TooLarge);
        }
        let hops = path.steps.iter().map(|name| hop(steps, name));
        paths.push(Plan::Path(Path {
            anchor: slot(isr, path.from)?,
            hops: hops.collect::<Result<_, _>>()?,
        }));
    }
    paths.sort();
    paths.dedup();
    let set = match paths.len() {
        1 => paths.remove(0),
        _ => Plan::Intersect(paths),
    };
    finished(set, &reply, isr, steps).map(Some)
}

fn finished(set: Plan, reply: &Reply, isr: &Isr, steps: &Steps) -> Result<Plan, ReplyError> {
    let input = Box::new(set);
    let attribute = || {
        if reply.attribute.is_empty() {
            return Err(ReplyError::Lacks("most, least and filter", "an attribute"));
        }
        hop(steps, &reply.attribute)
    };
    Ok(match reply.then.as_str() {
        "count" => Plan::Count(input),
        "ask" => Plan::Ask {
            input,
            value: slot(isr, reply.value)?,
        },
        extreme @ ("most" | "least") => Plan::OrderLimit {
            input,
            attribute: attribute()?.into(),
            extreme: if extreme == "most" {
                Extreme::Most
            } else {
                Extreme::Least
            },
            limit: 1,
        },
        "filter" => Plan::Filter {
            input,
            attribute: attribute()?.into(),
            operator: match reply.operator.as_str() {
                "<" => Operator::Less,
                "<=" => Operator::LessOrEqual,
                ">" => Operator::Greater,
                ">=" => Operator::GreaterOrEqual,
                _ => Operator::Equal,
            },
            value: isr
                .comparator
                .as_ref()
                .map(|c| c.slot)
                .ok_or(ReplyError::Lacks("filter", "a number in the question"))?,
        },
        _ => *input,
    })
}

fn hop(steps: &Steps, name: &str) -> Result<Hop, ReplyError> {
    steps
        .hop(name)
        .cloned()
        .ok_or_else(|| ReplyError::UnknownStep(name.chars().take(80).collect()))
}

fn slot(isr: &Isr, number: i64) -> Result<Slot, ReplyError> {
    isr.mentions
        .iter()
        .map(|m| m.slot)
        .find(|slot| i64::from(slot.0) == number)
        .ok_or(ReplyError::UnknownName(number))
}
