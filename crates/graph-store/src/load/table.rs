//! Which statements does a table of three columns hold?
//!
//! Each row is subject, predicate, object. A first row that says `subject,predicate,object` (or `s,p,o`, or
//! `head,relation,tail`) is a header. A value that is an absolute IRI with a usual scheme is that IRI. Any other
//! subject or predicate becomes an IRI under the base and keeps the value as its `rdfs:label`. Any other object is a
//! number when it looks like one, a literal when it was quoted or when objects are said to be literals, and else an
//! IRI like a subject, so that a table of names joins up into a graph.

use std::collections::HashSet;
use std::fmt::Write as _;

use oxrdf::vocab::{rdfs, xsd};
use oxrdf::{GraphNameRef, Literal, NamedNode, QuadRef, Term};

use super::format::Format;
use super::input::{Input, io_problem};
use super::parse::{Sink, too_long};
use crate::error::{ParseProblem, StoreError};

/// How rows become statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableOptions {
    /// What IRIs made from names start with. Default: `urn:refrain:`.
    pub base: String,
    /// Whether an object that is no IRI is always a literal. Default: no.
    pub literal_objects: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            base: "urn:refrain:".to_owned(),
            literal_objects: false,
        }
    }
}

/// Names whose label statement has been given; beyond, a label may be given twice, which changes nothing.
const MAX_REMEMBERED: usize = 1 << 20;

struct Rows<'a, 'b> {
    name: &'a str,
    options: &'a TableOptions,
    labelled: HashSet<String>,
    sink: &'a mut Sink<'b>,
}

pub(super) fn run(
    input: Input,
    format: Format,
    options: &TableOptions,
    sink: &mut Sink<'_>,
) -> Result<(), StoreError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(if format == Format::Tsv { b'\t' } else { b',' })
        .from_reader(input.reader);
    let mut rows = Rows {
        name: &input.name,
        options,
        labelled: HashSet::new(),
        sink,
    };
    let mut record = csv::StringRecord::new();
    let mut first = true;
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => {
                let line = record.position().map_or(0, csv::Position::line);
                if !(std::mem::take(&mut first) && is_header(&record)) {
                    rows.row(&record, line)?;
                }
            }
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                if error.is_io_error()
                    && let csv::ErrorKind::Io(error) = error.into_kind()
                {
                    return Err(io_problem(&input.name, error));
                }
                rows.problem(line, "the row is not UTF-8 text".to_owned())?;
            }
        }
    }
}

fn is_header(record: &csv::StringRecord) -> bool {
    let names: Vec<String> = record
        .iter()
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let is = |expected: [&str; 3]| names.iter().map(String::as_str).take(3).eq(expected);
    is(["subject", "predicate", "object"])
        || is(["s", "p", "o"])
        || is(["head", "relation", "tail"])
}

impl Rows<'_, '_> {
    fn problem(&mut self, line: u64, reason: String) -> Result<(), StoreError> {
        self.sink.problem(ParseProblem {
            input: self.name.to_owned(),
            line,
            column: 0,
            reason,
        })
    }

    fn row(&mut self, record: &csv::StringRecord, line: u64) -> Result<(), StoreError> {
        let (Some(subject), Some(predicate), Some(object), None) =
            (record.get(0), record.get(1), record.get(2), record.get(3))
        else {
            let columns = record.len();
            return self.problem(line, format!("3 columns are expected, {columns} are there"));
        };
        if subject.trim().is_empty() || predicate.trim().is_empty() {
            return self.problem(line, "the subject or the predicate is empty".to_owned());
        }
        let subject = self.node(subject, line)?;
        let predicate = self.node(predicate, line)?;
        let object = self.object(object, line)?;
        self.statement(&subject, &predicate, &object, line)
    }

    fn statement(
        &mut self,
        subject: &NamedNode,
        predicate: &NamedNode,
        object: &Term,
        line: u64,
    ) -> Result<(), StoreError> {
        let quad = QuadRef::new(
            subject.as_ref(),
            predicate.as_ref(),
            object.as_ref(),
            GraphNameRef::DefaultGraph,
        );
        match self.sink.statement(quad)? {
            Ok(()) => Ok(()),
            Err(error) => self.sink.problem(too_long(self.name, line, error)),
        }
    }

    fn object(&mut self, value: &str, line: u64) -> Result<Term, StoreError> {
        let trimmed = value.trim();
        if let Some(iri) = iri(trimmed) {
            return Ok(iri.into());
        }
        if let Some(datatype) = number(trimmed) {
            return Ok(Literal::new_typed_literal(trimmed, datatype).into());
        }
        let quoted = trimmed
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        if let Some(text) = quoted {
            return Ok(Literal::new_simple_literal(text).into());
        }
        if self.options.literal_objects || trimmed.is_empty() {
            return Ok(Literal::new_simple_literal(value).into());
        }
        Ok(self.node(trimmed, line)?.into())
    }

    /// The IRI that a name stands for; its label is stated when it is met first.
    fn node(&mut self, value: &str, line: u64) -> Result<NamedNode, StoreError> {
        let value = value.trim();
        if let Some(iri) = iri(value) {
            return Ok(iri);
        }
        let node = NamedNode::new_unchecked(minted(&self.options.base, value));
        if self.labelled.len() < MAX_REMEMBERED && self.labelled.insert(value.to_owned()) {
            let label = Literal::new_simple_literal(value).into();
            self.statement(&node, &rdfs::LABEL.into_owned(), &label, line)?;
        }
        Ok(node)
    }
}

/// The value as an IRI when it is written as one: `<…>`, or with a scheme that is used for naming things.
fn iri(value: &str) -> Option<NamedNode> {
    let bracketed = value
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    let known = ["http://", "https://", "urn:", "mailto:", "tag:", "ftp://"]
        .iter()
        .any(|scheme| value.starts_with(scheme));
    match bracketed {
        Some(inner) => NamedNode::new(inner).ok(),
        None if known => NamedNode::new(value).ok(),
        None => None,
    }
}

fn number(value: &str) -> Option<oxrdf::NamedNodeRef<'static>> {
    let unsigned = value.strip_prefix(['-', '+']).unwrap_or(value);
    let (whole, fraction) = unsigned
        .split_once('.')
        .map_or((unsigned, None), |(a, b)| (a, Some(b)));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match fraction {
        None if digits(whole) => Some(xsd::INTEGER),
        Some(fraction) if digits(whole) && digits(fraction) => Some(xsd::DECIMAL),
        _ => None,
    }
}

/// The base and the name, percent-encoded so that different names stay different; spaces become `_`.
fn minted(base: &str, name: &str) -> String {
    let mut iri = String::with_capacity(base.len() + name.len() + 8);
    iri.push_str(base);
    for letter in name.chars() {
        match letter {
            ' ' => iri.push('_'),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '~' => iri.push(letter),
            letter if !letter.is_ascii() && letter.is_alphanumeric() => iri.push(letter),
            other => {
                let mut bytes = [0; 4];
                for byte in other.encode_utf8(&mut bytes).bytes() {
                    // Writing to a string cannot fail.
                    let _ = write!(iri, "%{byte:02X}");
                }
            }
        }
    }
    iri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_names_give_different_valid_iris() {
        for name in [
            "Ada Lovelace",
            "a_b",
            "a b",
            "50%",
            "a/b#c",
            "北京",
            "🎬",
            "\"x\"",
        ] {
            assert!(
                NamedNode::new(minted("urn:refrain:", name)).is_ok(),
                "{name}"
            );
        }
        assert_ne!(minted("urn:refrain:", "a_b"), minted("urn:refrain:", "a b"));
    }

    #[test]
    fn numbers_and_iris_are_recognised() {
        assert_eq!(number("12"), Some(xsd::INTEGER));
        assert_eq!(number("-1.5"), Some(xsd::DECIMAL));
        assert_eq!(number("1."), None);
        assert_eq!(number("1e5"), None);
        assert!(iri("http://x/y").is_some() && iri("<x:y>").is_some());
        assert!(iri("Alien: Resurrection").is_none());
    }
}
