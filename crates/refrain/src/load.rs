//! How do graphs get in, and out again?
//!
//! Loading, single triples, removal of a source. Each is durable before it returns; afterwards the learner is told what changed, so that what
//! rests on it becomes suspect.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use graph_store::{Format, LoadReport, Progress, StoreError, quad_refs};
use oxrdf::{GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::{EngineError, check_name};
use crate::source::{Descriptions, Source};
use crate::suggest::closest;

/// What to load, and how.
pub struct LoadRequest {
    /// The source that receives it.
    pub source: String,
    /// What is loaded.
    pub inputs: Vec<graph_store::Source>,
    /// The format of all inputs; told from names and content when `None`.
    pub format: Option<Format>,
    /// Skip and count what is broken.
    pub lenient: bool,
    /// What the source is about.
    pub description: Option<String>,
    /// Told now and then how far it is.
    pub progress: Option<Arc<dyn Fn(Progress) + Send + Sync>>,
    /// Set to stop; the source then stays as it was.
    pub cancel: Option<Arc<AtomicBool>>,
}

impl LoadRequest {
    /// Inputs for a source, strict, without progress.
    pub fn new(source: impl Into<String>, inputs: Vec<graph_store::Source>) -> Self {
        Self {
            source: source.into(),
            inputs,
            format: None,
            lenient: false,
            description: None,
            progress: None,
            cancel: None,
        }
    }
}

impl std::fmt::Debug for LoadRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadRequest")
            .field("source", &self.source)
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

/// Whether triples come or go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Edit {
    /// They come.
    Add,
    /// They go.
    Remove,
}

/// What an edit of triples did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditReport {
    /// The source.
    pub source: String,
    /// Triples that were added (not there before) or removed (there before).
    pub changed: u64,
    /// Triples named.
    pub named: usize,
    /// The source's generation afterwards.
    pub generation: u64,
    /// Experiences that became suspect.
    pub suspects: u64,
}

/// What a removal of a source did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovalReport {
    /// The source.
    pub source: String,
    /// Statements that went with it.
    pub statements: u64,
    /// Experiences that became suspect.
    pub suspects: u64,
}

/// One part of a triple as a person types it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Subject,
    Predicate,
    Object,
}

impl Position {
    fn name(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::Predicate => "predicate",
            Self::Object => "object",
        }
    }
}

/// Nodes looked at for one label.
const MAX_NODES_PER_LABEL: usize = 16;

impl Engine {
    /// Loads inputs into a source, which is made where there is none: all of it, or nothing.
    ///
    /// # Errors
    /// When an input cannot be read or parsed, the load is cancelled, or the store cannot be written.
    pub fn load(&self, request: LoadRequest) -> Result<LoadReport, EngineError> {
        check_name("source", &request.source)?;
        if self.corpus(&request.source).is_ok() {
            return Err(EngineError::NameTaken {
                name: request.source,
            });
        }
        let is_new = self.source(&request.source).is_err();
        let source = self.source_or_new(&request.source)?;
        let options = graph_store::LoadOptions {
            format: request.format,
            lenient: request.lenient || self.config.load.lenient,
            progress: request.progress,
            cancel: request.cancel,
            ..graph_store::LoadOptions::default()
        };
        let report = match source.store().load(request.inputs, &options) {
            Ok(report) => report,
            Err(error) => {
                drop(source);
                if is_new {
                    self.drop_empty(&request.source)?;
                }
                return Err(error.into());
            }
        };
        if let Some(description) = &request.description {
            self.describe_source(&request.source, description)?;
        }
        if report.statements_added > 0 {
            self.everything_changed(&request.source)?;
            source.prepare(&*source.view(&self.planner, self.embedder.as_ref())?)?;
        }
        Ok(report)
    }

    /// A source that was made for a load that failed goes again.
    fn drop_empty(&self, name: &str) -> Result<(), EngineError> {
        drop(self.detach(name)?);
        fs_err::remove_dir_all(self.directory.graph(name)).map_err(EngineError::Files)
    }

    /// Adds or removes triples, durably, all or none.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn edit(
        &self,
        source: &Source,
        edit: Edit,
        quads: &[Quad],
    ) -> Result<EditReport, EngineError> {
        let change = match edit {
            Edit::Add => source.store().insert(quad_refs(quads))?,
            Edit::Remove => source.store().remove(quad_refs(quads))?,
        };
        let suspects = if change.statements > 0 {
            self.triples_changed(source.name(), quads)?
        } else {
            0
        };
        Ok(EditReport {
            source: source.name().to_owned(),
            changed: change.statements,
            named: quads.len(),
            generation: change.generation,
            suspects,
        })
    }

    /// Removes a source and its graph.
    ///
    /// # Errors
    /// When there is no such source, or its files cannot be removed.
    pub fn remove_source(&self, name: &str) -> Result<RemovalReport, EngineError> {
        let source = self.detach(name)?;
        let statements = source.snapshot()?.len();
        drop(source);
        fs_err::remove_dir_all(self.directory.graph(name)).map_err(EngineError::Files)?;
        let path = self.directory.descriptions();
        let mut descriptions = Descriptions::read(&path)?;
        if descriptions.about.remove(name).is_some() {
            descriptions.write(&path)?;
        }
        let suspects = self.everything_changed(name)?;
        Ok(RemovalReport {
            source: name.to_owned(),
            statements,
            suspects,
        })
    }

    /// Reads a triple as a person types it: `<iri>`, `"literal"`, a number, or the label of a node that the source knows.
    ///
    /// # Errors
    /// When a part is neither a term nor the label of exactly one node.
    pub fn parse_triple(&self, source: &Source, parts: [&str; 3]) -> Result<Quad, EngineError> {
        let [subject, predicate, object] = parts;
        let subject = match self.parse_term(source, Position::Subject, subject)? {
            Term::NamedNode(node) => NamedOrBlankNode::NamedNode(node),
            Term::BlankNode(node) => NamedOrBlankNode::BlankNode(node),
            Term::Literal(_) => return Err(not_allowed(Position::Subject, subject)),
        };
        let predicate = match self.parse_term(source, Position::Predicate, predicate)? {
            Term::NamedNode(node) => node,
            Term::BlankNode(_) | Term::Literal(_) => {
                return Err(not_allowed(Position::Predicate, predicate));
            }
        };
        let object = self.parse_term(source, Position::Object, object)?;
        Ok(Quad::new(
            subject,
            predicate,
            object,
            GraphName::DefaultGraph,
        ))
    }

    fn parse_term(
        &self,
        source: &Source,
        position: Position,
        text: &str,
    ) -> Result<Term, EngineError> {
        let text = text.trim();
        if text.starts_with(['<', '"']) || text.starts_with("_:") {
            return text
                .parse()
                .map_err(|error: oxrdf::TermParseError| EngineError::BadTerm {
                    text: text.to_owned(),
                    message: error.to_string(),
                });
        }
        if position == Position::Object && text.parse::<i64>().is_ok() {
            return Ok(Literal::new_typed_literal(text, oxrdf::vocab::xsd::INTEGER).into());
        }
        if let Some(term) = self.named(source, position, text)? {
            return Ok(term);
        }
        if (text.starts_with("http://") || text.starts_with("https://") || text.starts_with("urn:"))
            && let Ok(node) = NamedNode::new(text)
        {
            return Ok(node.into());
        }
        Err(EngineError::UnknownLabel {
            position: position.name(),
            label: text.to_owned(),
            suggestion: self.nearest_label(source, position, text)?,
        })
    }

    /// The one node with this label that can stand at this position.
    fn named(
        &self,
        source: &Source,
        position: Position,
        label: &str,
    ) -> Result<Option<Term>, EngineError> {
        let snapshot = source.snapshot()?;
        let normalised = graph_store::normalise(label);
        let ids = snapshot.labels().exact(&normalised, MAX_NODES_PER_LABEL)?;
        let mut found: Vec<Term> = Vec::new();
        for id in ids {
            let term = snapshot.term(id)?;
            let is_predicate = snapshot.predicate_count(id)? > 0;
            let fits = match (&term, position) {
                (Term::Literal(_), _) => false,
                (Term::NamedNode(_), Position::Predicate) => is_predicate,
                (Term::BlankNode(_), Position::Predicate) => false,
                (Term::NamedNode(_) | Term::BlankNode(_), Position::Subject | Position::Object) => {
                    !is_predicate
                }
            };
            if fits {
                found.push(term);
            }
        }
        match found.len() {
            0 => Ok(None),
            1 => Ok(found.pop()),
            _ => Err(EngineError::AmbiguousLabel {
                position: position.name(),
                label: label.to_owned(),
                terms: found.iter().map(ToString::to_string).collect(),
            }),
        }
    }

    fn nearest_label(
        &self,
        source: &Source,
        position: Position,
        text: &str,
    ) -> Result<Option<String>, EngineError> {
        let snapshot = source.snapshot()?;
        if position == Position::Predicate {
            let mut labels = Vec::new();
            for count in snapshot.predicates()?.iter() {
                labels.push(snapshot.label(count.predicate)?);
            }
            return Ok(closest(text, labels.iter().map(String::as_str)).map(str::to_owned));
        }
        let near = snapshot.labels().fuzzy(&graph_store::normalise(text), 1)?;
        near.first()
            .map(|near| snapshot.label(near.id))
            .transpose()
            .map_err(EngineError::from)
    }
}

fn not_allowed(position: Position, text: &str) -> EngineError {
    EngineError::BadTerm {
        text: text.to_owned(),
        message: format!("that cannot be a {}", position.name()),
    }
}

/// Reads N-Triples, for `refrain triple add -`.
///
/// # Errors
/// When a line is not N-Triples.
pub fn parse_ntriples(text: &str) -> Result<Vec<Quad>, EngineError> {
    let parser = oxrdfio::RdfParser::from_format(oxrdfio::RdfFormat::NTriples);
    parser
        .for_slice(text)
        .map(|quad| {
            quad.map_err(|error| {
                let place = error.location().map_or_else(String::new, |range| {
                    format!("line {}: ", range.start.line + 1)
                });
                EngineError::BadTriples {
                    message: format!("{place}{error}"),
                }
            })
        })
        .collect()
}

/// Whether a failed load was cancelled, which is no failure of the input.
pub fn was_cancelled(error: &EngineError) -> bool {
    matches!(error, EngineError::Store(StoreError::Cancelled))
}
