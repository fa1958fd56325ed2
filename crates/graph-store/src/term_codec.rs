//! How is an RDF term written as bytes?
//!
//! One tag byte, then the text. The encoding is a bijection: equal terms have equal bytes and nothing else has, so the
//! dictionary may compare bytes. Blank node labels are as they came; the loader has already made them unique.

use oxrdf::vocab::xsd;
use oxrdf::{BlankNode, Literal, LiteralRef, NamedNode, NamedNodeRef, Term, TermRef};

use crate::block::{read_varint, write_varint};

const IRI: u8 = 1;
const BLANK: u8 = 2;
const STRING: u8 = 3;
const LANGUAGE: u8 = 4;
const TYPED: u8 = 5;
/// The first of the tags that stand for a datatype of [`KNOWN_DATATYPES`].
const KNOWN: u8 = 16;

/// Append only: a stored tag is a position in this list.
const KNOWN_DATATYPES: [NamedNodeRef<'static>; 16] = [
    xsd::INTEGER,
    xsd::DECIMAL,
    xsd::DOUBLE,
    xsd::FLOAT,
    xsd::BOOLEAN,
    xsd::DATE,
    xsd::DATE_TIME,
    xsd::G_YEAR,
    xsd::G_YEAR_MONTH,
    xsd::TIME,
    xsd::INT,
    xsd::LONG,
    xsd::NON_NEGATIVE_INTEGER,
    xsd::POSITIVE_INTEGER,
    xsd::ANY_URI,
    xsd::DURATION,
];

/// A term's text without its bytes being taken apart further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermText<'a> {
    Iri(&'a str),
    Blank(&'a str),
    Literal(&'a str),
}

pub(crate) fn encode(term: TermRef<'_>, out: &mut Vec<u8>) {
    match term {
        TermRef::NamedNode(node) => encode_iri(node.as_str(), out),
        TermRef::BlankNode(node) => encode_blank(node.as_str(), out),
        TermRef::Literal(literal) => encode_literal(literal, out),
    }
}

pub(crate) fn encode_iri(iri: &str, out: &mut Vec<u8>) {
    out.push(IRI);
    out.extend_from_slice(iri.as_bytes());
}

pub(crate) fn encode_blank(label: &str, out: &mut Vec<u8>) {
    out.push(BLANK);
    out.extend_from_slice(label.as_bytes());
}

pub(crate) fn encode_literal(literal: LiteralRef<'_>, out: &mut Vec<u8>) {
    let value = literal.value().as_bytes();
    if let Some(language) = literal.language() {
        out.push(LANGUAGE);
        write_varint(language.len() as u64, out);
        out.extend_from_slice(language.as_bytes());
    } else if literal.datatype() == xsd::STRING {
        out.push(STRING);
    } else if let Some(at) =
        (0..16u8).find(|at| KNOWN_DATATYPES[usize::from(*at)] == literal.datatype())
    {
        out.push(KNOWN + at);
    } else {
        let datatype = literal.datatype().as_str();
        out.push(TYPED);
        write_varint(datatype.len() as u64, out);
        out.extend_from_slice(datatype.as_bytes());
    }
    out.extend_from_slice(value);
}

/// `None` when the bytes are not a term.
pub(crate) fn decode(bytes: &[u8]) -> Option<Term> {
    let (tag, rest) = bytes.split_first()?;
    let term = match *tag {
        IRI => NamedNode::new_unchecked(utf8(rest)?).into(),
        BLANK => BlankNode::new_unchecked(utf8(rest)?).into(),
        STRING => Literal::new_simple_literal(utf8(rest)?).into(),
        LANGUAGE => {
            let (language, value) = split_text(rest)?;
            Literal::new_language_tagged_literal_unchecked(value, language).into()
        }
        TYPED => {
            let (datatype, value) = split_text(rest)?;
            Literal::new_typed_literal(value, NamedNode::new_unchecked(datatype)).into()
        }
        tag => {
            let datatype = KNOWN_DATATYPES.get(usize::from(tag.checked_sub(KNOWN)?))?;
            Literal::new_typed_literal(utf8(rest)?, *datatype).into()
        }
    };
    Some(term)
}

/// The text a reader would see. `None` when the bytes are not a term.
pub(crate) fn text(bytes: &[u8]) -> Option<TermText<'_>> {
    let (tag, rest) = bytes.split_first()?;
    Some(match *tag {
        IRI => TermText::Iri(utf8(rest)?),
        BLANK => TermText::Blank(utf8(rest)?),
        LANGUAGE | TYPED => TermText::Literal(split_text(rest)?.1),
        _ => TermText::Literal(utf8(rest)?),
    })
}

/// The language tag, when the term is a language-tagged literal.
pub(crate) fn language(bytes: &[u8]) -> Option<&str> {
    match bytes.split_first()? {
        (&LANGUAGE, rest) => split_text(rest).map(|(language, _)| language),
        _ => None,
    }
}

fn utf8(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A length-prefixed text and what follows it.
fn split_text(bytes: &[u8]) -> Option<(&str, &str)> {
    let mut at = 0;
    let length = usize::try_from(read_varint(bytes, &mut at)?).ok()?;
    let (head, tail) = bytes.get(at..)?.split_at_checked(length)?;
    Some((utf8(head)?, utf8(tail)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms() -> impl Strategy<Value = Term> {
        prop_oneof![
            "http://[a-z]{1,8}/[a-zA-Z0-9_]{0,12}".prop_map(|i| NamedNode::new_unchecked(i).into()),
            "[a-z][a-z0-9]{0,8}".prop_map(|b| BlankNode::new_unchecked(b).into()),
            any::<String>().prop_map(|v| Literal::new_simple_literal(v).into()),
            (any::<String>(), "[a-z]{2}(-[a-z]{2})?")
                .prop_map(|(v, l)| Literal::new_language_tagged_literal_unchecked(v, l).into()),
            (any::<String>(), 0..16usize).prop_map(|(v, at)| Literal::new_typed_literal(
                v,
                KNOWN_DATATYPES[at]
            )
            .into()),
            (any::<String>(), "http://d/[a-z]{0,5}").prop_map(|(v, d)| Literal::new_typed_literal(
                v,
                NamedNode::new_unchecked(d)
            )
            .into()),
        ]
    }

    proptest! {
        #[test]
        fn a_term_survives_its_bytes(term in terms()) {
            let mut bytes = Vec::new();
            encode(term.as_ref(), &mut bytes);
            prop_assert_eq!(decode(&bytes), Some(term));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = decode(&bytes);
            let _ = text(&bytes);
        }
    }

    #[test]
    fn a_nul_inside_a_literal_is_kept() {
        let term: Term = Literal::new_language_tagged_literal_unchecked("a\0b", "en").into();
        let mut bytes = Vec::new();
        encode(term.as_ref(), &mut bytes);
        assert_eq!(decode(&bytes), Some(term));
        assert_eq!(text(&bytes), Some(TermText::Literal("a\0b")));
    }
}
