//! How did the answer come about, in the order in which it did? An explanation as short lines, a step each.

use serde_json::Value;

use crate::ui::counted;

/// A step: its name, and the lines it has.
pub(super) type Step = (&'static str, Vec<String>);

/// The steps that a question over a graph went through; `None` where the explanation tells of something else.
pub(super) fn of_graph(explanation: &Value) -> Option<Vec<Step>> {
    let isr = explanation.get("isr")?;
    let mut steps = vec![
        ("question", question(isr)),
        ("source", sources(explanation)),
    ];
    if let Some(aspect) = text(explanation, "aspect") {
        steps.push(("aspect", vec![aspect.to_owned()]));
    }
    steps.push(("memory", remembered(explanation)));
    if let Some(schema) = explanation.get("schema") {
        steps.push(("schema", vec![joined(schema, "nothing near its names")]));
        steps.push(("words", alignment(explanation)));
        steps.push(("plans", plans(explanation)));
        steps.push(("read", reading(explanation)));
    }
    steps.push(("time", times(explanation)));
    Some(steps)
}

/// The steps that a question over documents went through.
pub(super) fn of_documents(explanation: &Value) -> Option<Vec<Step>> {
    let seeds = named(explanation.get("seeds")?, "entity", "score");
    let ranked = array(explanation, "passages")
        .map(|passage| {
            format!(
                "{:.3}  {}, passage {}",
                number(passage, "score"),
                text(passage, "title")
                    .filter(|title| !title.is_empty())
                    .or(text(passage, "document"))
                    .unwrap_or("?"),
                number(passage, "passage")
            )
        })
        .collect();
    let mut steps = vec![
        (
            "names",
            vec![or_none(
                seeds,
                "the question names nothing that the documents name",
            )],
        ),
        (
            "activated",
            vec![named(explanation.get("activated")?, "entity", "weight")],
        ),
        ("passages", ranked),
        (
            "ranked by",
            text(explanation, "ranked_by")
                .map(str::to_owned)
                .into_iter()
                .collect(),
        ),
    ];
    let used = named(explanation.get("experiences")?, "experience", "weight");
    let memory = or_none(used, "no experience takes part");
    steps.push((
        "memory",
        vec![format!(
            "{memory} · novelty {:.2}",
            number(explanation, "novelty")
        )],
    ));
    Some(steps)
}

fn question(isr: &Value) -> Vec<String> {
    let mut head = text(isr, "type").unwrap_or("simple").replace('_', " ");
    if let Some(wh) = text(isr, "asks_with").filter(|wh| !wh.is_empty()) {
        head += &format!(", asks \"{wh}\"");
    }
    let words = joined(
        isr.get("constraints").unwrap_or(&Value::Null),
        "no other words",
    );
    let mut lines = vec![format!("{head} · {words}")];
    for link in array(isr, "links") {
        let candidates = link.get("candidates").unwrap_or(&Value::Null);
        lines.push(format!(
            "\"{}\" is {}",
            text(link, "text").unwrap_or("?"),
            or_none(named(candidates, "label", "fit"), "nothing known")
        ));
    }
    let unknown = isr.get("unknown_names").unwrap_or(&Value::Null);
    if unknown.as_array().is_some_and(|names| !names.is_empty()) {
        lines.push(format!("not in the graph: {}", joined(unknown, "")));
    }
    if isr.get("negated") == Some(&Value::Bool(true)) {
        lines.push("it denies something".to_owned());
    }
    lines
}

fn sources(explanation: &Value) -> Vec<String> {
    array(explanation, "route")
        .map(|fit| {
            format!(
                "{}  {:.2} = its names {:.2}, what it is about {:.2}, what it answered {:.2}",
                text(fit, "source").unwrap_or("?"),
                number(fit, "score"),
                number(fit, "links"),
                number(fit, "about"),
                number(fit, "answered")
            )
        })
        .collect()
}

fn remembered(explanation: &Value) -> Vec<String> {
    let lines: Vec<String> = array(explanation, "recalled")
        .map(|found| {
            format!(
                "{:.2}  \"{}\": {}",
                number(found, "similarity"),
                text(found, "question").unwrap_or("?"),
                text(found, "verdict").unwrap_or("?")
            )
        })
        .collect();
    if lines.is_empty() {
        return vec!["nothing like it".to_owned()];
    }
    lines
}

fn alignment(explanation: &Value) -> Vec<String> {
    let pairs: Vec<String> = array(explanation, "alignment")
        .map(|pair| {
            format!(
                "{} → {}",
                text(pair, "word").unwrap_or("?"),
                text(pair, "predicate").unwrap_or("?")
            )
        })
        .collect();
    vec![or_none(pairs.join(" · "), "none speaks for a predicate")]
}

fn plans(explanation: &Value) -> Vec<String> {
    let mut lines: Vec<String> = array(explanation, "plans")
        .map(|plan| {
            let vote = number(plan, "vote");
            let votes = if vote == 0.0 {
                String::new()
            } else {
                format!(" (memory {vote:+.2})")
            };
            format!(
                "{:.2}  {}{votes}",
                number(plan, "score"),
                text(plan, "template").unwrap_or("?")
            )
        })
        .collect();
    let margin = explanation.get("margin").and_then(Value::as_f64);
    if let Some(margin) = margin {
        lines.push(format!("{margin:.2} before the next with another answer"));
    }
    if let Some(refusal) = explanation
        .get("refusal")
        .filter(|refusal| !refusal.is_null())
    {
        let kind = text(refusal, "kind").unwrap_or("?").replace('_', " ");
        lines.push(format!("refused: {kind}"));
    }
    lines
}

fn reading(explanation: &Value) -> Vec<String> {
    let expansion = explanation.get("expansion").unwrap_or(&Value::Null);
    let whole =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_u64).unwrap_or_default();
    let mut parts = vec![counted(whole(explanation, "runs"), "plan run", "plans run")];
    for (key, one, many) in [
        ("rows_read", "row", "rows"),
        ("evidence", "triple of evidence", "triples of evidence"),
        ("left_out", "value left out", "values left out"),
        ("edges_cut", "edge cut", "edges cut"),
        ("paths_cut", "path cut", "paths cut"),
    ] {
        let count = whole(expansion, key);
        if count > 0 {
            parts.push(counted(count, one, many));
        }
    }
    if expansion.get("topic_left_out") == Some(&Value::Bool(true)) {
        parts.push("what was asked about is left out".to_owned());
    }
    vec![parts.join(" · ")]
}

fn times(explanation: &Value) -> Vec<String> {
    let times = explanation.get("timings").unwrap_or(&Value::Null);
    let parts: Vec<String> = [("recall_us", "recall"), ("plan_us", "plan and run")]
        .iter()
        .filter(|(key, _)| times.get(key).is_some_and(Value::is_number))
        .map(|(key, what)| format!("{what} {} µs", number(times, key)))
        .collect();
    vec![or_none(parts.join(" · "), "not taken")]
}

/// "Inception 1.00, Inception (soundtrack) 0.80".
fn named(list: &Value, name: &str, weight: &str) -> String {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let items: Vec<String> = items
        .iter()
        .map(|item| {
            format!(
                "{} {:.2}",
                text(item, name).unwrap_or("?"),
                number(item, weight)
            )
        })
        .collect();
    items.join(", ")
}

fn joined(list: &Value, none: &str) -> String {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    or_none(items.join(", "), none)
}

fn or_none(text: String, none: &str) -> String {
    if text.is_empty() {
        none.to_owned()
    } else {
        text
    }
}

fn array<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

fn number(value: &Value, key: &str) -> f64 {
    value.get(key).and_then(Value::as_f64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_planned_answer_is_told_step_by_step() {
        let steps = of_graph(&json!({
            "isr": {
                "type": "simple", "asks_with": "who", "constraints": ["directed"], "negated": false, "unknown_names": [],
                "links": [{ "text": "Heat", "candidates": [{ "label": "Heat", "fit": 1.0 }] }],
            },
            "route": [], "recalled": [], "schema": ["directed by"],
            "alignment": [{ "word": "directed", "predicate": "directed_by" }],
            "plans": [{ "template": "$0/directed_by", "score": 2.5, "vote": 0.0 }],
            "margin": 1.5, "runs": 1, "refusal": null,
            "expansion": { "rows_read": 1, "evidence": 1, "edges_cut": 0 },
            "timings": { "recall_us": null, "plan_us": 120 },
        }))
        .expect("a graph's");
        let line = |name| {
            steps
                .iter()
                .find(|(step, _)| *step == name)
                .map(|(_, lines)| lines.join(" / "))
        };
        assert_eq!(
            line("question").as_deref(),
            Some("simple, asks \"who\" · directed / \"Heat\" is Heat 1.00")
        );
        assert_eq!(line("memory").as_deref(), Some("nothing like it"));
        assert_eq!(line("words").as_deref(), Some("directed → directed_by"));
        assert_eq!(
            line("plans").as_deref(),
            Some("2.50  $0/directed_by / 1.50 before the next with another answer")
        );
        assert_eq!(
            line("read").as_deref(),
            Some("1 plan run · 1 row · 1 triple of evidence")
        );
        assert_eq!(line("time").as_deref(), Some("plan and run 120 µs"));
    }

    #[test]
    fn anything_else_is_no_graphs_story() {
        assert!(of_graph(&json!({ "seeds": [] })).is_none());
        assert!(of_documents(&json!({ "isr": {} })).is_none());
    }
}
