//! How is a result said in words? The built-in summarizer (CacheRAG stage "summarize").
//!
//! By template, from values and refusals. No model, and nothing that the evidence does not hold.

use kgqa::answer::Refusal;

use crate::answer::AnswerValue;

/// What an answer gives, before it is worded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    /// Values.
    Values(Vec<AnswerValue>),
    /// A number.
    Number(f64),
    /// Yes or no.
    Truth(bool),
}

impl Finding {
    /// The values as answers carry them.
    pub(crate) fn values(&self) -> Vec<AnswerValue> {
        match self {
            Self::Values(values) => values.clone(),
            Self::Number(number) => vec![plain(number_text(*number), Some("integer"))],
            Self::Truth(truth) => {
                vec![plain(
                    if *truth { "yes" } else { "no" }.to_owned(),
                    Some("boolean"),
                )]
            }
        }
    }

    /// The answer as a sentence; at most `spelt_out` values are named.
    pub(crate) fn sentence(&self, spelt_out: usize) -> String {
        match self {
            Self::Values(values) => list(values, spelt_out),
            Self::Number(number) => number_text(*number),
            Self::Truth(true) => "Yes.".to_owned(),
            Self::Truth(false) => "No.".to_owned(),
        }
    }
}

fn plain(label: String, datatype: Option<&str>) -> AnswerValue {
    let lexical = match label.as_str() {
        "yes" => "true",
        "no" => "false",
        other => other,
    };
    let literal = datatype.map(|datatype| {
        let datatype = if label.contains('.') {
            "double"
        } else {
            datatype
        };
        format!("\"{lexical}\"^^<http://www.w3.org/2001/XMLSchema#{datatype}>")
    });
    AnswerValue {
        label,
        iri: None,
        literal,
    }
}

fn number_text(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        number.to_string()
    }
}

/// "A", "A and B", "A, B and C", "A, B, C and 9 more".
fn list(values: &[AnswerValue], spelt_out: usize) -> String {
    let shown: Vec<&str> = values
        .iter()
        .take(spelt_out.max(1))
        .map(|value| value.label.as_str())
        .collect();
    let rest = values.len() - shown.len();
    if rest > 0 {
        return format!("{} and {rest} more", shown.join(", "));
    }
    match shown.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A refusal's first sentence.
pub(crate) const REFUSED: &str = "I cannot answer that from what I know.";

/// Why documents do not answer either, behind what a graph said.
pub(crate) fn of_source(corpus: &str, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("In the documents of \"{corpus}\": {reason}"),
        None => format!("The documents of \"{corpus}\" do not say it either."),
    }
}

/// Why the planner refrains, in words.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::HalfNamed => {
            "It asks for yes or no, but names one thing only that is in the graph.".to_owned()
        }
        Refusal::NothingAsked => {
            "It names a thing and asks nothing about it; `refrain ask` answers what is said of things.".to_owned()
        }
        Refusal::NothingNamed => {
            "Nothing in the question is the name of anything in the graph.".to_owned()
        }
        Refusal::UnknownName { names } => format!(
            "The graph has nothing called {}.",
            names
                .iter()
                .map(|name| format!("\"{name}\""))
                .collect::<Vec<_>>()
                .join(" or ")
        ),
        Refusal::Negation => {
            "The question denies something, and that a graph does not say a thing does not prove that it is not so."
                .to_owned()
        }
        Refusal::Unsupported { word } => {
            format!("The graph says nothing like \"{word}\" of what the question names.")
        }
        Refusal::Empty { .. } => {
            "No way of reading the question leads to a value in the graph.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(labels: &[&str]) -> Finding {
        let value = |label: &&str| plain((*label).to_owned(), None);
        Finding::Values(labels.iter().map(value).collect())
    }

    #[test]
    fn lists_read_as_a_person_writes_them() {
        assert_eq!(values(&["A"]).sentence(9), "A");
        assert_eq!(values(&["A", "B"]).sentence(9), "A and B");
        assert_eq!(values(&["A", "B", "C"]).sentence(9), "A, B and C");
        assert_eq!(values(&["A", "B", "C"]).sentence(2), "A, B and 1 more");
    }

    #[test]
    fn numbers_and_truths_are_literals() {
        assert_eq!(Finding::Number(9.0).sentence(9), "9");
        assert_eq!(
            Finding::Number(9.0).values()[0].literal.as_deref(),
            Some("\"9\"^^<http://www.w3.org/2001/XMLSchema#integer>")
        );
        assert_eq!(
            Finding::Truth(false).values()[0].literal.as_deref(),
            Some("\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>")
        );
    }
}
