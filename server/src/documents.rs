//! `/v1/documents`, `/v1/sources/{name}`, `/v1/warm`: how do sources grow and shrink over HTTP?
//!
//! A document that is sent is kept as a file below the directory's `uploads`, by corpus and name, and read from there like any other. Sending
//! the same name again replaces it.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use refrain::error::check_name;
use refrain::graph_store::{Format, Source};
use refrain::warm::{Resume, WarmReport, WarmRequest};
use refrain::{
    AddReport, AddRequest, DEFAULT_CORPUS, DocumentSummary, Engine, EngineError, LoadRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::access::Caller;
use crate::app::{App, SLOW_TIME};
use crate::error::ApiError;
use crate::extract::{Json, Params, media_type, read};

/// The folder that documents are kept in that were sent.
const UPLOADS: &str = "uploads";

/// Longest name of a document, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// Which documents, or which one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    corpus: Option<String>,
    name: Option<String>,
}

impl Which {
    fn corpus(&self) -> String {
        let named = self.corpus.clone();
        named.unwrap_or_else(|| DEFAULT_CORPUS.to_owned())
    }

    /// The document's name.
    fn name(&self) -> Result<&str, ApiError> {
        self.name.as_deref().ok_or_else(|| {
            ApiError::bad("the document has no name")
                .param("name")
                .remedy("name it behind the question mark, as in ?name=report.md")
        })
    }
}

/// Documents of a corpus.
#[derive(Debug, Serialize)]
pub(crate) struct Documents {
    corpus: String,
    documents: Vec<DocumentSummary>,
}

/// `GET /v1/documents`
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
) -> Result<axum::Json<Documents>, ApiError> {
    let corpus = which.corpus();
    let found = app.with_engine(move |engine| {
        Ok(Documents {
            documents: engine.documents(&corpus)?,
            corpus,
        })
    });
    Ok(axum::Json(found.await?))
}

/// `POST /v1/documents?name=…`: the body is the document; durable and asked from when it is answered.
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
    request: Request,
) -> Result<axum::Json<AddReport>, ApiError> {
    let corpus = which.corpus();
    check_name("source", &corpus)?;
    let name = which.name()?;
    check_document(name)?;
    let path = uploaded(&app.engine, &corpus, name).map_err(EngineError::Files)?;
    let body = read(request, &app, app.limits.upload_bytes).await?;
    if body.is_empty() {
        return Err(ApiError::bad("the document is empty").param("body"));
    }
    let engine = Arc::clone(&app.engine);
    let stop = Arc::clone(&app.stopping);
    let report = app.slow.run(SLOW_TIME, move || {
        keep(&path, &body).map_err(EngineError::Files)?;
        engine.add(AddRequest {
            cancel: Some(stop),
            ..AddRequest::new(corpus, vec![path])
        })
    });
    let report = report.await?;
    if report.skipped > 0 && report.added + report.changed + report.unchanged == 0 {
        let problems = report.problems.join("; ");
        return Err(ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "unreadable_document",
            format!("nothing of the document could be read: {problems}"),
        )
        .param("body"));
    }
    Ok(axum::Json(report))
}

/// `DELETE /v1/documents?name=…`: gone when it is answered; what was learned from it is verified before it is used again.
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    Params(which): Params<Which>,
) -> Result<axum::Json<Value>, ApiError> {
    let corpus = which.corpus();
    let name = which.name()?.to_owned();
    let engine = Arc::clone(&app.engine);
    let removed = app.slow.run(SLOW_TIME, move || {
        let kept = match check_document(&name) {
            Ok(()) => Some(uploaded(&engine, &corpus, &name).map_err(EngineError::Files)?),
            Err(_) => None,
        };
        let kept = kept.filter(|path| path.exists());
        let document = kept
            .as_ref()
            .map_or_else(|| name.clone(), |path| path.display().to_string());
        let suspects = engine.remove_document(&corpus, &document)?;
        if let Some(path) = kept {
            fs_err::remove_file(path).map_err(EngineError::Files)?;
        }
        Ok(json!({ "corpus": corpus, "document": name, "suspects": suspects }))
    });
    Ok(axum::Json(removed.await?))
}

/// Where a document is kept that was sent.
fn uploaded(engine: &Engine, corpus: &str, name: &str) -> std::io::Result<PathBuf> {
    // A document is known by its path, which must not depend on where the server was started.
    let root = fs_err::canonicalize(engine.directory().root())?;
    Ok(root.join(UPLOADS).join(corpus).join(name))
}

fn keep(path: &std::path::Path, content: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    fs_err::write(path, content)
}

/// A name that is no path.
fn check_document(name: &str) -> Result<(), ApiError> {
    let is_bad = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    if name.is_empty()
        || name.len() > MAX_NAME_BYTES
        || name.starts_with('.')
        || name.contains(is_bad)
    {
        return Err(
            ApiError::bad(format!("\"{name}\" cannot be the name of a document"))
                .param("name")
                .remedy("use up to 200 bytes without slashes and colons, not starting with a dot"),
        );
    }
    Ok(())
}

/// `POST /v1/sources/{name}`: the body is RDF that is added to the graph; durable and asked from when it is answered.
pub(crate) async fn load(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    request: Request,
) -> Result<axum::Json<Value>, ApiError> {
    check_name("source", &name)?;
    let kind = media_type(&request);
    let format = format_of(&kind).ok_or_else(|| {
        let known: Vec<&str> = RDF.iter().map(|(kind, _)| *kind).collect();
        ApiError::unsupported(&kind, &known)
    })?;
    let body = read(request, &app, app.limits.upload_bytes).await?;
    let engine = Arc::clone(&app.engine);
    let stop = Arc::clone(&app.stopping);
    let loaded = app.slow.run(SLOW_TIME, move || {
        engine
            .load(LoadRequest {
                format: Some(format),
                cancel: Some(stop),
                ..LoadRequest::new(&*name, vec![Source::text("the body", Vec::from(body))])
            })
            .map(|report| (name, report))
    });
    let (source, report) = loaded.await?;
    Ok(axum::Json(json!({
        "source": source,
        "statements_read": report.statements_read,
        "statements_added": report.statements_added,
        "generation": report.generation,
    })))
}

/// The media types of RDF.
const RDF: [(&str, Format); 6] = [
    ("text/turtle", Format::Turtle),
    ("application/n-triples", Format::NTriples),
    ("application/n-quads", Format::NQuads),
    ("application/trig", Format::TriG),
    ("application/rdf+xml", Format::RdfXml),
    ("application/ld+json", Format::JsonLd),
];

fn format_of(kind: &str) -> Option<Format> {
    let found = RDF.iter().find(|(known, _)| *known == kind);
    found.map(|(_, format)| *format)
}

/// What to warm.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Warmth {
    source: Option<String>,
    entities: Option<usize>,
    seed: Option<u64>,
    #[serde(default)]
    restart: bool,
}

/// `POST /v1/warm`: fills the memory with questions that the graphs suggest; stops with the server, and goes on where it stopped.
pub(crate) async fn warm(
    State(app): State<Arc<App>>,
    caller: Caller,
    Json(warmth): Json<Warmth>,
) -> Result<axum::Json<Vec<WarmReport>>, ApiError> {
    let engine = Arc::clone(&app.engine);
    let stop = Arc::clone(&app.stopping);
    let reports = app.slow.run(SLOW_TIME, move || {
        let defaults = &engine.config().warm;
        engine.warm(&WarmRequest {
            source: warmth.source,
            namespace: caller.namespace,
            entities: warmth.entities.unwrap_or(defaults.entities),
            questions_per_entity: defaults.questions_per_entity,
            seed: warmth.seed.unwrap_or(defaults.seed),
            model_calls: defaults.model_calls,
            dry_run: false,
            resume: if warmth.restart {
                Resume::No
            } else {
                Resume::Yes
            },
            progress: &|_, _, _| {},
            cancel: &stop,
        })
    });
    Ok(axum::Json(reports.await?))
}
