//! What does a graph say of one thing? Its statements, page by page.
//!
//! For people and agents who look around before they ask. Nothing is planned, judged or learned here.

use kgqa::graph::{Edge, Graph, TermId};
use kgqa::text::normalise;
use oxrdf::{NamedNode, Term};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::source::EmbeddedGraph;
use crate::suggest::closest;

/// Statements that can be reached by paging; beyond that SPARQL is the better question.
pub const MAX_STATEMENTS_EXPLORED: usize = 2_000;

/// Statements of one edge that are read at most, so that a node with a million of them hides no other edge.
const MAX_OF_AN_EDGE: usize = 200;

/// Near labels that an error looks at.
const NEAR_LABELS: usize = 5;

/// Which thing, and which of its statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExploreRequest {
    /// The source; `None`: the only one.
    pub source: Option<String>,
    /// The thing: its label, or its IRI in angle brackets or without.
    pub node: String,
    /// Statements passed over.
    pub skip: usize,
    /// Statements given at most.
    pub limit: usize,
}

/// A statement in words and in terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// Subject in N-Triples form.
    pub subject: String,
    /// Predicate in N-Triples form.
    pub predicate: String,
    /// Object in N-Triples form.
    pub object: String,
    /// The statement in words.
    pub text: String,
}

/// What a graph says of a thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explored {
    /// The source.
    pub source: String,
    /// The thing in N-Triples form.
    pub node: String,
    /// Its label.
    pub label: String,
    /// How many other things have that label.
    pub others: usize,
    /// Statements with it as subject or object, edge by edge.
    pub statements: Vec<Statement>,
    /// What to skip for the next page; none: this was the last.
    pub next: Option<usize>,
}

impl Engine {
    /// The statements of a thing.
    ///
    /// # Errors
    /// When there is no such source or thing, or the graph cannot be read.
    pub fn explore(&self, request: &ExploreRequest) -> Result<Explored, EngineError> {
        let source = self.source_or_only(request.source.as_deref())?;
        let graph = EmbeddedGraph::new(source.snapshot()?)?;
        let (node, others) = named(&graph, &request.node)?;
        let skip = request.skip.min(MAX_STATEMENTS_EXPLORED);
        // One more than asked for tells whether there is a next page.
        let wanted = request
            .limit
            .min(MAX_STATEMENTS_EXPLORED - skip)
            .saturating_add(1);
        let mut found = Vec::new();
        for edge in graph.signature(node)?.iter() {
            let room = (skip + wanted) - found.len();
            if room == 0 {
                break;
            }
            let page = graph.step(node, *edge, room.min(MAX_OF_AN_EDGE))?;
            found.extend(page.ids.into_iter().map(|other| (*edge, other)));
        }
        let more = found.len() == skip + wanted;
        let shown = found.into_iter().skip(skip).take(wanted - 1);
        let statements = shown
            .map(|(edge, other)| statement(&graph, node, edge, other))
            .collect::<Result<Vec<_>, _>>()?;
        let next = skip + statements.len();
        Ok(Explored {
            source: source.name().to_owned(),
            node: graph.term(node)?.to_string(),
            label: graph.label(node)?,
            others,
            next: (more && !statements.is_empty() && next < MAX_STATEMENTS_EXPLORED)
                .then_some(next),
            statements,
        })
    }
}

/// The thing that a text names, and how many others it could name.
fn named(graph: &EmbeddedGraph, text: &str) -> Result<(TermId, usize), EngineError> {
    let text = text.trim();
    let iri = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'))
        .unwrap_or(text);
    if let Ok(iri) = NamedNode::new(iri)
        && let Some(id) = graph.id(&Term::from(iri))?
    {
        return Ok((id, 0));
    }
    let wanted = normalise(text);
    let same = graph.link(&wanted, NEAR_LABELS)?;
    if let Some(first) = same.first() {
        return Ok((*first, same.len() - 1));
    }
    let near = graph.link_fuzzy(&wanted, NEAR_LABELS)?;
    let labels = near
        .iter()
        .map(|(id, _)| graph.label(*id))
        .collect::<Result<Vec<_>, _>>()?;
    let suggestion =
        closest(text, labels.iter().map(String::as_str)).or(labels.first().map(String::as_str));
    Err(EngineError::UnknownLabel {
        position: "subject",
        label: text.to_owned(),
        suggestion: suggestion.map(str::to_owned),
    })
}

fn statement(
    graph: &EmbeddedGraph,
    node: TermId,
    edge: Edge,
    other: TermId,
) -> Result<Statement, EngineError> {
    let (subject, object) = if edge.inverse {
        (other, node)
    } else {
        (node, other)
    };
    let predicate = edge.predicate;
    Ok(Statement {
        subject: graph.term(subject)?.to_string(),
        predicate: graph.term(predicate)?.to_string(),
        object: graph.term(object)?.to_string(),
        text: format!(
            "{} — {} → {}",
            graph.label(subject)?,
            graph.label(predicate)?,
            graph.label(object)?
        ),
    })
}
