//! How is a term written in a query, whatever it holds? Validated and escaped, so that nothing breaks out of its place.

use oxrdf::{Literal, NamedNode, Term};

/// A term as SPARQL; `None` for a blank node, which no query can name.
pub(super) fn term(term: &Term) -> Option<String> {
    match term {
        Term::NamedNode(node) => Some(iri(node.as_str())),
        Term::BlankNode(_) => None,
        Term::Literal(literal) => Some(literal_text(literal)),
    }
}

/// An IRI; a text that is none (unchecked input) becomes one that matches nothing.
pub(super) fn iri(text: &str) -> String {
    match NamedNode::new(text) {
        Ok(node) => node.to_string(),
        Err(_) => {
            let encoded: String = text
                .bytes()
                .map(|b| {
                    if b.is_ascii_alphanumeric() {
                        char::from(b).to_string()
                    } else {
                        format!("%{b:02X}")
                    }
                })
                .collect();
            format!("<urn:not-an-iri:{encoded}>")
        }
    }
}

/// A literal; an invalid language tag (unchecked input) is dropped.
fn literal_text(literal: &Literal) -> String {
    if let Some(tag) = literal.language() {
        return match Literal::new_language_tagged_literal(literal.value(), tag) {
            Ok(literal) => literal.to_string(),
            Err(_) => Literal::new_simple_literal(literal.value()).to_string(),
        };
    }
    let plain = Literal::new_simple_literal(literal.value());
    if plain.datatype() == literal.datatype() {
        return plain.to_string();
    }
    format!("{plain}^^{}", iri(literal.datatype().as_str()))
}

/// A number as SPARQL.
pub(super) fn number(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else if number.is_finite() {
        format!("{number:e}")
    } else {
        Literal::from(number).to_string()
    }
}
