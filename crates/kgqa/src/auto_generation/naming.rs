//! Which labels can stand in a question? Names that people would say, no numbers and no identifiers.

use crate::execute::quantity_of_text;
use crate::graph::{Graph, GraphError, TermId};
use crate::text::{normalise, words};

/// Longer labels are titles of papers or prose.
const LABEL_CHARS: usize = 60;
/// Words of a predicate that says which, not what.
const IDENTIFYING: [&str; 16] = [
    "id",
    "ids",
    "identifier",
    "key",
    "code",
    "uri",
    "url",
    "iri",
    "href",
    "link",
    "image",
    "thumbnail",
    "homepage",
    "page",
    "hash",
    "checksum",
];

/// Vocabularies that describe schemas; nobody asks for them.
const SCHEMAS: [&str; 3] = [
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
];

/// Whether an IRI is a word for describing schemas and not things.
pub(super) fn describes_schemas(iri: &str) -> bool {
    SCHEMAS.iter().any(|namespace| iri.starts_with(namespace))
}

/// Whether a type is one of classes, properties and the like; `owl:NamedIndividual` says nothing.
pub(super) fn is_type_of_schemas(iri: &str) -> bool {
    let of_things = ["#NamedIndividual", "#Thing", "#Resource"];
    describes_schemas(iri) && !of_things.iter().any(|name| iri.ends_with(name))
}

/// Whether a label is a name: at least one word of letters, not a number, nothing like `Q42` or `prod-10293`.
pub(super) fn is_name(label: &str) -> bool {
    let tokens: Vec<&str> = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    let is_word =
        |token: &&str| token.chars().all(char::is_alphabetic) && token.chars().nth(1).is_some();
    let is_code = |token: &&str| {
        let digits = token.chars().filter(char::is_ascii_digit).count();
        digits >= 5 || (digits > 0 && digits < token.chars().count() && !is_ordinal(token))
    };
    label.chars().nth(LABEL_CHARS).is_none()
        && !label.contains("://")
        && !label.contains(['?', '"', '@', '\n'])
        && tokens.iter().any(is_word)
        && !tokens.iter().any(is_code)
        && quantity_of_text(label).is_none()
}

/// "3rd", "1990s".
fn is_ordinal(token: &str) -> bool {
    let letters = token.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(
        letters.to_ascii_lowercase().as_str(),
        "st" | "nd" | "rd" | "th" | "s"
    )
}

/// Whether an answer can be said: a name, or a number short enough to be one.
pub(super) fn is_sayable(label: &str) -> bool {
    is_name(label) || quantity_of_text(label).is_some_and(|q| q.key().abs() < 1e7)
}

/// The words of a predicate's label, when it says something that people ask for.
pub(super) fn askable(label: &str) -> Option<Vec<String>> {
    let words = words(label);
    let fine = !words.is_empty()
        && words.len() <= 6
        && words
            .iter()
            .any(|w| w.chars().filter(|c| c.is_alphabetic()).nth(2).is_some())
        && !words.iter().any(|w| IDENTIFYING.contains(&w.as_str()))
        && !matches!(words.as_slice(), [one] if matches!(one.as_str(), "name" | "label" | "title" | "comment" | "description"));
    fine.then_some(words)
}

/// The label by which a question can name an entity without ambiguity.
pub(super) fn unambiguous(graph: &dyn Graph, id: TermId) -> Result<Option<String>, GraphError> {
    let label = graph.label(id)?;
    if !is_name(&label) {
        return Ok(None);
    }
    let meant = graph.link(&normalise(&label), 2)?;
    Ok((meant == [id]).then_some(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_numbers_and_identifiers() {
        for name in [
            "Jaws",
            "Tom Hanks",
            "2001: A Space Odyssey",
            "Catch-22",
            "Friday the 13th",
            "Max Ophüls",
            "東京",
        ] {
            assert!(is_name(name), "{name}");
        }
        for other in [
            "",
            "1997",
            "1,234 kg",
            "Q42",
            "prod-10293",
            "tt0073195",
            "http://e.org/a",
            "x",
            "a3f9c2e1",
            "ann@e.org",
            "Who is it?",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn identifying_predicates_are_not_asked_for() {
        assert_eq!(
            askable("directed_by"),
            Some(vec!["directed".to_owned(), "by".to_owned()])
        );
        for label in ["imdb_id", "wikiPageID", "homepage", "name", "x", ""] {
            assert_eq!(askable(label), None, "{label}");
        }
    }
}
