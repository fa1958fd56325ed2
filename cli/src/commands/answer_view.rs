//! How does an answer look on a terminal?

use refrain::{Answer, HitKind};
use serde_json::Value;

use crate::failure::Outcome;
use crate::ui::{Tone, Ui, counted, duration, safe};

mod story;

/// Citations printed without `--explain`.
const CITATIONS_SHOWN: usize = 6;

/// Lines of an explanation printed at most.
const EXPLANATION_LINES: usize = 400;

/// Prints an answer with its proof and where it comes from.
pub(crate) fn print(answer: &Answer, ui: Ui) -> Outcome {
    let tone = if answer.refused {
        Tone::Warn
    } else {
        Tone::Strong
    };
    for line in ui.fit(&safe(&answer.text), 0) {
        ui.line(ui.paint(tone, &line))?;
    }
    if answer.refused
        && let Some(reason) = &answer.reason
    {
        for line in ui.fit(&format!("  {}", safe(reason)), 2) {
            ui.line(line)?;
        }
    }
    if answer.corrected {
        ui.line(ui.paint(Tone::Faint, "  where the source says:"))?;
    }
    print_citations(answer, ui)?;
    print_passages(answer, ui)?;
    for cut in &answer.cut {
        marked(ui, (Tone::Warn, "cut"), &safe(cut))?;
    }
    for line in ui.fit(&format!("  {}", foot(answer)), 2) {
        ui.line(ui.paint(Tone::Faint, &line))?;
    }
    if let Some(explanation) = &answer.explanation {
        print_explanation(answer, explanation, ui)?;
    }
    Ok(())
}

fn print_citations(answer: &Answer, ui: Ui) -> Outcome {
    let shown = if answer.explanation.is_some() {
        answer.citations.len()
    } else {
        CITATIONS_SHOWN
    };
    for citation in answer.citations.iter().take(shown) {
        let number = format!("[{}]", citation.n);
        marked(ui, (Tone::Name, &number), &safe(&citation.text))?;
    }
    let rest = answer.citations.len().saturating_sub(shown);
    if rest > 0 {
        let text = format!(
            "    and {} more (--json has all)",
            counted(rest as u64, "triple", "triples")
        );
        ui.line(ui.paint(Tone::Faint, &text))?;
    }
    Ok(())
}

/// The sentences of an answer from documents, each with its document, and the names that led there.
fn print_passages(answer: &Answer, ui: Ui) -> Outcome {
    for citation in &answer.passages {
        let number = format!("[{}]", citation.n);
        let document = from_here(&citation.document);
        let from = if citation.title.is_empty() || document.contains(&citation.title) {
            document
        } else {
            format!("{}, {document}", citation.title)
        };
        let text = safe(&format!("{} ({from})", citation.text)).replace('\n', " ");
        marked(ui, (Tone::Name, &number), &text)?;
    }
    if answer.chain.len() > 1 {
        let chain = format!("  by way of {}", safe(&answer.chain.join(" → ")));
        for line in ui.fit(&chain, 4) {
            ui.line(ui.paint(Tone::Faint, &line))?;
        }
    }
    Ok(())
}

/// A document's path as seen from the directory that the command runs in, where it lies below it.
fn from_here(document: &str) -> String {
    let here = std::env::current_dir().and_then(fs_err::canonicalize);
    here.ok()
        .and_then(|here| std::path::Path::new(document).strip_prefix(here).ok())
        .map_or_else(|| document.to_owned(), |below| below.display().to_string())
}

/// An indented line that starts with a coloured mark.
fn marked(ui: Ui, (tone, mark): (Tone, &str), text: &str) -> Outcome {
    let mut lines = ui.fit(&format!("  {mark} {text}"), 6);
    if let Some(first) = lines.first_mut() {
        *first = first.replacen(mark, &ui.paint(tone, mark), 1);
    }
    lines.into_iter().try_for_each(|line| ui.line(line))
}

fn foot(answer: &Answer) -> String {
    let mut parts = Vec::new();
    if let Some(source) = &answer.source {
        parts.push(source.clone());
    }
    parts.push(match answer.hit_kind {
        HitKind::None if answer.plan.is_none() && !answer.passages.is_empty() => {
            "found in documents".to_owned()
        }
        HitKind::Exact if answer.corrected => "corrected by a person".to_owned(),
        HitKind::None => "planned".to_owned(),
        HitKind::Plan => "remembered plan, run again".to_owned(),
        HitKind::Exact => "remembered, evidence unchanged".to_owned(),
    });
    if let Some(model) = &answer.model {
        parts.push(format!("with {}", safe(model)));
    }
    parts.push(duration(answer.cost.micros));
    if !answer.refused {
        parts.push(format!("confidence {:.2}", answer.confidence));
    }
    parts.push(answer.id.clone());
    parts.join(" · ")
}

fn print_explanation(answer: &Answer, explanation: &Value, ui: Ui) -> Outcome {
    if let Some(plan) = &answer.plan {
        ui.line("")?;
        ui.line(ui.paint(Tone::Name, "plan"))?;
        for line in plan.sparql.lines() {
            let line = format!("  {}", safe(line));
            let hang = indent(&line) + 4;
            ui.fit(&line, hang)
                .into_iter()
                .try_for_each(|line| ui.line(line))?;
        }
    }
    ui.line("")?;
    let story = story::of_graph(explanation).or_else(|| story::of_documents(explanation));
    if let Some(steps) = story {
        return print_story(&steps, ui);
    }
    let mut lines = Vec::new();
    outline(explanation, 0, &mut lines);
    let cut = lines.len().saturating_sub(EXPLANATION_LINES);
    for (depth, name, text) in lines.into_iter().take(EXPLANATION_LINES) {
        let tone = if depth == 0 { Tone::Name } else { Tone::Faint };
        let name = safe(&name);
        let space = if text.is_empty() { "" } else { " " };
        let line = format!("{}{name}{space}{}", "  ".repeat(depth), safe(&text));
        let mut lines = ui.fit(&line, 2 * depth + 2);
        if let Some(first) = lines.first_mut().filter(|_| !name.is_empty()) {
            *first = first.replacen(&name, &ui.paint(tone, &name), 1);
        }
        lines.into_iter().try_for_each(|line| ui.line(line))?;
    }
    if cut > 0 {
        ui.line(ui.paint(Tone::Faint, &format!("… {cut} more lines (--json has all)")))?;
    }
    Ok(())
}

/// Columns that the names of the steps take.
const STEP_WIDTH: usize = 11;

fn print_story(steps: &[story::Step], ui: Ui) -> Outcome {
    let lines = steps.iter().flat_map(|(name, lines)| {
        let names = std::iter::once(*name).chain(std::iter::repeat(""));
        names.zip(lines)
    });
    for (name, line) in lines.take(EXPLANATION_LINES) {
        let line = format!("{name:STEP_WIDTH$}{}", safe(line));
        let mut lines = ui.fit(&line, STEP_WIDTH + 2);
        if let Some(first) = lines.first_mut().filter(|_| !name.is_empty()) {
            *first = first.replacen(name, &ui.paint(Tone::Name, name), 1);
        }
        lines.into_iter().try_for_each(|line| ui.line(line))?;
    }
    Ok(())
}

/// Spaces at a line's start.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The explanation as an indented outline: depth, name, text.
fn outline(value: &Value, depth: usize, lines: &mut Vec<(usize, String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match brief(field) {
                    Some(text) => lines.push((depth, name.replace('_', " "), text)),
                    None => {
                        lines.push((depth, name.replace('_', " "), String::new()));
                        outline(field, depth + 1, lines);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match brief(item) {
                    Some(text) => lines.push((depth, "·".to_owned(), text)),
                    None => {
                        lines.push((depth, "·".to_owned(), String::new()));
                        outline(item, depth + 1, lines);
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            lines.push((depth, String::new(), brief(value).unwrap_or_default()));
        }
    }
}

/// The widest value that is written on its name's line.
const BRIEF_WIDTH: usize = 90;

/// A value that fits on a line.
fn brief(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => "–".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if !number.is_i64() && !number.is_u64() => format!("{float:.3}"),
            _ => number.to_string(),
        },
        Value::String(text) => return Some(text.clone()),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().map(scalar).collect::<Option<_>>()?;
            parts.join(", ")
        }
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|(name, field)| Some(format!("{} {}", name.replace('_', " "), scalar(field)?)))
                .collect::<Option<_>>()?;
            parts.join(" · ")
        }
    };
    (text.chars().count() <= BRIEF_WIDTH).then_some(text)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Array(_) | Value::Object(_) => None,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => brief(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_objects_stay_on_one_line_and_long_ones_open() {
        let value = serde_json::json!({
            "links": [{"text": "Inception", "fit": 1.0}],
            "none": [],
        });
        let mut lines = Vec::new();
        outline(&value, 0, &mut lines);
        assert_eq!(lines[0], (0, "links".to_owned(), String::new()));
        assert_eq!(lines[1].2, "fit 1.000 · text Inception");
        assert_eq!(lines[2], (0, "none".to_owned(), "none".to_owned()));
    }
}
